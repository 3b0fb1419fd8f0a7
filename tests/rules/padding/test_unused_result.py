"""TC304: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, raw

CASES = (
    Case("result", raw("""\
@ct.kernel
def chain_goes_nowhere(x, w, o, T: Int):
    i = ct.bid(0)
    t = ct.load(x, (i,), (T,))
    scale = ct.load(w, (i,), (T,))
    scaled = t * scale
    ct.store(o, (i,), t)
"""), """\
TC304 warning on line 15: `scaled` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `scaled` or a value computed from it, or delete it
"""),
    Case("loaded", raw("""\
@ct.kernel
def scalar_loaded_in_vain(x, n, o, T: Int):
    i = ct.bid(0)
    count = ct.load(n, (i,), (1,)).item()
    ct.store(o, (i,), ct.load(x, (i,), (T,)))
"""), """\
TC304 warning on line 13: `count` is loaded and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `count` or a value computed from it, or delete it
"""),
    Case("helper", raw("""\
def scaled_by_mean(t):
    mean = ct.sum(t, axis=0, keepdims=True) / 4.0
    return t * 2.0


@ct.kernel
def helper_computes_in_vain(x, o, T: Int):
    i = ct.bid(0)
    ct.store(o, (i,), scaled_by_mean(ct.load(x, (i,), (T,), padding_mode=ZERO)))


@ct.kernel
def helper_called_again(x, o, T: Int):
    i = ct.bid(0)
    ct.store(o, (i,), scaled_by_mean(ct.load(x, (i,), (T,), padding_mode=ZERO)))
"""), """\
TC304 warning on line 11: `mean` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `mean` or a value computed from it, or delete it
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
