"""One cell: is it missing, and if not, which way of writing a score is it?"""

from __future__ import annotations

import ast
import json
import math
import numbers
import re
import warnings
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

import numpy as np
import pandas as pd

# How writers spell "nothing here"; pandas' own list without the numbers of old Excel files.
MISSING: Final = frozenset(
    {"", "nan", "NaN", "-nan", "NAN", "NA", "<NA>", "N/A", "n/a", "#N/A", "null", "NULL"}
    | {"None", "none", "NaT"}
)

# Words that are outcomes, and what they are worth. "N" (no answer) is 0, as Inspect counts it.
VOCABULARIES: Final[Mapping[str, Mapping[str, float]]] = {
    "C/I/P/N": {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0},
    "true/false": {"true": 1.0, "false": 0.0},
    "yes/no": {"yes": 1.0, "no": 0.0, "y": 1.0, "n": 0.0},
    "pass/fail": {"pass": 1.0, "fail": 0.0, "passed": 1.0, "failed": 0.0},
    "correct/incorrect": {"correct": 1.0, "incorrect": 0.0},
}

DIGITS = r"[0-9]+"
PLAIN = re.compile(rf"[+-]?(?:{DIGITS}(?:\.[0-9]*)?|\.{DIGITS})(?:[eE][+-]?{DIGITS})?")
COMMA = re.compile(rf"[+-]?{DIGITS},{DIGITS}")
PERCENT = re.compile(rf"([+-]?{DIGITS}(?:[.,]{DIGITS})?)\s?%")

NUMBER, BOOLEAN, PERCENT_SIGN, DECIMAL_COMMA = "number", "boolean", "percent", "decimal comma"
WORD, LIST, OBJECT, INFINITE, TEXT, NOTHING = "word", "list", "object", "infinite", "text", ""

LONGEST_LIST = 2**20  # characters of a list written into one cell; longer text stays text


def is_missing(value: Any) -> bool:
    """Say whether a cell holds nothing: None, NaN, NA, or text that means it."""
    if value is None or value is pd.NA or value is pd.NaT:
        return True
    if isinstance(value, str):
        return value.strip() in MISSING
    return isinstance(value, float | np.floating) and math.isnan(value)


def notation(value: Any) -> str:
    """Return how a cell is written, one of the names above; ``NOTHING`` when it is empty."""
    if is_missing(value):
        return NOTHING
    if isinstance(value, bool | np.bool_):
        return BOOLEAN
    if isinstance(value, numbers.Real | Decimal):
        return NUMBER if _finite(value) else INFINITE
    if isinstance(value, dict):
        return OBJECT
    if isinstance(value, list | tuple | np.ndarray):
        return LIST
    return _text_notation(value.strip()) if isinstance(value, str) else TEXT


def _finite(value: numbers.Real | Decimal | str) -> bool:
    try:
        return math.isfinite(float(value))
    except OverflowError:  # an integer beyond the largest double
        return False


def _text_notation(text: str) -> str:
    if PLAIN.fullmatch(text):
        return NUMBER if _finite(text) else INFINITE
    if PERCENT.fullmatch(text):
        return PERCENT_SIGN
    if COMMA.fullmatch(text):
        return DECIMAL_COMMA
    if any(text in words or text.lower() in words for words in VOCABULARIES.values()):
        return WORD
    return LIST if listed(text) is not None else TEXT


def listed(value: Any) -> list[Any] | None:
    """Return the items of a list-valued cell, also of one written as text; else ``None``."""
    if isinstance(value, list | tuple | np.ndarray):
        return list(value)
    if not isinstance(value, str):
        return None
    text = value.strip()
    if not (text.startswith("[") and text.endswith("]")) or len(text) > LONGEST_LIST:
        return None
    for read in (json.loads, ast.literal_eval):  # JSON, or Python's own repr in a CSV
        try:
            with warnings.catch_warnings():
                # "\\d" in a quoted text is a warning to Python's parser, and no matter here.
                warnings.simplefilter("ignore", SyntaxWarning)
                found = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        return found if isinstance(found, list) else None
    return None
