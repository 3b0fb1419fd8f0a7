"""The escape of kernels that are named in functions without launches: the calls that receive them and their storage.

Functions that may launch are evaluated; the evaluation gives the values that escape from them.

The analysis follows a kernel through names of a function and of the module, displays, conditional expressions, lambdas,
and the arguments and results of functions of the checked tree. It ignores the order of statements. A kernel escapes if
code that is not followed receives it, or receives an object that contains it. It also escapes if it is stored in an
attribute or in an object that other code may have.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from tilecheck.interp.host import launch_sites as record
from tilecheck.interp.host.library import HARMLESS, gives_kernel, named_helper
from tilecheck.interp.host.methods import KERNEL_COPIES
from tilecheck.interp.host.values import Kernel
from tilecheck.project.resolve import ClassAt, FunctionAt, Origin, ValueAt, dotted_parts
from tilecheck.project.skeleton import FunctionBinding, ImportBinding
from tilecheck.project.targets import ExternalName, TileName
from tilecheck.syntax.text import SourceError
from tilecheck.syntax.walk import children, walk

if TYPE_CHECKING:
    from tilecheck.interp.host.interpreter import Evaluator
    from tilecheck.project.module import Module

__all__ = ["STORING", "find_escaping_kernels"]

STORING: Final = frozenset({"add", "append", "extend", "insert", "replace_hints", "setdefault", "update"})
"""Methods that store their arguments, or build a kernel from them."""
_HOLDING: Final = frozenset({
    "abs", "bool", "dict", "enumerate", "frozenset", "getattr", "id", "int", "iter", "len", "list", "next", "range",
    "reversed", "set", "sorted", "super", "tuple", "vars", "zip",
})
"""Builtins that call none of their arguments, and may return an argument or an object that contains it."""
_FRESH: Final = (ast.List, ast.Dict, ast.Set, ast.Tuple, ast.ListComp, ast.SetComp, ast.DictComp, ast.Constant)
_BODY: Final = "<module>"

_Token: TypeAlias = tuple[Kernel | str, str]
"""A kernel or a parameter of the function, and how a value has to do with it: it `is` it, it is `in` the value, or the
value is part `of` it."""
_Tokens: TypeAlias = frozenset[_Token]
_Key: TypeAlias = tuple[str, str]
_NOTHING: Final[_Tokens] = frozenset()
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


def _wrap_tokens(tokens: Iterable[_Token]) -> _Tokens:
    """The tokens of an object that contains values with these tokens."""
    return frozenset((what, "in" if how == "is" else how) for what, how in tokens)


def _part(tokens: Iterable[_Token]) -> _Tokens:
    """A part of values; one of a kernel is none."""
    return frozenset((what, "of" if how == "is" else how) for what, how in tokens
                     if how != "is" or isinstance(what, str))


def _substitute_token(token: _Token, arguments: Mapping[str, _Tokens]) -> _Tokens:
    """The tokens at a call that a token of the called function stands for."""
    what, how = token
    if not isinstance(what, str):
        return frozenset((token,))
    passed = arguments.get(what, _NOTHING)
    return passed if how == "is" else _wrap_tokens(passed) if how == "in" else _part(passed)


def find_escaping_kernels(ev: Evaluator, module: Module, launchers: frozenset[str]) -> set[Kernel]:
    """The kernels that code of the module may hand to code that is not seen, or keep where such code finds them.

    launchers   the names by which the module knows the functions that launch
    """
    flows = _Flows(ev, module, launchers)
    evaluated = module.host_functions()
    for name in (_BODY, *module.skeleton.definitions):
        if name not in evaluated:
            flows.ask((module.path, name))
    flows.run()
    return flows.found


class _Flows:
    """The data flow of kernels through the requested functions, as a fixed point that grows from nothing."""

    def __init__(self, ev: Evaluator, module: Module, launchers: frozenset[str]) -> None:
        self.ev = ev
        self.module = module
        self.launchers = launchers
        self.found: set[Kernel] = set()
        self.returned: dict[_Key, _Tokens] = {}
        self.lost: dict[_Key, _Tokens] = {}
        self.globals: dict[_Key, _Tokens] = {}
        self.readers: dict[tuple[str, _Key], set[_Key]] = {}
        self.pending: dict[_Key, None] = {}
        self.units: dict[_Key, _Unit] = {}

    def ask(self, key: _Key) -> None:
        if key not in self.returned:
            self.returned[key] = self.lost[key] = _NOTHING
            self.pending[key] = None

    def run(self) -> None:
        while self.pending:
            key = next(iter(self.pending))
            del self.pending[key]
            unit = self.units.get(key)
            if unit is None:
                unit = self.units[key] = _Unit(self, self.ev.project.module(key[0]), key[1])
            unit.run()

    def read(self, kind: str, table: dict[_Key, _Tokens], key: _Key, reader: _Key) -> _Tokens:
        self.readers.setdefault((kind, key), set()).add(reader)
        return table.get(key, _NOTHING)

    def add(self, kind: str, table: dict[_Key, _Tokens], key: _Key, tokens: _Tokens) -> None:
        before = table.get(key, _NOTHING)
        if not tokens <= before:
            table[key] = before | tokens
            for reader in sorted(self.readers.get((kind, key), ())):
                self.pending[reader] = None


class _Unit:
    """A function with those inside it, or the statements of a module that are in no function."""

    def __init__(self, flows: _Flows, module: Module, name: str) -> None:
        self.flows = flows
        self.module = module
        self.name = name
        self.key = (module.path, name)
        self.variables: dict[str, _Tokens] = {}
        self.shared: set[str] = set()
        """Variables whose objects others may have."""
        self.inner: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}
        self.imports: dict[str, Origin | None] = {}
        self.origins: dict[int, Origin | None] = {}
        self.results: dict[int, _Tokens] = {}
        """Results of calls in this pass over the nodes."""
        self.method = False
        self.launchers = flows.launchers
        skeleton = module.skeleton
        if name == _BODY:
            self.nodes = [n for n in _find_outer_nodes(skeleton.tree) if type(n) in _DOING]
            self.local: set[str] = set()
            return
        definition = skeleton.definitions.get(name)
        self.nodes = []
        self.local = set()
        # an inner function is analysed with the function around it, and kernels are not host code
        if definition is None or definition.outer or record.is_kernel(flows.ev, module, name) or (
                name in module.host_functions()):
            return
        self.method = definition.owner is not None
        node = definition.node
        self.nodes = [n for s in node.body for n in walk(s)]
        declared = {name for n in self.nodes if isinstance(n, ast.Global) for name in n.names}
        for parameter in _parameters(node.args):
            self.variables[parameter] = frozenset(((parameter, "is"),))
            self.shared.add(parameter)
            self.local.add(parameter)
        for n in self.nodes:
            if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load):
                self.local.add(n.id)
            elif isinstance(n, _FUNCTIONS):
                self.local.add(n.name)
                self.inner[n.name] = n
                self.local.update(_parameters(n.args))
            elif isinstance(n, ast.Lambda):
                self.local.update(_parameters(n.args))
            elif isinstance(n, ast.MatchAs | ast.MatchStar) and n.name is not None:
                self.local.add(n.name)
            elif isinstance(n, ast.Import | ast.ImportFrom):
                self._import(n)
            elif isinstance(n, ast.Assign) and _launches(n.value, flows.launchers):
                self.launchers |= {t.id for t in n.targets if isinstance(t, ast.Name)}
        self.local -= declared
        self.nodes = [n for n in self.nodes if type(n) in _DOING]

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        resolver = self.flows.ev.project.resolver
        level = 0 if isinstance(node, ast.Import) else node.level
        prefix = f"{node.module}." if isinstance(node, ast.ImportFrom) and node.module else ""
        for alias in node.names:
            name = alias.name if isinstance(node, ast.ImportFrom) or alias.asname else alias.name.partition(".")[0]
            self.imports[alias.asname or name] = resolver.resolve_import(self.module, prefix + name, level)

    def run(self) -> None:
        changed = True
        while changed:
            before, shared = dict(self.variables), len(self.shared)
            self.results.clear()
            for node in self.nodes:
                _DOING[type(node)](self, node)
            changed = before != self.variables or shared != len(self.shared)

    # --- what becomes of values --------------------------------------------------------------------------------------

    def lose(self, tokens: _Tokens) -> None:
        """Code that is not seen may have the values."""
        if tokens:
            self.flows.found.update(what for what, _ in tokens if isinstance(what, Kernel))
            self.flows.add("lost", self.flows.lost, self.key, tokens)

    def bind(self, target: ast.expr, tokens: _Tokens, fresh: bool) -> None:
        """Assign to a target: the value may be in any part of it."""
        if isinstance(target, ast.Name):
            self.name_is(target.id, tokens, fresh)
        elif isinstance(target, ast.Tuple | ast.List):
            for part in target.elts:
                self.bind(part, tokens | _part(tokens), False)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, _wrap_tokens(tokens), fresh)
        elif isinstance(target, ast.Subscript):
            self.keep(target.value, tokens)
        elif tokens:
            self.lose(tokens)

    def name_is(self, name: str, tokens: _Tokens, fresh: bool) -> None:
        if not fresh:
            self.shared.add(name)
        if name in self.local:
            self.variables[name] = self.variables.get(name, _NOTHING) | tokens
        elif tokens:
            self.lose(frozenset(t for t in tokens if isinstance(t[0], str)))
            self.flows.add("global", self.flows.globals, (self.module.path, name), frozenset(
                t for t in tokens if not isinstance(t[0], str)))

    def keep(self, owner: ast.expr, tokens: _Tokens) -> None:
        """An object keeps the values."""
        if not tokens:
            return
        while isinstance(owner, ast.Subscript):
            owner = owner.value
        if isinstance(owner, ast.Name) and (owner.id not in self.local or owner.id not in self.shared):
            self.name_is(owner.id, _wrap_tokens(tokens), True)
        elif not isinstance(owner, _FRESH):
            self.lose(tokens)

    # --- what values are ---------------------------------------------------------------------------------------------

    def value(self, node: object) -> _Tokens:
        handler = _VALUES.get(type(node))
        if handler is not None:
            return handler(self, node)
        parts = children(node) if isinstance(node, ast.AST) else ()
        return frozenset().union(*map(self.value, parts))

    def origin(self, node: ast.expr) -> Origin | None:
        """The meaning of a dotted name outside of the function, or by an import in it."""
        key = id(node)
        if key not in self.origins:
            self.origins[key] = self._find_origin(node)
        return self.origins[key]

    def _find_origin(self, node: ast.expr) -> Origin | None:
        parts = dotted_parts(node)
        if parts is None:
            return None
        resolver = self.flows.ev.project.resolver
        try:
            if parts[0] in self.imports:
                found = self.imports[parts[0]]
                for part in parts[1:]:
                    found = None if found is None else resolver.attribute(found, part, self.module)
                return found
            return None if parts[0] in self.local else resolver.chain(self.module, parts)
        except SourceError:
            return None

    def meaning(self, origin: Origin | None) -> _Tokens:
        if isinstance(origin, FunctionAt):
            if record.is_kernel(self.flows.ev, origin.module, origin.qualname):
                return frozenset(((Kernel(origin.module.path, origin.qualname), "is"),))
            return _wrap_tokens(
                t for t in self.returns((origin.module.path, origin.qualname)) if not isinstance(t[0], str)
            )
        if isinstance(origin, ValueAt) and not origin.scope:
            self.flows.ask((origin.module.path, _BODY))
            names = [n.id for n in walk(origin.binding.statement) if isinstance(n, ast.Name) and isinstance(
                n.ctx, ast.Store)]
            return frozenset().union(*(self.flows.read(
                "global", self.flows.globals, (origin.module.path, name), self.key) for name in names))
        return _NOTHING

    def returns(self, key: _Key) -> _Tokens:
        self.flows.ask(key)
        return self.flows.read("returned", self.flows.returned, key, self.key)

    def read_name(self, node: ast.Name) -> _Tokens:
        name = node.id
        if name in self.imports:
            return self.meaning(self.imports[name])
        if name in self.local:
            return self.variables.get(name, _NOTHING)
        here = self.flows.read("global", self.flows.globals, (self.module.path, name), self.key)
        if name not in self.module.skeleton.scopes[""] and not self.module.skeleton.stars:
            return here
        origin = self.origin(node)
        if origin is not None:
            return here | self.meaning(origin)
        for bound in self.module.skeleton.scopes[""].get(name, ()):  # one of several
            binding = bound.binding
            if isinstance(binding, FunctionBinding):
                here |= self.meaning(FunctionAt(self.module, binding.qualname))
            elif isinstance(binding, ImportBinding):
                here |= self.meaning(self.flows.ev.project.resolver.resolve_import(
                    self.module, binding.dotted, binding.level))
        return here

    def attribute(self, node: ast.Attribute) -> _Tokens:
        origin = self.origin(node)
        if origin is not None:
            return self.meaning(origin)
        owner = self.value(node.value)
        return owner if node.attr in ("_pyfunc", "pyfunc", "__wrapped__") else _part(owner)

    def call(self, node: ast.Call) -> _Tokens:
        """The result of a call. Each pass evaluates it once, even if it is part of several expressions."""
        key = id(node)
        if key not in self.results:
            self.results[key] = self._call(node)
        return self.results[key]

    def _call(self, node: ast.Call) -> _Tokens:
        given = [self.value(a) for a in node.args]
        named = [(k.arg, self.value(k.value)) for k in node.keywords]
        every = frozenset().union(*given, *(tokens for _, tokens in named))
        func = node.func
        helper = named_helper(func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(
            func, ast.Name) else "")
        if helper is not None and gives_kernel(helper) and given:
            return given[0]
        if isinstance(func, ast.Attribute):
            owner = self.value(func.value)
            if func.attr in KERNEL_COPIES and owner:
                return owner
            if _launches(func, self.launchers):
                return _NOTHING
            origin = self.origin(func)
            if isinstance(origin, FunctionAt | ClassAt):
                return self.call_function(origin, node, given, named)
            if func.attr in STORING and not isinstance(origin, ExternalName):
                self.keep(func.value, every)
                return _wrap_tokens(every) | _part(owner)
            if func.attr not in HARMLESS and not isinstance(origin, TileName):
                self.lose(every)
            return _part(owner)
        if not isinstance(func, ast.Name):
            self.lose(every)
            return _wrap_tokens(self.value(func))
        if _launches(func, self.launchers):
            return _NOTHING
        if func.id in self.inner:
            return self.called_inside(self.inner[func.id], every)
        origin = self.origin(func)
        if isinstance(origin, FunctionAt | ClassAt):
            return self.call_function(origin, node, given, named)
        if func.id in _HOLDING and func.id not in self.local:
            return _wrap_tokens(every) | every
        if func.id not in HARMLESS and not isinstance(origin, TileName):
            self.lose(every)
        return _wrap_tokens(self.value(func))

    def called_inside(self, node: ast.FunctionDef | ast.AsyncFunctionDef, every: _Tokens) -> _Tokens:
        """A call of a function inside this one: any parameter may be what any argument is."""
        for parameter in _parameters(node.args):
            self.name_is(parameter, every, False)
        return self.variables.get(node.name, _NOTHING)

    def call_function(
        self, origin: FunctionAt | ClassAt, node: ast.Call, given: list[_Tokens],
        named: list[tuple[str | None, _Tokens]],
    ) -> _Tokens:
        """The result of a function of the checked tree. A new object contains the arguments of its class."""
        every = frozenset().union(*given, *(tokens for _, tokens in named))
        if isinstance(origin, ClassAt):
            started = f"{origin.qualname}.__init__"
            if started in origin.module.skeleton.definitions:
                self.call_function(FunctionAt(origin.module, started), node, given, named)
            else:
                found, _ = origin.module.skeleton.classes.get(origin.qualname, (None, 0))
                if found is None or found.bases or found.keywords:
                    self.lose(every)  # the analysis does not look for the use of arguments by a base class
            return _wrap_tokens(every)
        definition = origin.module.skeleton.definitions.get(origin.qualname)
        key = (origin.module.path, origin.qualname)
        if definition is None or record.is_kernel(self.flows.ev, origin.module, origin.qualname):
            return _NOTHING
        result = self.returns(key)
        lost = self.flows.read("lost", self.flows.lost, key, self.key)
        names = [a.arg for a in (*definition.node.args.posonlyargs, *definition.node.args.args)]
        arguments = dict.fromkeys(_parameters(definition.node.args), _NOTHING)
        if any(isinstance(a, ast.Starred) for a in node.args) or any(name is None for name, _ in named) or (
                definition.owner is not None):
            arguments = dict.fromkeys(arguments, every | _wrap_tokens(every) | _part(every))
        else:
            vararg, kwarg = definition.node.args.vararg, definition.node.args.kwarg
            for at, tokens in enumerate(given):
                if at < len(names):
                    arguments[names[at]] |= tokens
                elif vararg is not None:
                    arguments[vararg.arg] |= _wrap_tokens(tokens)
            for name, tokens in named:
                if name in arguments:
                    arguments[name] |= tokens
                elif kwarg is not None:
                    arguments[kwarg.arg] |= _wrap_tokens(tokens)
        for token in lost:
            if isinstance(token[0], str):  # the analysis of that function reports the kernels that it names itself
                self.lose(_substitute_token(token, arguments))
        return frozenset().union(*(_substitute_token(token, arguments) for token in result))


def _find_outer_nodes(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes of a module outside of functions. `_class` handles the values of attributes of a class."""
    nodes: list[ast.AST] = list(tree.body)
    for node in nodes:
        yield node
        if isinstance(node, _FUNCTIONS):
            nodes += node.decorator_list
        else:
            nodes += children(node)


def _parameters(args: ast.arguments) -> list[str]:
    found = [*args.posonlyargs, *args.args, *args.kwonlyargs, *([args.vararg] if args.vararg else ()),
             *([args.kwarg] if args.kwarg else ())]
    return [a.arg for a in found]


def _launches(node: ast.expr, names: frozenset[str]) -> bool:
    return (node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else "") in names


# --- expressions -----------------------------------------------------------------------------------------------------

def _comprehension(unit: _Unit, node: Any) -> _Tokens:
    parts = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
    return _wrap_tokens(frozenset().union(*map(unit.value, parts)))


def _display(unit: _Unit, node: Any) -> _Tokens:
    return _wrap_tokens(frozenset().union(*map(unit.value, children(node))))


def _subscript(unit: _Unit, node: ast.Subscript) -> _Tokens:
    return _part(unit.value(node.value))


def _evaluate_to_nothing(unit: _Unit, node: Any) -> _Tokens:
    return _NOTHING


_VALUES: Final[Mapping[type, Callable[[_Unit, Any], _Tokens]]] = {
    ast.Name: lambda u, n: u.read_name(n),
    ast.Attribute: lambda u, n: u.attribute(n),
    ast.Call: lambda u, n: u.call(n),
    ast.Subscript: _subscript,
    ast.Compare: _evaluate_to_nothing,
    ast.JoinedStr: _evaluate_to_nothing,
    ast.UnaryOp: _evaluate_to_nothing,
    ast.Constant: _evaluate_to_nothing,
    ast.Lambda: lambda u, n: _wrap_tokens(u.value(n.body)),
    ast.List: _display,
    ast.Tuple: _display,
    ast.Set: _display,
    ast.Dict: _display,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.IfExp: lambda u, n: u.value(n.body) | u.value(n.orelse),
    ast.NamedExpr: lambda u, n: u.value(n.value),
}


# --- what statements and expressions do ------------------------------------------------------------------------------

def _assign(unit: _Unit, node: Any) -> None:
    if node.value is not None:
        tokens = unit.value(node.value)
        fresh = isinstance(node.value, _FRESH)
        for target in node.targets if isinstance(node, ast.Assign) else (node.target,):
            unit.bind(target, tokens, fresh)


def _iterate(unit: _Unit, node: Any) -> None:
    unit.bind(node.target, _part(unit.value(node.iter)), False)


def _with(unit: _Unit, node: ast.withitem) -> None:
    if node.optional_vars is not None:
        tokens = unit.value(node.context_expr)
        unit.bind(node.optional_vars, tokens | _part(tokens), False)


def _match(unit: _Unit, node: ast.Match) -> None:
    tokens = unit.value(node.subject)
    for inner in (n for case in node.cases for n in walk(case.pattern)):
        if isinstance(inner, ast.MatchAs | ast.MatchStar) and inner.name is not None:
            unit.name_is(inner.name, tokens | _part(tokens), False)


def _return(unit: _Unit, node: Any) -> None:
    if node.value is None:
        return
    tokens = unit.value(node.value)
    tokens = _wrap_tokens(tokens) if isinstance(node, ast.Yield) else tokens
    inside = _innermost(unit, node)
    if inside is not None:
        unit.name_is(inside, _wrap_tokens(tokens), False)
    else:
        unit.flows.add("returned", unit.flows.returned, unit.key, tokens)
        if unit.method:  # who calls it is not seen
            unit.lose(frozenset(t for t in tokens if not isinstance(t[0], str)))


def _innermost(unit: _Unit, node: ast.AST) -> str | None:
    """The function inside this one in which a statement stands. One of several is as good as all."""
    found = [f for f in unit.inner.values() if f.lineno <= node.lineno <= (f.end_lineno or f.lineno) and any(  # type: ignore[attr-defined]
        n is node for n in walk(f))]
    return max(found, key=lambda f: f.lineno).name if found else None


def _call(unit: _Unit, node: ast.Call) -> None:
    unit.call(node)


def _class(unit: _Unit, node: ast.ClassDef) -> None:
    """The values of the attributes of a class escape: other code can read them."""
    for statement in node.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            unit.lose(unit.value(statement.value))


_DOING: Final[Mapping[type, Callable[[_Unit, Any], None]]] = {
    ast.Assign: _assign, ast.AnnAssign: _assign, ast.AugAssign: _assign, ast.NamedExpr: _assign,
    ast.For: _iterate, ast.AsyncFor: _iterate, ast.comprehension: _iterate, ast.withitem: _with, ast.Match: _match,
    ast.Return: _return, ast.Yield: _return, ast.YieldFrom: _return,
    ast.Call: _call, ast.ClassDef: _class,
}
