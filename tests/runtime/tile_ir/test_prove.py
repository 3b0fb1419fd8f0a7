"""Launches proved and refuted from the representation, with their own numbers and for all data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.runtime.tile_ir.compare import load_real
from tilecheck_runtime.tile_ir.accesses import Argument
from tilecheck_runtime.tile_ir.front_end import Constant, Given, Scalar, build_representation
from tilecheck_runtime.tile_ir.prove import LaunchVerdict, prove_launch
from tilecheck_runtime.tile_ir.values import Tile

pytest.importorskip("cuda.tile._compile", reason="the representation comes from the package cuda-tile")

HEADER = "import cuda.tile as ct\n\n\n@ct.kernel\ndef k(x, out, n, T: ct.Constant[int]):\n    i = ct.bid(0)\n"


def _array(name: str, extent: int, storage: int, offset: int = 0) -> Argument:
    return Argument(name, "int32" if name == "x" else "float32", (extent,), (1,), storage, offset)


def prove(folder: Path, body: str, blocks: int = 4, n: int = 4, out: Argument | None = None) -> LaunchVerdict:
    """The verdict on a launch over arrays of 64 elements in tiles of 16."""
    kernel = load_real(folder, HEADER + "".join(f"    {line}\n" for line in body.split("\n"))).k
    arrays = _array("x", 64, 0), _array("out", 64, 1) if out is None else out
    given: list[Given] = [*arrays, Scalar(n, "int32"), Constant(16)]
    return prove_launch(build_representation(kernel, given), [*arrays, Tile(np.asarray(n, np.int32))], (blocks, 1, 1))


TILE = "ct.astype(ct.load(x, (i,), (T,)), ct.float32)"


@pytest.mark.parametrize("body", [
    f"ct.store(out, (i,), {TILE})",
    f"ct.store(out, (ct.num_blocks(0) - 1 - i,), {TILE})",
    f"if i % 2 == 0:\n    ct.store(out, (i,), {TILE})\nelse:\n    ct.store(out, (i,), {TILE} + 1)",
    "for j in range(T):\n    ct.scatter(out, i * T + (j ^ 5), 1.0)",
    "ct.scatter(out, i * T + (ct.arange(T, dtype=ct.int32) * 5) % T, ct.full((T,), 1.0, ct.float32))",
    "ct.atomic_add(out, n, 1.0)",
    f"ct.store(out, (i ^ (i >> 1),), {TILE})",
    "if ct.load(x, (i,), (1,)).item() > 0:\n    ct.store(out, (i,), ct.full((T,), 0.0, ct.float32))",
    f"while i < n:\n    ct.store(out, (i,), {TILE})\n    i += ct.num_blocks(0)",
])
def test_right_launches_are_proved(tmp_path: Path, body: str) -> None:
    assert prove(tmp_path, body) == LaunchVerdict("proved")


@pytest.mark.parametrize(("body", "element", "blocks"), [
    (f"ct.store(out, (i // 2,), {TILE})", 0, ((0, 0, 0), (1, 0, 0))),
    (f"ct.store(out, (i % n,), {TILE})", None, ()),
    (f"ct.store(out, (i ^ (i & 1),), {TILE})", 0, ((0, 0, 0), (1, 0, 0))),
    ("ct.scatter(out, i * 4 + ct.arange(T, dtype=ct.int32), ct.full((T,), 1.0, ct.float32))", 4,
     ((0, 0, 0), (1, 0, 0))),
    (f"t = {TILE} + ct.load(out, ((i + 1) % 4,), (T,))\nct.store(out, (i,), t)", None, ()),
])
def test_wrong_launches_are_refuted(
    tmp_path: Path, body: str, element: int | None, blocks: tuple[Any, ...],
) -> None:
    found = prove(tmp_path, body, n=3)
    assert found.verdict == "refuted"
    assert found.fault is not None and found.fault.kind == "race"
    if element is not None:
        assert (found.fault.element, found.fault.blocks) == (element, blocks)


def test_an_unchecked_access_outside_is_refuted(tmp_path: Path) -> None:
    body = f"ct.store(out, (i,), {TILE}, check_bounds=False)"
    found = prove(tmp_path, body, out=_array("out", 60, 1))
    assert found.fault is not None and (found.fault.kind, found.fault.blocks) == ("outside", ((3, 0, 0),))


def test_a_slice_outside_its_array_is_refuted(tmp_path: Path) -> None:
    found = prove(tmp_path, f"ct.store(out.slice(0, 16 * i + 16, 16 * i + 32), (0,), {TILE})")
    assert found.fault is not None and found.fault.kind == "outside"


@pytest.mark.parametrize(("body", "why"), [
    ("ct.scatter(out, ct.load(x, (i,), (T,)), ct.full((T,), 1.0, ct.float32))", "an index depends on data"),
    (f"for j in range(ct.load(x, (0,), (1,)).item()):\n    ct.store(out, (i,), {TILE})",
     "the range of a loop depends on data"),
    (f"if ct.load(x, (i,), (1,)).item() > 0:\n    ct.store(out, (0,), {TILE})", "an access depends on data"),
    (f"ct.atomic_add(x, 0, 1)\nct.store(out, (0,), {TILE})", "atomic operations may order the blocks"),
])
def test_launches_that_depend_on_data_are_undecided(tmp_path: Path, body: str, why: str) -> None:
    found = prove(tmp_path, body)
    assert (found.verdict, found.why) == ("undecided", why)


def test_arrays_that_share_memory_collide(tmp_path: Path) -> None:
    body = "t = ct.load(x, (i,), (T,))\nct.store(out, ((i + 1) % 4,), ct.astype(t, ct.float32))"
    assert prove(tmp_path, body).verdict == "proved"
    shared = Argument("out", "int32", (64,), (1,), 0)
    found = prove(tmp_path, "t = ct.load(x, (i,), (T,))\nct.store(out, ((i + 1) % 4,), t)", out=shared)
    assert found.verdict == "refuted"


@pytest.mark.parametrize(("body", "why"), [
    (f"ct.store(out, (i + 4,), {TILE})", "a tile lies wholly outside `out`, line 7"),
    ("ct.store(out, (i,), ct.sum(ct.astype(ct.load(x, (i,), (T * 4,)), ct.float32).reshape((4, T)), 0))",
     "a tile lies wholly outside `x`, line 7"),
    ("ct.scatter(out, i * T + ct.arange(T, dtype=ct.int32), ct.astype(ct.gather(x, i * 32 + ct.arange(T, "
     "dtype=ct.int32)), ct.float32))", None),
])
def test_lanes_outside_are_not_proved(tmp_path: Path, body: str, why: str | None) -> None:
    """A tile that lies wholly outside is undefined, also with a bounds check; a gather has a padding value."""
    found = prove(tmp_path, body)
    assert found == (LaunchVerdict("proved") if why is None else LaunchVerdict("undecided", why=why))


@pytest.mark.parametrize(("padding", "verdict"), [("", "undecided"), (", padding_mode=ct.PaddingMode.ZERO", "proved")])
def test_undefined_lanes_are_not_proved(tmp_path: Path, padding: str, verdict: str) -> None:
    body = f"ct.store(out, (i,), ct.astype(ct.load(out, (i,), (T,){padding}), ct.float32))"
    assert prove(tmp_path, body, out=_array("out", 60, 1)).verdict == verdict


def test_large_arrays_and_long_launches_are_undecided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The execution before a launch, or for a report, is bounded in memory and time."""
    body = f"for j in range(T):\n    ct.store(out, (i,), {TILE})"
    assert prove(tmp_path, body).verdict == "proved"
    monkeypatch.setattr("tilecheck_runtime.tile_ir.prove.MOST_STEPS", 50)
    assert prove(tmp_path, body).why == "the blocks execute too many operations"
    assert "elements" in prove(tmp_path, body, out=_array("out", 1 << 27, 1)).why
