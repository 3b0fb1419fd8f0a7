"""Symbolic execution of a kernel: from its tree to its accesses."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from tilecheck.dtypes import I64, INTEGERS, SOME_INTEGER, SOME_NUMBER, Weak
from tilecheck.interp.kernel import builtins
from tilecheck.interp.kernel.access import Access, Gap, KernelModel, Param, ParamKind
from tilecheck.interp.kernel.assigned import local_names
from tilecheck.interp.kernel.declared_contracts import find_declared, integers, ranges, whole_numbers
from tilecheck.interp.kernel.device.note import note_syntax
from tilecheck.interp.kernel.device.variant import Variant
from tilecheck.interp.kernel.dialect.ownership import NOT_A_DIALECT
from tilecheck.interp.kernel.expressions import EXPRESSIONS
from tilecheck.interp.kernel.interpreter import Exhausted, Frame, Knowledge, Machine, Operations, Record
from tilecheck.interp.kernel.lint_facts import Observed
from tilecheck.interp.kernel.liveness import find_unused, mentions_64_bits
from tilecheck.interp.kernel.locks import find_released_locks
from tilecheck.interp.kernel.names import in_module
from tilecheck.interp.kernel.poison.sources import Paddings
from tilecheck.interp.kernel.statements import STATEMENTS
from tilecheck.interp.kernel.translation.expressions import TRANSLATED_EXPRESSIONS
from tilecheck.interp.kernel.translation.statements import TRANSLATION
from tilecheck.interp.kernel.values import NONE, Data, Int, ParamRef, Value
from tilecheck.ops.catalog import METHODS, OPERATIONS, TILE_METHODS
from tilecheck.project.annotations import constant_type, is_constant_annotation, tile_annotation
from tilecheck.symbolic import FALSE, TRUE, Array, ArrayParam, Cond, Opaque, Scalar, atoms_in, conj, scalar
from tilecheck.symbolic.footprint import Region
from tilecheck.syntax.tree import Expr, FuncDef, Subscript, get_last_name

if TYPE_CHECKING:
    from tilecheck.project.module import KernelSite
    from tilecheck.project.project import Project

RUNS = 4
"""Runs until what an earlier run found out about the kernel no longer changes."""


_OPERATIONS: Final = Operations(OPERATIONS, TILE_METHODS, METHODS, builtins.BUILTINS, builtins.LIBRARY)
Expressions: TypeAlias = Mapping[type, Callable[[Machine, Any], Value]]
Statements: TypeAlias = Mapping[type, Callable[[Machine, Any], None]]


def execute(project: Project, site: KernelSite, overlay: Iterable[str] = ()) -> KernelModel:
    """Never raises: what goes wrong inside costs the kernel its verdicts. `overlay` are clauses that are declared
    elsewhere or assumed."""
    return execute_measured(project, site, overlay)[0]


def execute_measured(project: Project, site: KernelSite, overlay: Iterable[str] = ()) -> tuple[KernelModel, int]:
    """Does the same and also returns the number of expressions and statements that the last run executed."""
    machine = run_until_stable(project, site, overlay)
    return _model(machine, site), machine.steps


def execute_first_iterations(project: Project, site: KernelSite, overlay: Iterable[str], count: int) -> KernelModel:
    """The accesses of the kernel that the first iterations of its loops make, each with its own condition. Others are
    missing: they show what goes wrong, and never that nothing does."""
    known = run_until_stable(project, site, overlay).knowledge
    machine = _run(project, site, known, cast(Expressions, EXPRESSIONS), cast(Statements, STATEMENTS), count)
    return _model(machine, site)


def run_until_stable(
    project: Project, site: KernelSite, overlay: Iterable[str] = (),
    expressions: Expressions | None = None, statements: Statements | None = None,
) -> Machine:
    """Returns the machine after the last run. Other tables than those of a check allow a caller to trace execution."""
    expressions = cast(Expressions, EXPRESSIONS) if expressions is None else expressions
    statements = cast(Statements, STATEMENTS) if statements is None else statements
    texts = (*(d.text for d in find_declared(project, site)), *overlay)
    of_integers = integers(texts)
    knowledge = Knowledge(ranges=ranges(texts), whole=frozenset(map(Scalar, whole_numbers(texts))))
    machine = _run(project, site, knowledge, expressions, statements)
    for _ in range(RUNS - 1):
        learnt = _learn(machine, of_integers)
        if learnt == knowledge:
            break
        knowledge = learnt
        machine = _run(project, site, knowledge, expressions, statements)
        if machine.failed:
            break
    else:
        _distrust(machine, "the analysis of the kernel did not reach a fixed point", site)
    return machine


def execute_variant(project: Project, site: KernelSite, variant: Variant) -> Observed:
    """Returns the notes of an execution of a kernel as the compiler translates it for one launch."""
    typed = dict(variant.dtypes)
    integers = frozenset(a for a in variant.arrays if typed.get(a.text, I64) in INTEGERS)
    ranks = {a: n for a, n in variant.arrays.items() if n is not None}
    knowledge = Knowledge(
        written=frozenset(), integers=integers, ranks=ranks, ranked=frozenset(variant.arrays), variant=variant)
    machine = _run(
        project, site, knowledge, cast(Expressions, TRANSLATED_EXPRESSIONS), cast(Statements, TRANSLATION))
    return _collect_observed(machine, site.definition)


def _learn(m: Machine, of_integers: frozenset[Array]) -> Knowledge:
    known = m.knowledge
    integers = frozenset(m.integers) | of_integers if known.integers is None else known.integers
    written = frozenset(m.written) | (known.written or frozenset())
    return Knowledge(
        written=written,
        integers=integers,
        ranks={a: next(iter(r)) for a, r in sorted(m.ranks.items()) if len(r) == 1},
        ranked=m.find_ranked_arrays(),
        mixed=frozenset(m.mixed) | known.mixed,
        counters=frozenset(a for a, ops in m.changes.items() if ops == {"atomic_add"}),
        # the paddings of other arrays are not used, and to leave them out saves a run
        paddings=frozenset(a for a, p in m.paddings.items() if len(p) > 1 and a in integers - written) | known.paddings,
        unspecified=m.unspecified or known.unspecified,
        ranges=known.ranges,
        whole=frozenset(m.whole & m.undeclared) | known.whole,
        uses={**known.uses, **{n: known.uses.get(n, frozenset()) | uses for n, uses in m.uses.items()}},
    )


def _run(
    project: Project, site: KernelSite, knowledge: Knowledge, expressions: Expressions, statements: Statements,
    first: int = 0,
) -> Machine:
    definition = site.definition
    names = tuple(ArrayParam(p.name) for p in definition.params)
    m = Machine(project, knowledge, names, expressions, statements, _OPERATIONS)
    m.recording = knowledge.written is not None
    m.first = first
    try:
        _enter(m, site)
    except Exhausted:
        _distrust(m, "the kernel is too large to follow", site)
    except RecursionError:
        _distrust(m, "the kernel is nested too deeply to follow", site)
    except Exception as error:
        if os.environ.get("TILECHECK_DEBUG"):
            raise
        _distrust(m, f"internal error: {type(error).__name__}: {error}", site)
    return m


def dialect() -> ModuleType:
    """The ownership dialect, which a tree without kernels of it does not load."""
    from tilecheck.interp.kernel.dialect import enter

    return enter


def _distrust(m: Machine, what: str, site: KernelSite) -> None:
    """No verdict on any array can stand."""
    m.failed = True
    span = site.definition.name_span
    m.unfollowed["*"] = what
    m.gaps[what, span] = Gap(what, tuple(sorted(m.parameters)), span)


def _enter(m: Machine, site: KernelSite) -> None:
    frame = _surroundings(m, site)
    m.guarded = int(m.project.is_conditional(site.module, site.qualname))
    variant = m.knowledge.variant or _ANY_VARIANT
    inner = Frame(site.module, frame, local_names(site.definition))
    m.frame = inner
    owned = dialect().enter_parameters(m, site) if site.dialect else {}
    note_syntax(m, inner, site.definition, kernel=not site.dialect)
    for p in site.definition.params:
        known = owned.get(p.name)
        plain = p.annotation is None and not site.dialect
        if plain or get_last_name(p.annotation) in ("int", "float", "bool", "Array"):
            m.passed.add(p.name)
        known = variant.values.get(p.name, known)
        inner.env[p.name] = _parameter(m, site, p.name, p.annotation) if known is None else known
    m.passed |= variant.passed
    m.element_types |= dict(variant.dtypes)
    m.run(site.definition.body)


_ANY_VARIANT: Final = Variant()


def _surroundings(m: Machine, site: KernelSite) -> Frame:
    """The frames of the functions around the kernel, executed as far as they can be followed."""
    frame = Frame(site.module)
    for position, outer in enumerate(site.outer):
        frame = Frame(site.module, frame, local_names(outer))
        for p in outer.params:
            frame.env[p.name] = _outer_parameter(p.name, p.annotation)
        inside = site.outer[position + 1] if position + 1 < len(site.outer) else site.definition
        current = frame

        def body(current: Frame = current, outer: FuncDef = outer, inside: FuncDef = inside) -> Value:
            m.frame = current
            m.run(tuple(s for s in outer.body if s is not inside))
            return NONE

        in_module(m, site.module, body)
        m.alive, m.path, m.exact = True, TRUE, True
    return frame


def _outer_parameter(name: str, annotation: Expr | None) -> Value:
    if get_last_name(annotation) == "float":
        return Data((), scalar(name))
    return ParamRef(ArrayParam(name), outer=True)


def _parameter(m: Machine, site: KernelSite, name: str, annotation: Expr | None) -> Value:
    if annotation is None:
        return ParamRef(ArrayParam(name))
    if is_constant_annotation(m.project, site.module, annotation):
        m.used_as(name, "constant")
        declared = constant_type(m.project, site.module, annotation)
        if _mentions_float(annotation) or declared == "float":
            return Data((), scalar(name), dtype=Weak.FLOAT)
        if declared not in _LOOSE:
            m.undeclared.add(Scalar(name))
        return Int(scalar(name), dtype=_LOOSE.get(_constant_of(annotation), SOME_NUMBER))
    if mentions_64_bits(annotation):
        said = tile_annotation(m.project, site.module, annotation)
        if said == "ScalarInt64":
            m.used_as(name, "scalar")
            m.doubled.add(name)
            return Int(scalar(name), dtype=I64)
        m.indexed[ArrayParam(name)] = said == "IndexedWithInt64"
        return ParamRef(ArrayParam(name))
    plain = get_last_name(annotation)
    if plain == "int":
        m.used_as(name, "scalar")
        return Int(scalar(name), dtype=SOME_INTEGER)
    if plain == "bool":
        m.used_as(name, "scalar")
        return Int(scalar(name), dtype=SOME_NUMBER)
    if plain == "float":
        m.used_as(name, "scalar")
        return Data((), scalar(name), dtype=SOME_NUMBER)
    if plain == "Array":
        m.used_as(name, "array")
    return ParamRef(ArrayParam(name))


def _mentions_float(annotation: Expr) -> bool:
    if isinstance(annotation, Subscript):
        return any(get_last_name(i) == "float" for i in annotation.items)
    return False


_LOOSE: Final = {"int": Weak.INT, "bool": Weak.BOOL}


def _constant_of(annotation: Expr) -> str:
    """`int` of `ct.Constant[int]`"""
    items = annotation.items if isinstance(annotation, Subscript) else ()
    return get_last_name(items[0]) if len(items) == 1 else ""


# --- the model -------------------------------------------------------------------------------------------------------

_KINDS: tuple[ParamKind, ...] = ("list", "array", "constant", "scalar")


def _kind(m: Machine, name: str) -> ParamKind:
    found = m.kinds.get(name, set())
    return next((k for k in _KINDS if k in found), "unknown")


def _access(m: Machine, r: Record, sites: Mapping[int, int]) -> Access:
    return Access(
        array=r.array,
        may=r.may,
        mode=cast("Literal['read', 'write', 'atomic']", r.mode),
        op=r.op,
        region=Region(r.index, r.guard, r.exact),
        tile=r.tile,
        tile_index=r.tile_index,
        site=sites[r.site],
        order=r.order,
        scope=r.scope,
        loops=tuple(k.counter for k in r.loops),
        parallel=r.parallel,
        locks=find_released_locks(m, r),
        span=r.span,
        via=r.via,
        checked=r.checked,
        elements=r.elements,
        reach=r.reach,
        under=r.under,
        unspecified=r.unspecified,
        padding=r.padding,
        held=r.kept,
    )


def _model(m: Machine, site: KernelSite) -> KernelModel:
    definition = site.definition
    params = tuple(Param(p.name, _kind(m, p.name), p.span) for p in definition.params)
    records = dialect().held_accesses(m) if site.dialect else m.records
    sites = {s: k for k, s in enumerate(sorted({r.site for r in records}))}
    accesses = tuple(_access(m, r, sites) for r in records)
    gaps = list(m.gaps.values()) + _mixed_gaps(accesses)
    kinds = {p.name: p.kind for p in params}
    gaps = [_without_scalars(g, kinds) for g in gaps]
    gaps.sort(key=lambda g: (g.span, g.what))
    axes = m.axes | m.holdings.axes or ({(0, TRUE)} if _takes_work(accesses) else set())
    return KernelModel(
        name=site.qualname, file=site.module.path, span=definition.span, name_span=definition.name_span, params=params,
        accesses=accesses, axes_read=frozenset(k for k, _ in axes),
        axis_reads=tuple(sorted(axes, key=lambda read: (read[0], read[1].key))),
        ranks=tuple((a, next(iter(r))) for a, r in sorted(m.ranks.items()) if len(r) == 1),
        ranked=m.find_ranked_arrays(),
        gaps=tuple(gaps), declared=find_declared(m.project, site), guards=conj(*m.guards), dialect=site.dialect,
        products=tuple(sorted(m.products, key=lambda t: t.key)), claims=tuple(dict.fromkeys(m.claims)),
        long=tuple(sorted(m.long, key=lambda t: t.key)), sized=tuple(sorted(m.sized)),
        doubled=frozenset(m.doubled),
        wide=frozenset(m.wide - m.narrow),
        indexed=frozenset(n for n, certain in m.indexed.items() if certain),
        observed=_collect_observed(m, definition),
        paddings=Paddings(tuple(m.observations), tuple(sorted(m.unfollowed.items())), tuple(m.edges)),
        ownership=dialect().ownership_of(m, site) if site.dialect else NOT_A_DIALECT,
        fractional=tuple(sorted(n.name for n in m.fractional if isinstance(n, Scalar))))


def _collect_observed(m: Machine, definition: FuncDef) -> Observed:
    notes = m.notes
    made = [] if m.failed else [
        *find_unused(definition, notes, helper=False),
        *(u for span in sorted(notes.helpers) for u in find_unused(notes.helpers[span], notes, helper=True))]
    wide = bool(notes.wide) or any(map(mentions_64_bits, (definition, *notes.helpers.values())))
    return Observed(tuple(notes.slices), tuple(notes.narrowings), tuple(notes.loops), tuple(notes.parts), tuple(made),
                    tuple(notes.early), bool(notes.waits), frozenset(notes.after), wide,
                    () if m.failed else tuple(notes.uses), () if m.failed else tuple(notes.refusals))


def _takes_work(accesses: tuple[Access, ...]) -> bool:
    """Whether blocks find out what to do from an atomic: such a kernel is for several blocks although it reads no
    coordinate."""
    written = [x.region for x in accesses if x.mode == "write"]
    results = atoms_in(*(r.guard for r in written), *(t for r in written for t in r.index))
    return any(x.mode == "atomic" for x in accesses) and any(isinstance(a, Opaque) and a.varying for a in results)


def _without_scalars(gap: Gap, kinds: Mapping[str, ParamKind]) -> Gap:
    kept = tuple(a for a in gap.arrays if kinds.get(a.root, "array") in ("array", "list", "unknown"))
    return gap if kept == gap.arrays else Gap(gap.what, kept, gap.span)


def _mixed_gaps(accesses: tuple[Access, ...]) -> list[Gap]:
    """Arrays that are used in two ways whose elements cannot be compared."""
    by_array: dict[Array, list[Access]] = {}
    for a in accesses:
        by_array.setdefault(a.array, []).append(a)
    gaps: list[Gap] = []
    for name, found in sorted(by_array.items()):
        if all(a.mode == "read" for a in found):
            continue
        raw = [a for a in found if a.op.endswith("_offset")]
        plain = [a for a in found if not a.op.endswith("_offset")]
        if raw and plain:
            gaps.append(Gap("raw offsets and indices are used on one array", (name,), raw[0].span))
        if any(len(a.region.index) != len(b.region.index) and not _exclusive(a, b)
               for k, a in enumerate(plain) for b in plain[:k]):
            gaps.append(Gap("indices of different lengths are used on one array", (name,), plain[0].span))
    return gaps


def _exclusive(a: Access, b: Access) -> bool:
    """Whether no launch performs both."""
    return conj(_select_uniform(a.region.guard), _select_uniform(b.region.guard)) is FALSE


def _select_uniform(guard: Cond) -> Cond:
    return conj(*(p for p in (guard.args if guard.op == "and" else (guard,)) if not p.varying))


__all__ = ["execute", "execute_measured", "execute_variant", "run_until_stable"]
