"""Programs on which the CPU once differed from the compiler, with `cuda.tile` and with its stand-in."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tilecheck_runtime.hooks import install
from tilecheck_runtime.hooks.run import run_script

CASES = Path(__file__).parents[2] / "cases" / "peer"
OUTPUT = {
    "a01_error_classes": "caught",
    "a02_gather_bool": "[ True False  True False]",
    "a03_floordiv_float": "[10.]",
    "a04_tf32_rounding": "[1.        1.        1.        1.0009766]",
    "a05_e8m0_zero": "[  0 127   0 129]",
    "a06_shape_empty_tuple": "[5] [0. 0. 0. 8.]",
    "a07_dtype_calls": "[0. 2.]",
    "a08_constants_are_scalars": "[4. 8.]",
    "a09_static_eval_side_effect": "[4]",
    "a10_cat_of_one": "[1 1 1 1]",
    "a11_empty_grid": "1.0",
    "a12_tuple_annotations": "8589934594",
    "a13_float_of_typed_constant": "5.0",
    "a14_numpy_scalar_constant": "ok",
    "a15_leaked_errors": "k1 ERROR\nk2 ERROR\nk3 ERROR\nk4 ERROR\nk5 ERROR",
    "a16_rejected_by_compiler": "k1 ERROR\nk2 ERROR\nk3 ERROR\nk4 ERROR\nk5 ERROR",
    "a17_print_formats": "[0.00, 1.00]\n[0.00, 1.00]\n0:[0, 1]",
    "a18_loop_carried_constants": "[2.000000e+02 2.000000e+02 1.000001e+06]",
    "b05_run_tc201_empty_slice": "",
}
"""The output of each program; ERROR stands for the class of a type error."""


@pytest.mark.parametrize("name", OUTPUT)
@pytest.mark.parametrize("installed", [True, False], ids=["installed", "stand-in"])
def test_output(name, installed, monkeypatch, capsys):
    if name == "a07_dtype_calls" and importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    if not installed:
        monkeypatch.setattr(install, "_import_real", lambda: None)
    failed, report = run_script(str(CASES / f"{name}.py"), ())
    assert not failed and not report.events
    error = "TypeCheckingError" if installed else "TileTypeError"
    assert capsys.readouterr().out.strip() == OUTPUT[name].replace("ERROR", error)
