"""Operations of cuda.tile that the compiler rejects, in every launch or in a seen one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.dtypes import BOOL, DTYPES, UNKNOWN, DType, ElementOf
from tilecheck.interp.host.launch import Argument, Launch
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.launch_cases import Case, list_cases
from tilecheck.symbolic import (
    ONE,
    TRUE,
    Scalar,
    Substitution,
    Symbol,
    atoms_in,
    atoms_of,
)
from tilecheck.syntax.tree import Span

if TYPE_CHECKING:
    from tilecheck.interp.kernel.tile_types.uses import Misfit, Operand, Use
    from tilecheck.obligations.variants import CompiledVariant

__all__ = ["FaultyLaunch", "TypeFault", "find_type_faults"]


class FaultyLaunch(Struct, frozen=True):
    """A launch in which the operands of an operation do not fit, with the arguments that cause this.

    values  scalar parameters and their values
    dtypes  array parameters and their element types
    rank    an array parameter and its number of axes
    """

    span: Span
    values: tuple[tuple[str, int], ...]
    dtypes: tuple[tuple[str, str], ...] = ()
    rank: tuple[str, int] | None = None


class TypeFault(Struct, frozen=True):
    """An operation whose operands do not fit.

    use     the operation; what `launch` passes is substituted
    launch  the launch in which they do not fit; None if they do not fit in any
    """

    use: Use
    misfit: Misfit
    launch: FaultyLaunch | None = None


def find_type_faults(
    model: KernelModel, launches: Sequence[Launch], reported: AbstractSet[Span] = frozenset(),
    compiled: Sequence[CompiledVariant] = (),
) -> Iterator[TypeFault]:
    """One fault for each such operation, except at the locations `reported`."""
    if not model.observed.uses and not compiled:
        return
    from tilecheck.interp.kernel.tile_types.checks import check_use  # which few kernels need
    from tilecheck.interp.kernel.tile_types.uses import OPEN

    cases = list(list_cases(model, launches))
    # the shapes of the dialect have one kind of value
    params = {p.name for p in model.params}
    seen: set[tuple[object, ...]] = set()
    for use, variant in (
            *((use, None) for use in model.observed.uses), *((u, v.case) for v in compiled for u in v.observed.uses)):
        misfit = check_use(use)
        fault = None if misfit is None or misfit == OPEN or use.under != TRUE else TypeFault(
            use, misfit, None if variant is None else _faulty_launch(use, misfit, variant))
        fault = fault or next(_in_launches(use, cases if variant is None else (variant,)), None)
        if fault is None or (fault.misfit.code == "TC503" and not model.dialect and _may_be_tuple(
                fault.use, params)):
            continue
        # an extent that a launch passes is wrong wherever it is used: one fault is enough
        code = fault.misfit.code
        key = (code, fault.launch or use.span) if code == "TC504" else (code, use.span)
        if key not in seen:
            seen.add(key)
            if use.span not in reported:
                yield fault


def _may_be_tuple(use: Use, params: AbstractSet[str]) -> bool:
    """Whether a shape is a value that a factory of kernels was passed: it need not be one extent."""
    alone = (o.shape[0].single for o in use.operands if o.shape is not None and len(o.shape) == 1)
    return any(isinstance(a, Scalar) and a.name not in params for a in alone)


# --- launches --------------------------------------------------------------------------------------------------------

def _in_launches(use: Use, cases: Iterable[Case]) -> Iterator[TypeFault]:
    from tilecheck.interp.kernel.tile_types.checks import check_use
    from tilecheck.interp.kernel.tile_types.uses import OPEN

    names = sorted({a.name for a in atoms_in(use.under, *(e for o in use.operands for e in o.shape or ()))
                    if isinstance(a, Symbol)})
    arrays = tuple(dict.fromkeys(o.dtype.array for o in use.operands if isinstance(o.dtype, ElementOf)))
    fitting: set[object] = set()
    for case in cases:
        # launches mostly differ in nothing that the operation depends on
        passed = (*map(case.values.get, names), *(_dtype_of(case, a) for a in arrays), _rank_of(case, use.array))
        if passed in fitting:
            continue
        fitting.add(passed)
        if case.given.cond(use.under) != TRUE:
            continue
        substituted = _substitute(use, case.given, case.arguments)
        misfit = check_use(substituted)
        if misfit is not None and misfit != OPEN:
            yield TypeFault(substituted, misfit, _faulty_launch(use, misfit, case))


def _dtype_of(case: Case, array: str) -> str | None:
    return case.arguments[array].dtype if array in case.arguments else None


def _rank_of(case: Case, array: str) -> int | None:
    argument = case.arguments.get(array)
    return None if argument is None or argument.shape is None else len(argument.shape)


_BY_NAME: Final[Mapping[str, DType]] = {**DTYPES, "bool": BOOL}


def _substitute(use: Use, given: Substitution, arguments: Mapping[str, Argument]) -> Use:
    """Returns the operation with the arguments of a launch substituted."""
    operands = tuple(_operand(o, given, arguments) for o in use.operands)
    array = arguments.get(use.array)
    if array is not None and array.shape is not None and use.kind in ("load", "store"):
        place = 0 if use.kind == "load" else 1
        ranked = replace(operands[place], shape=(ONE,) * len(array.shape))
        operands = (*operands[:place], ranked, *operands[place + 1:])
    return replace(use, operands=operands, under=TRUE)


def _operand(o: Operand, given: Substitution, arguments: Mapping[str, Argument]) -> Operand:
    dtype = o.dtype
    if isinstance(dtype, ElementOf):
        array = arguments.get(dtype.array)
        dtype = UNKNOWN if array is None or array.dtype is None else _BY_NAME.get(array.dtype, UNKNOWN)
    return replace(o, dtype=dtype, shape=None if o.shape is None else tuple(given.term(e) for e in o.shape))


def _faulty_launch(use: Use, misfit: Misfit, case: Case) -> FaultyLaunch:
    shapes = [e for o in use.operands for e in o.shape or ()] if misfit.terms else []
    names = {a.name for a in atoms_of(use.under).union(*map(atoms_of, shapes)) if isinstance(a, Symbol)}
    values = tuple((name, n) for name, n in case.values.items() if name in names)
    dtypes: list[tuple[str, str]] = []
    if misfit.code in ("TC502", "TC505"):
        for name in dict.fromkeys(o.dtype.array for o in use.operands if isinstance(o.dtype, ElementOf)):
            dtype = case.arguments[name].dtype if name in case.arguments else None
            if dtype is not None:
                dtypes.append((name, dtype))
    array = case.arguments.get(use.array)
    rank: tuple[str, int] | None = None
    if misfit.how == "array_rank" and array is not None and array.shape is not None:
        rank = use.array, len(array.shape)
    return FaultyLaunch(case.launch.span, values, tuple(dtypes), rank)
