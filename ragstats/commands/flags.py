"""Messages of the library, in the words of a command line."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: Arguments of the library → the option that sets them, in the commands that have it.
_CALLED = {"systems": "name", "population": "population-size", "n_jobs": "jobs"}

#: A value behind an argument: text in quotes, a list, or a word.
_VALUE = r"""=(?:'(?P<text>[^']*)'|"(?P<quoted>[^"]*)"|\[(?P<list>[^]]*)\]|(?P<word>[\w.+-]*))"""


def as_flags(message: str, options: Iterable[str]) -> str:
    """Return a message with its arguments as options: ``unmatched='x'`` as ``--unmatched x``.

    Parameters
    ----------
    message : str
        One line of the library.
    options : iterable of str
        The options of the command, without dashes; what is none of them stays as it is.

    Examples
    --------
    >>> as_flags("query is missing: choose unmatched='pairwise'", ["query", "unmatched"])
    '--query is missing: choose --unmatched pairwise'
    """
    known = set(options)
    flags = {name.replace("-", "_"): f"--{name}" for name in known}
    flags |= {argument: f"--{name}" for argument, name in _CALLED.items() if name in known}
    if not flags:
        return message
    argument = rf"(?<![\w.'-])(?P<argument>{'|'.join(sorted(flags, key=len, reverse=True))})"

    def said(found: re.Match[str]) -> str:
        return f"{flags[found['argument']]}{_value(found)}"

    message = re.sub(argument + _VALUE, said, message)
    return re.sub(rf"^{argument}(?=:| (?:is|names|holds|has)\b)", lambda m: flags[m[1]], message)


def _value(found: re.Match[str]) -> str:
    """Return what stands behind an option: a list is the first of its names, True is nothing."""
    if found["word"] is not None:
        return "" if found["word"] in ("", "True") else f" {found['word']}"
    listed = found["list"]
    text = found["text"] if listed is None else listed.split(",")[0].strip().strip("'\"")
    text = found["quoted"] if text is None else text
    return f" {text}" if re.fullmatch(r"[\w./:+-]+", text) else f" {text!r}"
