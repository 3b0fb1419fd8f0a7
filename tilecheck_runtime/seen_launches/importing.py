"""Imports a file like the statement `import` does, under the name that other files import it by."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final

__all__ = ["describe_error", "import_file"]

_LONGEST: Final = 300


def import_file(path: str, roots: Sequence[str]) -> ModuleType:
    """The module of a file. Its launches do nothing. Raises what its code raises."""
    folder, name = _name_of(Path(path))
    sys.argv = [path]
    sys.path[:0] = dict.fromkeys([str(folder), os.path.dirname(path), *roots, os.getcwd()])
    _disarm_launches()
    try:
        __import__(name.rpartition(".")[0] or "sys")  # the package of a submodule
    except ModuleNotFoundError:
        name = Path(path).stem
    known = sys.modules.get(name)
    if known is not None and _is_file(known, path):
        return known
    spec = importlib.util.spec_from_file_location(name if known is None else f"_checked_{name}", path)
    if spec is None or spec.loader is None:
        raise ImportError("this is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _name_of(path: Path) -> tuple[Path, str]:
    """The folder that a module is searched in, and its name: below packages, the dotted name."""
    folder, parts = path.parent, [] if path.stem == "__init__" else [path.stem]
    while (folder / "__init__.py").is_file() and folder.name.isidentifier():
        parts.insert(0, folder.name)
        folder = folder.parent
    return folder, ".".join(parts) or path.stem


def _is_file(module: ModuleType, path: str) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and os.path.realpath(file) == os.path.realpath(path)


def _disarm_launches() -> None:
    """Launches of a module that is imported do nothing: there may be no GPU, and no launch was asked for."""
    for name in ("cuda.tile", "tilecheck_runtime"):
        setattr(importlib.import_module(name), "launch", _launch_nothing)  # noqa: B010


def _launch_nothing(*arguments: Any, **options: Any) -> None:
    """Stands for `launch` of `cuda.tile` and of the runtime."""


def describe_error(error: BaseException, path: str) -> str:
    """An error in one line, with the last line of the file that it passed through."""
    words = " ".join("".join(traceback.format_exception_only(error)).split())
    if isinstance(error, SyntaxError):
        words = f"{type(error).__name__}: {error.msg}"
    lines = list(_lines(error, path))
    return f"{words[:_LONGEST]}{f' (line {lines[-1]})' if lines else ''}"


def _lines(error: BaseException, path: str) -> Iterator[int]:
    real = os.path.realpath(path)
    for frame in traceback.extract_tb(error.__traceback__):
        if os.path.realpath(frame.filename) == real and frame.lineno is not None:
            yield frame.lineno
