"""The annotations of a dialect kernel declare its parameters, in every spelling."""

from __future__ import annotations

import pytest

from tests.interp.kernel.dialect.build import site
from tilecheck.dtypes import BF16, F32, I32
from tilecheck.interp.kernel.dialect.signature import Parameter, signature
from tilecheck.symbolic import const, symbol


def read(annotation: str, before: str = "", others: str = "") -> Parameter:
    found = signature(*site(f"{before}@kernel\ndef k(p: {annotation}{others}) -> None:\n    pass\n"))
    return found[0]


@pytest.mark.parametrize("annotation", [
    "Mut[f32, BM, Literal[48]]", "tcr.Mut[tcr.f32, BM, Literal[48]]", "'Mut[f32, BM, Literal[48]]'",
    "Mut[ct.float32, BM, ty.Literal[48]]", "Out", "'Out'",
])
def test_an_output_in_any_spelling(annotation):
    p = read(annotation, "Out = Mut[f32, BM, Literal[48]]\n")
    assert (p.kind, p.dtype, p.extents) == ("mut", F32, (symbol("BM"), const(48)))


def test_extents_of_inputs_may_be_open():
    p = read("Ref[bf16, Dyn, Literal[1], BN]")
    assert (p.kind, p.dtype, p.extents) == ("ref", BF16, (None, const(1), symbol("BN")))


@pytest.mark.parametrize(("annotation", "scope"), [("Shared[i32, Dyn]", "device"), ("SystemShared[i32, Dyn]", "sys")])
def test_accumulators_have_a_scope(annotation, scope):
    p = read(annotation)
    assert (p.kind, p.dtype, p.scope) == ("shared", I32, scope)


@pytest.mark.parametrize(("annotation", "kind"), [
    ("BK", "constant"), ("int", "scalar"), ("float", "scalar"), ("bool", "scalar"), ("'float'", "scalar"),
    ("ct.Constant[int]", "constant"), ("Mut", "array"), ("Mut[f32]", "array"), ("Mut[f32, Dyn]", "array"),
    ("ct.Array", "array"), ("list[int]", "array"), ("Something", "unknown"), ("Other[int]", "unknown"),
])
def test_other_parameters(annotation, kind):
    assert read(annotation).kind == kind


def test_a_constant_gives_its_type_variable_its_value():
    found = signature(*site("@kernel\ndef k(z: Mut[f32, BK, BM], bk: BK) -> None:\n    pass\n"))
    assert found[0].extents == (symbol("bk"), symbol("BM"))


def test_a_type_variable_is_not_a_parameter_of_its_name():
    found = signature(*site("@kernel\ndef k(z: Mut[f32, B], B: int) -> None:\n    pass\n"))
    assert found[0].extents == (symbol("B_"),)


def test_a_type_variable_has_the_name_of_its_definition():
    p = read("Mut[f32, Rows]", 'Rows = TypeVar("BR", bound=int)\n')
    assert p.extents == (symbol("BR"),)


def test_a_number_of_the_module_is_an_extent():
    assert read("Mut[f32, SIZE]", "SIZE = Literal[16]\n").extents == (const(16),)


def test_a_class_of_that_name_in_another_module_is_not_a_parameter_type():
    text = "from elsewhere import Mut\n@kernel\ndef k(z: Mut[f32, B]) -> None:\n    pass\n"
    assert signature(*site(text))[0].kind == "unknown"
