"""The kind of a kernel parameter by its annotation: a constant, an array, a list of arrays, or a scalar."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from tilecheck.project.targets import ConstantTarget, ExternalName, TileName
from tilecheck.syntax.tree import Attribute, BinOp, Call, Constant, Expr, ExprStmt, Name, Subscript

if TYPE_CHECKING:
    from tilecheck.project.module import Module
    from tilecheck.project.project import Project

__all__ = ["AnnotationKind", "annotation_kind", "constant_type", "is_constant_annotation", "tile_annotation"]

AnnotationKind: TypeAlias = Literal["constant", "array", "list", "scalar"]

_TILE: Final[dict[str, AnnotationKind]] = {
    "Constant": "constant", "ConstantAnnotation": "constant",
    "Array": "array", "ArrayAnnotation": "array", "IndexedWithInt64": "array",
    "ListAnnotation": "list",
    "Scalar": "scalar", "ScalarInt64": "scalar", "ScalarAnnotation": "scalar",
}
_EXTERNAL: Final[dict[str, AnnotationKind]] = {
    "typing.List": "list", "typing.Sequence": "list", "collections.abc.Sequence": "list",
    "torch.Tensor": "array", "cupy.ndarray": "array", "numpy.ndarray": "array",
    "tilecheck_runtime.Mut": "array", "tilecheck_runtime.Ref": "array",
}
_BUILTIN: Final[dict[str, AnnotationKind]] = {
    "list": "list", "int": "scalar", "float": "scalar", "bool": "scalar",
}
_TRANSPARENT: Final = frozenset({"typing.Optional", "typing.Final"})
_ANNOTATED: Final = frozenset({"typing.Annotated", "typing_extensions.Annotated"})
_DEPTH: Final = 16


def is_constant_annotation(project: Project, module: Module, annotation: Expr | None, scope: str = "") -> bool:
    """Whether a parameter with this annotation is a compile-time constant."""
    return annotation_kind(project, module, annotation, scope) == "constant"


def constant_type(project: Project, module: Module, annotation: Expr | None, scope: str = "") -> str:
    """The name of the type in the brackets of a constant's annotation, through aliases; "" if there is none."""
    for _ in range(_DEPTH):
        if isinstance(annotation, Subscript):
            break
        if not isinstance(annotation, (Name, Attribute)):
            return ""
        target = project.resolve(module, annotation, scope)
        if not isinstance(target, ConstantTarget):
            return ""
        module, annotation, scope = target.module, target.value, scope if target.module is module else ""
    items = annotation.items if isinstance(annotation, Subscript) else ()
    return items[0].id if items and isinstance(items[0], Name) else ""


def annotation_kind(
    project: Project, module: Module, annotation: Expr | None, scope: str = ""
) -> AnnotationKind | None:
    """The kind that an annotation specifies, through aliases and strings; None if it specifies none.

    `scope` is the qualified name of the enclosing function of a nested function.
    """
    return None if annotation is None else _Reader(project, module, scope, 0).read(annotation)


def tile_annotation(project: Project, module: Module, annotation: Expr | None, scope: str = "") -> str | None:
    """The name in cuda.tile of an annotation, with or without brackets; None for any other annotation."""
    node = annotation.value if isinstance(annotation, Subscript) else annotation
    if not isinstance(node, (Name, Attribute)):
        return None
    target = project.resolve(module, node, scope)
    return target.name if isinstance(target, TileName) else None


class _Reader:
    def __init__(self, project: Project, module: Module, scope: str, depth: int) -> None:
        self.project = project
        self.module = module
        self.scope = scope
        self.depth = depth

    def read(self, node: Expr) -> AnnotationKind | None:
        handler = _KINDS.get(type(node))
        return None if handler is None or self.depth > _DEPTH else handler(self, node)

    def reader_for(self, module: Module, scope: str = "") -> _Reader:
        return _Reader(self.project, module, scope, self.depth + 1)

    def read_name(self, node: Name | Attribute) -> AnnotationKind | None:
        target = self.project.resolve(self.module, node, self.scope)
        match target:
            case TileName(name):
                return _TILE.get(name)
            case ExternalName(name):
                return _EXTERNAL.get(name)
            case ConstantTarget():
                scope = self.scope if target.module is self.module else ""
                return self.reader_for(target.module, scope).read(target.value)
            case None if isinstance(node, Name):
                return _BUILTIN.get(node.id)
        return None

    def read_call(self, node: Call) -> AnnotationKind | None:
        """Metadata such as `ct.ConstantAnnotation()`."""
        return self.read(node.func)

    def read_subscript(self, node: Subscript) -> AnnotationKind | None:
        target = self.project.resolve(self.module, node.value, self.scope)
        if isinstance(target, ExternalName) and target.name in _ANNOTATED:
            metadata = (self.read(item) for item in node.items[1:])
            return next((kind for kind in metadata if kind is not None), None) or self.read(node.items[0])
        if isinstance(target, ExternalName) and target.name in _TRANSPARENT:
            return self.read(node.items[0])
        return self.read(node.value)

    def read_union(self, node: BinOp) -> AnnotationKind | None:
        return self.read(node.left) or self.read(node.right) if node.op == "|" else None

    def read_string(self, node: Constant) -> AnnotationKind | None:
        """An annotation written as a string."""
        if not isinstance(node.value, str):
            return None
        from tilecheck.syntax.statements import LowerError, lower_block

        try:
            statements = lower_block(f"({node.value})\n", node.span.file, node.span.line)
        except LowerError:
            return None
        only = statements[0] if len(statements) == 1 else None
        return self.reader_for(self.module, self.scope).read(only.value) if isinstance(only, ExprStmt) else None


_KINDS: Final[dict[type[Any], Callable[[_Reader, Any], AnnotationKind | None]]] = {
    Name: _Reader.read_name,
    Attribute: _Reader.read_name,
    Call: _Reader.read_call,
    Subscript: _Reader.read_subscript,
    BinOp: _Reader.read_union,
    Constant: _Reader.read_string,
}
