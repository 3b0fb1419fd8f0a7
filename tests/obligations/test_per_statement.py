"""A statement of a helper is one statement, however often a kernel inlines it."""

from __future__ import annotations

from tilecheck.api import check_source
from tilecheck.config import Config

TWICE = """
import cuda.tile as ct

def put(array, place, tile):
    ct.store(array, (place,), tile)

@ct.kernel
def halves(a, b, c, T: ct.Constant[int]):
    i = ct.bid(0)
    put(b, i, ct.load(a, (i,), (T,)))
    put(c, {place}, ct.load(a, (i,), (T,)))
"""


def _writes(source: str):
    report = check_source(source, "twice.py", Config(use_cache=False, jobs=1))
    return report, [o for k in report.kernels for o in k.obligations if o.kind == "disjoint"]


def test_one_obligation_for_a_helper_that_is_called_twice():
    report, writes = _writes(TWICE.format(place="i"))
    assert [(o.line, o.verdict) for o in writes] == [(5, "proved")]
    assert report.diagnostics == ()


def test_the_weakest_call_decides():
    report, writes = _writes(TWICE.format(place="0"))
    assert [(o.line, o.array, o.verdict) for o in writes] == [(5, "c", "refuted")]
    assert [d.code for d in report.diagnostics] == ["TC101"]
