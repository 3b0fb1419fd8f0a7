"""The parameters of a dialect kernel, read from their annotations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.dtypes import BY_SHORT_NAME, DTYPES, DType
from tilecheck.project.annotations import annotation_kind
from tilecheck.project.targets import ConstantTarget, ExternalName, TileName
from tilecheck.symbolic import Symbol, Term, const, scalar
from tilecheck.syntax.tree import (
    Attribute,
    Call,
    Constant,
    Expr,
    ExprStmt,
    FuncDef,
    Name,
    Span,
    Subscript,
    get_last_name,
)
from tilecheck.syntax.tree import Param as ParamNode

if TYPE_CHECKING:
    from tilecheck.project.module import KernelSite, Module
    from tilecheck.project.project import Project

__all__ = ["MOST_AXES", "Parameter", "ParameterKind", "dtype_name", "is_runtime_name", "signature"]

ParameterKind: TypeAlias = Literal["mut", "ref", "shared", "constant", "scalar", "array", "unknown"]

_RUNTIME: Final = "tilecheck_runtime."
_KINDS: Final[Mapping[str, ParameterKind]] = {
    "Mut": "mut", "Ref": "ref", "Shared": "shared", "SystemShared": "shared"}
_TYPE_VARIABLES: Final = frozenset({"typing.TypeVar", "typing_extensions.TypeVar"})
_LITERAL: Final = frozenset({"typing.Literal", "typing_extensions.Literal"})
_SCALARS: Final = frozenset({"int", "float", "bool"})
_DEPTH: Final = 12
MOST_AXES: Final = 5


class Parameter(Struct, frozen=True):
    """A parameter of a dialect kernel.

    dtype    element type of an array; None when it is not known
    number   of a scalar, `int`, `float` or `bool`
    extents  one for each axis; None for an extent that the annotation leaves open (`Dyn`)
    symbol   of a constant, the type variable that it gives a value to
    fault    for `array`, what is wrong with its annotation
    scope    of the atomics of an accumulator
    """

    name: str
    kind: ParameterKind
    span: Span
    dtype: DType | None = None
    extents: tuple[Term | None, ...] = ()
    symbol: str = ""
    fault: str = "annotated"
    scope: str = "device"
    number: str = ""

    @property
    def rank(self) -> int:
        return len(self.extents)

    @property
    def tile(self) -> tuple[Term, ...]:
        """The extents of a piece, none of which is left open."""
        return tuple(e for e in self.extents if e is not None)


def signature(project: Project, site: KernelSite) -> tuple[Parameter, ...]:
    """The parameters in order. A type variable that a parameter gives a value to goes by that parameter's name."""
    return parameters(project, site.module, site.definition, site.qualname.rpartition(".")[0])


def parameters(project: Project, module: Module, definition: FuncDef, scope: str = "") -> tuple[Parameter, ...]:
    """See `signature`; `scope` is the function around the definition."""
    found = [_Reader(project, module, scope).parameter(p) for p in definition.params]
    names = {p.name for p in found}
    values = {symbol: _free(symbol, names) for p in found for symbol in _symbols(p)}
    values |= {p.symbol: p.name for p in found if p.kind == "constant" and p.symbol}
    return tuple(_rename(p, values) for p in found)


def _symbols(p: Parameter) -> Iterator[str]:
    for e in p.extents:
        atom = None if e is None else e.single
        if isinstance(atom, Symbol):
            yield atom.name


def _free(symbol: str, taken: set[str]) -> str:
    """A name for a type variable that is not the name of a parameter, which is another number."""
    while symbol in taken:
        symbol += "_"
    return symbol


def _rename(p: Parameter, values: Mapping[str, str]) -> Parameter:
    if not values or not p.extents:
        return p
    names = {scalar(variable): scalar(name) for variable, name in values.items()}
    return replace(p, extents=tuple(None if e is None else names.get(e, e) for e in p.extents))


def is_runtime_name(target: object, name: str = "") -> str | None:
    """The last part of a name of the runtime; None for anything else, or for another name than asked for."""
    if not isinstance(target, ExternalName) or not target.name.startswith(_RUNTIME):
        return None
    last = target.name.rpartition(".")[2]
    return last if name in ("", last) else None


def dtype_name(target: object) -> str | None:
    """What cuda.tile calls the element type that a name means. A name that means none is returned as it is."""
    if isinstance(target, TileName):
        return target.name
    last = is_runtime_name(target)
    return None if last is None else str(BY_SHORT_NAME.get(last, last))


class _Reader:
    def __init__(self, project: Project, module: Module, scope: str, depth: int = 0) -> None:
        self.project = project
        self.module = module
        self.scope = scope
        self.depth = depth

    def parameter(self, p: ParamNode) -> Parameter:
        if p.kind in ("*", "**"):
            return Parameter(p.name, "array", p.span, fault="rest")
        if p.annotation is None:
            return Parameter(p.name, "unknown", p.span)
        return self.read(p, p.annotation)

    def read(self, p: ParamNode, node: Expr) -> Parameter:
        if isinstance(node, Subscript) and is_runtime_name(self.target(node.value), "SystemShared"):
            system = self.subscript(p, node)
            return self.read_other(p, node) if system is None else replace(system, scope="sys")
        handler = _READERS.get(type(node))
        found = None if handler is None or self.depth > _DEPTH else handler(self, p, node)
        return self.read_other(p, node) if found is None else found

    def read_other(self, p: ParamNode, node: Expr) -> Parameter:
        kind = annotation_kind(self.project, self.module, node, self.scope)
        known: dict[str | None, ParameterKind] = {
            "constant": "constant", "scalar": "scalar", "array": "array", "list": "array"}
        return Parameter(p.name, known.get(kind, "unknown"), p.span)

    def target(self, node: Expr) -> object:
        return self.project.resolve(self.module, node, self.scope)

    def enter_module(self, module: Module) -> _Reader:
        return _Reader(self.project, module, self.scope if module is self.module else "", self.depth + 1)

    def name(self, p: ParamNode, node: Name | Attribute) -> Parameter | None:
        target = self.target(node)
        if isinstance(target, ConstantTarget):
            variable = self.type_variable(target)
            if variable:
                return Parameter(p.name, "constant", p.span, symbol=variable)
            return self.enter_module(target.module).read(p, target.value)
        if target is None and isinstance(node, Name):
            if node.id in _SCALARS:
                return Parameter(p.name, "scalar", p.span, number=node.id)
            # a type parameter of the function itself has no binding at the level of the module
            return Parameter(p.name, "constant", p.span, symbol=node.id) if node.id.isupper() else None
        # `z: Mut` names neither an element type nor extents
        bare = is_runtime_name(target) in _KINDS
        return Parameter(p.name, "array", p.span, fault="bare") if bare else None

    def subscript(self, p: ParamNode, node: Subscript) -> Parameter | None:
        kind = _KINDS.get(is_runtime_name(self.target(node.value)) or "")
        if kind is None or not node.items:
            return None
        dtype = DTYPES.get(dtype_name(self.target(node.items[0])) or "")
        extents = tuple(self.extent(e) for e in node.items[1:])
        fault = self.fault(node.items[0], node.items[1:])
        if fault:
            return Parameter(p.name, "array", p.span, fault=fault)
        if kind == "mut" and None in extents:
            return Parameter(p.name, "array", p.span, fault="open")
        return Parameter(p.name, kind, p.span, dtype, extents)

    def fault(self, element: Expr, extents: tuple[Expr, ...]) -> str:
        """Returns the kind of fault for which the runtime rejects a parameter type; an empty text if it accepts it."""
        builtin = isinstance(element, Name) and element.id in _SCALARS and self.target(element) is None
        return ("element" if builtin else "bare" if not extents else "axes" if len(extents) > MOST_AXES else
                "extent" if any(self.is_no_extent(e) for e in extents) else "")

    def is_no_extent(self, node: Expr) -> bool:
        """A number without `Literal`, and one of several numbers, or less than 1, with it."""
        if isinstance(node, Name | Attribute) and self.depth <= _DEPTH:
            target = self.target(node)
            if not isinstance(target, ConstantTarget) or self.type_variable(target):
                return False
            return self.enter_module(target.module).is_no_extent(target.value)
        if isinstance(node, Subscript) and self.is_literal(node):
            only = node.items[0] if len(node.items) == 1 else None
            return not (isinstance(only, Constant) and type(only.value) is int and only.value > 0)
        return isinstance(node, Constant) and isinstance(node.value, int)

    def is_literal(self, node: Subscript) -> bool:
        target = self.target(node.value)
        return isinstance(target, ExternalName) and target.name in _LITERAL

    def text(self, p: ParamNode, node: Constant) -> Parameter | None:
        """An annotation written as a string."""
        if not isinstance(node.value, str):
            return None
        from tilecheck.syntax.statements import LowerError, lower_block

        try:
            statements = lower_block(f"({node.value})\n", node.span.file, node.span.line)
        except LowerError:
            return None
        only = statements[0] if len(statements) == 1 else None
        return self.enter_module(self.module).read(p, only.value) if isinstance(only, ExprStmt) else None

    def extent(self, node: Expr) -> Term | None:
        """`BM`, `Literal[48]`, `Dyn`"""
        if isinstance(node, Subscript):
            item = node.items[0] if node.items else None
            value = item.value if self.is_literal(node) and isinstance(item, Constant) else None
            return const(value) if isinstance(value, int) else None
        if not isinstance(node, Name | Attribute):
            return None
        target = self.target(node)
        if is_runtime_name(target) is not None:
            return None
        if not isinstance(target, ConstantTarget):
            return scalar(get_last_name(node))
        variable = self.type_variable(target)
        if variable:
            return scalar(variable)
        return self.enter_module(target.module).extent(target.value) if self.depth <= _DEPTH else None

    def type_variable(self, target: ConstantTarget) -> str:
        """The name of the type variable that this is, by which the runtime knows it too; empty for anything else."""
        value = target.value
        if not isinstance(value, Call) or not value.args:
            return ""
        made = self.project.resolve(target.module, value.func)
        name = value.args[0].value if isinstance(value.args[0], Constant) else None
        known = isinstance(made, ExternalName) and made.name in _TYPE_VARIABLES
        return name if known and isinstance(name, str) else ""


_READERS: Final[dict[type[Any], Callable[..., Parameter | None]]] = {
    Name: _Reader.name,
    Attribute: _Reader.name,
    Subscript: _Reader.subscript,
    Constant: _Reader.text,
}
