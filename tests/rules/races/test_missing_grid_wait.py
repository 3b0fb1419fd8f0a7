"""TC111: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, raw

CASES = (
    Case("never_waits", raw("""\
@ct.kernel
def never_waits(x, o, T: Int):
    i = ct.bid(0)
    t = ct.load(x, (i,), (T,))
    ct.store(o, (i,), t)


def launch(stream, x, o):
    ct.launch(stream, (ct.cdiv(x.shape[0], 128),), never_waits, (x, o, 128), programmatic_dependent_launch=True)
"""), """\
TC111 error on line 13: `never_waits` may start while the previous launch is still running, and accesses `x`
    here without waiting for it
    note on line 18: it is launched with programmatic_dependent_launch=True here
    note: the writes of the previous launch are visible only after the wait
    help: call `ct.grid_dependency_control_wait()` before the first access, on every path
"""),
    Case("waits_late", raw("""\
@ct.kernel
def waits_on_one_path(x, o, first: Int, T: Int):
    i = ct.bid(0)
    if first == 0:
        ct.grid_dependency_control_wait()
    ct.store(o, (i,), ct.load(x, (i,), (T,)))


def launch(stream, x, o):
    ct.launch(stream, (ct.cdiv(x.shape[0], 128),), waits_on_one_path, (x, o, 1, 128),
              programmatic_dependent_launch=True)
"""), """\
TC111 error on line 15: `waits_on_one_path` may start while the previous launch is still running, and accesses
    `x` here on a path that has not waited for it
    note on line 19: it is launched with programmatic_dependent_launch=True here
    note: the writes of the previous launch are visible only after the wait
    help: call `ct.grid_dependency_control_wait()` before the first access, on every path
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
