"""From a path to text or JSON, with limits, and one clear line when the bytes are not that."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import io
import json
import os
import re
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ragstats.exceptions import DataError

# Evaluation logs beyond these are read in passes by other means; a file that claims more is
# broken or hostile.
MAX_FILE_BYTES = 2 * 2**30
MAX_LINE_BYTES = 64 * 2**20
MAX_EXPANSION = 300  # text compresses 5 to 50 times; beyond this a .gz is a bomb
FREE_EXPANSION = 64 * 2**20  # small enough to be harmless whatever the ratio

# An escape that may be half a character: Python's reader lets it through, nothing else does.
HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def checked_path(argument: str, path: str | os.PathLike[str]) -> Path:
    """Return the path of a file that is there, is a file, is not empty and not too large."""
    try:
        found = Path(path)
    except TypeError:
        raise DataError(f"{argument}={path!r} is not a path") from None
    if found.is_dir():
        inside = sorted(p.name for p in found.iterdir() if p.is_file())
        listed = ", ".join(inside[:8]) + (", …" if len(inside) > 8 else "")
        raise DataError(f"{argument}={str(path)!r} is a folder; name a file of it: {listed}")
    if not found.exists():
        raise FileNotFoundError(f"{argument}={str(path)!r}: no such file")
    if not found.is_file():
        raise DataError(f"{argument}={str(path)!r} is not a regular file")
    size = found.stat().st_size
    if size == 0:
        raise DataError(f"{found.name}: the file is empty")
    return found


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def starts_with(path: Path, magic: bytes) -> bool:
    """Say whether a file begins with these bytes."""
    with path.open("rb") as handle:
        return handle.read(len(magic)) == magic


def read_text(path: Path, encoding: str | None = None) -> str:
    """Return a text file, gzip-compressed or not, decoded without guessing."""
    return decode(_read_bytes(path), path.name, encoding)


def _read_bytes(path: Path) -> bytes:
    size = path.stat().st_size
    if size > MAX_FILE_BYTES:
        raise DataError(f"{path.name}: {size:,} bytes; at most {MAX_FILE_BYTES:,} are read at once")
    data = path.read_bytes()
    return _gunzip(data, path.name) if data[:2] == b"\x1f\x8b" else data


def _gunzip(data: bytes, name: str) -> bytes:
    limit = min(MAX_FILE_BYTES, max(FREE_EXPANSION, MAX_EXPANSION * len(data)))
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as handle:
            text = handle.read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{name}: the gzip data are broken or cut short ({error})") from None
    if len(text) > limit:
        raise DataError(f"{name}: {len(data):,} bytes expand to more than {limit:,}; refused")
    return text


def decode(data: bytes, name: str, encoding: str | None = None) -> str:
    """Return bytes as text: UTF-8, a byte-order mark, or the encoding that was asked for."""
    codec = encoding or next((c for mark, c in BYTE_ORDER_MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(codec)
    except LookupError:
        raise DataError(f"encoding={encoding!r} is unknown; e.g. 'utf-8', 'cp1252'") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{name}, line {line}: byte 0x{data[error.start]:02x} is not {codec}; save the file as "
            "UTF-8 or pass its encoding=, e.g. 'cp1252' or 'latin-1'"
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise DataError(f"{name}, line {line}: a NUL byte; this is not a text file in {codec}")
    return text


def text_lines(text: str, name: str) -> list[str]:
    """Return the lines of a text, refusing one that no evaluator writes."""
    # str.splitlines would also cut at U+2028 and its like, which occur inside JSON strings.
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    longest = max(lines, key=len)
    if len(longest) > MAX_LINE_BYTES:
        number = lines.index(longest) + 1
        raise DataError(
            f"{name}, line {number}: {len(longest):,} characters; at most {MAX_LINE_BYTES:,}"
        )
    return lines


def parse_json(text: str, where: str, *, unique_keys: bool = False) -> Any:
    """Return a JSON value; say where it stops being JSON."""
    hook = _refuse_repeated(where) if unique_keys else None
    try:
        value = json.loads(text, object_pairs_hook=hook)
    except json.JSONDecodeError as error:
        cut = " (cut short?)" if error.pos >= len(text.rstrip()) - 1 else ""
        line = f"line {error.lineno}, " if "\n" in text else ""
        raise DataError(
            f"{where}: not JSON at {line}column {error.colno}: {error.msg}{cut}"
        ) from None
    except RecursionError:
        raise DataError(f"{where}: JSON nested too deeply to be read") from None
    except ValueError as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{where}: not JSON ({error})") from None
    if HALF_CHARACTER.search(text):
        _refuse_half_characters(value, where)
    return value


def _refuse_half_characters(value: Any, where: str) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise DataError(f"{where}: half of a surrogate pair, which is no character") from None


def _refuse_repeated(where: str) -> Callable[[list[tuple[str, Any]]], dict[str, Any]]:
    def hook(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise DataError(f"{where}: key {key!r} is there twice in one object")
            found[key] = value
        return found

    return hook


def parse_json_lines(lines: Iterable[str], name: str) -> list[dict[str, Any]]:
    """Return one object per line; name the line that is not one."""
    records = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        record = parse_json(line, f"{name}, line {number}")
        if not isinstance(record, dict):
            raise DataError(f"{name}, line {number}: a JSON object is needed, not {_kind(record)}")
        records.append(record)
    return records


def objects(value: Any, where: str) -> list[dict[str, Any]]:
    """Return a list of JSON objects, or say what stands there instead."""
    if not isinstance(value, list):
        raise DataError(f"{where}: a list of objects is needed, not {_kind(value)}")
    for number, item in enumerate(value, start=1):
        if not isinstance(item, dict):
            raise DataError(f"{where}, entry {number}: an object is needed, not {_kind(item)}")
    return value


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "text", bool: "true or false"}
    return kinds.get(type(value), "nothing" if value is None else "a number")
