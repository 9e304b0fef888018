"""Make a section of CHANGELOG.md from the change notes.

    python docs/changes/collect.py VERSION [--write]

Prints the section; with --write it goes to the top of CHANGELOG.md and the notes are deleted.
"""

from __future__ import annotations

import argparse
import datetime
from pathlib import Path

HERE = Path(__file__).parent
CHANGELOG = HERE.parents[1] / "CHANGELOG.md"
#: Kind, as in the file's name → heading.
KINDS = {"added": "Added", "changed": "Changed", "fixed": "Fixed", "removed": "Removed"}


def notes() -> dict[str, list[Path]]:
    """Return the notes by kind, and refuse names of another form."""
    found: dict[str, list[Path]] = {kind: [] for kind in KINDS}
    for path in sorted(HERE.glob("*.md")):
        if path.name == "README.md":
            continue
        kind = path.suffixes[-2].lstrip(".") if len(path.suffixes) > 1 else ""
        if kind not in KINDS:
            raise SystemExit(f"{path.name}: name it <short-name>.<kind>.md, {', '.join(KINDS)}")
        found[kind].append(path)
    return found


def section(version: str, found: dict[str, list[Path]]) -> str:
    """Return the section of a release."""
    lines = [f"## {version} ({datetime.date.today().isoformat()})", ""]
    for kind, heading in KINDS.items():
        texts = [" ".join(path.read_text(encoding="utf-8").split()) for path in found[kind]]
        if texts:
            lines += [f"### {heading}", "", *(f"- {text}" for text in texts), ""]
    return "\n".join(lines)


def main() -> None:
    """Print the section, or write it."""
    parser = argparse.ArgumentParser(description="Make a section of CHANGELOG.md.")
    parser.add_argument("version")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    found = notes()
    text = section(given.version, found)
    if not given.write:
        print(text)
        return
    title, _, rest = CHANGELOG.read_text(encoding="utf-8").partition("\n")
    CHANGELOG.write_text(f"{title}\n\n{text}{rest}", encoding="utf-8")
    for paths in found.values():
        for path in paths:
            path.unlink()


if __name__ == "__main__":
    main()
