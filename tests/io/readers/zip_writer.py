"""A zip archive written by hand: any compression method, any name, any claim about sizes."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import zstandard

STORED, DEFLATED, ZSTANDARD = 0, 8, 93


@dataclass(frozen=True)
class Member:
    name: str
    data: bytes
    method: int = ZSTANDARD
    claimed_size: int | None = None
    flags: int = 0
    crc: int | None = None


def compressed(member: Member) -> bytes:
    if member.method == ZSTANDARD:
        return zstandard.ZstdCompressor().compress(member.data)
    if member.method == DEFLATED:
        return zlib.compress(member.data)[2:-4]
    return member.data


def archive(members: Sequence[Member]) -> bytes:
    body, directory = b"", b""
    for member in members:
        name = member.name.encode()
        packed = compressed(member)
        size = len(member.data) if member.claimed_size is None else member.claimed_size
        crc = zlib.crc32(member.data) if member.crc is None else member.crc
        fields = (member.flags, member.method, 0, 0x21, crc, len(packed), size, len(name), 0)
        directory += struct.pack("<4sHHHHHHIIIHH", b"PK\x01\x02", 63, 63, *fields)
        directory += struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + name
        body += struct.pack("<4sHHHHHIIIHH", b"PK\x03\x04", 63, *fields) + name + packed
    count = len(members)
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, count, count, len(directory), len(body), 0)
    return body + directory + end
