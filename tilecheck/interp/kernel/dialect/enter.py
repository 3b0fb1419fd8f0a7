"""The start and the end of a dialect kernel: its parameters as values, its accesses with their constructions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

import tilecheck.interp.kernel.dialect.language  # noqa: F401 (it fills the tables of the machine)
from tilecheck.contracts import ContractError, parse
from tilecheck.dtypes import SOME_INTEGER, SOME_NUMBER, Weak
from tilecheck.interp.kernel.declared_contracts import find_declared
from tilecheck.interp.kernel.dialect.cells import blame
from tilecheck.interp.kernel.dialect.decorated import decorator_text, find_replacing_decorators
from tilecheck.interp.kernel.dialect.divisions import divisions
from tilecheck.interp.kernel.dialect.ownership import Fault, FaultCode, Origin, Ownership
from tilecheck.interp.kernel.dialect.refused_parameters import note_parameters
from tilecheck.interp.kernel.dialect.signature import Parameter, signature
from tilecheck.interp.kernel.dialect.typed.infer import infer
from tilecheck.interp.kernel.dialect.values import Borrowed, Mutable, Shared
from tilecheck.interp.kernel.interpreter import Machine, Record
from tilecheck.interp.kernel.values import Data, Int, ParamRef, TileRef, Value
from tilecheck.symbolic import ONE, TRUE, ArrayParam, Cond, Symbol, Term, atoms_in, conj, eq, scalar

if TYPE_CHECKING:
    from tilecheck.project.module import KernelSite
    from tilecheck.project.project import Project

__all__ = ["enter_parameters", "held_accesses", "ownership_of"]

_GRID_AXES: Final = 3


def enter_parameters(m: Machine, site: KernelSite) -> Mapping[str, Value]:
    """Returns the parameters as values. Their uses decide what the annotations leave open."""
    found = signature(m.project, site)
    note_parameters(m, site)
    m.holdings.roles = {p.name: p.kind for p in found if p.kind in ("mut", "ref", "shared")}
    # the axes of the grid along which blocks own different pieces
    ranks = [p.rank for p in found if p.kind == "mut"]
    m.holdings.axes = {(k, TRUE) for k in range(min(max(ranks, default=0), _GRID_AXES))}
    m.holdings.declared = conj(*_list_declared_conditions(m.project, site))
    m.holdings.dtypes = tuple((p.name, p.dtype) for p in found if p.dtype is not None)
    m.holdings.places = {p.name: p.span for p in found}
    m.holdings.origins = tuple(_origins(found))
    _distrust_replaced(m, site)
    return {p.name: _VALUES[p.kind](m, p) for p in found if p.kind in _VALUES}


def _distrust_replaced(m: Machine, site: KernelSite) -> None:
    """Nothing is known of the arrays where a decorator may have made another function of this one."""
    for decorator in find_replacing_decorators(m.project, site):
        text = decorator_text(decorator)
        m.gap(f"another function that `{text}` may put in place of this one (move it above `@kernel`)",
              tuple(map(ArrayParam, sorted(m.holdings.roles))), decorator.span)


def _list_declared_conditions(project: Project, site: KernelSite) -> Iterator[Cond]:
    """Yields the declared conditions. A text that is not a contract is reported elsewhere."""
    for d in find_declared(project, site):
        with suppress(ContractError):
            yield from (c.cond for c in parse(d.text) if c.cond is not None)


def _origins(found: tuple[Parameter, ...]) -> list[Origin]:
    """The first annotation that names each symbol; that of the parameter itself for one that is passed."""
    passed = {p.name for p in found if p.kind == "constant"}
    out: dict[str, Origin] = {p.name: Origin(p.name, p.name, p.span) for p in found if p.name in passed}
    for p in found:
        for e in p.extents:
            atom = None if e is None else e.single
            if isinstance(atom, Symbol):
                out.setdefault(atom.name, Origin(atom.name, p.name, p.span))
    return list(out.values())


def _mutable(m: Machine, p: Parameter) -> Value:
    _array(m, p)
    return Mutable(p)


def _enter_borrowed(m: Machine, p: Parameter) -> Value:
    _array(m, p)
    return Borrowed(p, tuple(range(p.rank)), TileRef("PaddingMode.ZERO"))


def _enter_shared(m: Machine, p: Parameter) -> Value:
    _array(m, p)
    return Shared(p)


def _array(m: Machine, p: Parameter) -> None:
    m.used_as(p.name, "array")
    m.shows_rank(ArrayParam(p.name), p.rank)


def _constant(m: Machine, p: Parameter) -> Value:
    m.used_as(p.name, "constant")
    return Int(scalar(p.name), dtype=Weak.INT)


def _scalar(m: Machine, p: Parameter) -> Value:
    m.used_as(p.name, "scalar")
    if p.number == "float":
        return Data((), scalar(p.name), dtype=SOME_NUMBER)
    return Int(scalar(p.name), dtype=SOME_INTEGER if p.number == "int" else SOME_NUMBER)


def _enter_unowned(m: Machine, p: Parameter) -> Value:
    blame(m, "TC110", p.span, p.name, p.fault)
    m.used_as(p.name, "array")
    return ParamRef(ArrayParam(p.name))


_VALUES: Final[dict[str, Callable[[Machine, Parameter], Value]]] = {
    "mut": _mutable,
    "ref": _enter_borrowed,
    "shared": _enter_shared,
    "constant": _constant,
    "scalar": _scalar,
    "array": _enter_unowned,
}


# --- at the end ------------------------------------------------------------------------------------------------------

def held_accesses(m: Machine) -> list[Record]:
    """Returns the accesses with the facts on their cells.

    An access that breaks a rule is reported as a fault and is not proved by construction.
    """
    out: list[Record] = []
    for r in m.records:
        code = _RAW.get(m.holdings.roles.get(r.array.root, "")) if r.mode != "read" else None
        if code is not None and r.kept is None:
            blame(m, code, r.span, r.array.text, "raw", r.op)
            continue
        known = atoms_in(r.guard, *r.index, *(t for x in r.reach for t in (x.at, x.end)))
        facts = m.holdings.facts(known)
        out.append(replace(r, guard=conj(r.guard, *facts), under=conj(r.under, *facts)) if facts else r)
    return out


_RAW: Final[Mapping[str, FaultCode]] = {"mut": "TC105", "ref": "TC104"}


def ownership_of(m: Machine, site: KernelSite) -> Ownership:
    """Returns the ownership facts of the kernel."""
    used = m.kinds
    for name in (array.root for array in m.parameters):
        if name not in m.holdings.roles and "array" in used.get(name, ()) and not any(
                f.code == "TC110" and f.array == name for f in m.holdings.faults):
            blame(m, "TC110", m.holdings.places[name], name, "used")
    required = (*m.holdings.required, *((TRUE, c) for c in _one_grid(m)), *divisions(m))
    mutable = tuple(name for name, role in m.holdings.roles.items() if role == "mut")
    faults = tuple(sorted(m.holdings.faults, key=lambda f: (f.span, f.code)))
    return Ownership(
        mutable, tuple(dict.fromkeys(required)), faults, _infer_faults(m, site), m.holdings.origins, m.holdings.dtypes)


def _infer_faults(m: Machine, site: KernelSite) -> tuple[Fault, ...]:
    """Returns the faults in the types. A failure to infer types changes no verdict."""
    try:
        return () if m.failed else tuple(infer(m.project, site).faults)
    except Exception:
        if os.environ.get("TILECHECK_DEBUG"):
            raise
        return ()


def _one_grid(m: Machine) -> Iterator[Cond]:
    """That the outputs of which each block has one piece agree on the grid, axis by axis."""
    grids = [_grid(counts) for _, counts in sorted(m.holdings.single.items())]
    for other in grids[1:]:
        yield from (c for a, b in zip(grids[0], other, strict=True) if (c := eq(a, b)).op != "true")


def _grid(counts: tuple[Term, ...]) -> tuple[Term, ...]:
    """The grid of pieces; of more axes than a grid has, the leading ones share its first."""
    lead = max(len(counts) - _GRID_AXES, 0) + 1
    first = ONE
    for count in counts[:lead]:
        first = first * count
    return (first, *counts[lead:], *(ONE,) * (_GRID_AXES - 1 - len(counts[lead:])))
