"""The compiler itself decides for thousands of kernels whether it accepts them, and which types their tiles have.

A kernel that it accepts is never flagged. Most kernels that it refuses are flagged. Every shown type is right.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("cuda.tile._compile", reason="compiling to Tile IR takes the package cuda-tile")

import cuda.tile as ct
from cuda.tile.compilation import ConstantConstraint, ScalarConstraint

from tests.interp.kernel.tile_types.compiled import array, load_module, read_refusal
from tests.interp.kernel.tile_types.generated import bodies
from tests.interp.kernel.tile_types.kernels import list_flagged, source
from tests.interp.kernel.tile_types.test_cases import CASES, kernel
from tests.rules.cases import cases_of_operations
from tilecheck.api import tile_types

ALL = bodies()
STEP = 1 if os.environ.get("TILECHECK_TYPES_ALL") else 13
"""Every so many of the generated kernels are compiled: all of them take minutes."""
SAMPLE = ALL[::STEP]
FOUND = 0.9
"""The share of refused kernels that is found. The rest depends on the type of an array or scalar that is
passed, on a variable that has another type on another path, or on a number that a restricted type does not have."""
LATER = "stored_rank"
"""This one is refused when Tile IR is read, by `tileiras`."""


def verdicts(given: Sequence[str], folder: Path) -> list[tuple[str, str | None, list[str]]]:
    """Of each body, what the compiler has against it and what the checker has."""
    text = source(given)
    module, findings = load_module(folder / "kernels.py", text), list_flagged(text)
    return [(body, read_refusal(getattr(module, f"k{k}")), findings.get(f"k{k}", [])) for k, body in enumerate(given)]


def test_accepted_kernels_are_not_flagged_and_most_refused_ones_are(tmp_path: Path) -> None:
    found = verdicts(SAMPLE, tmp_path)
    assert [(body, mine) for body, theirs, mine in found if theirs == "" and mine] == []
    wrong = [bool(mine) for _, theirs, mine in found if theirs]
    assert len(wrong) > len(SAMPLE) // 4
    assert sum(wrong) >= FOUND * len(wrong)
    assert sum(theirs is None for _, theirs, _ in found) < len(SAMPLE) // 10


def test_every_message_is_of_a_kernel_that_the_compiler_refuses(tmp_path: Path) -> None:
    accepted = [case.name for k, case in enumerate(cases_of_operations())
                if not read_refusal(load_module(tmp_path / f"case{k}.py", case.source).k)]
    assert accepted == [LATER]


def test_the_types_that_are_shown_are_those_of_the_compiler(tmp_path: Path) -> None:
    """Each kernel asserts the type of its last variable while it is compiled."""
    asserting = list(_list_assertions([body for body in SAMPLE if "z = " in body and "for " not in body]))
    assert len(asserting) > len(SAMPLE) // 5
    module = load_module(tmp_path / "kernels.py", source(asserting))
    said = [(body, read_refusal(getattr(module, f"k{k}"))) for k, body in enumerate(asserting)]
    assert [(body, theirs) for body, theirs in said if theirs and "static_assert" in theirs
            and "has no attribute" not in theirs] == []  # of a constant it asks the number
    assert sum(theirs == "" for _, theirs in said) > len(asserting) // 5


LAUNCHES = ((16, 16, True), (16, 8, False), (8, 32, True))
"""Values of the constants of the kernels of `test_cases`."""


def test_the_compiler_agrees_with_the_cases(tmp_path: Path) -> None:
    """A wrong kernel is refused in every launch, a right kernel is accepted in one."""
    given = [(body, wrong) for cases in CASES.values() for body, wrong in cases]
    for number, (body, wrong) in enumerate(given):
        module = load_module(tmp_path / f"case{number}.py", kernel(body))
        said = [read_refusal(module.k, [
            array(3 if "(i, 0, 0)" in body else 2), array(), array(), ScalarConstraint(ct.int32),
            *map(ConstantConstraint, launch)]) for launch in LAUNCHES]
        assert all(said) if wrong and "ct.store(c, (i, 0), ct.arange" not in body else "" in said, (body, said)


def _list_assertions(given: Sequence[str]) -> list[str]:
    text = source(given)
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines, 1) if line.startswith("def ")]
    shown = {bisect_right(starts, s.line) - 1: t for s, t in tile_types("k.py", text).items()
             if lines[s.line - 1][s.column:s.end_column] == "z"}
    out = []
    for k, body in enumerate(given):
        tile = re.fullmatch(r"Tile\[([\w?.]+), ([\d, ]+)\]", shown.get(k, ""))
        dtype, shape = (tile[1], f"({tile[2]},)") if tile else (shown.get(k, "?"), "()")
        if dtype.isidentifier():
            out.append(f"{body}\nct.static_assert(z.dtype == ct.{dtype})\nct.static_assert(z.shape == {shape})")
    return out
