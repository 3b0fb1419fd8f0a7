"""The tables of the language agree with the package: names, members, parameters, builtins."""

from __future__ import annotations

import builtins
import enum
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

import pytest

pytest.importorskip("cuda.tile._compile", reason="names are compared with those of the package cuda-tile")

import cuda.tile as ct

from tilecheck.interp.kernel.device.calls import BUILTIN_NAMES
from tilecheck.interp.kernel.device.signatures import METHODS, OPERATIONS, find_misfit, parse_signature
from tilecheck.project.tilenames import COMPOSED, MEMBERS, PUBLIC_NAMES, find_missing

STATIC = {"static_assert", "static_eval", "static_exception", "static_iter"}
HOST = {"compiler_timeout", "foreign_pointer_dtype", "function"}


def spell(function: Callable[..., Any], name: str, method: bool) -> str:
    """A signature as the table writes it."""
    parameters = list(inspect.signature(function).parameters.values())[method:]
    only = [p for p in parameters if p.kind is p.POSITIONAL_ONLY]
    parts: list[str] = []
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not any(part.startswith("*") for part in parts):
            parts.append("*")
        star = "*" if p.kind is p.VAR_POSITIONAL else ""
        parts.append(f"{star}{p.name}{'' if p.default is p.empty else '='}")
        if only and p is only[-1]:
            parts.append("/")
    return f"{name}({', '.join(parts)})"


def test_the_names_are_those_of_the_package() -> None:
    assert frozenset(ct.__all__) == PUBLIC_NAMES
    assert [n for n in dir(ct) if find_missing(n) is not None] == []
    assert find_missing("sinn") is not None
    assert not COMPOSED.keys() & PUBLIC_NAMES


def test_the_members_of_enumerations_are_those_of_the_package() -> None:
    known = {n: frozenset(getattr(ct, n).__members__) for n in ct.__all__
             if isinstance(getattr(ct, n), type) and issubclass(getattr(ct, n), enum.Enum)}
    assert known == dict(MEMBERS)


def test_the_parameters_are_those_of_the_package() -> None:
    found = {n: spell(getattr(ct, n), n, False) for n in ct.__all__ if isinstance(getattr(ct, n), FunctionType)}
    assert {n: s for n, s in found.items() if n not in STATIC | HOST} == dict(OPERATIONS)
    for text in METHODS.values():
        owner, _, name = text.partition("(")[0].partition(".")
        assert spell(getattr(getattr(ct, owner), name), f"{owner}.{name}", True) == text


def test_the_builtins_are_those_of_the_interpreter() -> None:
    mine = {n for n in dir(builtins) if not n.startswith("_") and n not in ("copyright", "credits", "exit", "quit")}
    assert mine <= BUILTIN_NAMES


@pytest.mark.parametrize(("count", "names", "fits"), [
    (1, (), True), (2, (), True), (1, ("axis",), True), (1, ("keepdims",), True), (0, (), False), (3, (), False),
    (0, ("x",), False), (1, ("x",), False), (2, ("axis",), False), (1, ("dim",), False),
])
def test_arguments_fit_as_in_python(count: int, names: tuple[str, ...], fits: bool) -> None:
    signature = parse_signature(OPERATIONS["sum"])
    assert (find_misfit(signature, count, names) is None) == fits
    try:
        inspect.signature(ct.sum).bind(*range(count), **dict.fromkeys(names))
    except TypeError:
        assert not fits
    else:
        assert fits
