"""One file of the checked tree: its definitions, lowered on demand, and the targets of its names."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from tilecheck.project import kernels
from tilecheck.project.hosts import Mentions
from tilecheck.project.packages import FileName
from tilecheck.project.relevance import may_launch, may_matter, may_own
from tilecheck.project.skeleton import Skeleton, ValueBinding, skeleton
from tilecheck.project.targets import Target
from tilecheck.syntax.spans import Locator
from tilecheck.syntax.text import SourceError, decode, is_valid, parse, read_bytes
from tilecheck.syntax.tree import ClassDef, Expr, FuncDef, Stmt
from tilecheck.text.notebooks import SUFFIX, extract_source

if TYPE_CHECKING:
    from tilecheck.project.project import Project

__all__ = ["KernelSite", "Module"]


class KernelSite(Struct, frozen=True):
    """A kernel of the checked tree.

    module      the module of its definition
    outer       the functions around it, outermost first
    how         `decorator`, or `call` for `name = ct.kernel(function)`
    dialect     whether it is a kernel of the ownership dialect
    decorators  all decorators of the definition
    """

    module: Module
    definition: FuncDef
    qualname: str
    outer: tuple[FuncDef, ...]
    how: Literal["decorator", "call"]
    dialect: bool
    decorators: tuple[Expr, ...]


class Module:
    """A file of the checked tree. Everything is read lazily; any access may raise `SourceError`."""

    def __init__(self, project: Project, path: str, name: FileName, data: bytes | None = None) -> None:
        self.project = project
        self.path = path
        self.name = name.dotted
        self.is_package = name.is_package
        self._given = data
        self._functions: dict[str, FuncDef] = {}
        self._classes: dict[str, ClassDef] = {}
        self._values: dict[tuple[int, int], Expr | None] = {}

    def __repr__(self) -> str:
        return f"Module({self.path!r})"

    @cached_property
    def raw(self) -> bytes:
        """The file as bytes."""
        return read_bytes(Path(self.path), self.path) if self._given is None else self._given

    @cached_property
    def data(self) -> bytes:
        """The Python source as bytes: the file, or the code cells of a notebook."""
        if not self.path.endswith(SUFFIX):
            return self.raw
        try:
            return extract_source(self.raw)
        except ValueError as error:
            raise SourceError(self.path, str(error)) from None

    @cached_property
    def text(self) -> str:
        """The file as text; its lines end in a newline character only."""
        return decode(self.data, self.path)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines of the text, without line endings.

        Lines after the last line of `code` are comments. Functions that search for comments read `text`.
        """
        return tuple(self.text.split("\n"))

    @cached_property
    def code(self) -> str:
        """The text without the comments and blank lines that end it."""
        lines = self.lines
        end = len(lines)
        while end and (lines[end - 1].startswith("#") or not lines[end - 1].strip()):
            end -= 1
        return "\n".join(lines[:end])

    @cached_property
    def may_matter(self) -> bool:
        """Whether the file can define a kernel, as far as its bytes show."""
        return may_matter(self.data)

    @cached_property
    def may_own(self) -> bool:
        """Whether the file can be about the ownership of tensors, as far as its bytes show."""
        return may_own(self.data)

    @cached_property
    def may_launch(self) -> bool:
        """Whether the file names anything that launches a kernel."""
        return may_launch(self.data)

    @cached_property
    def names_runtime(self) -> bool:
        """Whether the file names the runtime."""
        return b"tilecheck_runtime" in self.data

    def lines_of(self, definition: FuncDef) -> tuple[str, ...]:
        """The lines of a definition of this file, without line endings."""
        return self.lines[definition.span.line - 1:definition.span.end_line]

    @cached_property
    def skeleton(self) -> Skeleton:
        """Definitions and bindings, unlowered."""
        try:
            return skeleton(parse(self.text, self.path))
        except RecursionError:
            raise SourceError(self.path, "the code nests too deeply to be analysed") from None

    @cached_property
    def mentions(self) -> Mentions:
        """The facts about this file for the search for functions that launch."""
        return Mentions(self)

    def check(self) -> None:
        """Raise `SourceError` if the file cannot be read, decoded or parsed."""
        if "skeleton" not in vars(self) and not is_valid(self.data):
            _ = self.skeleton  # raises the error with its line

    def functions(self) -> tuple[str, ...]:
        """Qualified names of all function definitions; nested ones as `factory.kernel`, methods as `Class.method`.

        A second definition of one name is `name#2`.
        """
        return tuple(self.skeleton.definitions)

    def function(self, qualname: str) -> FuncDef | None:
        """A definition, lowered. Nested definitions are the same objects as in the body of the outer one."""
        definition = self.skeleton.definitions.get(qualname)
        if definition is None:
            return None
        if qualname not in self._functions:
            root = self.skeleton.definitions[definition.outer[0]] if definition.outer else definition
            for found in _definitions(self._lower(root.node, root.above)):
                name = self.skeleton.functions_by_line.get(found.span.line)
                if name is not None:
                    self._functions[name] = found
        return self._functions.get(qualname)

    def outer_functions(self, qualname: str) -> tuple[FuncDef, ...]:
        """The functions around a definition, outermost first."""
        definition = self.skeleton.definitions.get(qualname)
        found = () if definition is None else tuple(self.function(name) for name in definition.outer)
        return tuple(function for function in found if function is not None)

    def class_(self, name: str) -> ClassDef | None:
        """A class definition, lowered."""
        known = self.skeleton.classes.get(name)
        if known is None:
            return None
        if name not in self._classes:
            lowered = self._lower(*known)
            found = next((statement for statement in lowered if isinstance(statement, ClassDef)), None)
            if found is not None:
                self._classes[name] = found
        return self._classes.get(name)

    def lookup(self, name: str) -> Target | None:
        """The target of a module-level name; None if it is not bound here, or unknown."""
        return self.project.lookup(self, name)

    @cached_property
    def _kernels(self) -> tuple[KernelSite, ...]:
        if not self.may_matter:
            self.check()  # a broken file is reported even if it has no kernel
            return ()
        sites = []
        for found in kernels.find(self.project, self):
            definition = found.module.function(found.qualname)
            if definition is None:  # a missing kernel must be reported
                raise SourceError(found.module.path, f"the definition of {found.qualname} cannot be read")
            outer = found.module.outer_functions(found.qualname)
            sites.append(KernelSite(found.module, definition, found.qualname, outer, found.how, found.dialect,
                                    definition.decorators))
        return tuple(sites)

    def kernels(self) -> tuple[KernelSite, ...]:
        """The kernels of this file in order, including those that a call creates from a function of another module.

        `site.module` of the latter is not this module, and other modules may also list them.
        """
        return self._kernels

    def host_functions(self) -> tuple[str, ...]:
        """Qualified names of the functions that may launch kernels; `<module>` when the module body may."""
        return self.project.host_functions(self)

    @cached_property
    def _body(self) -> tuple[Stmt, ...]:
        definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        return tuple(statement for node in self.skeleton.tree.body if not isinstance(node, definitions)
                     for statement in self._lower(node, node.lineno - 1))

    def body(self) -> tuple[Stmt, ...]:
        """Module-level statements that are not definitions, lowered."""
        return self._body

    def value(self, binding: ValueBinding) -> Expr | None:
        """The value of a module-level assignment, lowered."""
        key = (binding.value.lineno, binding.value.col_offset)
        if key not in self._values:
            self._values[key] = self._value(binding)
        return self._values[key]

    def _value(self, binding: ValueBinding) -> Expr:
        from tilecheck.syntax.statements import LowerError, lower_value  # few modules need it

        try:
            return lower_value(binding.value, self._places)
        except LowerError as error:
            raise SourceError(self.path, error.message, error.line) from None

    @cached_property
    def _places(self) -> Locator:
        return Locator(self.path, self.lines)

    def _lower(self, node: ast.stmt, above: int) -> tuple[Stmt, ...]:
        """A statement lowered; what stands before it ends on line `above`."""
        from tilecheck.syntax.statements import LowerError, lower_statement

        try:
            return lower_statement(node, self._places, above)
        except LowerError as error:
            raise SourceError(self.path, error.message, error.line) from None


def _definitions(statements: Iterable[Stmt]) -> Iterator[FuncDef]:
    """All function definitions in these statements, at any depth."""
    for statement in statements:
        if isinstance(statement, FuncDef):
            yield statement
        for block in ("body", "orelse", "finalbody"):
            yield from _definitions(getattr(statement, block, ()))
        for handler in getattr(statement, "handlers", ()):
            yield from _definitions(handler)
