"""TC501 to TC505 at operations of cuda.tile: what the compiler refuses, in every launch or in a visible one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.host.launch import Argument, Launch
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.symbolic import FALSE, ONE, TRUE, Substitution, Symbol, atoms_of, const, symbol_from_text

if TYPE_CHECKING:
    from tilecheck.interp.kernel.tile_types.uses import Misfit, Operand, Use

__all__ = ["diagnose"]


def diagnose(model: KernelModel, launches: Sequence[Launch]) -> Iterator[Diagnostic]:
    """One finding for each such operation."""
    if not model.observed.uses:
        return
    from tilecheck.interp.kernel.tile_types.checks import judged  # which few kernels need
    from tilecheck.interp.kernel.tile_types.uses import OPEN

    cases = list(_cases(model, launches))
    told: set[tuple[object, ...]] = set()
    for use in model.observed.uses:
        found, where = judged(use), use
        notes: tuple[Note, ...] = ()
        if found is None or found == OPEN or use.under != TRUE:
            at = next(_in_launches(use, model, cases), None)
            if at is None:
                continue
            where, found, notes = at
        # an extent that a launch gives is wrong wherever it is used: once is enough
        key = (found.code, notes) if found.code == "TC504" and notes else (found.code, use.span)
        if key not in told:
            told.add(key)
            yield _finding(where, found, notes, model)


def _finding(use: Use, found: Misfit, notes: tuple[Note, ...], model: KernelModel) -> Diagnostic:
    from tilecheck.rules.messages.tile_types import worded

    message, help_ = worded(use, found, model.file)
    return Diagnostic(found.code, "error", message, use.span, model.name, notes, help_)


# --- launches --------------------------------------------------------------------------------------------------------

@dataclass(frozen=True, slots=True)
class _Case:
    """A launch, or one configuration of it: values of scalar parameters, what puts them in, and arguments by name."""

    launch: Launch
    arguments: Sequence[Argument]
    values: Mapping[str, int]
    given: Substitution
    named: Mapping[str, Argument]


def _cases(model: KernelModel, launches: Sequence[Launch]) -> Iterator[_Case]:
    for launch in launches:
        if launch.arguments is None or len(launch.arguments) != len(model.params) or not launch.certain or (
                launch.facts == FALSE):
            continue
        named = {p.name: a for p, a in zip(model.params, launch.arguments, strict=True)}
        for case in launch.cases if launch.every and launch.cases else ((),):
            values = _values(model, launch.arguments, dict(case))
            given = Substitution({symbol_from_text(name): const(n) for name, n in values.items()})
            yield _Case(launch, launch.arguments, values, given, named)


def _in_launches(
    use: Use, model: KernelModel, cases: Iterable[_Case],
) -> Iterator[tuple[Use, Misfit, tuple[Note, ...]]]:
    from tilecheck.interp.kernel.tile_types.checks import judged
    from tilecheck.interp.kernel.tile_types.uses import OPEN

    for case in cases:
        if case.given.cond(use.under) != TRUE:
            continue
        known = _at(use, case.given, case.named)
        found = judged(known)
        if found is not None and found != OPEN:
            said = _said(use, found, case.values, model, case.arguments)
            yield known, found, (Note(f"in this launch {said}", case.launch.span),)


def _values(model: KernelModel, arguments: Sequence[Argument], case: Mapping[str, int]) -> dict[str, int]:
    """What a launch passes for scalar parameters, where that is a number."""
    fixed = Substitution({symbol_from_text(name): const(n) for name, n in case.items()})
    out: dict[str, int] = {}
    for p, a in zip(model.params, arguments, strict=True):
        n = None if a.term is None else fixed.term(a.term).constant
        if n is not None and p.kind in ("constant", "scalar"):
            out[p.name] = n
    return out


_NAMES: Final[Mapping[str, str]] = {"bool": "bool_"}
_TYPES: Final = ".dtype"


def _at(use: Use, given: Substitution, arguments: Mapping[str, Argument]) -> Use:
    """The use with what a launch passes put in."""
    operands = tuple(_operand(o, given, arguments) for o in use.operands)
    array = arguments.get(use.array)
    if array is not None and array.shape is not None and use.kind in ("load", "store"):
        place = 0 if use.kind == "load" else 1
        ranked = replace(operands[place], shape=(ONE,) * len(array.shape))
        operands = (*operands[:place], ranked, *operands[place + 1:])
    return replace(use, operands=operands, under=TRUE)


def _operand(o: Operand, given: Substitution, arguments: Mapping[str, Argument]) -> Operand:
    from tilecheck.interp.kernel.tile_types.dtypes import UNKNOWN, known

    dtype = o.dtype
    if dtype.endswith(_TYPES):
        array = arguments.get(dtype.removesuffix(_TYPES))
        named = None if array is None or array.dtype is None else _NAMES.get(array.dtype, array.dtype)
        dtype = named if named is not None and known(named) else UNKNOWN
    return replace(o, dtype=dtype, shape=None if o.shape is None else tuple(given.term(e) for e in o.shape))


def _said(
    use: Use, found: Misfit, values: Mapping[str, int], model: KernelModel, arguments: Sequence[Argument],
) -> str:
    """What this launch passes of what matters."""
    shapes = [e for o in use.operands for e in o.shape or ()] if found.terms else []
    atoms = atoms_of(use.under).union(*map(atoms_of, shapes))
    names = {a.name for a in atoms if isinstance(a, Symbol)}
    parts = [f"{name} = {n}" for name, n in values.items() if name in names]
    given = dict(zip((p.name for p in model.params), arguments, strict=True))
    if found.code in ("TC502", "TC505"):
        arrays = dict.fromkeys(o.dtype.removesuffix(_TYPES) for o in use.operands if o.dtype.endswith(_TYPES))
        parts += [f"`{name}` holds {given[name].dtype} elements" for name in arrays
                  if name in given and given[name].dtype is not None]
    array = given.get(use.array)
    if found.how == "array_rank" and array is not None and array.shape is not None:
        rank = len(array.shape)
        parts.append(f"`{use.array}` has {rank} {'axis' if rank == 1 else 'axes'}")
    return " and ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)
