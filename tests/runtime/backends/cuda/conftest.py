"""A GPU that is none, as the backend of new tensors."""

from __future__ import annotations

import pytest

from tests.runtime.backends.cuda.fake import fake_gpu
from tilecheck_runtime.backends.selection import select


@pytest.fixture
def gpu(monkeypatch):
    """The fake driver; tensors that are made meanwhile lie there."""
    bindings, backend = fake_gpu()
    monkeypatch.setenv(select.CHOICE, "cuda")
    monkeypatch.setattr(select, "_cuda", lambda ordinal: backend)
    select._choose.cache_clear()
    yield bindings
    bindings.paused = False
    select._choose.cache_clear()


@pytest.fixture
def backend(gpu):
    """The backend on it."""
    return select.current()
