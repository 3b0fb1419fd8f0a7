"""The examples of the dialect on a GPU: each compares what it computes with a reference by itself."""

from __future__ import annotations

import pytest

from tests.runtime.dialect.test_examples import NAMES, TORCH, load


@pytest.mark.parametrize("name", NAMES)
def test_an_example_runs(name, monkeypatch):
    if name in TORCH:
        pytest.importorskip("torch")
    monkeypatch.setattr("sys.argv", [name])
    load(name).main()
