"""Reads cubins: their kernels, the layout of their parameters, and the text that they were compiled from.

A cubin is an ELF file. Sources: the ELF specification; the attributes in `.nv.info.<kernel>` as `cuobjdump` prints
them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

__all__ = ["Cubin", "NotACubin", "read"]

_MAGIC: Final = b"\x7fELF"
_CUDA: Final = 190
"""The machine number of NVIDIA GPUs in ELF."""
_SIZES: Final[Mapping[int, Callable[[int], int]]] = {
    0x17: lambda flags: flags >> 18, 0x45: lambda flags: flags & 0xFFFF,
}
"""Attributes of one parameter, each with a function that extracts the size from its last word."""
_VALUES: Final = 4
"""The format of attributes that are followed by their size."""
_TEXT: Final = ".text."
_INFO: Final = ".nv.info."


class NotACubin(ValueError):
    """Bytes that are not a complete cubin."""


@dataclass(frozen=True)
class Cubin:
    """A parsed cubin.

    sections  contents by name
    """

    sections: dict[str, bytes]

    @property
    def kernels(self) -> tuple[str, ...]:
        """Symbols of the kernels."""
        return tuple(name.removeprefix(_TEXT) for name in self.sections
                     if name.startswith(_TEXT) and _INFO + name.removeprefix(_TEXT) in self.sections)

    def parameters(self, symbol: str) -> tuple[tuple[int, int], ...]:
        """Offset and size, in bytes, of each parameter of a kernel."""
        found = dict(_parameters(self.sections.get(_INFO + symbol, b"")))
        return tuple(found[n] for n in sorted(found))


@lru_cache(maxsize=8)
def read(data: bytes) -> Cubin:
    """Parses a cubin. Raises NotACubin."""
    try:
        return Cubin(dict(_sections(data)))
    except (struct.error, UnicodeDecodeError, IndexError) as error:
        raise NotACubin(f"it is cut off or damaged: {error}") from None


def _sections(data: bytes) -> Iterator[tuple[str, bytes]]:
    if data[:4] != _MAGIC or data[4:6] != b"\x02\x01":
        raise NotACubin("it is not an ELF file of 64 bits")
    machine, = struct.unpack_from("<H", data, 18)
    if machine != _CUDA:
        raise NotACubin("it is code for another kind of processor")
    start, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, start + n * size) for n in range(count)]
    text = data[headers[names][4]:headers[names][4] + headers[names][5]]
    for name, kind, _, _, offset, length, *_ in headers:
        if kind not in (0, 8):  # null, and sections without contents
            if offset + length > len(data):
                raise NotACubin("it is cut off")
            yield text[name:text.index(b"\0", name)].decode(), data[offset:offset + length]


def _parameters(info: bytes) -> Iterator[tuple[int, tuple[int, int]]]:
    at = 0
    while at + 4 <= len(info):
        form, attribute, length = struct.unpack_from("<BBH", info, at)
        at += 4
        if form != _VALUES:
            continue
        if attribute in _SIZES:
            _, ordinal, offset, flags = struct.unpack_from("<IHHI", info, at)
            yield ordinal, (offset, _SIZES[attribute](flags))
        at += length
