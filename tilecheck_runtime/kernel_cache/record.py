"""One compiled kernel as a file: a header, a cubin, and a digest of both."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["DamagedRecord", "Record", "decode", "encode"]

_MAGIC: Final = b"tilecheck kernel 1\n"
_DIGEST: Final = 32


class DamagedRecord(ValueError):
    """Bytes that are not a complete record, or the record of another key."""


@dataclass(frozen=True)
class Record:
    """A compiled kernel.

    key   the digest of its inputs
    meta  symbol, architecture, versions
    """

    key: str
    meta: Mapping[str, Any]
    cubin: bytes


def encode(record: Record) -> bytes:
    header = json.dumps({"key": record.key, "meta": dict(record.meta)}, sort_keys=True).encode()
    body = b"".join([_MAGIC, struct.pack("<QQ", len(header), len(record.cubin)), header, record.cubin])
    return body + hashlib.sha256(body).digest()


def decode(data: bytes, key: str) -> Record:
    """Decodes the record of a key. Raises DamagedRecord."""
    start = len(_MAGIC) + 16
    if len(data) < start + _DIGEST or not data.startswith(_MAGIC):
        raise DamagedRecord("it is not a compiled kernel of this version")
    body, digest = data[:-_DIGEST], data[-_DIGEST:]
    if hashlib.sha256(body).digest() != digest:
        raise DamagedRecord("it is damaged")
    header, cubin = struct.unpack_from("<QQ", data, len(_MAGIC))
    if start + header + cubin != len(body):
        raise DamagedRecord("it is damaged")
    said = json.loads(body[start:start + header])
    if said["key"] != key:
        raise DamagedRecord("it is the kernel of another key")
    return Record(key, said["meta"], body[start + header:])
