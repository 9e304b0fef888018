"""The files of a report: checked before the work, rendered before the first is written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from ragstats.exceptions import DataError
from ragstats.extras import need
from ragstats.reporting.files import check_place
from ragstats.writing import naming, write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ragstats.reporting.report import Report

#: Dots per inch of the figures in pixels.
DPI = 220


@dataclass(frozen=True, slots=True)
class Outputs:
    """Where a report is to be written; None for what is not wanted.

    Attributes
    ----------
    html, json, markdown : Path or None
        Files.
    figures : Path or None
        A folder, made if need be: each figure as SVG and as PNG.
    """

    html: Path | None = None
    json: Path | None = None
    markdown: Path | None = None
    figures: Path | None = None

    def check(self, source: Path | None = None) -> None:
        """Raise for a place that cannot be written, or a library that is missing.

        Parameters
        ----------
        source : Path, optional
            The file that is read, which no output may replace.

        Raises
        ------
        DataError, MissingExtraError
            In one line.
        """
        taken = {} if source is None else {source.resolve(): "FILE"}
        for option, path in self._files():
            check_place(path, option)
            place = path.resolve()
            if place in taken and (place.is_file() or not place.exists()):
                raise DataError(
                    f"{option}={str(path)!r} is also {taken[place]}; give each its own file"
                )
            taken[place] = option
        if self.figures is not None:
            _check_folder(self.figures)
        if self.html is not None or self.figures is not None:
            need("matplotlib", "--figures" if self.html is None else "--html")
        if self.html is not None:
            need("jinja2", "--html")

    def _files(self) -> Iterator[tuple[str, Path]]:
        named = {"--html": self.html, "--json": self.json, "--markdown": self.markdown}
        yield from ((option, path) for option, path in named.items() if path is not None)

    def write(self, report: Report) -> list[Path]:
        """Render everything, then write it, and return what was written."""
        rendered = list(self._rendered(report))
        for option, path, content in rendered:
            if option == "--figures":
                with naming(option, path.parent):
                    path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, content, option)
        return [path for _, path, _ in rendered]

    def _rendered(self, report: Report) -> Iterator[tuple[str, Path, bytes]]:
        if self.html is not None:
            yield "--html", self.html, report.to_html().encode()
        if self.json is not None:
            yield "--json", self.json, report.to_json().encode()
        if self.markdown is not None:
            text = report.to_markdown(figures=self._figures_from(self.markdown))
            yield "--markdown", self.markdown, text.encode()
        if self.figures is not None:
            for name, figure in report.figures().items():
                for suffix, content in _pictures(figure).items():
                    yield "--figures", self.figures / f"{name}.{suffix}", content

    def _figures_from(self, markdown: Path) -> str | None:
        """Return the folder of the figures as seen from the Markdown file."""
        if self.figures is None:
            return None
        return Path(os.path.relpath(self.figures.resolve(), markdown.resolve().parent)).as_posix()


def _check_folder(folder: Path) -> None:
    """Raise for a folder that is a file, or whose own folder is not there."""
    if folder.exists() and not folder.is_dir():
        raise DataError(f"--figures={str(folder)!r} is a file; give the name of a folder")
    if not folder.resolve().parent.is_dir():
        raise DataError(
            f"--figures={str(folder)!r}: there is no folder {str(folder.resolve().parent)!r}"
        )


def _pictures(figure: Figure) -> dict[str, bytes]:
    """Return a figure as SVG and as PNG on white."""
    from ragstats.reporting.figures.svg import quietly, raw_svg

    buffer = BytesIO()
    with quietly():
        figure.savefig(
            buffer, format="png", dpi=DPI, facecolor="white", metadata={"Software": None}
        )
    return {"svg": raw_svg(figure).encode(), "png": buffer.getvalue()}
