"""Neutral paddings are neutral: kernels with a safe padding do the same with a tile that fits and with one that
reaches over the end of the array."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.repair.fixers.test_padding import NEUTRAL, text
from tests.repair.helpers import fix_text, text_of
from tests.runtime.conftest import _unregistered
from tilecheck_runtime.cpu.execution.execute import sanitize

__all__ = ["_unregistered"]


@pytest.mark.parametrize("name", [name for name, (_, mode) in NEUTRAL.items() if mode])
def test_a_tile_that_reaches_over_the_end_changes_nothing(name: str, tmp_path: Path) -> None:
    before = text(NEUTRAL[name][0])
    after = text_of(fix_text(before, unsafe=False), before)
    assert after != before
    path = tmp_path / "k.py"
    path.write_text(after, encoding="utf-8")
    space: dict[str, object] = {"__name__": "k"}
    exec(compile(after, str(path), "exec"), space)
    generator = np.random.default_rng(0)
    x, v = (generator.standard_normal((3, 8)).astype(np.float32) for _ in range(2))
    results = []
    for tile in (8, 16, 32):
        o = np.zeros((3, 8), np.float32)
        report = sanitize(space["k"], (3, 1, 1), (x, v[:1], o, 8, tile))
        assert report.events == ()
        results.append(o)
    np.testing.assert_allclose(results[1], results[0], rtol=1e-5)
    np.testing.assert_allclose(results[2], results[0], rtol=1e-5)


def test_before_the_fix_the_sanitizer_objects(tmp_path: Path) -> None:
    before = text(NEUTRAL["sum"][0])
    path = tmp_path / "k.py"
    path.write_text(before, encoding="utf-8")
    space: dict[str, object] = {"__name__": "k"}
    exec(compile(before, str(path), "exec"), space)
    x, o = np.ones((3, 8), np.float32), np.zeros((3, 8), np.float32)
    report = sanitize(space["k"], (3, 1, 1), (x, x[:1], o, 8, 16))
    assert {event.code for event in report.events} == {"TC301"}
