"""The skeleton of a file: its definitions, and the bindings of names by scope. It reads statements of `ast` only.

It is cheap enough for every relevant file; only the required definitions are then lowered.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from msgspec import Struct, field

from tilecheck.syntax.walk import walk

__all__ = [
    "NODE_FIELDS", "Binding", "Bound", "ClassBinding", "Definition", "FunctionBinding", "ImportBinding",
    "OpaqueBinding", "Skeleton", "StarImport", "ValueBinding", "add_parts", "binding_facts", "skeleton",
]

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


class Definition(Struct, frozen=True):
    """A function definition.

    first_line  the line of its first decorator
    above       last line of the previous statement; comments in between belong to the definition
    outer       qualified names of the enclosing functions, outermost first
    owner       qualified name of the enclosing class, or None
    """

    qualname: str
    node: FunctionNode
    first_line: int
    above: int
    outer: tuple[str, ...]
    owner: str | None

    @property
    def end_line(self) -> int:
        """The last line of the body."""
        return self.node.end_lineno or self.node.lineno


class ImportBinding(Struct, frozen=True):
    """`dotted` names the module or a name in it; `level` counts leading dots."""

    dotted: str
    level: int


class FunctionBinding(Struct, frozen=True):
    qualname: str


class ClassBinding(Struct, frozen=True):
    qualname: str


class ValueBinding(Struct, frozen=True):
    """The value of an assignment, or the item of it that `path` leads to through tuple displays."""

    statement: ast.Assign | ast.AnnAssign
    value: ast.expr
    path: tuple[int, ...] = ()


class OpaqueBinding(Struct, frozen=True):
    """Bound by a loop, a `with`, an unpacking, an augmented assignment, ..."""


Binding: TypeAlias = ImportBinding | FunctionBinding | ClassBinding | ValueBinding | OpaqueBinding


class Bound(Struct, frozen=True):
    """One binding of a name. `conditional` if it is under a branch, loop, or try."""

    binding: Binding
    conditional: bool


class StarImport(Struct, frozen=True):
    """`from dotted import *`; `before` has the number of bindings that each name of the module has above it."""

    dotted: str
    level: int
    before: Mapping[str, int]
    conditional: bool


class Skeleton(Struct, frozen=True):
    """`scopes` maps the qualified name of a function, or `` for the module, to the bindings of each name."""

    tree: ast.Module
    definitions: Mapping[str, Definition]
    classes: Mapping[str, tuple[ast.ClassDef, int]]
    scopes: Mapping[str, Mapping[str, tuple[Bound, ...]]]
    stars: tuple[StarImport, ...]
    functions_by_line: Mapping[int, str] = field(default_factory=dict)

    def scope_chain(self, qualname: str) -> tuple[str, ...]:
        """The scopes for the lookup of a name in this function, innermost first."""
        definition = self.definitions.get(qualname)
        return ("",) if definition is None else (qualname, *reversed(definition.outer), "")


def binding_facts(skeleton: Skeleton, bound: Bound) -> tuple[object, ...]:
    """A binding as plain values, source positions included. The `repr` is the same in every process."""
    match bound.binding:
        case ImportBinding(dotted, level):
            return bound.conditional, "import", dotted, level
        case FunctionBinding(qualname):
            return bound.conditional, "function", qualname
        case ClassBinding(qualname):
            methods = tuple(name for name in skeleton.definitions if name.startswith(f"{qualname}."))
            return bound.conditional, "class", qualname, methods
        case ValueBinding(value=value, path=path):
            return bound.conditional, "value", path, ast.dump(value, include_attributes=True)
    return bound.conditional, "opaque"


def skeleton(tree: ast.Module) -> Skeleton:
    """Read the skeleton off a syntax tree."""
    builder = _Builder()
    builder.visit_block(tree.body, _Place("", (), None, "", False), 0)
    return Skeleton(
        tree,
        builder.definitions,
        builder.classes,
        {scope: {name: tuple(bound) for name, bound in names.items()} for scope, names in builder.scopes.items()},
        tuple(builder.stars),
        {definition.node.lineno: qualname for qualname, definition in builder.definitions.items()},
    )


class _Place(Struct, frozen=True):
    """The position of a block. `prefix` begins the qualified names of its definitions; `scope` has its names."""

    prefix: str
    outer: tuple[str, ...]
    owner: str | None
    scope: str | None
    conditional: bool

    def under_condition(self) -> _Place:
        return self if self.conditional else _Place(self.prefix, self.outer, self.owner, self.scope, True)


class _Builder:
    def __init__(self) -> None:
        self.definitions: dict[str, Definition] = {}
        self.classes: dict[str, tuple[ast.ClassDef, int]] = {}
        self.scopes: dict[str, dict[str, list[Bound]]] = {"": {}}
        self.globals: dict[str, set[str]] = {}
        self.stars: list[StarImport] = []

    def visit_block(self, body: Iterable[ast.stmt], place: _Place, above: int) -> None:
        for statement in body:
            handler = _HANDLERS.get(type(statement))
            if handler is not None:
                handler(self, statement, place, above)
            above = statement.end_lineno or above

    def bind(self, place: _Place, name: str, binding: Binding) -> None:
        scope, conditional = place.scope, place.conditional
        if scope is None:
            return
        if name in self.globals.get(scope, ()):
            # reassigned in a function, at an unknown time
            scope, binding, conditional = "", OpaqueBinding(), True
        self.scopes[scope].setdefault(name, []).append(Bound(binding, conditional))

    def bind_target(
        self, place: _Place, target: ast.expr, statement: ast.Assign | ast.AnnAssign, value: ast.expr,
        path: tuple[int, ...],
    ) -> None:
        if isinstance(target, ast.Name):
            self.bind(place, target.id, ValueBinding(statement, value, path))
            return
        if isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
            targets, values = target.elts, value.elts
            plain = not any(isinstance(item, ast.Starred) for item in (*targets, *values))
            if plain and len(targets) == len(values):
                for index, (item, part) in enumerate(zip(targets, values, strict=True)):
                    self.bind_target(place, item, statement, part, (*path, index))
                return
        if isinstance(target, ast.Attribute):
            self.change_class(place, target.value)
        if isinstance(target, ast.Subscript):
            self.change_global(target)
        self.bind_opaque(place, target)

    def change_global(self, target: ast.Subscript) -> None:
        """`globals()["N"] = ...` makes the name of the module opaque."""
        owner, key = target.value, target.slice
        called = owner.func if isinstance(owner, ast.Call) else None
        names = isinstance(called, ast.Name) and called.id in ("globals", "vars")
        if names and isinstance(key, ast.Constant) and isinstance(key.value, str):
            self.scopes[""].setdefault(key.value, []).append(Bound(OpaqueBinding(), True))

    def change_class(self, place: _Place, owner: ast.expr) -> None:
        """`C.x = ...` outside the class makes the class opaque."""
        if not isinstance(owner, ast.Name) or (owner.id in self.scopes.get(place.scope or "", {}) and place.scope):
            return
        bounds = self.scopes[""].get(owner.id, [])
        if any(isinstance(bound.binding, ClassBinding) for bound in bounds):
            bounds.append(Bound(OpaqueBinding(), True))

    def bind_opaque(self, place: _Place, target: ast.AST | None) -> None:
        if target is None or place.scope is None:
            return
        for node in walk(target):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self.bind(place, node.id, OpaqueBinding())

    def bind_walrus(self, place: _Place, expression: ast.AST | None) -> None:
        """Only module-level statements are searched: a walrus in a function binds no name of the module."""
        if expression is None or place.scope != "":
            return
        for node in walk(expression):
            if isinstance(node, ast.NamedExpr):
                self.bind(place, node.target.id, OpaqueBinding())

    def unique_name(self, qualname: str, taken: Mapping[str, object]) -> str:
        if qualname not in taken:
            return qualname
        number = 2
        while f"{qualname}#{number}" in taken:
            number += 1
        return f"{qualname}#{number}"

    def visit_function(self, node: FunctionNode, place: _Place, above: int) -> None:
        qualname = self.unique_name(place.prefix + node.name, self.definitions)
        first_line = min((decorator.lineno for decorator in node.decorator_list), default=node.lineno)
        self.definitions[qualname] = Definition(qualname, node, first_line, above, place.outer, place.owner)
        self.bind(place, node.name, FunctionBinding(qualname))
        self.scopes[qualname] = {}
        for parameter in _parameters(node.args):
            self.scopes[qualname][parameter] = [Bound(OpaqueBinding(), False)]
        inside = _Place(qualname + ".", (*place.outer, qualname), None, qualname, False)
        self.visit_block(node.body, inside, node.lineno)

    def visit_class(self, node: ast.ClassDef, place: _Place, above: int) -> None:
        qualname = self.unique_name(place.prefix + node.name, self.classes)
        self.classes[qualname] = (node, above)
        self.bind(place, node.name, ClassBinding(qualname))
        self.visit_block(node.body, _Place(qualname + ".", place.outer, qualname, None, False), node.lineno)

    def visit_assign(self, node: ast.Assign, place: _Place, above: int) -> None:
        for target in node.targets:
            self.bind_target(place, target, node, node.value, ())
        self.bind_walrus(place, node.value)

    def visit_annotated_assign(self, node: ast.AnnAssign, place: _Place, above: int) -> None:
        if node.value is not None:
            self.bind_target(place, node.target, node, node.value, ())
            self.bind_walrus(place, node.value)

    def visit_augmented_assign(self, node: ast.AugAssign, place: _Place, above: int) -> None:
        if isinstance(node.target, ast.Name):
            self.bind(place.under_condition(), node.target.id, OpaqueBinding())
        elif isinstance(node.target, ast.Attribute):
            self.change_class(place, node.target.value)

    def visit_type_alias(self, node: Any, place: _Place, above: int) -> None:
        self.bind_opaque(place, node.name)

    def visit_delete(self, node: ast.Delete, place: _Place, above: int) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.bind(place.under_condition(), target.id, OpaqueBinding())

    def visit_import(self, node: ast.Import, place: _Place, above: int) -> None:
        for alias in node.names:
            # `import a.b` binds `a`
            top = alias.name.partition(".")[0]
            self.bind(place, alias.asname or top, ImportBinding(alias.name if alias.asname else top, 0))

    def visit_import_from(self, node: ast.ImportFrom, place: _Place, above: int) -> None:
        base = node.module or ""
        for alias in node.names:
            if alias.name == "*":
                before = {name: len(bounds) for name, bounds in self.scopes[""].items()}
                self.stars.append(StarImport(base, node.level, before, place.conditional))
            else:
                dotted = f"{base}.{alias.name}" if base else alias.name
                self.bind(place, alias.asname or alias.name, ImportBinding(dotted, node.level))

    def visit_global(self, node: ast.Global, place: _Place, above: int) -> None:
        if place.scope:
            self.globals.setdefault(place.scope, set()).update(node.names)

    def visit_branch(self, node: ast.If | ast.While, place: _Place, above: int) -> None:
        self.bind_walrus(place, node.test)
        inside = place.under_condition()
        self.visit_block(node.body, inside, node.lineno)
        self.visit_block(node.orelse, inside, _last_line(node.body, node))

    def visit_for(self, node: ast.For | ast.AsyncFor, place: _Place, above: int) -> None:
        inside = place.under_condition()
        self.bind_opaque(inside, node.target)
        self.bind_walrus(place, node.iter)
        self.visit_block(node.body, inside, node.lineno)
        self.visit_block(node.orelse, inside, _last_line(node.body, node))

    def visit_with(self, node: ast.With | ast.AsyncWith, place: _Place, above: int) -> None:
        for item in node.items:
            self.bind_opaque(place, item.optional_vars)
            self.bind_walrus(place, item.context_expr)
        self.visit_block(node.body, place, node.lineno)

    def visit_try(self, node: ast.Try | ast.TryStar, place: _Place, above: int) -> None:
        inside = place.under_condition()
        above = node.lineno
        for block in (node.body, *(handler.body for handler in node.handlers), node.orelse, node.finalbody):
            self.visit_block(block, inside, above)
            above = _last_line(block, node, above)
        for handler in node.handlers:
            if handler.name is not None:
                self.bind(inside, handler.name, OpaqueBinding())

    def visit_match(self, node: ast.Match, place: _Place, above: int) -> None:
        inside = place.under_condition()
        for case in node.cases:
            for part in walk(case.pattern):
                name = getattr(part, "name", None) or getattr(part, "rest", None)
                if isinstance(name, str):
                    self.bind(inside, name, OpaqueBinding())
            self.visit_block(case.body, inside, case.pattern.lineno)

    def visit_expression(self, node: ast.Expr, place: _Place, above: int) -> None:
        self.bind_walrus(place, node.value)


_NO_PARTS: Final = frozenset({"attr", "arg", "conversion", "ctx", "id", "kind", "op", "ops", "type_comment"})
NODE_FIELDS: Final[dict[type, tuple[str, ...]]] = {
    kind: () if kind is ast.Constant else tuple(name for name in kind._fields if name not in _NO_PARTS)
    for kind in vars(ast).values() if isinstance(kind, type) and issubclass(kind, ast.AST)}
"""The fields of each kind of node, without those that contain no name, attribute or call."""


def add_parts(node: object, out: list[object]) -> None:
    """Add the direct children of a node, without contexts and operators. Some may not be nodes; those have no parts."""
    for name in NODE_FIELDS.get(type(node), ()):
        value = getattr(node, name, None)
        if isinstance(value, list):
            out += value
        elif value is not None:
            out.append(value)


def _last_line(block: list[ast.stmt], node: ast.stmt, default: int = 0) -> int:
    return (block[-1].end_lineno if block else None) or default or node.lineno


def _parameters(args: ast.arguments) -> list[str]:
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    every.extend(arg for arg in (args.vararg, args.kwarg) if arg is not None)
    return [arg.arg for arg in every]


_HANDLERS: Final[dict[type[ast.stmt], Callable[[_Builder, Any, _Place, int], None]]] = {
    ast.FunctionDef: _Builder.visit_function,
    ast.AsyncFunctionDef: _Builder.visit_function,
    ast.ClassDef: _Builder.visit_class,
    ast.Assign: _Builder.visit_assign,
    ast.AnnAssign: _Builder.visit_annotated_assign,
    ast.AugAssign: _Builder.visit_augmented_assign,
    ast.Delete: _Builder.visit_delete,
    ast.Import: _Builder.visit_import,
    ast.ImportFrom: _Builder.visit_import_from,
    ast.Global: _Builder.visit_global,
    ast.If: _Builder.visit_branch,
    ast.While: _Builder.visit_branch,
    ast.For: _Builder.visit_for,
    ast.AsyncFor: _Builder.visit_for,
    ast.With: _Builder.visit_with,
    ast.AsyncWith: _Builder.visit_with,
    ast.Try: _Builder.visit_try,
    ast.TryStar: _Builder.visit_try,
    ast.Match: _Builder.visit_match,
    ast.Expr: _Builder.visit_expression,
    **({ast.TypeAlias: _Builder.visit_type_alias} if hasattr(ast, "TypeAlias") else {}),
}
