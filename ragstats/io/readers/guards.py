"""A column of cells as numbers: by one rule for the whole column, or not at all.

A column that mixes notations ("50%" beside "0.5", words beside numbers) says that two things
were written into it; it is refused rather than half understood.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ragstats.exceptions import DataError
from ragstats.io.readers.cells import (
    BOOLEAN,
    DECIMAL_COMMA,
    INFINITE,
    LIST,
    NOTHING,
    NUMBER,
    OBJECT,
    PERCENT_SIGN,
    TEXT,
    VOCABULARIES,
    WORD,
    notation,
)

Numbers = npt.NDArray[np.float64]
Reader = Callable[[Any], float]


def to_numbers(column: pd.Series[Any], label: str) -> tuple[Numbers, tuple[str, ...]]:
    """Return a column as float64 with NaN where nothing was written, and what was converted.

    Parameters
    ----------
    column : pandas.Series
        Cells as written.
    label : str
        The column in words, for messages: ``"scores.csv: score 'hit'"``.

    Raises
    ------
    DataError
        If a cell is not a number, a list, infinite, or written otherwise than the rest.
    """
    if not (column.dtype == object or isinstance(column.dtype, pd.StringDtype)):
        if isinstance(column.dtype, pd.CategoricalDtype):
            column = column.astype(object)
        elif pd.api.types.is_numeric_dtype(column.dtype):
            return _numeric(column, label)
    cells = column.to_list()
    kinds = [notation(cell) for cell in cells]
    read, note = _reader(cells, kinds, label)
    values = [np.nan if kind == NOTHING else read(c) for c, kind in zip(cells, kinds, strict=True)]
    return np.array(values, dtype=np.float64), (f"{label}: {note}",) if note else ()


def _numeric(column: pd.Series[Any], label: str) -> tuple[Numbers, tuple[str, ...]]:
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    if np.isinf(values).any():
        raise DataError(f"{label}: {int(np.isinf(values).sum())} infinite values")
    boolean = pd.api.types.is_bool_dtype(column.dtype)
    return values, (f"{label}: true is 1, false is 0",) if boolean else ()


def _reader(cells: list[Any], kinds: list[str], label: str) -> tuple[Reader, str]:
    """Choose the one rule that reads every cell, and say what it is unless it is plain."""
    counts = Counter(kind for kind in kinds if kind != NOTHING)
    for kind, complaint in REFUSED.items():
        if counts[kind]:
            shown = _examples(cells, kinds, kind)
            raise DataError(
                f"{label}: {counts[kind]} of {counts.total()} values {complaint}{shown}"
            )
    found = set(counts)
    if WORD in found:
        return _word_reader(cells, kinds, counts, label)
    if found <= {NUMBER, BOOLEAN}:
        return float, "true is 1, false is 0" if BOOLEAN in found else ""
    if found == {PERCENT_SIGN}:
        return _percent, "percentages, divided by 100"
    if found <= {DECIMAL_COMMA, NUMBER}:
        _check_commas(cells, kinds, label)
        return _comma, "decimal commas read as points"
    raise _mixed(counts, label)


REFUSED: Mapping[str, str] = {
    TEXT: "are not numbers",
    LIST: "are lists, where one number per row is needed",
    OBJECT: "are objects with several fields, where one number per row is needed",
    INFINITE: "are infinite",
}


def _examples(cells: list[Any], kinds: list[str], kind: str) -> str:
    found = dict.fromkeys(repr(c)[:40] for c, k in zip(cells, kinds, strict=True) if k == kind)
    return f" ({', '.join(list(found)[:3])})"


def _mixed(counts: Counter[str], label: str) -> DataError:
    written = ", ".join(f"{n} as {kind}" for kind, n in counts.most_common())
    return DataError(f"{label}: notations are mixed ({written}); write all cells alike")


def _word_reader(
    cells: list[Any], kinds: list[str], counts: Counter[str], label: str
) -> tuple[Reader, str]:
    words = {str(c).strip() for c, kind in zip(cells, kinds, strict=True) if kind == WORD}
    fitting = [name for name, values in VOCABULARIES.items() if _in_vocabulary(words, values)]
    # true/false beside 0 and 1, or beside true booleans, is one notation; other words are not.
    beside = {NUMBER, BOOLEAN} if "true/false" in fitting else set()
    if not fitting or not set(counts) <= {WORD} | beside:
        raise _mixed(counts, f"{label}: words {sorted(words)[:4]}")
    table = VOCABULARIES[fitting[0]]

    def read(cell: Any) -> float:
        if not isinstance(cell, str):
            return float(cell)
        text = cell.strip()
        worth = table.get(text, table.get(text.lower()))
        return float(text) if worth is None else worth

    used = {w: table.get(w, table.get(w.lower(), 0.0)) for w in sorted(words)}
    return read, ", ".join(f"{word!r} is {worth:g}" for word, worth in used.items())


def _in_vocabulary(words: set[str], values: Mapping[str, float]) -> bool:
    exact = any(key.isupper() for key in values)  # "C" is a grade, "c" is not
    return all(word in values or (not exact and word.lower() in values) for word in words)


def _check_commas(cells: list[Any], kinds: list[str], label: str) -> None:
    texts = [str(c).strip() for c in cells]
    commas = [t for t, kind in zip(texts, kinds, strict=True) if kind == DECIMAL_COMMA]
    points = [t for t, k in zip(texts, kinds, strict=True) if k == NUMBER and not _whole(t)]
    if points:
        raise DataError(f"{label}: decimal commas ({commas[0]!r}) beside points ({points[0]!r})")
    if all(_may_be_thousands(text) for text in commas):
        raise DataError(
            f"{label}: {commas[0]!r} may be a decimal comma or a thousands separator; write points"
        )


def _whole(text: str) -> bool:
    return text.lstrip("+-").isdigit()


def _may_be_thousands(text: str) -> bool:
    whole, _, rest = text.lstrip("+-").partition(",")
    return len(rest) == 3 and len(whole) <= 3 and not whole.startswith("0")


def _percent(cell: Any) -> float:
    text = str(cell).strip().removesuffix("%").strip().replace(",", ".")
    # 7 / 100 is the double nearest to 0.07; 7 * 0.01 is not.
    return float(text) / 100.0


def _comma(cell: Any) -> float:
    return float(str(cell).strip().replace(",", "."))
