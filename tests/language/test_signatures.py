"""The tables of the language agree with the package: names, members, parameters, builtins."""

from __future__ import annotations

import builtins
import enum
import inspect

import pytest

pytest.importorskip("cuda.tile._compile", reason="names are compared with those of the package cuda-tile")

import cuda.tile as ct

from tilecheck.interp.kernel.device.calls import BUILTIN_NAMES
from tilecheck.interp.kernel.signatures import find_misfit, parse_signature
from tilecheck.ops.catalog import OPERATIONS
from tilecheck.project.tilenames import COMPOSED, MEMBERS, PUBLIC_NAMES, find_missing


def test_the_names_are_those_of_the_package() -> None:
    assert frozenset(ct.__all__) == PUBLIC_NAMES
    assert [n for n in dir(ct) if find_missing(n) is not None] == []
    assert find_missing("sinn") is not None
    assert not COMPOSED.keys() & PUBLIC_NAMES


def test_the_members_of_enumerations_are_those_of_the_package() -> None:
    known = {n: frozenset(getattr(ct, n).__members__) for n in ct.__all__
             if isinstance(getattr(ct, n), type) and issubclass(getattr(ct, n), enum.Enum)}
    assert known == dict(MEMBERS)


def test_the_builtins_are_those_of_the_interpreter() -> None:
    mine = {n for n in dir(builtins) if not n.startswith("_") and n not in ("copyright", "credits", "exit", "quit")}
    assert mine <= BUILTIN_NAMES


@pytest.mark.parametrize(("count", "names", "fits"), [
    (1, (), True), (2, (), True), (1, ("axis",), True), (1, ("keepdims",), True), (0, (), False), (3, (), False),
    (0, ("x",), False), (1, ("x",), False), (2, ("axis",), False), (1, ("dim",), False),
])
def test_arguments_fit_as_in_python(count: int, names: tuple[str, ...], fits: bool) -> None:
    signature = parse_signature(OPERATIONS["sum"].signature)
    assert (find_misfit(signature, count, names) is None) == fits
    try:
        inspect.signature(ct.sum).bind(*range(count), **dict.fromkeys(names))
    except TypeError:
        assert not fits
    else:
        assert fits
