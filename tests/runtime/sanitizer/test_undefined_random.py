"""Random kernels over padded loads: if what the padding holds changes a result, the sanitizer says so."""

from __future__ import annotations

import random
from typing import Any

import cuda.tile as ct
import numpy as np
import pytest

from tilecheck_runtime.cpu.execution.execute import sanitize
from tilecheck_runtime.cpu.operations import windows

STEPS = (
    "{a} + {b}", "{a} * {b}", "ct.exp2(-ct.abs({a}))", "ct.where({a} > {b}, {a}, {b})", "ct.where(lanes < 5, {a}, {b})",
    "ct.where(lanes < 6, {a}, 1.0)", "ct.where(lanes >= 6, {a}, 0.5)", "ct.maximum({a}, {b})",
    "ct.where(({a} > 0) & (lanes < 6), {b}, 0.0)", "ct.where(({a} > 0) | (lanes >= 6), 1.0, {b})",
    "ct.broadcast_to(ct.sum({a}, keepdims=True), (8,))", "ct.broadcast_to(ct.max({a}, keepdims=True), (8,))",
    "ct.cumsum({a}, 0)", "ct.cumsum({a}, 0, reverse=True)", "ct.scan({a}, 0, lambda u, v: u + v, 0)",
    "ct.reshape(ct.permute(ct.reshape({a}, (2, 4)), (1, 0)), (8,))",
    "ct.cat((ct.extract({a}, (0,), (4,)), ct.extract({b}, (1,), (4,))), 0)",
    "ct.insert({a}, (1,), ct.extract({b}, (0,), (4,)))",
    "ct.broadcast_to(ct.sum(ct.reshape({a}, (4, 2)), 1, keepdims=True), (4, 2)).reshape((8,))",
    "ct.mma({a}.reshape((4, 2)), {b}.reshape((2, 4)), ct.zeros((4, 4), ct.float32)).reshape((16,)).extract((0,), (8,))",
    "ct.astype(ct.gather(table, ct.astype({a} * 3, ct.int32) % 8), ct.float32)", "ct.gather(x, lanes, mask={a} > 0)",
    "ct.broadcast_to(ct.astype(ct.argmax({a}, 0, keepdims=True), ct.float32), (8,))",
    "ct.bitcast(ct.bitcast({a}, ct.int32), ct.float32)", "ct.load(x, (0,), (8,))", "ct.load(y, (0,), (8,))",
    "ct.unpack_from_bytes(ct.pack_to_bytes({a}), ct.float32)",
    "({a} if ct.extract({b}, (7,), (1,)).item() > 0 else {b})",
    "ct.reduce({a}, 0, lambda u, v: ct.maximum(u, v), 0, keepdims=True) + {b}",
)


def program(seed: int) -> str:
    rng = random.Random(seed)
    names = ["p", "q"]
    lines = ["import cuda.tile as ct", "def kernel(x, y, table, o):", "    lanes = ct.arange(8, dtype=ct.int32)",
             "    p, q = ct.load(x, (0,), (8,)), ct.load(y, (0,), (8,))"]
    for n in range(rng.randrange(1, 5)):
        text = rng.choice(STEPS).format(a=rng.choice(names), b=rng.choice(names))
        lines.append(f"    t{n} = {text}")
        names.append(f"t{n}")
    lines.append(f"    ct.store(o, (0,), {names[-1]})")
    return "\n".join(lines) + "\n"


def outcome(text: str, fill: float, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, bool]:
    """Returns the stored values if undefined lanes have the value `fill`, and whether there was a report."""
    monkeypatch.setattr(windows, "fill_value", lambda dtype, mode: dtype.storage.type(fill))
    space: dict[str, Any] = {}
    exec(compile(text, "generated.py", "exec", dont_inherit=True), space)
    rng = np.random.default_rng(5)
    x, y = rng.standard_normal(6, dtype=np.float32), rng.standard_normal(8, dtype=np.float32)
    table, o = rng.standard_normal(8, dtype=np.float32), np.zeros(6, np.float32)
    report = sanitize(ct.kernel(space["kernel"]), (1,), (x, y, table, o))
    assert report.codes() <= {"TC301"}, f"{report}\n{text}"
    return o, not report.clean


def test_a_result_that_depends_on_padding_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    reported = silent = 0
    for seed in range(900):
        text = program(seed)
        results = [outcome(text, fill, monkeypatch) for fill in (0.75, -1.5, 40.0, float("nan"))]
        flags = {flag for _, flag in results}
        same = all(np.array_equal(results[0][0], o, equal_nan=True) for o, _ in results[1:])
        assert same or True in flags, text
        if len(flags) == 1:
            reported, silent = reported + (True in flags), silent + (False in flags)
    assert silent > 120 and reported > 120
