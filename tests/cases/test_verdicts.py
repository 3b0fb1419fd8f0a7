"""Programs whose verdicts were once wrong: what has to be reported of each, and nothing else."""

from __future__ import annotations

import pytest

from tests.cases.expectations import FOLDER
from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.diagnostics import Report

Found = set[tuple[int, str, str]]

EXPECTED: dict[str, Found] = {
    "outside/01_false_error_cfg_attribute.py": set(),
    "outside/02_false_error_swizzle.py": set(),
    "outside/04_false_padding_block_count.py": {(12, "TC305", "warning")},
    "outside/06_missed_tuple_constants.py": {(18, "TC405", "error")},
    "outside/07_missed_extract_index.py": {(10, "TC204", "error"), (16, "TC203", "warning")},
    "outside/11_unhelpful_varlen.py": {(13, "TC101", "warning")},
    "outside/10_masked_clause_and_help.py": {(15, "TC301", "warning")},
    "outside/13_help_that_breaks.py": {(16, "TC301", "warning")},
    "wrong_verdicts/E01_mod_grid_visible.py": set(),
    "wrong_verdicts/E02_stride_loop_visible.py": set(),
    "wrong_verdicts/E04_padding_sufficient.py": set(),
    "wrong_verdicts/E05_clamped_tile.py": set(),
    "wrong_verdicts/E07_slice_min.py": set(),
    "wrong_verdicts/E08_numpy_flatten.py": set(),
    "wrong_verdicts/E09_lock_reacquired.py": set(),
    "wrong_verdicts/E10_neg_scalar_one_block.py": set(),
    "wrong_verdicts/E13_lock_no_bid.py": set(),
    "wrong_verdicts/S01_width_clause_visible.py": {(6, "TC405", "warning")},
    "wrong_verdicts/S02_numel_clause_visible.py": {(7, "TC205", "error")},
    "peer/b01_check_tc405_load_store_other_tile.py": set(),
    "peer/b02_check_tc503_view_dtype.py": set(),
    "peer/b04_check_tc101_single_block.py": set(),
    "peer/b05_run_tc201_empty_slice.py": set(),
}
"""By program: the line, code and severity of each finding."""


def _check(name: str) -> Report:
    report = check_source((FOLDER / name).read_text(encoding="utf-8"), name, Config(use_cache=False, jobs=1))
    assert not report.failures
    return report


@pytest.mark.parametrize("name", EXPECTED)
def test_the_findings_are_the_expected_ones(name):
    assert {(d.span.line, d.code, d.severity) for d in _check(name).diagnostics} == EXPECTED[name]


def test_a_factory_may_pass_a_tuple_as_a_shape():
    assert "error" not in {d.severity for d in _check("peer/b03_check_tc503_tiled_view_shape.py").diagnostics}


def test_a_grid_in_parentheses_is_an_int():
    found = {(d.span.line, d.code, d.severity) for d in _check("outside/09_missed_api_misuse.py").diagnostics}
    assert (15, "TC408", "error") in found


def test_each_condition_on_a_load_is_named():
    (found,) = _check("outside/10_masked_clause_and_help.py").diagnostics
    assert "`D <= K.shape[1]`" in found.message and "`K.shape[0] % TN == 0`" in found.message


def test_no_infinity_is_advised_where_a_product_takes_it():
    (found,) = _check("outside/13_help_that_breaks.py").diagnostics
    assert "PaddingMode.ZERO" in (found.help or "") and "NEG_INF" not in (found.help or "")
