"""Tiles whose shape is not known: their extents are constants of a specialization, and nothing more."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source

HEAD = "import cuda.tile as ct\nfrom elsewhere import made\nInt = ct.Constant[int]\n"


def _verdicts(body: str, kind: str = "disjoint") -> list[str]:
    text = "\n".join(f"    {line}" for line in ("i, j = ct.bid(0), ct.bid(1)", *body.strip().splitlines()))
    (kernel,) = check_source(f"{HEAD}@ct.kernel\ndef k(x, o, n: int, T: Int):\n{text}\n").kernels
    return [s.verdict for s in kernel.obligations if s.kind == kind]


@pytest.mark.parametrize("body", [
    "ct.store(o, (i, j), made(x))",
    "ct.store(o, (j, 3, i), made(x))",
    "for m in range(n):\n    ct.store(o, (i, m, j), made(m))",
])
def test_tiles_of_one_statement_have_the_same_extents(body: str) -> None:
    assert _verdicts(body.replace("made(x)", "made(n)")) == ["proved"]


@pytest.mark.parametrize("body", [
    # two blocks may have one tile
    "ct.store(o, (i // 2, j), made(n))",
    "ct.store(o, (i + j, 0), made(n))",
    # two statements may have tiles of different extents
    "ct.store(o, (i, j), made(n))\nct.store(o, (i, j), made(n))",
    # an unrolled loop has a tile of its own in each iteration
    "for m in ct.static_iter((1, 2)):\n    ct.store(o, (i, j), made(m))",
])
def test_no_more_than_that_is_known(body: str) -> None:
    assert "unproven" in _verdicts(body)


def test_an_extent_that_is_not_known_is_not_chosen_for_a_collision() -> None:
    # with tiles of one element the second statement writes what the first one of another block does
    assert "refuted" not in _verdicts("ct.store(o, (2 * i, j), made(n))\nct.store(o, (i, j), made(n))")


def test_no_clause_is_about_an_extent_that_is_not_known() -> None:
    assert _verdicts("ct.store(o, (i, j), made(n))", "bounds") == ["unproven"]
