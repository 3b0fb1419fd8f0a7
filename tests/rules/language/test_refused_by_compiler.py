"""TC607 and the findings from Tile IR: every message, word for word. `tests/cli/test_compile.py` runs the compiler."""

from __future__ import annotations

from collections.abc import Iterator

from tests.rules.cases import Case, describe
from tilecheck.diagnostics import Diagnostic
from tilecheck.rules.language.refused_by_compiler import report_refused
from tilecheck.rules.messages.launch_faults import report_outside, report_race
from tilecheck.syntax.tree import Span

CASES: tuple[Case, ...] = ()

LAUNCH = Span("case.py", 30, 4, 30, 20)
FINDINGS = """\
TC607 error on line 5: `k` does not compile: Unsupported syntax
    note on line 9: called here
    note on line 30: compiled for this launch, with T = 16, x: float32
    help: change this line, or what the launch passes
TC607 error on line 5: `k` does not compile: Unsupported syntax
    note: unknown types and type variables were sampled: it compiles for no sample
    help: change this line
TC101 error on line 7: in this launch block (0, 0, 0) writes and block (1, 0, 0) writes the element at offset
    3 of `y`
    note on line 30: refuted from Tile IR at this launch, for all data
    help: let each block access elements of its own, or launch the kernel with other numbers
TC103 error on line 7: in this launch another block writes and block (1, 0, 0) reads the element at offset 3
    of `y`
    note on line 6: the other access
    note on line 30: refuted from Tile IR at this launch, for all data
    help: let each block access elements of its own, or launch the kernel with other numbers
TC107 error on line 7: in this launch block (0, 0, 0) updates atomically and block (1, 0, 0) reads the element
    at offset 3 of `y`
    note on line 30: refuted from Tile IR at this launch, for all data
    help: let each block access elements of its own, or launch the kernel with other numbers
TC202 error on line 7: in this launch block (3, 0, 0) accesses elements outside `y`
    note on line 30: refuted from Tile IR at this launch, for all data
    help: launch fewer blocks or larger arrays, or leave the bounds check on
"""


def list_reports() -> Iterator[Diagnostic]:
    """A finding of each kind."""
    place, line, other = Span("case.py", 5, 8, 5, 20), Span("case.py", 7, 4, 7, 30), Span("case.py", 6, 4, 6, 30)
    yield report_refused("k", "Unsupported syntax.", place, [Span("case.py", 9, 4, 9, 12)], LAUNCH,
                         ("T = 16", "x: float32"), False)
    yield report_refused("k", "Unsupported syntax", place, (), None, (), True)
    both = (0, 0, 0), (1, 0, 0)
    yield report_race("k", "y", 3, both, ("write", "write"), line, line, LAUNCH)
    yield report_race("k", "y", 3, both[1:], ("write", "read"), line, other, LAUNCH)
    yield report_race("k", "y", 3, both, ("atomic", "read"), line, line, LAUNCH)
    yield report_outside("k", "y", (3, 0, 0), line, LAUNCH)


def test_messages() -> None:
    assert describe(tuple(list_reports())) == FINDINGS
