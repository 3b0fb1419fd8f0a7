"""TC406: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, host

CASES = (
    Case("graph held", host("""\
graph = tcr.graph(add(z.partition(128), x, y))
x.partition(128)
graph.replay()
"""), """\
TC406 error on line 35: `x` is partitioned while a graph that uses it can still be replayed
    note on line 34: the graph was captured here
    help: let go of the graph first (`del graph`), or capture it with a copy: `.copy()`
"""),
    Case("graph replayed", host("""\
a, b = torch.rand(n), torch.empty(n)
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    ct.launch(torch.cuda.current_stream(), (8,), copy, (a, b, 128))
del a
g.replay()
"""), """\
TC406 error on line 39: `g` is replayed after `a`, which it uses, is gone
    note on line 37: it was captured here
    help: keep `a` until the graph has run for the last time, or write into it in place: `a.copy_(...)`
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
