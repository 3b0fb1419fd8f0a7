"""Cubins of `tilecheck build`, used instead of compiling: `load(folder)`.

All guards of a launch still apply: the source of the kernel is available, and is checked as usual. A cubin is used only
if the digest of its inputs matches, and if its assumptions are exactly the facts of the launch.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any, Final

from tilecheck import __version__
from tilecheck_runtime.compile import elf, manifest
from tilecheck_runtime.compile.constraints import Signature
from tilecheck_runtime.compile.fingerprint import portable
from tilecheck_runtime.compile.layout import Slot, layout
from tilecheck_runtime.compile.locations import location_of
from tilecheck_runtime.compile.options import Options
from tilecheck_runtime.compile.symbol import verify
from tilecheck_runtime.errors.compilation import MissingVariantError, SymbolMismatchError, ToolVersionError
from tilecheck_runtime.kernel_cache.folder import check_trusted

__all__ = ["Code", "code_of", "forget", "has_loaded", "load"]


@dataclass(frozen=True)
class Code:
    """A cubin for a launch."""

    cubin: bytes
    symbol: str
    parameters: tuple[Slot, ...]


@dataclass(frozen=True)
class _Folder:
    """A loaded folder. `compiles` says whether missing kernels may be compiled."""

    path: Path
    entries: tuple[tuple[dict[str, Any], bytes], ...]
    compiles: bool


_LOADED: Final[dict[Path, _Folder]] = {}


def load(folder: str | Path, *, compile: bool = True) -> tuple[str, ...]:
    """Loads a folder that `tilecheck build` wrote, for all later launches, and returns the names of its kernels.
    Without `compile` only these kernels can be launched, and neither `cuda.tile` nor `tileiras` is required.

    Raises CompileError for a folder that cannot be read or was modified, ToolVersionError for one that was built by
    another version of Python or of this package, and CacheFolderError for one that other users could have written to.
    """
    path = Path(folder).resolve()
    entries = manifest.read_manifest(path)
    check_trusted(path)
    version, python = manifest.builder_versions(path)
    here = ".".join(map(str, sys.version_info[:2]))
    if (version, python) != (__version__, here):
        raise ToolVersionError(
            f"the kernels in {path} were built with tilecheck {version} on Python {python}, and this is tilecheck "
            f"{__version__} on Python {here}", fix="build them anew with the versions that they are launched with")
    _LOADED[path] = _Folder(path, entries, compile)
    return tuple(dict.fromkeys(str(entry["kernel"]) for entry, _ in entries))


def forget() -> None:
    """Unloads all folders."""
    _LOADED.clear()


def has_loaded() -> bool:
    """Returns whether a folder was loaded."""
    return bool(_LOADED)


def code_of(function: FunctionType, signature: Signature, arch: str, options: Options) -> Code | None:
    """Returns the code for a launch; None if it is to be compiled. Raises MissingVariantError if compiling is disabled,
    and SymbolMismatchError and ParameterLayoutError for a cubin that does not match its manifest."""
    if not _LOADED:
        return None
    source, wanted = portable(function), (repr(signature), arch, repr(options))
    for folder in _LOADED.values():
        for entry, cubin in folder.entries:
            if source is not None and entry.get("source") == source and wanted == (
                    entry.get("signature"), entry.get("arch"), entry.get("options")):
                return _verify_entry(entry, cubin, signature)
    if all(folder.compiles for folder in _LOADED.values()):
        return None
    raise _missing_variant(function, source, wanted)


def _verify_entry(entry: dict[str, Any], cubin: bytes, signature: Signature) -> Code:
    """Verifies a cubin. The assumptions in its symbol are read back if `cuda.tile` is installed, which decodes them;
    the parameter layout and the name are always checked."""
    symbol = str(entry["symbol"])
    try:
        verify(cubin, symbol, signature)
    except ImportError:
        _verify_without_tools(cubin, symbol, signature)
    return Code(cubin, symbol, layout(signature))


def _verify_without_tools(cubin: bytes, symbol: str, signature: Signature) -> None:
    found = elf.read(cubin)
    expected = tuple((slot.offset, slot.size) for slot in layout(signature))
    if found.kernels != (symbol,) or found.parameters(symbol) != expected:
        raise SymbolMismatchError(f"the cubin is not that of `{symbol}`",
                                  fix="build the kernels anew: `tilecheck build`")


def _missing_variant(function: FunctionType, source: str | None, wanted: Sequence[str]) -> MissingVariantError:
    name = function.__name__
    mine = [e for folder in _LOADED.values() for e, _ in folder.entries if str(e["kernel"]).rpartition("::")[2] == name]
    same = [e for e in mine if e.get("source") == source]
    archs = sorted({str(e["arch"]) for e in mine})
    if not mine:
        why = f"no folder that was loaded has a kernel `{name}`"
    elif wanted[1] not in archs:
        why = f"`{name}` was built for {', '.join(archs)}, and this device is {wanted[1]}"
    elif source is None:
        why = f"`{name}` uses values that may have changed since it was built"
    elif not same:
        why = f"`{name}` was built from other source, or for a launch with other schedules or bounds"
    else:
        why = f"`{name}` was built for other pieces, constants, alignment, extents, strides or hints"
    notes = [f"built for {e['arguments']} on {e['arch']}" for e in mine[:5]]
    return MissingVariantError(why, place=location_of(function), notes=notes, fix="build it for arguments like these: "
                               "`tilecheck build ... --sig ...`; or load the folder with `compile=True`")
