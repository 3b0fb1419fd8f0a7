"""Symbolic evaluation of host expressions.

Integers are terms over symbols of the function under evaluation: its parameters (`n`), extents and strides
(`x.shape[0]`), attributes (`self.n`, `cfg.BLOCK`). An expression that is not understood becomes a new symbol, so
that the result is less precise but never wrong.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tilecheck.interp.host import arrays, calls, members
from tilecheck.interp.host import persistent_dicts as tables
from tilecheck.interp.host.callbacks import follow_callback
from tilecheck.interp.host.classes import Accessors, accessors_of, is_overridden, join_accessors
from tilecheck.interp.host.effects import find_mentioned_names
from tilecheck.interp.host.expressions import EXPRESSIONS
from tilecheck.interp.host.rebinding import is_assigned
from tilecheck.interp.host.state import OPEN, Contents, State, as_number, build_choice
from tilecheck.interp.host.symbols import Symbols
from tilecheck.interp.host.syntax import syntax
from tilecheck.interp.host.values import (
    Choice,
    Class,
    Closure,
    External,
    Function,
    Int,
    Items,
    Kernel,
    Member,
    Package,
    Place,
    Record,
    Ref,
    Shape,
    Step,
    Stored,
    Tensor,
    Thing,
    Truth,
    Value,
)
from tilecheck.project.module import Module
from tilecheck.project.resolve import ClassAt, FunctionAt, Origin, ValueAt
from tilecheck.project.targets import ExternalName, ModuleTarget, TileName
from tilecheck.symbolic import (
    TRUE,
    Cond,
    Extent,
    Opaque,
    Scalar,
    Symbol,
    Term,
    array_from_text,
    bool_opaque,
    of,
    symbol_from_text,
)
from tilecheck.symbolic.sizes import is_short
from tilecheck.syntax import tree
from tilecheck.syntax.class_scope import sees_class
from tilecheck.syntax.tree import Span

if TYPE_CHECKING:
    from tilecheck.interp.host.launch_sites import Raw
    from tilecheck.project.project import Project

FUEL: Final = 1600
"""Statements executed for one function under evaluation before calls are no longer followed."""
DEPTH: Final = 9
UNROLL: Final = 24


@dataclass(slots=True)
class Frame:
    """One activation of a function of the checked tree (or of a module body)."""

    number: int
    module: Module
    qualname: str
    definition: tree.FuncDef | tree.Lambda | None
    outer: int | None
    caller: Frame | None = None
    call: tree.Call | None = None
    arguments: tuple[Value, ...] = ()
    returns: list[tuple[State, Value]] = field(default_factory=list)
    yields: list[Value] | None = None
    partial: bool = False
    nonlocals: set[str] = field(default_factory=set)
    depth: int = 0
    loops: list[list[State]] = field(default_factory=list)
    inside: bool = False
    """Whether it is that of a comprehension, which stands inside a function."""


class Evaluator:
    """Evaluates the functions of one module; what it finds out about tables is shared between them."""

    def __init__(self, project: Project, module: Module) -> None:
        self.project = project
        self.module = module
        self.fuel = FUEL
        self.frames: dict[int, Frame] = {}
        self.records: list[Raw] = []
        self.volatile: set[tuple[int, str]] = set()
        """Variables, by frame, that a function assigns which went to code that is not seen."""
        self.unfollowed: set[tuple[str, str]] = set()
        """Functions, by file, that are called somewhere without being followed."""
        self.calls: set[tuple[tuple[str, str], Span]] = set()
        """Functions, by file, with the calls of them that were followed."""
        self._escaping: set[tuple[int, Span]] = set()
        self._inner = 0
        self._followed: dict[tuple[object, ...], int] = {}
        """Functions that went to code which is not seen, with the number of launches after they were followed."""
        self.leaked: set[str] = set()
        """Objects, and memory of arrays, that code which is not seen may have: it may change them whenever it runs."""
        self.stores: dict[str, list[tuple[Value, Value]]] = {}
        self.symbols = Symbols()
        self.inlined: set[tuple[str, str]] = set()
        self.kernel_names: dict[str, frozenset[str]] = {}
        self.memo: dict[tuple[str, int], tuple[object, object]] = {}
        self._names: dict[tuple[object, int], tuple[object, frozenset[str]]] = {}
        self._globals: dict[tuple[str, str], Value] = {}
        self.active: list[tuple[str, str]] = []
        self.selves: dict[str, Class] = {}
        """The classes of the first parameters of methods, by their names."""
        self.modules: dict[str, Module] = {module.path: module}
        """The modules whose code is followed, by file."""
        self._accessors = 0, Accessors()
        self._overridden: dict[tuple[int, str, str], bool] = {}

    # --- names -------------------------------------------------------------------------------------------------------

    def begin(self, fractions: frozenset[str] = frozenset(), fuel: int = FUEL) -> None:
        """Start with another function: its symbols are its own.

        fractions  names of numbers that are known not to be integers
        fuel       statements after which calls are no longer followed
        """
        self.fuel, self.records, self.symbols = fuel, [], Symbols(fractions=fractions)
        self.active.clear()
        self.selves.clear()
        self.leaked.clear()
        self._followed.clear()
        self._escaping.clear()
        self._inner = 0
        # values of module-level names may hold symbols
        self._globals.clear()

    def invent_name(self, hint: str) -> str:
        return self.symbols.invent_name(hint)

    def extent(self, symbol: Symbol) -> Term:
        return self.symbols.extent(symbol)

    def unknown(self, hint: str, numeric: bool = True) -> Thing:
        name = self.invent_name(hint)
        if hint.endswith("()"):
            self.symbols.results.add(name)
        return Thing(name, numeric=numeric)

    def build_from_origin(self, name: str, origin: Member | Stored) -> Value:
        """A thing of known origin, or the value itself if the origin allows only one."""
        known = tables.resolve_origin(origin)
        if known is not None:
            return known
        thing = Thing(name, origin)
        self.symbols.things[name] = thing
        return thing

    # --- conversions -------------------------------------------------------------------------------------------------

    def number(self, value: Value) -> Term | None:
        """The value as an integer; None when it is known to be none."""
        term = as_number(value)
        if term is not None:
            return term
        if isinstance(value, Thing):
            return of(symbol_from_text(value.name if value.numeric else self.invent_name(value.name)))
        if isinstance(value, Choice):
            parts = [(cond, self.number(option)) for cond, option in value.options]
            known = [(cond, part) for cond, part in parts if part is not None]
            return build_choice(known) if len(known) == len(parts) else None
        return None

    def integer(self, value: Value, hint: str = "value") -> Term:
        term = self.number(value)
        return of(symbol_from_text(self.invent_name(hint))) if term is None else term

    def truth(self, value: Value, state: State) -> Cond:
        handler = members.TRUTH.get(type(value))
        return TRUE if handler is None else handler(self, value, state)

    def doubt(self, hint: str) -> Cond:
        """A truth value of which nothing is known."""
        return bool_opaque(Opaque(self.invent_name(hint), uniform=True))

    # --- expressions -------------------------------------------------------------------------------------------------

    def eval(self, expr: tree.Expr, frame: Frame, state: State) -> Value:
        value = EXPRESSIONS[type(expr)](self, expr, frame, state)
        if isinstance(value, Truth) and not is_short(value.cond):
            return Truth(self.doubt("condition"))
        return value

    def cond(self, expr: tree.Expr, frame: Frame, state: State) -> Cond:
        return self.truth(self.eval(expr, frame, state), state)

    def place(self, expr: tree.Expr, frame: Frame) -> Place:
        return expr.span, frame.module

    def variable(self, name: str, frame: Frame, state: State) -> Value | None:
        at: Frame | None = frame
        while at is not None:
            value = state.variables.get(at.number, {}).get(name)
            if value is not None:
                return self.unknown(name) if (at.number, name) in self.volatile else value
            at = None if at.outer is None else self.frames.get(at.outer)
        return None

    def bind(self, name: str, value: Value, frame: Frame, state: State) -> None:
        at = frame
        while name in at.nonlocals and at.outer is not None:
            at = self.frames[at.outer]
        if name in frame.nonlocals:
            # a function in between may have no variable of that name
            while name not in state.variables.get(at.number, {}) and at.outer is not None:
                at = self.frames[at.outer]
        state.bind(at.number, name, value)

    def global_value(self, module: Module, name: str) -> Value:
        key = (module.path, name)
        known = self._globals.get(key)
        if known is None and name in syntax(module).reassigned:
            # a function may have assigned it since it was read last
            return self.unknown(name)
        if known is None:
            # a name that is defined through itself
            self._globals[key] = Thing(self.invent_name(name))
            target = self.project.resolver.module_name(module, name)
            if self._is_assigned_outside(target):
                del self._globals[key]
                return self.unknown(name)  # another value each time
            known = self.target_value(target, name)
            self._globals[key] = known
        return known

    def _is_assigned_outside(self, target: Origin | None) -> bool:
        """Whether code may assign the module-level name that a name stands for, as an attribute of the module."""
        if not isinstance(target, FunctionAt | ClassAt | ValueAt):
            return False
        plain, modules = isinstance(target, ValueAt), self.modules.values()
        return any(is_assigned(self.project, modules, target.module, own, plain) for own in _own_names(target))

    def target_value(self, target: Origin | None, name: str) -> Value:
        if target is None:
            return External(f"builtins.{name}")
        if self._is_assigned_outside(target):
            return self.unknown(name)
        if isinstance(target, ClassAt):
            self.modules.setdefault(target.module.path, target.module)
        return _TARGETS[type(target)](self, target, name)

    def constant_value(self, target: ValueAt, name: str) -> Value:
        table = tables.table_of(self, target, name)
        if table is not None:
            return table
        if target.several or target.scope:
            return Thing(self.invent_name(name))
        return tables.resolve_record(self, target.module, self.constant(target.module, value_of(target)))

    def default_value(self, module: Module, expr: tree.Expr, owner: tree.ClassDef | None) -> Value:
        """The value of an expression that was evaluated with a definition: of a function, or of a class, `owner`."""
        if owner is not None and sees_class(owner, expr):
            return self.unknown("default")
        return self.constant(module, expr)

    def constant(self, module: Module, expr: tree.Expr | None) -> Value:
        """The value of an expression at module level, evaluated once, when the module was."""
        if expr is None:
            return self.unknown("constant")
        if any(self._has_changed(module, name) for name in find_mentioned_names(expr)):
            return self.unknown("constant")
        frame = self.frame(module, "<module>", None, None)
        return self.eval(expr, frame, State(variables={frame.number: {}}))

    def _has_changed(self, module: Module, name: str) -> bool:
        """Whether a name may have had another value when its module was evaluated."""
        if name in syntax(module).reassigned:
            return True
        target = self.project.resolver.module_name(module, name)
        return isinstance(target, ValueAt) and target.several

    def frame(
        self, module: Module, qualname: str, definition: tree.FuncDef | tree.Lambda | None, outer: int | None,
        caller: Frame | None = None, call: tree.Call | None = None,
    ) -> Frame:
        number = len(self.frames)
        self.modules.setdefault(module.path, module)
        depth = 0 if caller is None else caller.depth + 1
        made = Frame(number, module, qualname, definition, outer, caller, call, depth=depth)
        self.frames[number] = made
        return made

    # --- attributes and items ----------------------------------------------------------------------------------------

    @property
    def accessors(self) -> Accessors:
        """The attributes that the classes of the followed modules compute."""
        count, found = self._accessors
        if count < len(self.modules):
            found = join_accessors(accessors_of(module) for module in self.modules.values())
            self._accessors = len(self.modules), found
        return found

    def is_computed(self, name: str) -> bool:
        """Whether a store of an attribute of this name may run code of the checked tree."""
        return self.accessors.every or name in self.accessors.stored

    def is_overridden(self, owner: str, name: str) -> bool:
        """Whether an object of a class may have another member of this name than the class."""
        key = len(self.modules), owner, name
        known = self._overridden.get(key)
        if known is None:
            known = self._overridden[key] = is_overridden(self.modules.values(), owner, name)
        return known

    def attribute(self, owner: Value, name: str, state: State) -> Value:
        if name == "multi_processor_count":
            self.symbols.positive.add(Scalar("NUM_SMS"))
            return Int(of(Scalar("NUM_SMS")))
        if name == "__dict__" or (isinstance(owner, Ref) and name not in _READING):
            # a method of a list or dict as a value: calls of it are not seen
            self.escape((owner,), state)
        handler = members.ATTRIBUTES.get(type(owner))
        return self.unknown(name) if handler is None else handler(self, owner, name, state)

    def thing_attribute(self, owner: Thing, name: str, state: State) -> Value:
        kernel = self.kernel_of_self(owner, name) if self.selves else None
        if kernel is not None:
            return kernel
        # `ctx.shape = x.shape` shows that `ctx` is not an array; an assigned `size` may belong to any object
        given = state.epochs.get(name if name == "size" else f"{owner.name}.{name}")
        if (name in arrays.ATTRIBUTES and owner.origin is None and not given
                and (name not in ("T", "H") or owner.name in state.ranks)):
            # `cfg.T` may be a number
            return arrays.attribute(self, self.tensor(owner, state), name, state)
        return self.part(owner, name, name, f".{name}", state)

    def kernel_of_self(self, owner: Thing, name: str) -> Kernel | None:
        """The kernel that a method of a class calls by `self.name`."""
        found = self.selves.get(owner.name)
        if found is None or tables.is_rebound(found, name) or tables.may_be_set(found.module, name):
            return None
        same = [q for q in found.module.skeleton.definitions if q.rpartition(".")[2] == name]
        # a class that inherits may have another one
        value = calls.function_value(self, FunctionAt(found.module, f"{found.qualname}.{name}"))
        return value if len(same) == 1 and isinstance(value, Kernel) else None

    def part(self, owner: Thing, step: Step, name: str, spelled: str, state: State) -> Value:
        """The value of an attribute or a constant index of a thing: the last assigned value, or the initial one.

        name      the name under which assignments are stored
        spelled   its spelling after the thing
        """
        assigned = state.attributes.get((owner.name, name))
        if assigned is not None:
            return assigned
        epoch = state.epoch(owner.name, name)
        if isinstance(step, str) and not name.startswith("["):
            if name in self.accessors.active:
                return self.unknown(f"{owner.name}{spelled}")
            if name in self.accessors.stored:
                # what it is computed from may have changed with any other attribute
                epoch = epoch[0], sum(state.epochs.values())
        if epoch != (0, 0) and isinstance(owner.origin, Member):
            return self.unknown(f"{owner.name}{spelled}")  # it is not what it was
        mark = "" if epoch == (0, 0) else f"@{epoch[0]}.{epoch[1]}"
        return self.step(owner, step, f"{owner.name}{mark}{spelled}")

    def step(self, owner: Thing, step: Step, name: str) -> Value:
        """The initial value of an attribute or a constant index of a thing."""
        if owner.name == "?" or (not owner.numeric and owner.origin is None):
            return self.unknown(name.lstrip("?"))
        if owner.origin is not None:
            return self.build_from_origin(name, tables.extend_path(owner.origin, step))
        return Thing(name)

    def record_attribute(self, owner: Record, name: str, state: State) -> Value:
        assigned = state.attributes.get((owner.key, name))
        if assigned is not None:
            return assigned
        value = owner.get(name)
        if value is None:
            self.leaked.add(owner.key)  # the value may be a method that changes the object when it is called
        if value is not None and not state.epochs.get(owner.key) and not state.epochs.get(name):
            return value
        return self.unknown(f"{owner.key}.{name}")

    def class_attribute(self, owner: Class, name: str, state: State) -> Value:
        qualname = f"{owner.qualname}.{name}"
        if qualname in owner.module.skeleton.definitions:
            rebound = tables.is_rebound(owner, name) or any(
                tables.may_be_set(module, name) for module in (owner.module, self.module))
            return self.unknown(qualname) if rebound else Function(owner.module, qualname)
        return tables.class_member(self, owner, name)

    def item(self, owner: Value, index: Value, state: State) -> Value:
        handler = members.ITEMS.get(type(owner))
        return self.unknown("item") if handler is None else handler(self, owner, index, state)

    def tensor(self, value: Value, state: State) -> Tensor:
        """The value as an array."""
        if isinstance(value, Tensor):
            return value
        name = value.name if isinstance(value, Thing) and value.numeric else self.invent_name("array")
        rank = state.ranks.get(name)
        shape = None if rank is None else tuple(self.extent(Extent(array_from_text(name), i)) for i in range(rank))
        return Tensor(name, name, name, shape)

    def elements(self, value: Value, state: State) -> tuple[Value, ...] | None:
        """The items of a sequence, when all of them are known."""
        if isinstance(value, Items):
            return None if value.spliced else value.items
        if isinstance(value, Ref) and value.kind == "list":
            contents = state.heap.get(value.key, OPEN)
            return contents.items if contents.bound == "exact" else None
        if isinstance(value, Shape):
            rank = state.ranks.get(value.name)
            if rank is not None:
                return arrays.extents_of(self, value, rank)
        return None

    def contents(self, value: Value, state: State) -> Contents:
        """The items that an iteration over the value may give."""
        if isinstance(value, Choice):
            parts = [self.contents(option, state) for _, option in value.options]
            items = tuple(dict.fromkeys(item for part in parts for item in part.items))
            return Contents(items, (), "open" if any(p.bound == "open" for p in parts) else "some")
        if isinstance(value, Ref):
            contents = state.heap.get(value.key, OPEN)
            return Contents(contents.keys, (), contents.bound) if value.kind == "dict" else contents
        known = self.elements(value, state)
        if known is not None:
            return Contents(known)
        if isinstance(value, Thing) and isinstance(value.origin, Member):
            reached = [tables.follow_path(candidate, value.origin.path) for candidate in value.origin.values]
            if all(isinstance(found, Items) for found in reached):
                inner = [item for found in reached if isinstance(found, Items) for item in found.items]
                return Contents(tuple(dict.fromkeys(inner)), (), "some")
        return OPEN

    def new_iterator(
        self, contents: Contents, state: State, reads: frozenset[str] | None, names: frozenset[str] = frozenset(),
    ) -> Ref:
        """An iterator with these contents, which reads some lists and dicts (anything for None), and variables."""
        key = self.invent_name("list")
        state.heap[key] = contents
        return Ref("list", key, True, reads, names)

    def new_list(self, items: tuple[Value, ...], state: State, contents: Contents | None = None) -> Ref:
        key = self.invent_name("list")
        state.heap[key] = contents or Contents(items)
        return Ref("list", key)

    def escape(self, values: tuple[Value, ...], state: State) -> None:
        """The values go to code that is not seen: what is mutable in them may change, and in what it got earlier."""
        self._escape_values(values, state)
        for owner in sorted({key[0] for key in state.attributes} & self.leaked):
            state.epochs[owner] = state.epochs.get(owner, 0) + 1
            self._forget(owner, state)

    def _escape_values(self, values: tuple[Value, ...], state: State) -> None:
        for value in values:
            if isinstance(value, Ref):
                contents = state.heap.get(value.key, OPEN)
                state.heap[value.key] = OPEN
                self._escape_values((*contents.items, *contents.keys), state)
            elif isinstance(value, Items):
                self._escape_values(value.items, state)
            elif isinstance(value, Record):
                state.epochs[value.key] = state.epochs.get(value.key, 0) + 1
                self.leaked.add(value.key)
                self._forget(value.key, state)
                self._escape_values(tuple(v for _, v in value.fields), state)
            elif isinstance(value, Tensor):
                self.leaked.update(filter(None, (value.storage, value.maybe)))
            elif isinstance(value, Thing) and value.origin is None:
                self.leaked.add(value.name)
                self._escape_method(value, state)
                state.epochs[value.name] = state.epochs.get(value.name, 0) + 1
                self._forget(value.name, state)
            elif isinstance(value, Thing) and isinstance(value.origin, Member):
                self._escape_member(value, value.origin, state)
            elif isinstance(value, Closure):
                self._escape_closure(value, state)
            elif isinstance(value, Function):
                self.unfollowed.add((value.module.path, value.qualname))
                self._escape_values((*value.bound, *(v for _, v in value.named)), state)
            elif isinstance(value, Choice):
                self._escape_values(tuple(option for _, option in value.options), state)

    def _escape_method(self, value: Thing, state: State) -> None:
        """A method of an object that is not followed may change it."""
        owner, _, name = value.name.rpartition(".")
        owner = owner.partition("@")[0]
        if owner and name in self.accessors.methods:
            self.leaked.add(owner)
            state.epochs[owner] = state.epochs.get(owner, 0) + 1
            self._forget(owner, state)

    def _escape_member(self, value: Thing, origin: Member, state: State) -> None:
        """One of several values changes; which lists and dicts they were is not known any more."""
        state.epochs[value.name] = state.epochs.get(value.name, 0) + 1
        self._forget(value.name, state)
        reached = [tables.follow_path(candidate, origin.path) for candidate in origin.values]
        if any(isinstance(v, Items | Record | Ref) for v in reached):
            state.heap = dict.fromkeys(state.heap, OPEN)
        self._escape_values(tuple(v for v in reached if isinstance(v, Record | Ref)), state)

    def _escape_closure(self, value: Closure, state: State) -> None:
        """Code that is not seen may call the function: it changes what it sees of the functions around it."""
        self.volatile |= self.forget_rebound(value, state)
        frame = self.frames.get(value.frame)
        if frame is None or (value.frame, value.span) in self._escaping:
            return
        self._escaping.add((value.frame, value.span))
        mentioned = sorted(self.names_in(value.definition, find_mentioned_names))
        seen = (self.variable(name, frame, state) for name in mentioned)
        # only this function calls the functions that it sees
        self._inner += 1
        self._escape_values((*value.bound, *(v for v in seen if v is not None and _changes_by_itself(v))), state)
        self._inner -= 1
        key = value.frame, value.span, value.bound, value.named
        known = self._followed.get(key)
        if not self._inner and (known is None or len(self.records) < known):
            follow_callback(self, value, frame, state)
            self._followed[key] = len(self.records)
        self._escaping.discard((value.frame, value.span))

    def forget_rebound(self, value: Closure, state: State) -> set[tuple[int, str]]:
        """Forget the variables of enclosing functions that a function assigns: it may have run, at least in part."""
        out: set[tuple[int, str]] = set()
        for name in sorted(self.names_in(value.definition, find_rebound_names)):
            number: int | None = value.frame
            while number is not None:
                if name in state.variables.get(number, {}):
                    state.bind(number, name, self.unknown(name))
                    out.add((number, name))
                    break
                number = self.frames[number].outer
        return out

    def names_in(
        self, definition: tree.FuncDef | tree.Lambda, find: Callable[[object], frozenset[str]],
    ) -> frozenset[str]:
        """The names that a search of a definition finds; each definition is searched once."""
        found = self._names.get((find, id(definition)))
        if found is None:
            # the entry holds the definition, so that no other object can have its id
            found = self._names[find, id(definition)] = (definition, find(definition))
        return found[1]

    def _forget(self, owner: str, state: State) -> None:
        held = [state.attributes.pop(key) for key in [key for key in state.attributes if key[0] == owner]]
        self._escape_values(tuple(v for v in held if _changes_by_itself(v)), state)


_READING: Final = frozenset({"copy", "count", "get", "index", "items", "keys", "values"})
"""Methods that change no list or dict."""


def _changes_by_itself(value: Value) -> bool:
    """Whether code that has the value may change what it holds."""
    return isinstance(value, Ref | Record | Closure | Items | Choice)


def find_rebound_names(node: object) -> frozenset[str]:
    """The names of functions around it that code assigns, and functions in it."""
    if isinstance(node, tree.UnknownStmt) and node.what == "nonlocal":
        return frozenset(node.assigns)
    parts = node if isinstance(node, tuple) else [getattr(node, f) for f in tree.FIELDS[type(node)]]
    return frozenset().union(*map(find_rebound_names, parts))


def _own_names(target: FunctionAt | ClassAt | ValueAt) -> tuple[str, ...]:
    """The names of a definition, or of a value, in the module that has it."""
    if not isinstance(target, ValueAt):
        return (target.qualname,)
    statement = target.binding.statement
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return tuple(node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))


# --- what module-level names mean ------------------------------------------------------------------------------------

def value_of(target: ValueAt) -> tree.Expr | None:
    """The expression assigned at module level, or the part of it that a tuple of names gives to this one."""
    return syntax(target.module).expr(target.binding.value)


_TARGETS: Final[Mapping[type, Callable[[Evaluator, Any, str], Value]]] = {
    TileName: lambda ev, t, n: External(f"cuda.tile.{t.name}" if t.name else "cuda.tile"),
    FunctionAt: lambda ev, t, n: calls.function_value(ev, t),
    ClassAt: lambda ev, t, n: Class(t.module, t.qualname),
    ValueAt: lambda ev, t, n: ev.constant_value(t, n),
    ModuleTarget: lambda ev, t, n: Package(t.module),
    ExternalName: lambda ev, t, n: External(t.name),
}
