"""Kernels of these tests import `cuda.tile`: the real package, or the stand-in where it is not installed."""

from __future__ import annotations

from tests.runtime.conftest import _unregistered

__all__ = ["_unregistered"]
