"""Compiling: what needs `cuda.tile` or `tileiras` says so where they are not installed."""

from __future__ import annotations

import pytest

from tilecheck_runtime.kernel_cache.folder import VARIABLE


@pytest.fixture(autouse=True)
def cache_folder(tmp_path, monkeypatch):
    """Every test has a cache of its own."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"
