"""Infers requirements on shapes from the operations of a kernel that the checker could not analyze.

Only operations that certainly execute count: not under `if`, only in loops over pieces and tiles, and only through
names that are bound once. So a clause can be missing, in which case the sanitizer reports the access, but no clause is
too strong.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import FunctionType
from typing import Any, Final

from tilecheck_runtime.contracts.names import contract_name
from tilecheck_runtime.dialect.signature import Extent, Parameter, SignatureError, signature

__all__ = ["infer_requirements"]

_OVER_PIECES: Final = frozenset({"cells", "pieces"})


def infer_requirements(function: FunctionType) -> tuple[str, ...]:
    """Returns clauses in the contract language, in the order of the operations; none without source."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError, TypeError):
        return ()
    body = next((n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)), None)
    if body is None:
        return ()
    try:
        known = _parameters(function)
    except SignatureError:
        return ()  # not in the dialect
    reader = _Reader(known, _bound_once(body))
    for statement in body.body:
        reader.statement(statement)
    return tuple(dict.fromkeys(reader.clauses))


def _parameters(function: FunctionType) -> dict[str, Parameter]:
    """Returns parameters by name, with extents by their names in contracts."""
    found = {p.name: p for p in signature(function).parameters}
    given_as = {p.extents[0]: p.name for p in found.values() if p.kind == "constant"}

    def contract_extent(extent: Extent) -> Extent:
        return given_as.get(extent, contract_name(extent, found)) if isinstance(extent, str) else extent

    return {n: replace(p, extents=tuple(contract_extent(e) for e in p.extents)) for n, p in found.items()}


def _bound_once(body: ast.FunctionDef) -> frozenset[str]:
    stores = Counter(n.id for n in ast.walk(body) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    stores.update(a.arg for a in body.args.args)
    return frozenset(name for name, times in stores.items() if times == 1)


class _Reader:
    """Reads statements in order.

    sizes   text of a tile extent, by variable
    counts  exclusive upper bound of an index, by variable
    parts   array and extents of a tile, by variable
    """

    def __init__(self, parameters: Mapping[str, Parameter], stable: frozenset[str]) -> None:
        self.parameters, self.stable = parameters, stable
        self.clauses: list[str] = []
        self.sizes: dict[str, str] = {n: n for n, p in parameters.items() if p.kind == "constant" and n in stable}
        self.counts: dict[str, str] = {}
        self.parts: dict[str, tuple[str, tuple[str | None, ...]]] = {}

    def statement(self, node: ast.stmt) -> None:
        act = _STATEMENTS.get(type(node))
        if act is not None:
            act(self, node)

    def assign(self, node: ast.Assign) -> None:
        self.expression(node.value)
        for target in node.targets:
            self.expression(target)
        if len(node.targets) != 1:
            return
        target, value = node.targets[0], node.value
        names = [e.id if isinstance(e, ast.Name) and e.id in self.stable else None
                 for e in (target.elts if isinstance(target, ast.Tuple) else [target])]
        pieces = isinstance(target, ast.Tuple)
        if pieces and len(names) > 1 and isinstance(value, ast.Tuple) and len(value.elts) == len(names):
            for name, item in zip(names, value.elts, strict=True):
                self._bind_part(name, item)
        elif pieces and (output := self._attribute_of(value, "tile", "mut")):
            self.sizes.update({n: t for n, t in zip(names, _tile(output), strict=False) if n})
        elif pieces and (output := self._method_of(value, "coords", "mut")):
            spans = [_span(output, k) for k in range(len(output.extents))]
            self.counts.update({n: c for n, c in zip(names, spans, strict=False) if n})
        elif not pieces:
            self._bind_part(names[0], value)

    def _bind_part(self, name: str | None, value: ast.expr) -> None:
        source = self._method_of(value, "partition", "ref")
        if name and source and isinstance(value, ast.Call):
            self.parts[name] = source.name, tuple(self._size(a) for a in value.args)

    def loop(self, node: ast.For) -> None:
        self.expression(node.iter)
        over = node.iter
        if isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute) and over.func.attr in _OVER_PIECES:
            inside = True
        else:
            count = self._tiles(over)
            inside = count is not None
            if count and isinstance(node.target, ast.Name) and node.target.id in self.stable:
                self.counts[node.target.id] = count
        if inside:
            for statement in node.body:
                self.statement(statement)

    def _tiles(self, over: ast.expr) -> str | None:
        """The number of iterations of `range(p.tiles(axis))`."""
        if not (isinstance(over, ast.Call) and isinstance(over.func, ast.Name) and over.func.id == "range"
                and len(over.args) == 1):
            return None
        call = over.args[0]
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "tiles"
                and isinstance(call.func.value, ast.Name) and len(call.args) == 1):
            return None
        axis = call.args[0]
        found = self.parts.get(call.func.value.id)
        if found is None or not isinstance(axis, ast.Constant) or not isinstance(axis.value, int):
            return None
        array, tile = found
        if not 0 <= axis.value < len(tile) or tile[axis.value] is None:
            return None
        return f"cdiv({array}.shape[{axis.value}], {tile[axis.value]})"

    def expression(self, node: ast.AST | None) -> None:
        if node is None or isinstance(node, (ast.IfExp, ast.BoolOp, ast.Lambda, ast.ListComp, ast.GeneratorExp)):
            return
        for child in ast.iter_child_nodes(node):
            self.expression(child)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in self.parts:
            self.clauses += self._require_inside(*self.parts[node.value.id], node.slice)
        elif isinstance(node, ast.Call) and (source := self._method_of(node, "load_like", "ref")) and node.args:
            like = node.args[0]
            output = self.parameters.get(like.id) if isinstance(like, ast.Name) and like.id in self.stable else None
            if output is not None and output.kind == "mut":
                self.clauses += [f"{output.name}.shape[{k}] <= {source.name}.shape[{k}]"
                                 for k in range(min(len(output.extents), len(source.extents)))]

    def _require_inside(self, array: str, tile: tuple[str | None, ...], index: ast.expr) -> Iterator[str]:
        items = index.elts if isinstance(index, ast.Tuple) else [index]
        for axis, (item, size) in enumerate(zip(items, tile, strict=False)):
            count = self._count(item)
            there = f"cdiv({array}.shape[{axis}], {size})"
            if count is not None and size is not None and count != there:
                yield f"{count} <= {there}"

    def _count(self, node: ast.expr) -> str | None:
        """The exclusive upper bound of an index."""
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            output, place = self._method_of(node.value, "coords", "mut"), node.slice.value
            if output is not None and isinstance(place, int) and 0 <= place < len(output.extents):
                return _span(output, place)
        return self.counts.get(node.id) if isinstance(node, ast.Name) else None

    def _size(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return str(node.value)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            output = self._attribute_of(node.value, "tile", "mut")
            place = node.slice.value
            if output is not None and isinstance(place, int) and 0 <= place < len(output.extents):
                return _tile(output)[place]
        return self.sizes.get(node.id) if isinstance(node, ast.Name) else None

    def _attribute_of(self, node: ast.expr, attribute: str, kind: str) -> Parameter | None:
        if not (isinstance(node, ast.Attribute) and node.attr == attribute and isinstance(node.value, ast.Name)
                and node.value.id in self.stable):
            return None
        found = self.parameters.get(node.value.id)
        return found if found is not None and found.kind == kind else None

    def _method_of(self, node: ast.expr, method: str, kind: str) -> Parameter | None:
        return self._attribute_of(node.func, method, kind) if isinstance(node, ast.Call) else None


def _span(output: Parameter, axis: int) -> str:
    """The number of pieces along an axis."""
    return f"cdiv({output.name}.shape[{axis}], {_tile(output)[axis]})"


def _tile(output: Parameter) -> tuple[str, ...]:
    return tuple(str(e) for e in output.extents)


_STATEMENTS: Final[Mapping[type[ast.stmt], Callable[[_Reader, Any], None]]] = {
    ast.Assign: _Reader.assign,
    ast.For: _Reader.loop,
    ast.Expr: lambda reader, node: reader.expression(node.value),
    ast.AugAssign: lambda reader, node: reader.expression(node.value),
    ast.AnnAssign: lambda reader, node: reader.expression(node.value),
}
