"""Launches and tuner runs, written down where evaluation meets them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.interp.host import arrays, calls
from tilecheck.interp.host import persistent_dicts as tables
from tilecheck.interp.host.effects import find_mentioned_names
from tilecheck.interp.host.integral import is_integer
from tilecheck.interp.host.launch import Argument
from tilecheck.interp.host.launch_faults import Fault, launch_faults, literal
from tilecheck.interp.host.state import OPEN, Contents, State, build_choice, choice
from tilecheck.interp.host.syntax import syntax
from tilecheck.interp.host.values import (
    NONE,
    Choice,
    Closure,
    External,
    Function,
    Int,
    Items,
    Kernel,
    Member,
    Package,
    Place,
    Plain,
    Record,
    Ref,
    Tensor,
    Thing,
    Truth,
    Value,
    read_sources,
)
from tilecheck.project import kernels
from tilecheck.project.module import Module
from tilecheck.symbolic import ONE, Cond, Term, disj
from tilecheck.syntax import tree
from tilecheck.syntax.text import SourceError
from tilecheck.syntax.tree import Span

if TYPE_CHECKING:
    from tilecheck.interp.host.interpreter import Evaluator, Frame

TUNERS: Final = frozenset({"exhaustive_search", "autotune_launch"})

ROLES: Final = frozenset({"grid_fn", "kernel"})
"""Parameters of a tuner of the checked tree."""

_NESTED: Final = 2

Grid = tuple[Term | None, Term | None, Term | None]


class Raw(Struct, frozen=True):
    """A launch before its kernel is resolved.

    chain    the functions it was reached through, outermost first, as (path, qualified name)
    lists    where argument lists of several lengths come together here: each length with its condition
    """

    kernel: Value
    grid: Grid
    arguments: tuple[Argument, ...] | None
    facts: tuple[Cond, ...]
    span: Span
    site: Span
    how: Literal["launch", "wrapper", "tuner"]
    chain: tuple[tuple[str, str], ...]
    faults: tuple[Fault, ...] = ()
    dependent: bool = False
    lists: tuple[tuple[Cond, tuple[Argument, ...]], ...] = ()

    def taken_by(self, parameters: int) -> Raw:
        """The launch of a kernel with so many parameters: another argument list is for another kernel, or an error."""
        fitting = [(cond, items) for cond, items in self.lists if len(items) == parameters]
        if self.arguments is not None or len(fitting) != 1:
            return self
        cond, items = fitting[0]
        return replace(self, arguments=items, facts=(*self.facts, cond))


# --- what is a kernel ------------------------------------------------------------------------------------------------

def qualname(module: Module, definition: tree.FuncDef, otherwise: str) -> str:
    """The qualified name by which the module knows the definition."""
    return module.skeleton.functions_by_line.get(definition.span.line, otherwise)


def is_kernel(ev: Evaluator, module: Module, qualified: str) -> bool:
    known = ev.kernel_names.get(module.path)
    if known is None:
        known = kernels.decorated_kernels(ev.project, module) if module.may_matter else frozenset()
        ev.kernel_names[module.path] = known
    return qualified in known


def definition(ev: Evaluator, kernel: Kernel) -> tree.FuncDef | None:
    """The definition of a kernel, where all that it takes are parameters with names."""
    try:
        found = syntax(ev.project.module(kernel.file)).function(kernel.qualname)
    except SourceError:
        return None
    return found if found is not None and not any(p.kind.startswith("*") or p.default is not None for p in
                                                   found.params) else None


def resolve_import(ev: Evaluator, module: Module, dotted: str, level: int) -> Value:
    """The value that a local import binds."""
    target = ev.project.resolver.resolve_import(module, dotted, level)
    return External(dotted) if target is None else ev.target_value(target, dotted)


# --- generators ------------------------------------------------------------------------------------------------------

def evaluate_generator(ev: Evaluator, frame: Frame, state: State) -> Value:
    """The values that a generator yields on its paths; open if a value is not of a simple kind."""
    found = tuple(frame.yields or ())
    if not found or not all(isinstance(value, Record | Items | Int | Plain) for value in found):
        return ev.new_list((), state, OPEN)
    contents = Contents(tuple(dict.fromkeys(found)), (), "some") if frame.partial else Contents(found)
    if frame.outer is None or frame.definition is None:
        # it reads what it is given; what may change at module level is unknown anyway
        return ev.new_iterator(contents, state, read_sources(Items(frame.arguments)))
    return ev.new_iterator(contents, state, None, find_mentioned_names(frame.definition))


# --- launches --------------------------------------------------------------------------------------------------------

_LAUNCH: Final = ("stream", "grid", "kernel", "kernel_args")


def launch(
    ev: Evaluator, expr: tree.Call, args: tuple[Value, ...], named: dict[str, Value], frame: Frame, state: State,
) -> Value:
    given = dict(zip(_LAUNCH, args, strict=False)) | named
    arguments = given.get("kernel_args", given.get("args"))
    pdl = named.get("programmatic_dependent_launch")
    _record(ev, expr, given.get("grid"), given.get("kernel"), arguments, frame, state, "launch",
            launch_faults(given.get("grid"), arguments, named), isinstance(pdl, Truth) and pdl.cond.op == "true")
    return NONE


def tuner(
    ev: Evaluator, expr: tree.Call, args: tuple[Value, ...], named: dict[str, Value], frame: Frame, state: State,
) -> Value:
    """A tuner launches the kernel once for every configuration, with the grid and arguments computed from it."""
    kernel, grid_fn, args_fn, configs = _roles(ev, args, named)
    contents = OPEN if configs is None else ev.contents(configs, state)
    config = _configuration(ev, contents, grid_fn, state, contents.bound == "exact")
    grid = None if grid_fn is None else _apply_configuration(ev, grid_fn, config, expr, frame, state)
    arguments = None if args_fn is None else _apply_configuration(ev, args_fn, config, expr, frame, state)
    if kernel is not None:
        _record(ev, expr, grid, kernel, arguments, frame, state, "tuner", launch_faults(grid, arguments))
    best = _configuration(ev, contents, None, state)
    return Record(ev.invent_name("result"), (
        ("best", Record(ev.invent_name("best"), (("config", best),))), ("config", best), ("tuned_config", best)))


def _roles(
    ev: Evaluator, args: tuple[Value, ...], named: dict[str, Value],
) -> tuple[Value | None, Value | None, Value | None, Value | None]:
    """Kernel, grid function, argument function and configurations, by name or by place around the kernel."""
    at = next((i for i, value in enumerate(args) if _may_be_kernel(value)), None)
    if at is None and len(args) >= 5:
        at = 3
    kernel = named.get("kernel", None if at is None else args[at])
    grid_fn = named.get("grid_fn", args[at - 1] if at is not None and at >= 1 else None)
    args_fn = named.get("args_fn", args[at + 1] if at is not None and at + 1 < len(args) else None)
    if "kernel" in named and "grid_fn" not in named:
        callables = [value for value in args if isinstance(value, Closure | Function)]
        grid_fn = callables[0] if callables else None
    configs = named.get("configs", named.get("search_space", named.get("space")))
    if configs is None and args and at != 0 and args[0] is not grid_fn:
        configs = args[0]
    return kernel, grid_fn, args_fn, configs


def _may_be_kernel(value: Value) -> bool:
    return isinstance(value, Kernel) or (isinstance(value, Choice) and all(
        _may_be_kernel(option) or isinstance(option, Thing) for _, option in value.options))


def _configuration(
    ev: Evaluator, contents: Contents, grid_fn: Value | None, state: State, every: bool = False,
) -> Value:
    definition = grid_fn.definition if isinstance(grid_fn, Closure | Function) else None
    hint = definition.params[0].name if definition is not None and definition.params else "cfg"
    name = ev.invent_name(hint)
    if contents.bound == "open" or not contents.items:
        return Thing(name)
    return ev.build_from_origin(name, Member(name, tables.frozen(ev, contents.items, state), (), every))


def _apply_configuration(
    ev: Evaluator, target: Value, config: Value, expr: tree.Call, frame: Frame, state: State,
) -> Value | None:
    if not isinstance(target, Closure | Function | Choice):
        return None
    return calls.apply(ev, target, expr, calls.Arguments((config,), {}), frame, state)


def _record(
    ev: Evaluator, expr: tree.Call, grid: Value | None, kernel: Value | None, arguments: Value | None,
    frame: Frame, state: State, how: Literal["launch", "tuner"], faults: tuple[Fault, ...],
    dependent: bool = False,
) -> None:
    if kernel is None or state.dead:
        return
    span, wrapped = _where(ev, expr, kernel, frame)
    chain: list[tuple[str, str]] = []
    at: Frame | None = frame
    while at is not None:
        chain.append((at.module.path, at.qualname))
        at = at.caller
    ev.records.append(Raw(
        kernel, grid_terms(ev, grid, state), argument_list(ev, arguments, expr.span, state),
        tuple(state.facts.values()), span, expr.span, "wrapper" if wrapped and how == "launch" else how,
        tuple(reversed(chain)), faults, dependent, argument_lists(ev, arguments, expr.span, state)))


def _where(ev: Evaluator, expr: tree.Call, kernel: Value, frame: Frame) -> tuple[Span, bool]:
    """The call that names the kernel: the launch itself, or the call of the wrapper that was given the kernel."""
    span, wrapped = expr.span, False
    at = frame
    while at.caller is not None and at.call is not None and _is_passed(kernel, at.arguments):
        span, wrapped, at = at.call.span, True, at.caller
    return span, wrapped


def _is_passed(kernel: Value, arguments: tuple[Value, ...]) -> bool:
    return any(kernel == value or (isinstance(value, Items) and kernel in value.items) for value in arguments)


def grid_terms(ev: Evaluator, grid: Value | None, state: State) -> Grid:
    if isinstance(grid, Choice):
        parts = [(cond, grid_terms(ev, option, state)) for cond, option in grid.options]
        return _columns(parts)
    items = None if grid is None else ev.elements(grid, state)
    if items is None or not 1 <= len(items) <= 3:
        return (None, None, None)
    terms = [extent(ev, item) for item in items] + [ONE] * (3 - len(items))
    return (terms[0], terms[1], terms[2])


def _columns(parts: list[tuple[Cond, Grid]]) -> Grid:
    out: list[Term | None] = []
    for axis in range(3):
        column = [(cond, grid[axis]) for cond, grid in parts]
        known = [(cond, term) for cond, term in column if term is not None]
        if len(known) < len(column):
            out.append(None)
            continue
        out.append(build_choice(known))
    return (out[0], out[1], out[2])


def extent(ev: Evaluator, value: Value) -> Term | None:
    """A grid extent; None when nothing is known of it."""
    if isinstance(value, Thing) and not value.numeric:
        return None
    return ev.number(value)


# --- arguments -------------------------------------------------------------------------------------------------------

def argument_list(ev: Evaluator, value: Value | None, span: Span, state: State) -> tuple[Argument, ...] | None:
    if isinstance(value, Choice):
        lists = [argument_list(ev, option, span, state) for _, option in value.options]
        conds = [cond for cond, _ in value.options]
        known = [items for items in lists if items is not None]
        if len(known) < len(lists) or len({len(items) for items in known}) != 1:
            return None
        return tuple(
            _join_arguments(list(zip(conds, column, strict=True))) for column in zip(*known, strict=True))
    items = None if value is None else ev.elements(value, state)
    if items is None:
        return None
    places = value.places if isinstance(value, Items) and len(value.places) == len(items) else (None,) * len(items)
    return tuple(argument(ev, item, place, span, state) for item, place in zip(items, places, strict=True))


def argument_lists(
    ev: Evaluator, value: Value | None, span: Span, state: State,
) -> tuple[tuple[Cond, tuple[Argument, ...]], ...]:
    """The argument lists of different lengths that a launch may have, each with its condition."""
    if not isinstance(value, Choice):
        return ()
    by: dict[int, list[tuple[Cond, Value]]] = {}
    for cond, option in value.options:
        items = ev.elements(option, state)
        if items is None:
            return ()
        by.setdefault(len(items), []).append((cond, option))
    if len(by) < 2:
        return ()
    found = [(disj(*(c for c, _ in same)), argument_list(ev, choice(same), span, state)) for same in by.values()]
    return tuple((cond, items) for cond, items in found if items is not None)


def argument(
    ev: Evaluator, value: Value, place: Place | None, span: Span, state: State, depth: int = _NESTED,
) -> Argument:
    found = _describe_argument(ev, value, place, span, state, depth)
    return found if found.kind in ("array", "list") else replace(found, integral=is_integer(ev, value))


def _describe_argument(
    ev: Evaluator, value: Value, place: Place | None, span: Span, state: State, depth: int,
) -> Argument:
    text = describe_value(value) if place is None else source_text(place)
    where = span if place is None else place[0]
    if isinstance(value, Choice):
        parts = [(cond, argument(ev, option, place, span, state)) for cond, option in value.options]
        return _join_arguments(parts)
    if isinstance(value, Tensor):
        shape, strides = arrays.shape_of(ev, value, state), arrays.strides_of(ev, value, state)
        return Argument(
            "array", text, where, None, value.storage, value.whole, shape, strides, value.fresh, value.name,
            strided=value.strided, dense=value.dense, roots=ev.symbols.roots(value.storage),
            made=_find_derived_names(ev, value.storage), dtype=value.dtype, rows=value.rows)
    if isinstance(value, Thing) and any(state.epochs.get(f"{value.name}.{part}") for part in ("shape", "strides")):
        # it has another shape by now
        return Argument("unknown", text, where, literal=literal(value))
    if isinstance(value, Thing) and value.numeric:
        rank = state.ranks.get(value.name)
        as_array = ev.tensor(value, state)
        shape = as_array.shape if rank is not None else None
        strides = None if shape is None else arrays.strides_of(ev, as_array, state)
        return Argument(
            "unknown", text, where, ev.number(value), value.name, True, shape, strides, None, value.name,
            strided=value.name, roots=ev.symbols.roots(value.name), made=_find_derived_names(ev, value.name))
    if isinstance(value, Ref | Items):
        known = ev.elements(value, state) if depth else None
        elements = None if known is None else tuple(
            argument(ev, item, None, span, state, depth - 1) for item in known)
        return Argument("list", text, where, elements=elements, literal=literal(value))
    if isinstance(value, Int | Truth):
        return Argument("scalar", text, where, ev.number(value), literal=literal(value))
    fraction = value.value if isinstance(value, Plain) and isinstance(value.value, float) else None
    return Argument("scalar" if isinstance(value, Plain) else "unknown", text, where, literal=literal(value),
                    fraction=fraction)


def _one_of(parts: list[tuple[Cond, Argument]]) -> str | None:
    """A name for storage chosen by conditions: equal names mean the same choice."""
    if any(part.identity is None for _, part in parts):
        return None
    return " or ".join(f"{part.identity} if {cond.key}" for cond, part in parts)


def _find_derived_names(ev: Evaluator, storage: str) -> frozenset[str]:
    return (ev.symbols.roots(storage) or frozenset()) & frozenset(ev.symbols.allocated)


def _join_arguments(parts: list[tuple[Cond, Argument]]) -> Argument:
    """One of several arguments: what they have in common."""
    first = parts[0][1]
    kinds = {part.kind for _, part in parts}
    names = {(part.identity, part.exact) for _, part in parts}
    shapes = [part.shape for _, part in parts]
    known = [shape for shape in shapes if shape is not None]
    shape = None
    if len(known) == len(shapes) and len({len(s) for s in known}) == 1:
        shape = tuple(
            _join_terms([(cond, column) for (cond, _), column in zip(parts, columns, strict=True)])
            for columns in zip(*known, strict=True))
    terms = [(cond, part.term) for cond, part in parts]
    return Argument(
        first.kind if len(kinds) == 1 else "unknown", first.text, first.span, _join_terms(terms),
        first.identity if len(names) == 1 else _one_of(parts), all(part.exact for _, part in parts), shape, None, None,
        first.name if len({part.name for _, part in parts}) == 1 else None,
        options=tuple(parts),
        roots=None if any(part.roots is None for _, part in parts) else frozenset(
            root for _, part in parts for root in part.roots or ()),
        made=frozenset(root for _, part in parts for root in part.made),
        integral=first.integral if len({part.integral for _, part in parts}) == 1 else None)


def _join_terms(terms: list[tuple[Cond, Term | None]]) -> Term | None:
    known = [(cond, term) for cond, term in terms if term is not None]
    if len(known) < len(terms):
        return None
    return build_choice(known)


def describe_value(value: Value) -> str:
    if isinstance(value, Tensor):
        return value.name
    if isinstance(value, Thing):
        return value.name
    if isinstance(value, Int):
        return value.term.key
    if isinstance(value, Plain):
        return repr(value.value)
    return "(...)" if isinstance(value, Items | Ref | Package) else "..."


def source_text(place: Place) -> str:
    """The source between two positions, on one line."""
    span, module = place
    lines = module.lines[span.line - 1:span.end_line]
    if not lines:
        return "..."
    if len(lines) == 1:
        return lines[0][span.column:span.end_column]
    inner = (line.strip() for line in lines[1:-1])
    return " ".join([lines[0][span.column:], *inner, lines[-1][:span.end_column].strip()]).strip()
