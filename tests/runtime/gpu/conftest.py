"""Tests that take a GPU: `pytest tests/runtime/gpu`. Elsewhere they are skipped, and say why."""

from __future__ import annotations

import pytest

from tilecheck_runtime.backends.cuda.driver import driver
from tilecheck_runtime.backends.cuda.errors import NoGPUError


def _missing() -> str | None:
    try:
        driver()
    except NoGPUError as error:
        return str(error)
    return None


MISSING = _missing()


def pytest_collection_modifyitems(items):
    if MISSING is not None:
        for item in items:
            if "tests/runtime/gpu" in item.path.as_posix():
                item.add_marker(pytest.mark.skip(reason=MISSING))


@pytest.fixture(autouse=True)
def _backend(monkeypatch):
    monkeypatch.setenv("TILECHECK_BACKEND", "cuda")
