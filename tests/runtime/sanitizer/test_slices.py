"""Proved slices lie inside their arrays when the kernel runs."""

from __future__ import annotations

import os

import pytest

from tests.oracle import truth as brute
from tests.oracle.generate import assignments, from_seed
from tests.oracle.judging import check, clause_holds
from tests.oracle.loading import load_text
from tests.oracle.sanitized import load_functions, run_launch
from tilecheck.contracts import ContractError
from tilecheck_runtime.errors.language import TileError

SEEDS = int(os.environ.get("TILECHECK_SLICE_SEEDS", "900"))
SETTLED = ("proved", "conditional")


def compare_slices(seeds: range) -> tuple[int, int, int, list[str]]:
    """Counts proved slices, their launches, and other launches with a slice outside; lists the disagreements."""
    settled = ran = outside = 0
    wrong: list[str] = []
    for seed in seeds:
        kernel = from_seed(seed)
        if ".slice(" not in kernel.text:
            continue
        (report,) = check(kernel).kernels
        slices = [o for o in report.obligations if o.kind == "slice"]
        assert slices, kernel.text
        sure = all(o.verdict in SETTLED for o in slices)
        settled += sure
        function, fake = load_functions(kernel.text)["kernel"], load_text(kernel.text)["kernel"]
        for number, launch in enumerate(assignments(kernel, 8)):
            try:
                if brute.execute(kernel, launch, fake).error is not None or not all(
                        clause_holds(c.clause, kernel, launch) for c in report.contract):
                    continue
                seen = "TC204" in run_launch(kernel, launch, function, number or None).codes()
            except (TileError, ContractError):
                continue
            ran += sure
            outside += seen and not sure
            if seen and sure:
                wrong.append(f"seed {seed}: {launch}\n{[(o.line, o.why, o.clauses) for o in slices]}\n{kernel.text}")
    return settled, ran, outside, wrong


@pytest.mark.slow
def test_proved_slices_are_silent() -> None:
    settled, ran, outside, wrong = compare_slices(range(SEEDS))
    assert not wrong, "\n\n".join(wrong[:3])
    assert settled >= SEEDS // 200 and ran >= settled and outside, (settled, ran, outside)
