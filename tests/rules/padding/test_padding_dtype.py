"""TC303: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, dialect, raw

CASES = (
    Case("paddtype", raw("""\
@ct.kernel
def k(ids, x, o, T: Int):
    j = ct.load(ids, (ct.bid(0),), (T,), padding_mode=ct.PaddingMode.NAN)
    ct.store(o, (ct.bid(0),), ct.gather(x, j))
"""), """\
TC303 error on line 12: `ids` holds integers, which have no NaN to pad with
    note on line 13: its elements are used as indices here
    help: load `ids` with padding_mode=ct.PaddingMode.ZERO and replace the lanes outside with `ct.where`
"""),
    Case("padlaunch", raw("""\
@ct.kernel
def k(x, o, T: Int):
    t = ct.load(x, (ct.bid(0), 0), (1, T), padding_mode=ct.PaddingMode.NEG_INF)
    ct.store(o, (ct.bid(0), 0), ct.max(t, axis=1, keepdims=True))


def go(stream, n, m):
    import torch

    x = torch.empty((n, m), dtype=torch.uint8)
    o = torch.empty((n, 1), dtype=torch.uint8)
    ct.launch(stream, (n,), k, (x, o, 128))
"""), """\
TC303 error on line 12: `x` holds uint8 elements, which have no negative infinity to pad with
    note on line 21: it is passed an array of uint8 here
    help: load `x` with padding_mode=ct.PaddingMode.ZERO and replace the lanes outside with `ct.where`
"""),
    Case("padding that integers do not have", dialect("""\
def k(z: Mut[i32, B], x: Ref[i32, Dyn]) -> None:
    z.store(x.padded(ct.PaddingMode.NEG_INF).load_like(z))
"""), """\
TC303 error on line 12: `x` holds int32 elements, which have no negative infinity to pad with
    note on line 11: int32 from the annotation of `x`
    help: leave `padded` out, which pads with zero, and replace the lanes outside of `x` with `ct.where`
"""),
    Case("padding with a zero that there is not", dialect("""\
def k(z: Mut[f8e8m0, B], x: Ref[f8e8m0, Dyn]) -> None:
    z.store(x.load_like(z))
"""), """\
TC303 error on line 12: `x` holds float8_e8m0fnu elements, which have no zero to pad with
    note on line 11: float8_e8m0fnu from the annotation of `x`
    help: pad it with another value: `x.padded(ct.PaddingMode...)`
"""),
    Case("type without zero", raw("""\
@ct.kernel
def k(x, o, T: Int):
    i = ct.bid(0)
    t = ct.load(x, (i,), (T,), padding_mode=ZERO)
    ct.store(o, (i,), t)


def go(stream, n):
    x = torch.zeros(n, dtype=torch.float8_e8m0fnu)
    o = torch.zeros(n, dtype=torch.float8_e8m0fnu)
    ct.launch(stream, (ct.cdiv(n, 16),), k, (x, o, 16))
"""), """\
TC303 error on line 13: `x` holds float8_e8m0fnu elements, which have no zero to pad with
    note on line 20: it is passed an array of float8_e8m0fnu here
    help: load `x` as bytes, or replace the lanes outside with `ct.where`
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
