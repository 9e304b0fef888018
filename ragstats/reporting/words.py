"""Numbers and names as a report writes them; the same in every rendering.

Minus signs are U+2212 here; the text and Markdown renderings turn them into hyphens.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from math import isinf, isnan

NOT_AVAILABLE = "n/a"
MINUS = "−"


def number(value: float, *, signs: bool = False) -> str:
    """Return a number with four decimals, more when it is small, in powers of ten at the ends."""
    if isnan(value):
        return NOT_AVAILABLE
    sign = MINUS if value < 0 else "+" if signs and value > 0 else ""
    return sign + _digits(abs(value))


def _digits(size: float) -> str:
    if isinf(size):
        return "∞"
    if size == 0 or 1e-3 <= size < 1e5:
        return f"{size:.4f}"
    return f"{size:.6f}" if 1e-5 <= size < 1e-3 else f"{size:.2e}"


def signed(value: float) -> str:
    """Return a number with its sign."""
    return number(value, signs=True)


def short(value: float, *, digits: int = 3) -> str:
    """Return a number with few digits, for diagnostics."""
    if isnan(value):
        return NOT_AVAILABLE
    sign = MINUS if value < 0 else ""
    return f"{sign}{abs(value):.{digits}f}"


def size(value: float) -> str:
    """Return a number of rows: whole where it is whole."""
    return f"{value:.0f}" if value == round(value) or value >= 100 else f"{value:.1f}"


def count(value: int) -> str:
    """Return a whole number with thousands separators."""
    return f"{value:,}"


def degrees(value: float) -> str:
    """Return df with one decimal."""
    if isnan(value):
        return NOT_AVAILABLE
    return "∞" if isinf(value) else f"{value:.1f}"


#: A number this small beside its standard error, or its interval, is 0 but for rounding.
ROUNDING = 1e-8


def snapped(value: float, scale: float) -> float:
    """Return 0 for what is rounding beside ``scale``, and the value otherwise."""
    return 0.0 if abs(value) < ROUNDING * scale else value


def interval(low: float, high: float, *, signs: bool = False) -> str:
    """Return an interval in brackets."""
    if isnan(low):
        return NOT_AVAILABLE
    if not isinf(high - low):
        low, high = snapped(low, high - low), snapped(high, high - low)
    return f"[{number(low, signs=signs)}, {number(high, signs=signs)}]"


def pvalue(value: float) -> str:
    """Return a p-value with four decimals."""
    if isnan(value):
        return NOT_AVAILABLE
    return "<0.0001" if value < 1e-4 else f"{value:.4f}"


def p_equals(value: float) -> str:
    """Return ``p = …``, or ``p < …`` for a tiny one."""
    return f"p {pvalue(value).replace('<', '< ')}" if value < 1e-4 else f"p = {pvalue(value)}"


def share(value: float) -> str:
    """Return a share as a percentage; one that is neither 0 nor all is never shown as such."""
    if isnan(value):
        return NOT_AVAILABLE
    rounded = f"{value:.0%}"
    if (rounded == "0%" and value > 0) or (rounded == "100%" and value < 1):
        return "<1%" if value < 0.5 else ">99%"
    return rounded


def percent(value: float) -> str:
    """Return a share as a percentage with one decimal."""
    rounded = f"{value:.1%}"
    return "<0.1%" if rounded == "0.0%" and value > 0 else rounded


def clean(name: object) -> str:
    """Return a name on one line: line breaks and control characters are made visible."""
    text = str(name)
    if text.isprintable():
        return text
    return "".join(c.encode("unicode_escape").decode() if _hidden(c) else c for c in text)


def prose(text: str) -> str:
    """Return a user's sentences on one line: white space is one space."""
    return clean(" ".join(text.split()))


def _hidden(character: str) -> bool:
    """Whether a character would break a line, move the cursor or turn the direction of writing."""
    kind = unicodedata.category(character)
    return kind in ("Cc", "Cs", "Zl", "Zp") or character in _DIRECTIONS


_DIRECTIONS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def listed(names: Sequence[str], *, most: int = 6) -> str:
    """Return names in a row, at most so many."""
    shown = [str(n) for n in names[:most]]
    if len(names) > most:
        shown.append(f"{len(names) - most} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def sentence(text: str) -> str:
    """Return words as a sentence: a capital at the start, a full stop at the end."""
    text = stopped(text)
    return text[:1].upper() + text[1:]


def stopped(text: str) -> str:
    """Return words with a full stop at the end."""
    text = text.strip()
    return text if not text or text[-1] in ".!?…" else f"{text}."
