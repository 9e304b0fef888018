"""The parts of a report that every rendering lays out in its own way."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A few sentences; ``note`` for what is said more quietly."""

    text: str
    note: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the summary.

    Attributes
    ----------
    label : str
        What was estimated.
    value, interval : str
        The estimate and its interval, in numbers.
    sentence : str
        What that says, and no more.
    verdict : {"up", "down", "open", "none"}
        The interval is above 0, below 0, includes 0, or is not there (or 0 is not the question).
    estimand : str
        "micro" or "macro".
    """

    label: str
    value: str
    interval: str
    sentence: str
    verdict: str
    estimand: str


@dataclass(frozen=True, slots=True)
class Findings:
    """The summary's lines."""

    items: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Term:
    """A name and what is to be said of it; ``missing`` when the user did not state it."""

    name: str
    text: str
    missing: bool = False


@dataclass(frozen=True, slots=True)
class Terms:
    """A list of names and what is to be said of them."""

    items: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of sentences; ``care`` for warnings."""

    items: tuple[str, ...]
    care: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of formatted cells; the first column names the row, the others are numbers.

    Attributes
    ----------
    name : str
        A word without spaces, unique in the report.
    caption : str
        What the table shows.
    columns : tuple of str
        The headers.
    rows : tuple of tuple of str
        As many cells as columns.
    """

    name: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure: its name in ``Report.figures()``, what it shows, and what one sees in it."""

    name: str
    caption: str
    alternative: str


Block = Paragraph | Findings | Terms | Bullets | Table | Picture


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it."""

    name: str
    title: str
    blocks: tuple[Block, ...] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True)
class Content:
    """A whole report in words, ready to be laid out."""

    title: str
    subtitle: str
    sections: tuple[Section, ...]
