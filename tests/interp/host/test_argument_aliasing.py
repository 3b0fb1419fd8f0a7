"""Shared storage, and axes launched for nothing."""

from __future__ import annotations

import pytest

from tests.interp.host.hosts import PARAMS, launch
from tilecheck.interp.host.argument_aliasing import aliases, unread_axis
from tilecheck.interp.host.launch import Launch


def _find_pairs(found: Launch) -> list[tuple[str, str]]:
    return [(a.array.text, b.array.text) for a, b in aliases(found, PARAMS)]


@pytest.mark.parametrize(("first", "second", "same"), [
    ("x", "x", True),
    ("x", "y", False),
    ("x", "x.view(-1)", True),
    ("x", "x.transpose(0, 1)", True),
    ("x", "x[2:]", True),
    ("x[:2]", "x[2:]", False),
    ("x", "x.contiguous()", False),
    ("x", "x.clone()", False),
    ("x", "x.reshape(-1)", False),
    ("torch.empty(4)", "torch.empty(4)", False),
    ("x", "x + 1", False),
    ("x.detach()", "x", True),
])
def test_pairs(first: str, second: str, same: bool) -> None:
    found = launch(f"def run(x, y, n):\n    ct.launch(0, (n,), k, ({first}, {second}, n, 1))\n")
    assert _find_pairs(found) == ([("x", "y")] if same else [])


def test_one_buffer_under_two_names() -> None:
    source = """
def run(x, n):
    flat = x.contiguous().reshape(-1)
    again = flat
    ct.launch(0, (n,), k, (flat, again.view(2, -1), n, 1))
"""
    assert _find_pairs(launch(source)) == [("x", "y")]


@pytest.mark.parametrize(("grid", "expected"), [
    ("(n,)", None),
    ("(n, 1)", None),
    ("(n, 4)", (1, True)),
    ("(n, 1, 4)", (2, True)),
    ("(n, x.shape[0])", (1, False)),
    ("(n, foo())", (1, False)),
])
def test_axes_that_are_never_read(grid: str, expected: tuple[int, bool] | None) -> None:
    found = unread_axis(launch(f"def run(x, y, n):\n    ct.launch(0, {grid}, k, (x, y, n, 1))\n"), {0})
    assert (found and (found.axis, found.sure)) == expected


@pytest.mark.parametrize(("extent", "sized"), [
    ("x.shape[1]", True),
    ("ct.cdiv(x.shape[0], 16) * y.shape[1]", True),
    # callers may always pass 1, and an unknown number may always be
    ("n", False),
    ("x.shape[1] * n", False),
    ("x.shape[1] * foo()", False),
    ("x.shape[1] // x.shape[1]", False),
])
def test_extents_computed_from_sizes(extent: str, sized: bool) -> None:
    found = unread_axis(launch(f"def run(x, y, n):\n    ct.launch(0, (n, {extent}), k, (x, y, n, 1))\n"), {0})
    assert (found is not None and found.sized) is sized


def test_a_size_that_is_known_to_be_1() -> None:
    source = "def run(x, y, n):\n    assert x.shape[1] == 1\n    ct.launch(0, (n, x.shape[1]), k, (x, y, n, 1))\n"
    found = unread_axis(launch(source), {0})
    assert found is None or not found.sized


def test_a_guard_bounds_an_unread_axis() -> None:
    source = "def run(x, y, n, m):\n    assert m > 2\n    ct.launch(0, (n, m), k, (x, y, n, 1))\n"
    found = unread_axis(launch(source), {0})
    assert found is not None and found.sure and found.extent == "m"


def test_the_same_choice_twice_is_the_same_storage() -> None:
    source = """
def run(x, y, n):
    chosen = x if n > 4 else y
    ct.launch(0, (n,), k, (chosen, {second}, n, 1))
"""
    assert _find_pairs(launch(source.format(second="chosen"))) == [("x", "y")]
    assert _find_pairs(launch(source.format(second="x"))) == []
