"""The requirements of the tests of this folder beyond Python."""

from __future__ import annotations

import importlib.util

import pytest

from tilecheck_runtime.compile.toolchain import find_toolchain
from tilecheck_runtime.errors.compilation import CompileError

__all__ = ["bytecode", "machine_code"]


def _cuda_tile() -> bool:
    try:
        return importlib.util.find_spec("cuda.tile._compile") is not None
    except ModuleNotFoundError:
        return False


def _tileiras() -> str:
    try:
        return find_toolchain() and ""
    except CompileError as error:
        return error.summary


bytecode = pytest.mark.skipif(not _cuda_tile(), reason="compiling to Tile IR takes the package cuda-tile")
machine_code = pytest.mark.skipif(bool(_tileiras()), reason=f"compiling to machine code: {_tileiras()}")
