"""One table of element types: what follows from it, and that its views agree with it."""

from __future__ import annotations

import pickle
from itertools import product

import pytest

from tilecheck.dtypes import (
    ACCUMULATORS,
    BOOL,
    DTYPES,
    F16,
    F32,
    I8,
    I32,
    I64,
    SCALED,
    SOME_INTEGER,
    SOME_NUMBER,
    U8,
    UNKNOWN,
    DType,
    ElementOf,
    ElementType,
    Partial,
    Weak,
    fits_into,
    get_concrete_type,
    get_number_type,
    holds,
    promote,
    promote_dtypes,
)

KINDS: tuple[ElementType, ...] = (*DTYPES.values(), *Weak, *Partial, ElementOf("x"))


@pytest.mark.parametrize(("a", "b"), [*product(KINDS, KINDS)], ids=str)
def test_promotion_does_not_depend_on_the_order(a: ElementType, b: ElementType) -> None:
    assert promote(a, b) == promote(b, a)
    if isinstance(a, DType) and isinstance(b, DType):
        # cuda.tile converts implicitly to what two types are promoted to, and to nothing else
        assert fits_into(a, b) == (promote(a, b) is b)


def test_promotion_is_that_of_cuda_tile() -> None:
    tile = pytest.importorskip("cuda.tile")
    front_end = pytest.importorskip("cuda.tile._cext")
    for a, b in product(DTYPES.values(), DTYPES.values()):
        if hasattr(tile, a.name) and hasattr(tile, b.name):
            expected = front_end._promote_dtypes(getattr(tile, a.name), getattr(tile, b.name))
            found = promote_dtypes(a, b)
            assert (None if found is None else found.name) == (None if expected is None else expected.name), (a, b)


def test_promotion_of_constants_and_of_types_that_are_partly_known() -> None:
    assert promote(Weak.INT, F16) is F16 and promote(Weak.FLOAT, I8) is F32
    assert promote(Weak.INT, BOOL) is UNKNOWN and promote(Weak.BOOL, Weak.INT) is Weak.INT
    assert promote(SOME_INTEGER, F16) is F16 and promote(SOME_INTEGER, I64) is I64
    assert promote(SOME_INTEGER, I32) is UNKNOWN and promote(SOME_NUMBER, Weak.INT) is SOME_NUMBER
    assert promote(I8, U8) is None and promote(ElementOf("x"), ElementOf("y")) is UNKNOWN
    assert promote(ElementOf("x"), ElementOf("x")) == ElementOf("x")


def test_a_constant_has_a_type_by_its_value() -> None:
    assert get_number_type(2**31 - 1) is I32 and get_number_type(2**31) is I64 and get_number_type(True) is BOOL
    assert get_concrete_type(Weak.INT, 5) is I32 and get_concrete_type(Weak.INT) is UNKNOWN
    assert get_concrete_type(F16) is F16
    assert holds(U8, 255) and not holds(U8, 256) and not holds(U8, -1) and holds(F16, 10**9)


def test_element_types_survive_pickling() -> None:
    assert all(pickle.loads(pickle.dumps(t)) is t for t in (*DTYPES.values(), *Weak, *Partial))
    assert {*ACCUMULATORS, *SCALED} <= {*DTYPES.values()}


def test_the_cpu_and_the_dialect_have_the_types_of_the_table() -> None:
    np = pytest.importorskip("numpy")
    from tilecheck_runtime.cpu.dtypes import DTYPES as ON_CPU
    from tilecheck_runtime.dialect.dtypes import BY_NAME, Floating

    assert list(ON_CPU) == list(DTYPES)
    for name, element in DTYPES.items():
        view = ON_CPU[name]
        assert (view.element, view.bits) == (element, element.bits)
        if element.limits is not None:
            assert element.limits == (np.iinfo(view.storage).min, np.iinfo(view.storage).max)
    assert {name: kind.__name__ for name, kind in BY_NAME.items()} == {
        name: t.short for name, t in DTYPES.items() if t.short is not None}
    assert not issubclass(BY_NAME["bool_"], Floating) and issubclass(BY_NAME["tfloat32"], Floating)
