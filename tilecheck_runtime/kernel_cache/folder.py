"""The cache folder: its path, and whether it can be trusted."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import Final

from tilecheck_runtime.errors.compilation import CacheFolderError

__all__ = ["OFF", "VARIABLE", "check_trusted", "choose_folder", "prepare_folder"]

VARIABLE: Final = "TILECHECK_KERNEL_CACHE"
"""Environment variable with the path of the folder, or one of `OFF`."""
OFF: Final = frozenset({"0", "off", "none"})
_OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH


def choose_folder() -> Path | None:
    """The folder for compiled kernels; None if caching is off."""
    given = os.environ.get(VARIABLE, "")
    if given.lower() in OFF:
        return None
    if given:
        return Path(os.path.abspath(os.path.expanduser(given)))
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        home = Path(base) if os.path.isabs(base) else Path.home() / ".cache"
    except RuntimeError:
        return None
    return home / "tilecheck" / "kernels"


def prepare_folder(folder: Path) -> None:
    """Creates the folder, accessible only to the user. Raises OSError if that is impossible, and CacheFolderError for a
    folder that other users could have written to."""
    os.makedirs(folder.parent, mode=0o700, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    check_trusted(folder)


def check_trusted(folder: Path) -> None:
    """Raises CacheFolderError for a folder that other users could have written to: its contents run as machine code,
    also on the host."""
    if not hasattr(os, "getuid"):
        return
    found = os.stat(folder)
    if not stat.S_ISDIR(found.st_mode):
        raise CacheFolderError(f"the cache folder {folder} is not a folder", fix=f"remove it, or set {VARIABLE}")
    if found.st_uid != os.getuid():
        raise CacheFolderError(f"the cache folder {folder} belongs to another user (uid {found.st_uid})",
                               notes=["compiled kernels hold machine code, so those of other users are not loaded"],
                               fix=f"set {VARIABLE} to a folder of your own, or to `off`")
    if found.st_mode & _OTHERS:
        raise CacheFolderError(
            f"the cache folder {folder} can be written by others (mode {stat.S_IMODE(found.st_mode):03o})",
            notes=["compiled kernels hold machine code, so what others may have put there is not loaded"],
            fix=f"look what is in it, then `chmod 700 {folder}`, or set {VARIABLE} to another folder")
    for above in Path(os.path.realpath(folder)).parents:
        _check_parent(folder, above)


def _check_parent(folder: Path, above: Path) -> None:
    """Raises CacheFolderError if another user owns a parent folder or can rename entries in it, and so could substitute
    the cache folder."""
    found = os.stat(above)
    sticky = bool(found.st_mode & stat.S_ISVTX)
    if found.st_uid not in (0, os.getuid()) or (found.st_mode & _OTHERS and not sticky):
        raise CacheFolderError(
            f"the cache folder {folder} lies in {above}, which others can change "
            f"(uid {found.st_uid}, mode {stat.S_IMODE(found.st_mode):03o})",
            fix=f"set {VARIABLE} to a folder below your home, or to `off`")
