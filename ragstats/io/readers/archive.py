"""Members of a zip archive as bytes: checked first, never written to disk.

Python's ``zipfile`` before 3.14 cannot read members compressed with Zstandard (method 93),
which Inspect writes by default; those are taken raw from the file and expanded here.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from pathlib import Path
from types import TracebackType

from ragstats.exceptions import DataError

# Real logs stay far below these: a million samples of a few kB, compressed 5 to 50 times.
MAX_MEMBERS = 1_000_000
MAX_MEMBER_BYTES = 256 * 2**20
MAX_TOTAL_BYTES = 16 * 2**30
MAX_EXPANSION = 1000
FREE_EXPANSION = 2**20  # small enough to be harmless whatever the ratio
MAX_WINDOW_BYTES = 128 * 2**20

ZSTANDARD = 93
ENCRYPTED = 0x1
LOCAL_HEADER = struct.Struct("<4s22xHH")  # signature, …, length of name, length of extra


class Archive:
    """A zip archive whose directory has been checked against the limits above."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, NotImplementedError, struct.error, ValueError) as error:
            raise DataError(
                f"{path.name}: not a complete zip archive (cut short?): {error}"
            ) from None
        self._raw = path.open("rb")
        try:
            self.members = self._checked()
        except DataError:
            self.close()
            raise
        self.superseded = len(self._zip.infolist()) - len(self.members)

    def __enter__(self) -> Archive:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._zip.close()
        self._raw.close()

    def _checked(self) -> dict[str, zipfile.ZipInfo]:
        found = self._zip.infolist()
        if len(found) > MAX_MEMBERS:
            raise DataError(f"{self.name}: {len(found):,} members; at most {MAX_MEMBERS:,}")
        total = sum(member.file_size for member in found)
        if total > MAX_TOTAL_BYTES:
            raise DataError(
                f"{self.name}: members of {total:,} bytes together; at most {MAX_TOTAL_BYTES:,}"
            )
        for member in found:
            self._check(member)
        # A name that is there twice was written again later: the last one counts.
        return {member.filename: member for member in found}

    def _check(self, member: zipfile.ZipInfo) -> None:
        where = f"{self.name}, member {member.filename!r}"
        if _leaves(member.filename):
            raise DataError(f"{where}: the name points outside the archive; refused")
        if member.flag_bits & ENCRYPTED:
            raise DataError(f"{where}: encrypted members cannot be read")
        if member.file_size > MAX_MEMBER_BYTES:
            raise DataError(f"{where}: {member.file_size:,} bytes; at most {MAX_MEMBER_BYTES:,}")
        allowed = max(FREE_EXPANSION, MAX_EXPANSION * member.compress_size)
        if member.file_size > allowed:
            raise DataError(
                f"{where}: {member.compress_size:,} bytes expand to {member.file_size:,}, more "
                f"than {MAX_EXPANSION} times; refused"
            )

    def read(self, name: str) -> bytes:
        """Return the bytes of one member, exactly as many as the directory says."""
        member = self.members[name]
        where = f"{self.name}, member {name!r}"
        try:
            if member.compress_type == ZSTANDARD:
                data = _expand(self._stored(member, where), member.file_size, where)
            else:
                with self._zip.open(member) as handle:
                    data = handle.read(member.file_size + 1)
        except NotImplementedError:
            raise DataError(
                f"{where}: compression method {member.compress_type} is unknown"
            ) from None
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            raise DataError(f"{where}: broken or cut short ({error})") from None
        if len(data) != member.file_size or zlib.crc32(data) != member.CRC:
            raise DataError(f"{where}: the bytes are not those the archive's directory lists")
        return data

    def _stored(self, member: zipfile.ZipInfo, where: str) -> bytes:
        self._raw.seek(member.header_offset)
        header = self._raw.read(30)
        if len(header) < 30 or header[:4] != b"PK\x03\x04":
            raise DataError(f"{where}: no member begins where the directory says")
        _, name_length, extra_length = LOCAL_HEADER.unpack(header)
        self._raw.seek(name_length + extra_length, 1)
        data = self._raw.read(member.compress_size)
        if len(data) < member.compress_size:
            raise DataError(f"{where}: cut short")
        return data


def _leaves(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return parts[0] == "" or ".." in parts or parts[0][1:2] == ":"


def _expand(data: bytes, size: int, where: str) -> bytes:
    try:
        import zstandard
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f"{where} is compressed with Zstandard; to read it: pip install 'ragstats[readers]'"
        ) from None
    reader = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW_BYTES).stream_reader(
        data, read_across_frames=True
    )
    try:
        return bytes(reader.read(size + 1))
    except zstandard.ZstdError as error:
        raise DataError(f"{where}: broken or cut short ({error})") from None
