"""mypy remembers what it knows for the whole session, and `cuda.tile` is left as it was."""

from __future__ import annotations

import pytest

from tilecheck_runtime.migrate import typecheck


@pytest.fixture(autouse=True, scope="session")
def _mypy_cache(tmp_path_factory):
    typecheck.CACHE = tmp_path_factory.mktemp("mypy")
    yield
    typecheck.CACHE = None
