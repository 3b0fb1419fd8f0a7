"""The manifest of a folder of compiled kernels: `manifest.json`."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tilecheck import __version__
from tilecheck_runtime.compile.toolchain import find_toolchain
from tilecheck_runtime.errors.compilation import CompileError

__all__ = ["NAME", "builder_versions", "read_manifest", "write_manifest"]

NAME: Final = "manifest.json"
_FORMAT: Final = 1


def write_manifest(folder: Path, made: Sequence[tuple[dict[str, Any], bytes]]) -> Path:
    """Writes cubins and their manifest. Other kernels in the folder stay. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    entries = {e["file"]: e for e in _existing_entries(folder)}
    for entry, cubin in made:
        _replace_file(folder / entry["file"], cubin)
        entries[entry["file"]] = entry
    document = {"format": _FORMAT, "tilecheck": __version__,
                "python": ".".join(map(str, sys.version_info[:2])), "tools": list(find_toolchain().identity),
                "kernels": sorted(entries.values(), key=lambda e: (e["kernel"], e["arch"], e["file"]))}
    path = folder / NAME
    _replace_file(path, (json.dumps(document, indent=2) + "\n").encode())
    return path


def _existing_entries(folder: Path) -> list[dict[str, Any]]:
    try:
        entries = json.loads((folder / NAME).read_text())["kernels"]
        return [e for e in entries if (folder / e["file"]).exists()]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _replace_file(path: Path, data: bytes) -> None:
    """Replaces a file atomically, so that no process reads a part of it."""
    draft = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}")
    try:
        draft.write_bytes(data)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def read_manifest(folder: Path) -> tuple[tuple[dict[str, Any], bytes], ...]:
    """Returns the entries of a manifest with their cubins, each verified against its digest.

    Raises CompileError for a folder without a manifest, and for a cubin that differs from the one that was built.
    """
    try:
        document = json.loads((folder / NAME).read_text())
        if document["format"] != _FORMAT:
            raise ValueError(f"it has format {document['format']}")
        entries = document["kernels"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CompileError(f"{folder / NAME} cannot be read: {error}", fix="build the kernels anew: `tilecheck build`"
                           ) from error
    return tuple((entry, _read_cubin(folder, entry)) for entry in entries)


def builder_versions(folder: Path) -> tuple[str, str]:
    """Returns the versions of tilecheck and of Python that last built a folder."""
    document = json.loads((folder / NAME).read_text())
    return str(document.get("tilecheck")), str(document.get("python"))


def _read_cubin(folder: Path, entry: dict[str, Any]) -> bytes:
    path = folder / entry["file"]
    data = path.read_bytes() if path.exists() else b""
    if hashlib.sha256(data).hexdigest() != entry["sha256"]:
        raise CompileError(f"{path} is not the cubin that was built" if data else f"{path} is missing",
                           fix="build the kernels anew: `tilecheck build`")
    return data
