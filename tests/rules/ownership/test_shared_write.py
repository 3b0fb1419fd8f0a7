"""TC104: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, dialect, host

CASES = (
    Case("shared", host("""\
a = z.share()
b = a.share()
a.partition(16)
print(b.numpy())
"""), """\
TC104 error on line 36: `a` is partitioned, but another handle shares its memory
    note on line 35: the other handle was created here
    help: let go of the other handle with `del`, or take a copy: `.copy()`
"""),
    Case("read-only", host("""\
z.transposed().partition(16)
"""), """\
TC104 error on line 34: `z.transposed()` is partitioned, but it is a read-only view
    help: take a copy of your own: `.copy()`
"""),
    Case("store to an input", dialect("""\
def k(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    x.store(z.load())
"""), """\
TC104 error on line 12: `x.store` writes to `x`, which the kernel only borrows: it is a `Ref`
    note on line 11: `x` is declared here
    help: declare `x: Mut[...]` if the kernel writes it; otherwise store to an output
"""),
    Case("item of an input", dialect("""\
def k(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    x.partition(z.tile[0])[0] = z.load()
"""), """\
TC104 error on line 12: an assignment to an item of `x` writes to `x`, which the kernel only borrows: it is a
    `Ref`
    note on line 11: `x` is declared here
    help: declare `x: Mut[...]` if the kernel writes it; otherwise store to an output
"""),
    Case("raw store to an input", dialect("""\
def k(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    ct.store(x.array, (0,), z.load())
"""), """\
TC104 error on line 12: `ct.store` writes to `x`, which the kernel only borrows: it is a `Ref`
    note on line 11: `x` is declared here
    help: declare `x: Mut[...]` if the kernel writes it; otherwise store to an output
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
