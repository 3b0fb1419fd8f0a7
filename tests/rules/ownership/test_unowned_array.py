"""TC110: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, dialect
from tilecheck.api import check_source
from tilecheck.config import Config

CASES = (
    Case("plain array", dialect("""\
def k(z: ct.Array, x: Ref[f32, Dyn]) -> None:
    ct.store(z, (ct.bid(0),), x.load((ct.bid(0),), (16,)))
"""), """\
TC110 error on line 11: `z` is an array, but its annotation does not state who owns it
    help: annotate it `z: Mut[dtype, extents]`: the kernel writes it
"""),
    Case("no annotation", dialect("""\
def k(z: Mut[f32, Literal[16]], x) -> None:
    z.store(ct.load(x, (ct.bid(0),), (16,),
                    padding_mode=ct.PaddingMode.ZERO))
"""), """\
TC110 error on line 11: `x` is used as an array, but nothing states who owns it
    help: annotate it `x: Ref[dtype, extents]`: the kernel only reads it
"""),
    Case("no extents", dialect("""\
def k(z: Mut) -> None:
    pass
"""), """\
TC110 error on line 11: the annotation of `z` lacks the element type or the extent of an axis
    help: write both: `z: Mut[f32, B]` for an output, `Ref[f32, Dyn]` for an input
"""),
    Case("a number without Literal", dialect("""\
def k(z: Mut[f32, 48]) -> None:
    pass
"""), """\
TC110 error on line 11: an extent in the annotation of `z` is neither a type variable nor a positive number
    help: write a type variable, whose value comes from the launch, or a number as `Literal[48]`
"""),
    Case("several numbers", dialect("""\
def k(z: Mut[f32, Literal[16, 32]]) -> None:
    pass
"""), """\
TC110 error on line 11: an extent in the annotation of `z` is neither a type variable nor a positive number
    help: write a type variable, whose value comes from the launch, or a number as `Literal[48]`
"""),
    Case("six axes", dialect("""\
def k(z: Ref[f32, Dyn, Dyn, Dyn, Dyn, Dyn, Dyn]) -> None:
    pass
"""), """\
TC110 error on line 11: `z` is annotated with more than 5 axes
    help: merge axes of `z` on the host: `.reshape(...)`
"""),
    Case("a type of Python", dialect("""\
def k(z: Ref[int, Dyn]) -> None:
    pass
"""), """\
TC110 error on line 11: the annotation of `z` names a type of Python, but elements have a type of the device
    help: write a type of the device first: `z: Ref[f32, Dyn]`, or `i32`, `bool_`
"""),
    Case("any number of arrays", dialect("""\
def k(*arrays) -> None:
    pass
"""), """\
TC110 error on line 11: `arrays` takes any number of arguments, but a kernel has a fixed number of parameters
    help: write them out: `x: Ref[f32, Dyn], y: Ref[f32, Dyn]`
"""),
    Case("open piece", dialect("""\
def k(z: Mut[f32, Dyn]) -> None:
    pass
"""), """\
TC110 error on line 11: the annotation of `z` leaves an extent of its pieces open, but a piece has fixed
    extents
    help: write a type variable instead of `Dyn`: its value comes from the partition
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("annotation", ["Mut[f32, 48]", "Mut[f32, Dyn]", "Mut"])
def test_a_wrong_annotation_is_the_only_finding(annotation: str) -> None:
    kernel = f"def k(z: {annotation}, x: Ref[f32, Dyn]) -> None:\n    z.store(x.load_like(z))\n    z.pieces(4)\n"
    report = check_source(dialect(kernel), "k.py", Config(use_cache=False, jobs=1))
    assert [d.code for d in report.diagnostics] == ["TC110"]
