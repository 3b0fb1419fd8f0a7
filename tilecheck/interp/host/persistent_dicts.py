"""Dicts that outlive a call: caches of tuned kernels, tables of kernels, tables of block sizes.

A read gives one of the values that are ever stored under a key that may be the same. Which these are is known when
all functions of the module have been evaluated, so a read yields a thing that remembers where it came from.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from msgspec.structs import replace

from tilecheck.interp.host.classes import count_bindings
from tilecheck.interp.host.state import OPEN, Contents, State, join_values
from tilecheck.interp.host.syntax import syntax
from tilecheck.interp.host.values import (
    Choice,
    Class,
    Int,
    Items,
    Kernel,
    Member,
    Plain,
    Record,
    Ref,
    Step,
    Stored,
    Table,
    Thing,
    Truth,
    Value,
)
from tilecheck.project.module import Module
from tilecheck.project.resolve import ValueAt
from tilecheck.project.skeleton import ImportBinding
from tilecheck.syntax import tree
from tilecheck.syntax.class_scope import sees_class
from tilecheck.syntax.walk import children, walk

if TYPE_CHECKING:
    from tilecheck.interp.host.interpreter import Evaluator

_MAKERS: Final = frozenset({
    "dict", "OrderedDict", "defaultdict", "WeakKeyDictionary", "WeakValueDictionary", "LRUCache",
})
_DEEP: Final = 6
_MANY: Final = 256


def extend_path(origin: Member | Stored, step: Step) -> Member | Stored:
    if isinstance(origin, Member):
        return Member(origin.root, origin.values, (*origin.path, step), origin.every)
    return replace(origin, path=(*origin.path, step))


def resolve_origin(origin: Member | Stored) -> Value | None:
    """The value, when every candidate leads to the same number or kernel."""
    if isinstance(origin, Stored):
        return None
    first: Value | None = None
    for number, candidate in enumerate(origin.values):
        value = follow_path(candidate, origin.path)
        if number and value != first:
            return None
        first = value
    if isinstance(first, _SETTLED) or (isinstance(first, Int) and first.term.constant is not None):
        return first
    return None


_SETTLED: Final = (Plain, Kernel, Truth)


def follow_path(value: Value | None, path: tuple[Step, ...]) -> Value | None:
    """The value at the path in a frozen value."""
    for i, step in enumerate(path):
        if isinstance(value, Record) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, Items) and isinstance(step, int):
            value = value.items[step] if -len(value.items) <= step < len(value.items) else None
        elif isinstance(value, Kernel) and step in ("_pyfunc", "pyfunc"):
            continue
        elif isinstance(value, Thing) and value.origin is not None:
            origin = value.origin
            for rest in path[i:]:
                origin = extend_path(origin, rest)
            return resolve_origin(origin) or Thing(value.name + "".join(f".{s}" for s in path[i:]), origin)
        else:
            return None
    return value


def frozen(ev: Evaluator, values: Iterable[Value], state: State) -> tuple[Value, ...]:
    return tuple(freeze(value, state) for value in values)


def freeze(value: Value, state: State, depth: int = _DEEP) -> Value:
    """The value with the current contents of its mutable parts."""
    if depth == 0:
        return value
    if isinstance(value, Ref):
        contents = state.heap.get(value.key, OPEN)
        if value.kind == "list" and contents.bound == "exact":
            return Items(tuple(freeze(item, state, depth - 1) for item in contents.items))
        if value.kind == "dict" and contents.bound == "exact" and all(_is_text(key) for key in contents.keys):
            pairs = {str(key.value): item for key, item in zip(contents.keys, contents.items, strict=True)
                     if isinstance(key, Plain)}
            return Record(value.key, tuple((name, freeze(item, state, depth - 1)) for name, item in pairs.items()))
        return value
    if isinstance(value, Items):
        return Items(tuple(freeze(item, state, depth - 1) for item in value.items), value.places)
    if isinstance(value, Record):
        return Record(value.key, tuple(
            (name, freeze(_field(value.key, name, item, state), state, depth - 1)) for name, item in value.fields))
    if isinstance(value, Choice):
        return Choice(tuple((cond, freeze(option, state, depth - 1)) for cond, option in value.options))
    return value


def _field(key: str, name: str, value: Value, state: State) -> Value:
    """A field of an object as it is now, where that is known."""
    assigned = state.attributes.get((key, name))
    if assigned is not None:
        return assigned
    return Thing("?", numeric=False) if state.epochs.get(key) or state.epochs.get(name) else value


def _is_text(value: Value) -> bool:
    return isinstance(value, Plain) and isinstance(value.value, str)


# --- tables ----------------------------------------------------------------------------------------------------------

def table_of(ev: Evaluator, target: ValueAt, name: str) -> Table | None:
    """The table of a module-level name, with its initial contents."""
    if target.several or target.scope:
        return None
    node = target.binding.value
    if not isinstance(node, ast.Dict | ast.Call) or target.binding.path:
        return None
    return table_from(ev, target.module, syntax(target.module).expr(node), name)


def table_from(ev: Evaluator, module: Module, value: tree.Expr, name: str) -> Table | None:
    last = name.rpartition(".")[2]
    if isinstance(value, tree.Call):
        maker = value.func.attr if isinstance(value.func, tree.Attribute) else getattr(value.func, "id", "")
        if maker not in _MAKERS:
            return None
        return Table(f"{module.path}:{name}", partial=not _stores_are_seen(ev, module, last))
    if not isinstance(value, tree.DictExpr):
        return None
    table = _display(ev, value, f"{module.path}:{name}", module)
    constant = bool(value.values) and not _changes(ev, module, last)
    return Table(table.name, constant, not constant and not _stores_are_seen(ev, module, last))


_READING: Final = frozenset({"copy", "get", "items", "keys", "values"})
_ASKING: Final = frozenset({
    "any", "all", "dict", "frozenset", "len", "list", "max", "min", "print", "set", "sorted", "tuple",
})


def _changes(ev: Evaluator, module: Module, name: str) -> bool:
    """Whether code of the module, or of the one that is evaluated, may change a table of this name."""
    return any(not _only_read(node, parents) for where in {module.path: module, ev.module.path: ev.module}.values()
               for node, parents in _mentions(where, name))


def _stores_are_seen(ev: Evaluator, module: Module, name: str) -> bool:
    """Whether all that may change a table is the storing of items in functions that are followed for their launches."""
    if module.path != ev.module.path:
        return False
    known = module.skeleton.definitions
    followed = [known[f].node for f in module.host_functions() if f in known]
    return all(_only_read(node, parents) or (_is_stored_into(node, parents) and _lies_within(node, parents, followed))
               for node, parents in _mentions(module, name))


def _is_stored_into(node: ast.expr, parents: Mapping[int, ast.AST]) -> bool:
    """Whether it is the table in `table[key] = value`, or in `table.setdefault(key, value)`."""
    above = parents.get(id(node))
    if isinstance(above, ast.Attribute):
        return above.attr in ("setdefault", "pop", "clear")
    return isinstance(above, ast.Subscript) and above.value is node and not isinstance(above.ctx, ast.Load)


def _lies_within(node: ast.expr, parents: Mapping[int, ast.AST], places: Collection[ast.AST]) -> bool:
    at: ast.AST | None = node
    while at is not None:
        if any(at is place for place in places):
            return True
        at = parents.get(id(at))
    return False


@dataclass(eq=False, slots=True)
class _Uses:
    """The nodes of a module: by `id` the node above each, and by name those that mention it."""

    parents: dict[int, ast.AST]
    named: dict[str, list[ast.Name | ast.Attribute]]


_USES: Final[WeakKeyDictionary[Module, _Uses]] = WeakKeyDictionary()


def _index_uses(module: Module) -> _Uses:
    found = _USES.get(module)
    if found is None:
        found = _USES[module] = _Uses({}, {})
        for node in walk(module.skeleton.tree):
            for child in children(node):
                found.parents[id(child)] = node
            if isinstance(node, ast.Name | ast.Attribute):
                found.named.setdefault(node.id if isinstance(node, ast.Name) else node.attr, []).append(node)
    return found


def _mentions(module: Module, name: str) -> Iterator[tuple[ast.expr, Mapping[int, ast.AST]]]:
    """Where a name, or another name of its import, is used in a module, with the node above each node."""
    uses = _index_uses(module)
    names = {name, *(local for bound in module.skeleton.scopes.values() for local, each in bound.items() if any(
        isinstance(b.binding, ImportBinding) and b.binding.dotted.rpartition(".")[2] == name for b in each))}
    yield from ((node, uses.parents) for each in sorted(names) for node in uses.named.get(each, ())
                if not isinstance(node.ctx, ast.Store))


def _only_read(node: ast.expr, parents: Mapping[int, ast.AST]) -> bool:
    """Whether a table stays as it is where it is used, and what is in it."""
    at, above = node, parents.get(id(node))
    while isinstance(above, ast.Subscript | ast.Attribute) and above.value is at:
        if not isinstance(above.ctx, ast.Load):
            return False
        if isinstance(above, ast.Attribute):
            return not isinstance(parents.get(id(above)), ast.Call) or above.attr in _READING or at is not node
        at, above = above, parents.get(id(above))
    if at is not node:
        return True  # an item of it
    if isinstance(above, ast.Call):
        return isinstance(above.func, ast.Name) and above.func.id in _ASKING and above.func is not node
    return isinstance(above, ast.Compare | ast.For | ast.comprehension | ast.If | ast.BoolOp | ast.UnaryOp | ast.Expr)


def _display(ev: Evaluator, value: tree.DictExpr, name: str, module: Module) -> Table:
    table = Table(name)
    if name not in ev.stores:
        frame = ev.frame(module, "<module>", None, None)
        state = State(variables={frame.number: {}})
        stores = ev.stores.setdefault(name, [])
        for key, node in zip(value.keys, value.values, strict=True):
            stored = freeze(ev.eval(node, frame, state), state)
            stores.append((ev.unknown("key") if key is None else ev.eval(key, frame, state), stored))
    return table


def class_member(ev: Evaluator, owner: Class, name: str) -> Value:
    """A class attribute: a constant, or a table when it is a dict."""
    label = f"{owner.qualname}.{name}"
    if may_be_set(owner.module, name) or may_be_set(ev.module, name):
        return ev.unknown(label)
    definition = owner.definition
    found = [] if definition is None else [
        stmt for stmt in definition.body if isinstance(stmt, tree.Assign) and any(
            isinstance(t, tree.Name) and t.id == name for t in stmt.targets)]
    node, _ = owner.module.skeleton.classes.get(owner.qualname, (None, 0))
    bound = 0 if node is None else sum(
        isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
        for part in node.body if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) for n in walk(part))
    if definition is not None and len(found) == bound == 1 and not sees_class(definition, found[0].value):
        table = table_from(ev, owner.module, found[0].value, label)
        return ev.constant(owner.module, found[0].value) if table is None else table
    return ev.unknown(label)


def is_rebound(owner: Class, name: str) -> bool:
    """Whether a class may give the name of one of its functions to something else."""
    node, _ = owner.module.skeleton.classes.get(owner.qualname, (None, 0))
    return node is None or count_bindings(node.body, name) != 1


_ASSIGNED: Final = re.compile(r"\.(\w+)(?=\s*(?:,[^=\n]*)?(?:[-+*/%|&^]|//|\*\*|<<|>>)?=[^=])")
_ANY_NAME: Final = re.compile(r"\bsetattr\s*\((?!\s*(?:self|ctx)\b)|\bvars\s*\(|__setattr__|__dict__")


def may_be_set(module: Module, name: str) -> bool:
    """Whether code of a module sets an attribute of this name, on any object."""
    names = _find_set_names(module.code)
    return names is None or name in names


@lru_cache(maxsize=256)
def _find_set_names(code: str) -> frozenset[str] | None:
    """The names of the attributes that code sets; None where it may set any."""
    return None if _ANY_NAME.search(code) else frozenset(_ASSIGNED.findall(code))


def resolve_record(ev: Evaluator, module: Module, value: Value) -> Value:
    """An object that a module holds, without what its code may have set since."""
    if isinstance(value, Items):
        return replace(value, items=tuple(resolve_record(ev, module, item) for item in value.items))
    if not isinstance(value, Record):
        return value
    return replace(value, fields=tuple(
        (name, ev.unknown(f"{value.key}.{name}") if any(may_be_set(m, name) for m in (module, ev.module)) else v)
        for name, v in value.fields))


def store(ev: Evaluator, table: Table, key: Value, value: Value, state: State) -> None:
    pair = (freeze(key, state), freeze(value, state))
    stores = ev.stores.setdefault(table.name, [])
    if pair not in stores:
        stores.append(pair)
    here = state.heap.get(f"table {table.name}", Contents())
    state.heap[f"table {table.name}"] = Contents((*here.items, value), (*here.keys, pair[0]))


def read(ev: Evaluator, table: Table, key: Value, state: State, otherwise: Value | None = None) -> Value:
    """The value under a key; `otherwise` if there is none."""
    frozen_key = freeze(key, state)
    if table.constant:
        found = [value for known, value in ev.stores.get(table.name, []) if may_equal(known, frozen_key)]
        exact = [value for known, value in ev.stores.get(table.name, []) if known == frozen_key]
        if isinstance(key, Plain | Int) and exact and len(found) == 1:
            return exact[0]
        if otherwise is not None:
            found.append(freeze(otherwise, state))
        label = ev.invent_name(table.name.rpartition(":")[2] + "[...]")
        return ev.build_from_origin(label, Member(label, tuple(found))) if found else ev.unknown(label)
    here = state.heap.get(f"table {table.name}")
    if here is not None and here.bound == "exact" and here.keys and here.keys[-1] == frozen_key:
        return here.items[-1]
    name = ev.invent_name(table.name.rpartition(":")[2] + "[...]")
    value = ev.build_from_origin(name, Stored(name, table.name, frozen_key, partial=table.partial))
    return value if otherwise is None else join_values(ev.doubt("stored"), value, otherwise)


def may_equal(a: Value, b: Value) -> bool:
    """Whether two keys may be equal."""
    if a == b:
        return True
    if isinstance(a, Items) and isinstance(b, Items):
        return len(a.items) == len(b.items) and all(
            may_equal(x, y) for x, y in zip(a.items, b.items, strict=True))
    if isinstance(a, Kernel | Plain) and isinstance(b, Kernel | Plain):
        return False
    if isinstance(a, Int) and isinstance(b, Int):
        return a.term.constant is None or b.term.constant is None
    return not (isinstance(a, Items | Int | Plain | Kernel) and isinstance(b, Items | Int | Plain | Kernel))


def candidates(ev: Evaluator, origin: Member | Stored, depth: int = _DEEP) -> tuple[Value, ...] | None:
    """The values a thing of this origin may have, before its path is followed; None when they are not all known."""
    if isinstance(origin, Member):
        return origin.values
    found = [value for key, value in ev.stores.get(origin.table, []) if may_equal(key, origin.key)]
    return tuple(found) if found else None


def kernels(ev: Evaluator, value: Value, depth: int = _DEEP) -> tuple[Kernel, ...]:
    """The kernels that the value may be."""
    if isinstance(value, Kernel):
        return (value,)
    if depth == 0:
        return ()
    out: list[Kernel] = []
    if isinstance(value, Choice):
        for _, option in value.options:
            out += kernels(ev, option, depth - 1)
    elif isinstance(value, Thing) and value.origin is not None:
        for candidate in candidates(ev, value.origin) or ():
            out += _walk_kernels(ev, candidate, value.origin.path, depth - 1)
    return tuple(dict.fromkeys(out))


def _walk_kernels(ev: Evaluator, value: Value, path: tuple[Step, ...], depth: int) -> list[Kernel]:
    if isinstance(value, Choice):
        return [k for _, option in value.options for k in _walk_kernels(ev, option, path, depth)]
    reached = follow_path(value, path)
    return [] if reached is None else list(kernels(ev, reached, depth))


def cases(ev: Evaluator, value: Value, paths: tuple[tuple[Step, ...], ...], depth: int = _DEEP) -> set[
        tuple[int | None, ...]] | None:
    """The combinations of integers that the paths may lead to; None in a place where any value is possible."""
    if depth == 0:
        return None
    if isinstance(value, Plain) and value.value is None and all(paths):
        return set()  # None has neither attributes nor items
    if isinstance(value, Choice):
        return _union(cases(ev, option, paths, depth) for _, option in value.options)
    if isinstance(value, Thing) and value.origin is not None:
        found = candidates(ev, value.origin)
        if found is None or (isinstance(value.origin, Stored) and value.origin.partial):
            return None
        longer = tuple((*value.origin.path, *path) for path in paths)
        return _union(cases(ev, candidate, longer, depth - 1) for candidate in found)
    firsts = {path[0] if path else None for path in paths}
    if len(firsts) == 1 and None not in firsts:
        (step,) = firsts
        inner = follow_path(value, (step,)) if step is not None else None
        return None if inner is None else cases(ev, inner, tuple(path[1:] for path in paths), depth)
    return {tuple(_integer(follow_path(value, path)) for path in paths)}


def _union(parts: Iterable[set[tuple[int | None, ...]] | None]) -> set[tuple[int | None, ...]] | None:
    out: set[tuple[int | None, ...]] = set()
    for part in parts:
        if part is None or len(out) > _MANY:
            return None
        out |= part
    return out


def _integer(value: Value | None) -> int | None:
    if isinstance(value, Int):
        return value.term.constant
    if isinstance(value, Truth) and value.cond.op in ("true", "false"):
        return 1 if value.cond.op == "true" else 0
    return None
