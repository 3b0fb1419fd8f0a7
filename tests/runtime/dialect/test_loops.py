"""Loops over cells as they are rewritten: only where that changes nothing but the cost."""

from __future__ import annotations

import inspect
import linecache

import numpy as np
import pytest

from tests.runtime.dialect import looping
from tests.runtime.dialect.launching import run
from tilecheck_runtime import Linear
from tilecheck_runtime.dialect.loops import rewrite_loops


def text(kernel, mapped) -> str:
    made = rewrite_loops(kernel._pyfunc, {"z": mapped})
    lines = linecache.getlines(made.function.__code__.co_filename)
    return "".join(inspect.getblock(lines[made.function.__code__.co_firstlineno - 1:]))


def is_rewritten(kernel, mapped) -> bool:
    return rewrite_loops(kernel._pyfunc, {"z": mapped}).function is not kernel._pyfunc


def test_an_only_cell_is_unrolled():
    assert "for cell in _t_static_iter((0,)):" in text(looping.plain, False)
    assert "resolve_cell" not in text(looping.plain, False)


def test_coordinates_are_worked_out_in_front_of_the_first_statement():
    source = text(looping.plain, True)
    assert "for _t_cell0 in z.cells():" in source
    assert "cell = z.resolve_cell(_t_cell0); (i,) = z.coords(cell)" in source


def test_lines_keep_their_numbers():
    made = rewrite_loops(looping.plain._pyfunc, {"z": True}).function
    assert made.__code__.co_firstlineno == looping.plain._pyfunc.__code__.co_firstlineno
    assert text(looping.plain, True).count("\n") == len(inspect.getsourcelines(looping.plain._pyfunc)[0])
    assert made.__code__.co_filename.startswith(looping.__file__)


def test_each_rewritten_text_is_found_under_its_own_name():
    """Both are compiled later, from the text that is registered under their names."""
    single = rewrite_loops(looping.plain._pyfunc, {"z": False}).function
    mapped = rewrite_loops(looping.plain._pyfunc, {"z": True}).function
    other = rewrite_loops(looping.twice._pyfunc, {"z": False}).function
    assert "_t_static_iter" in inspect.getsource(single) and "resolve_cell" not in inspect.getsource(single)
    assert "resolve_cell" in inspect.getsource(mapped)
    assert inspect.getsource(other).count("_t_static_iter") == 2


def test_one_line_loops():
    assert "for _t_cell0 in z.cells(): cell = z.resolve_cell(_t_cell0); z[cell] = " in text(looping.one_line, True)


@pytest.mark.parametrize("name", ["leaves_early", "goes_on_early", "on_two_lines"])
def test_loops_that_cannot_be_unrolled_are_unchanged(name):
    assert not is_rewritten(getattr(looping, name), False)


@pytest.mark.parametrize("name", ["begins_with_a_branch", "hands_its_output_on", "renames_its_output",
                                  "loops_in_a_nested_function", "keeps_its_cells"])
def test_loops_that_cannot_be_resolved_are_unchanged(name):
    assert not is_rewritten(getattr(looping, name), True)


def test_a_loop_that_may_be_left_early_is_resolved():
    assert is_rewritten(looping.leaves_early, True)


def test_a_function_without_source_is_left_alone():
    space: dict[str, object] = {}
    exec("def f(z):\n    for cell in z.cells():\n        z[cell] = 0\n", space)
    function = space["f"]
    assert rewrite_loops(function, {"z": False}).function is function  # type: ignore[arg-type]


def test_a_file_that_changed_is_left_alone(monkeypatch):
    function = looping.plain._pyfunc
    lines = linecache.getlines(function.__code__.co_filename)
    newer = [line.replace("+ 1.0", "+ 2.0 + 3.0") for line in lines]
    monkeypatch.setattr(inspect, "findsource", lambda f: (newer, 0))
    assert rewrite_loops(function, {"z": False}).function is function


@pytest.mark.parametrize("schedule", [None, Linear()])
@pytest.mark.parametrize("name", looping.ALL)
@pytest.mark.parametrize("compact", [False, True])
def test_all_compute_the_same(name, schedule, compact):
    z = np.zeros(20, np.float32)
    report = run(getattr(looping, name), {"z": z}, {"z": (4,)}, schedule=schedule,
                 blocks=None if schedule is None else 2, compact=compact)
    assert report.clean, str(report)
    assert z.tolist() == [i // 4 + 1.0 for i in range(20)]
