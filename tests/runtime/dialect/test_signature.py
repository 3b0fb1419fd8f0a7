"""The meaning of annotations, and the errors for meaningless ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

import pytest

from tests.cases import dialect
from tests.runtime.dialect import kernels, strings_off
from tilecheck_runtime import Dyn, Mut, Ref, Shared, f16, f32, kernel
from tilecheck_runtime.dialect.signature import Parameter, SignatureError, signature

if TYPE_CHECKING:
    from numpy import ndarray

B = TypeVar("B", bound=int)
N = TypeVar("N", bound=int)


def test_a_matrix_product():
    known = dialect.gemm.signature
    assert known.parameters[0] == Parameter("z", "mut", f32, ("BM", "BN"))
    assert known.parameters[1] == Parameter("x", "ref", f16, (Dyn, Dyn))
    assert known.parameters[3] == Parameter("bk", "constant", None, ("BK",))
    assert known.variables == ("BM", "BN", "BK")
    assert [p.name for p in known.outputs] == ["z"]


def test_literal_extents_and_numbers():
    known = dialect.rms_norm.signature
    assert known.parameters[0].extents == (1, "N")
    assert known.parameters[3] == Parameter("eps", "scalar", float)


def test_scopes_of_accumulators():
    by_name = {p.name: p for p in kernels.every_update.signature.parameters}
    assert (by_name["low"].kind, by_name["low"].scope) == ("shared", "device")
    assert by_name["common"].scope == "system"


def test_annotations_may_be_objects():
    assert strings_off.copy.signature.variables == ("B",)


def test_names_of_an_enclosing_function():
    Local = TypeVar("Local", bound=int)

    def inner(z: Mut[f32, Local]) -> None:
        z.store(Local)  # a use, without which the function would not know the name

    assert signature(inner).variables == ("Local",)


def has_no_annotation(z, x): ...
def star(*z: Mut[f32, B]): ...
def array(z: ndarray): ...
def has_foreign_type(z: list[int]): ...
def has_annotated_type(z: Annotated[int, "constant"]): ...
def has_no_arguments(z: Mut): ...
def no_extent(z: Mut[f32]): ...
def not_a_dtype(x: Ref[B, Dyn]): ...
def dyn_piece(z: Mut[f32, Dyn]): ...
def wrong_extent(x: Ref[f32, str]): ...
def wrong_piece(z: Mut[f32, Literal[0]]): ...
def bare_number(z: Mut[f32, 16]): ...
def has_unreadable_type(z): ...
def six(s: Shared[f32, B, B, B, B, B, B]): ...


has_unreadable_type.__annotations__["z"] = "Mut[f32"


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            has_no_annotation,
            r"^parameter 'z' has no annotation: write Mut\[f32, B\] for an output, Ref\[f32, Dyn\] for an input",
        ),
        (star, "^parameter 'z': a kernel has a fixed number of parameters"),
        (
            array,
            "^parameter 'z': the annotation 'ndarray' uses a name that its module does not define .*; "
            "define type variables at module level, and import types outside of `if TYPE_CHECKING`",
        ),
        (
            has_foreign_type,
            r"^parameter 'z': list\[int\] is not a parameter type of a kernel: write Mut\[f32, B\] for an output",
        ),
        (has_annotated_type, "^parameter 'z': .* is not a parameter type of a kernel"),
        (
            has_no_arguments,
            r"^parameter 'z': Mut must name an element type and the extent of each axis, as in Mut\[f32, B\]",
        ),
        (no_extent, r"^parameter 'z': Mut\[f32\] must name an element type and the extent of each axis"),
        (not_a_dtype, r"^parameter 'x': Ref\[~B, Dyn\] must name an element type .* as in Ref\[f32, B\]"),
        (dyn_piece, "^parameter 'z': a piece has a fixed extent; write a type variable instead of Dyn"),
        (
            wrong_extent,
            r"^parameter 'x': str is not an extent; write a type variable, or Literal\[n\] with n > 0, or Dyn$",
        ),
        (wrong_piece, r"^parameter 'z': typing.Literal\[0\] is not an extent; .*Literal\[n\] with n > 0$"),
        (bare_number, r"^parameter 'z': 16 is not an extent; write a type variable, or Literal\[16\]$"),
        (has_unreadable_type, r"^parameter 'z': the annotation 'Mut\[f32' cannot be read"),
        (six, "^parameter 's' has 6 axes; arrays have at most 5: merge some"),
    ],
)
def test_invalid_signatures_are_reported(function, message):
    with pytest.raises(SignatureError, match=message):
        signature(function)


def test_an_array_by_value():
    with pytest.raises(SignatureError, match=r"^parameter 'z': cuda\.tile\.Array is not a parameter type of a kernel"):
        _ = dialect.tensor_by_value.signature


def test_decorating_never_raises():
    for function in (has_no_annotation, star, array, has_no_arguments, six):
        assert kernel(function)._pyfunc is function
    assert kernel(occupancy=2)(array).hints == {"occupancy": 2}
    assert kernel(7)._pyfunc == 7  # type: ignore[call-overload]
    with pytest.raises(SignatureError):
        _ = kernel(array).signature
