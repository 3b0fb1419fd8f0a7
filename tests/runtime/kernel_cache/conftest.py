"""Every test has a kernel cache of its own."""

from __future__ import annotations

from tests.runtime.compile.conftest import cache_folder

__all__ = ["cache_folder"]
