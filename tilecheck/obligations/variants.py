"""The variants of a kernel that seen launches compile, and what the compiler refuses in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from tilecheck.dtypes import BOOL, DTYPES, F32, I32, SOME_INTEGER, DType, ElementType, Weak, holds
from tilecheck.interp.host.launch import Argument, Launch
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.device.variant import Variant
from tilecheck.interp.kernel.lint_facts import NOTHING_SEEN, Observed
from tilecheck.interp.kernel.values import Bool, Data, Int, Value
from tilecheck.obligations.launch_cases import Case, list_cases
from tilecheck.symbolic import FALSE, TRUE, Array, ArrayParam, const, scalar

__all__ = ["CompiledVariant", "ExecuteVariant", "compile_variants", "execute_nothing", "is_fitting"]

_MOST: Final = 4
"""Variants of one kernel that are executed."""

ExecuteVariant = Callable[[Variant], Observed]


def execute_nothing(variant: Variant) -> Observed:
    """Stands where a kernel cannot be executed again."""
    return NOTHING_SEEN


class CompiledVariant(Struct, frozen=True):
    """The notes of one variant, and a launch that compiles it."""

    case: Case
    observed: Observed


def compile_variants(
    model: KernelModel, launches: Sequence[Launch], execute: ExecuteVariant,
) -> Iterator[CompiledVariant]:
    """Executes the kernel for the first few variants that launches compile. Kernels of the dialect have the types of
    their arguments in their annotations."""
    if model.dialect or any(name == "*" for name, _ in model.paddings.lost):
        return
    seen: set[object] = set()
    for case in list_cases(model, launches):
        variant = _build(model, case)
        key = repr(variant)
        if key in seen:
            continue
        seen.add(key)
        if len(seen) > _MOST:
            return
        observed = execute(variant)
        if observed != NOTHING_SEEN:
            yield CompiledVariant(case, observed)


def is_fitting(model: KernelModel, launch: Launch) -> bool:
    """Whether the arguments of a launch are of the kinds of the parameters. Another launch is reported itself."""
    given = launch.arguments or ()
    return len(given) == len(model.params) and all(
        a.kind in _TAKES[p.kind] for p, a in zip(model.params, given, strict=True))


_TAKES: Final = MappingProxyType({
    "array": ("array", "unknown"), "list": ("list", "unknown"), "constant": ("scalar", "unknown"),
    "scalar": ("array", "scalar", "unknown"), "unknown": ("array", "list", "scalar", "unknown"),
})


def _build(model: KernelModel, case: Case) -> Variant:
    values: dict[str, Value] = {}
    arrays: dict[Array, int | None] = {}
    dtypes: list[tuple[str, DType]] = []
    passed: set[str] = set()
    for p in model.params:
        argument = case.arguments[p.name]
        if argument.kind == "array":
            passed.add(p.name)
            arrays[ArrayParam(p.name)] = None if argument.shape is None else len(argument.shape)
            dtype = _DTYPES.get(argument.dtype or "")
            if dtype is not None:
                dtypes.append((p.name, dtype))
        elif argument.kind == "scalar":
            number = case.values.get(p.name, None if argument.term is None else argument.term.constant)
            value = _constant(number, argument) if p.kind == "constant" else _number(p.name, number, argument)
            if p.kind != "constant" and argument.literal in _NUMBERS:
                passed.add(p.name)
            if value is not None:
                values[p.name] = value
    return Variant(values, arrays, tuple(dtypes), frozenset(passed))


_DTYPES: Final = {**DTYPES, "bool": BOOL}
_NUMBERS: Final = ("int", "float", "bool")


def _constant(number: int | None, argument: Argument) -> Value | None:
    if number is None or "." in argument.text:  # it may be a member of an enumeration, whose number is its value
        return None
    if argument.literal == "bool":
        return Bool(TRUE if number else FALSE, dtype=Weak.BOOL)
    return Int(const(number), dtype=Weak.INT) if argument.literal == "int" else None


def _number(name: str, number: int | None, argument: Argument) -> Value | None:
    """A number whose type the launch tells. A number beyond 32 bits is refused or passed in 64 bits."""
    if argument.literal == "float":
        return Data((), scalar(name), dtype=F32)
    if argument.literal == "bool":
        return Int(scalar(name), dtype=BOOL)
    if argument.literal == "int":
        dtype: ElementType = I32 if number is not None and holds(I32, number) else SOME_INTEGER
        return Int(scalar(name), dtype=dtype)
    return None
