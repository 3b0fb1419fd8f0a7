"""Finds kernels: definitions with a decorator, and functions that a call turns into a kernel."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct

from tilecheck.project.resolve import FunctionAt, Origin, ValueAt, dotted_parts
from tilecheck.project.skeleton import Definition, FunctionBinding, ImportBinding, ValueBinding, add_parts
from tilecheck.project.targets import ExternalName, TileName
from tilecheck.syntax.text import SourceError

if TYPE_CHECKING:
    from tilecheck.project.module import Module
    from tilecheck.project.project import Project

__all__ = ["Found", "decorated_kernels", "find"]

Dialect: TypeAlias = Literal["tile", "runtime"]

_PARTIAL: Final = frozenset({"functools.partial", "partial"})
_PASSED: Final = re.compile(r"\([ \t\n]*([A-Za-z_]\w*)[ \t\n]*[,)]")
"""A call whose first argument is a name."""
_BEFORE: Final = re.compile(r"[ \t]*(\w*[A-Za-z_])\b")
"""The called name, for reversed text."""
_DEPTH: Final = 12


class Found(Struct, frozen=True):
    """A kernel by the location of its definition."""

    module: Module
    qualname: str
    how: Literal["decorator", "call"]
    dialect: bool


class _Maker(Struct, frozen=True):
    """A callable that creates a kernel from parameter `position` (or from keyword `keyword`)."""

    dialect: Dialect
    position: int = 0
    keyword: str = ""


def find(project: Project, module: Module) -> tuple[Found, ...]:
    """The kernels that a file defines or creates, in order of definition; those of other files come last."""
    finder = _Finder(project, module)
    found = {(kernel.module.path, kernel.qualname): kernel for kernel in finder.find_decorated(module)}
    for kernel in finder.find_created():
        key = (kernel.module.path, kernel.qualname)
        if key not in found and not (kernel.module is not module and finder.is_decorated(kernel)):
            found[key] = kernel
    return tuple(sorted(found.values(), key=lambda kernel: _order(kernel, module)))


def decorated_kernels(project: Project, module: Module) -> frozenset[str]:
    """Qualified names of the definitions of a file with a kernel decorator."""
    return frozenset(found.qualname for found in _Finder(project, module).find_decorated(module))


def _order(kernel: Found, module: Module) -> tuple[bool, str, int]:
    line = kernel.module.skeleton.definitions[kernel.qualname].node.lineno
    return (kernel.module is not module, kernel.module.path, line)


class _Finder:
    def __init__(self, project: Project, module: Module) -> None:
        self.project = project
        self.resolver = project.resolver
        self.module = module

    def find_decorated(self, module: Module) -> Iterator[Found]:
        for definition in module.skeleton.definitions.values():
            dialect = self.dialect_of(module, definition)
            if dialect is not None:
                yield Found(module, definition.qualname, "decorator", dialect == "runtime")

    def dialect_of(self, module: Module, definition: Definition) -> Dialect | None:
        """The kind of kernel that the decorators of a definition create; None without a kernel decorator."""
        scopes = (*reversed(definition.outer), "")
        for decorator in definition.node.decorator_list:
            maker = self.maker(module, decorator, scopes)
            if maker is not None:
                return maker.dialect
        return None

    def is_decorated(self, kernel: Found) -> bool:
        definition = kernel.module.skeleton.definitions[kernel.qualname]
        return self.dialect_of(kernel.module, definition) is not None

    def maker(self, module: Module, node: ast.expr, scopes: tuple[str, ...], depth: int = 0) -> _Maker | None:
        """The maker that an expression is; None if a call of it does not create a kernel."""
        if depth > _DEPTH:
            return None
        match node:
            case ast.Name() | ast.Attribute():
                parts = dotted_parts(node)
                origin = None if parts is None else self.origin(module, parts, scopes)
                return None if origin is None else self.maker_at(origin, depth)
            case ast.Call():
                return self.configured_maker(module, node, scopes, depth)
            case ast.Lambda():
                return self.wrapper(module, node.args, node.body, scopes, depth)
            case ast.IfExp():
                return self.maker(module, node.body, scopes, depth + 1) or self.maker(
                    module, node.orelse, scopes, depth + 1)
        return None

    def origin(self, module: Module, parts: tuple[str, ...], scopes: tuple[str, ...]) -> Origin | None:
        try:
            return self.resolver.chain(module, parts, scopes)
        except SourceError:
            return None

    def maker_at(self, origin: Origin, depth: int) -> _Maker | None:
        match origin:
            case TileName("kernel"):
                return _Maker("tile")
            case ExternalName() if origin.name.startswith("tilecheck_runtime.") and origin.name.endswith(".kernel"):
                return _Maker("runtime")
            case ValueAt():
                scopes = origin.module.skeleton.scope_chain(origin.scope)
                return self.maker(origin.module, origin.binding.value, scopes, depth + 1)
            case FunctionAt():
                return self.maker_function(origin, depth)
        return None

    def configured_maker(self, module: Module, node: ast.Call, scopes: tuple[str, ...], depth: int) -> _Maker | None:
        """The maker that a call returns: `ct.kernel(occupancy=2)`, `partial(ct.kernel, ...)`, `configure(...)`."""
        parts = dotted_parts(node.func)
        origin = None if parts is None else self.origin(module, parts, scopes)
        if isinstance(origin, ExternalName) and origin.name in _PARTIAL and node.args:
            return self.maker(module, node.args[0], scopes, depth + 1)
        if isinstance(origin, FunctionAt):
            returned = self.returned_maker(origin, depth)
            if returned is not None:
                return returned
        maker = self.maker(module, node.func, scopes, depth + 1)
        return maker if maker is not None and not node.args else None

    def maker_function(self, origin: FunctionAt, depth: int) -> _Maker | None:
        """The maker that a function is if it returns a kernel created from a parameter."""
        definition = origin.module.skeleton.definitions[origin.qualname]
        scopes = origin.module.skeleton.scope_chain(origin.qualname)
        for value in _returned_values(definition):
            maker = self.wrapper(origin.module, definition.node.args, value, scopes, depth)
            if maker is not None:
                return maker
        return None

    def returned_maker(self, origin: FunctionAt, depth: int) -> _Maker | None:
        """The maker that a function returns (a decorator factory); None for any other function."""
        definition = origin.module.skeleton.definitions[origin.qualname]
        scopes = origin.module.skeleton.scope_chain(origin.qualname)
        for value in _returned_values(definition):
            maker = self.maker(origin.module, value, scopes, depth + 1)
            if maker is not None:
                return maker
        return None

    def wrapper(
        self, module: Module, args: ast.arguments, body: ast.expr, scopes: tuple[str, ...], depth: int
    ) -> _Maker | None:
        """`lambda f: ct.kernel(f, ...)`: a maker of the parameter that it passes on."""
        if not isinstance(body, ast.Call):
            return None
        maker = self.maker(module, body.func, scopes, depth + 1)
        passed = None if maker is None else _find_argument(body, maker)
        names = [arg.arg for arg in (*args.posonlyargs, *args.args)]
        if maker is None or not isinstance(passed, ast.Name) or passed.id not in names:
            return None
        return _Maker(maker.dialect, names.index(passed.id), passed.id)

    def find_created(self) -> Iterator[Found]:
        """Kernels that calls in this file create."""
        lines = self.candidate_lines()
        for statement in self.module.skeleton.tree.body:
            if _mentions(lines, statement):
                for call, scopes in self.calls(statement, ("",)):
                    maker = self.maker(self.module, call.func, scopes)
                    passed = None if maker is None else _find_argument(call, maker)
                    if maker is not None and passed is not None:
                        for target in self.functions_of(self.module, passed, scopes, call.lineno, 0):
                            yield Found(target.module, target.qualname, "call", maker.dialect == "runtime")

    def candidate_lines(self) -> tuple[int, ...]:
        """Lines on which a call may create a kernel, found in the text."""
        names = {"kernel", *self.maker_names(), *self.imported_makers()}
        pattern = re.compile(rf"\b(?:{'|'.join(sorted(names))})[^\S\n]*[(,)]")
        text, lines = self.module.code, self.module.lines
        numbers: list[int] = []
        number, at = 1, 0
        for match in pattern.finditer(text):
            number, at = number + text.count("\n", at, match.start()), match.start()
            if (not numbers or numbers[-1] != number) and not lines[number - 1].lstrip().startswith(("@", "#")):
                numbers.append(number)
        return tuple(numbers)

    def imported_makers(self) -> Iterator[str]:
        """Imported names that are called with a function of this file and create kernels."""
        skeleton = self.module.skeleton
        imports = skeleton.scopes[""]
        functions = {qualname.rpartition(".")[2].partition("#")[0] for qualname in skeleton.definitions}
        called = {name for match in _PASSED.finditer(self.module.code) if match[1] in functions
                  and (name := self.called_name(match.start())) is not None}
        for name in sorted(called.intersection(imports)):
            if any(isinstance(bound.binding, ImportBinding) for bound in imports[name]):
                origin = self.origin(self.module, (name,), ("",))
                if origin is not None and self.maker_at(origin, 0) is not None:
                    yield name

    def called_name(self, bracket: int) -> str | None:
        """The name in front of a bracket."""
        text = self.module.code
        start = text.rfind("\n", 0, bracket) + 1
        match = _BEFORE.match(text[start:bracket][::-1])
        return None if match is None else match[1][::-1]

    def maker_names(self) -> Iterator[str]:
        """Names of this file, other than `kernel`, that may create kernels."""
        skeleton = self.module.skeleton
        lines = [number for number, line in enumerate(self.module.lines, 1) if "kernel" in line]
        for scope, names in skeleton.scopes.items():
            for name, bounds in names.items():
                for bound in bounds:
                    match bound.binding:
                        case ImportBinding(dotted) if dotted.endswith(".kernel"):
                            yield name
                        case FunctionBinding(qualname) if _mentions(lines, skeleton.definitions[qualname].node):
                            if self.maker_function(FunctionAt(self.module, qualname), 0) is not None:
                                yield name
                        case ValueBinding(value=value) if _mentions(lines, value):
                            if self.maker(self.module, value, skeleton.scope_chain(scope)) is not None:
                                yield name

    def calls(self, root: ast.AST, scopes: tuple[str, ...]) -> Iterator[tuple[ast.Call, tuple[str, ...]]]:
        """All calls below a node that are not decorators, with their scopes."""
        pending: list[tuple[object, tuple[str, ...]]] = [(root, scopes)]
        while pending:
            node, scopes = pending.pop()
            if isinstance(node, ast.Call):
                yield node, scopes
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                scopes = (self.module.skeleton.functions_by_line[node.lineno], *scopes)
            below: list[object] = []
            add_parts(node, below)
            decorators = getattr(node, "decorator_list", ())
            pending += [(child, scopes) for child in below if not isinstance(child, _LEAVES) and not (
                decorators and child in decorators)]

    def functions_of(
        self, module: Module, node: ast.expr, scopes: tuple[str, ...], line: int, depth: int
    ) -> Iterator[FunctionAt]:
        """The functions of the checked tree that an expression may refer to, also through kernels created from them."""
        if depth > _DEPTH:
            return
        if isinstance(node, ast.Attribute) and node.attr == "_pyfunc":
            node = node.value
        match node:
            case ast.IfExp():
                yield from self.functions_of(module, node.body, scopes, line, depth + 1)
                yield from self.functions_of(module, node.orelse, scopes, line, depth + 1)
            case ast.Call():
                maker = self.maker(module, node.func, scopes)
                passed = None if maker is None else _find_argument(node, maker)
                if passed is not None:
                    yield from self.functions_of(module, passed, scopes, line, depth + 1)
            case ast.Name() | ast.Attribute():
                parts = dotted_parts(node)
                origin = None if parts is None else self.origin(module, parts, scopes)
                match origin:
                    case FunctionAt():
                        yield origin
                    case ValueAt() if origin.binding.statement.lineno != line:
                        inner = origin.module.skeleton.scope_chain(origin.scope)
                        yield from self.functions_of(
                            origin.module, origin.binding.value, inner, origin.binding.statement.lineno, depth + 1)
                    case _ if isinstance(node, ast.Name):
                        yield from self.defined_before(module, node.id, scopes, line)

    def defined_before(self, module: Module, name: str, scopes: tuple[str, ...], line: int) -> Iterator[FunctionAt]:
        """All definitions above a line that a name may refer to: `k = ct.kernel(k)`, or one under each branch."""
        for scope in scopes:
            bounds = module.skeleton.scopes[scope].get(name, ())
            found = [bound.binding.qualname for bound in bounds if isinstance(bound.binding, FunctionBinding)]
            above = [qualname for qualname in found if module.skeleton.definitions[qualname].node.lineno < line]
            if bounds:
                yield from (FunctionAt(module, qualname) for qualname in above)
                return


def _mentions(lines: Sequence[int], node: ast.stmt | ast.expr) -> bool:
    """Whether one of these lines, which are in order, is a line of the node."""
    index = bisect_left(lines, node.lineno)
    return index < len(lines) and lines[index] <= (node.end_lineno or node.lineno)


def _find_argument(call: ast.Call, maker: _Maker) -> ast.expr | None:
    """The argument of a call for the parameter that becomes a kernel."""
    if maker.position < len(call.args):
        return call.args[maker.position]
    named = (keyword.value for keyword in call.keywords if maker.keyword and keyword.arg == maker.keyword)
    return next(named, None)


def _returned_values(definition: Definition) -> Iterator[ast.expr]:
    """The expressions that a function returns, without those of nested functions."""
    pending: list[ast.stmt] = list(definition.node.body)
    for node in pending:  # the list grows by nested statements
        if isinstance(node, ast.Return):
            if node.value is not None:
                yield node.value
        elif isinstance(node, _NESTING):
            for block in ("body", "orelse", "finalbody"):
                pending += getattr(node, block, ())
            for handler in getattr(node, "handlers", ()):
                pending += handler.body
            for case in getattr(node, "cases", ()):
                pending += case.body


_NESTING: Final = (
    ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match)
"""Statements that contain other statements of the same function."""
_LEAVES: Final = (ast.Name, ast.Constant, str, int)
