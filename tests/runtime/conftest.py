"""Kernels of these tests import `cuda.tile`: the real package, or the stand-in where it is not installed."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from tilecheck_runtime.standin.cutile import register

_STAND_IN = ExitStack()

try:
    import cuda.tile  # noqa: F401
except ImportError:
    _STAND_IN.enter_context(register())


@pytest.fixture(scope="session", autouse=True)
def _unregistered():
    yield
    _STAND_IN.close()
