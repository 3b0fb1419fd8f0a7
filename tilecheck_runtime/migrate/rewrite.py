"""Rewrites the body of a kernel in the dialect."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

import libcst as cst

from tilecheck.repair.source.grid_names import find_axis
from tilecheck.repair.source.operations import get_index, get_index_parts, identify_operation
from tilecheck.repair.source.tree import get_dotted_name, walk
from tilecheck_runtime.dialect.dtypes import BY_NAME
from tilecheck_runtime.migrate.dead import find_dropped, live_nodes
from tilecheck_runtime.migrate.names import Names, names
from tilecheck_runtime.migrate.pieces import Loop, Piece, Pieces
from tilecheck_runtime.migrate.refusal import Refusal
from tilecheck_runtime.migrate.source_kernel import SourceKernel

__all__ = ["Rewritten", "rewrite_body"]

_LONG: Final = {kind.__name__: name for name, kind in BY_NAME.items()}


@dataclass(frozen=True)
class Rewritten:
    """The new body.

    `body`   statements, indented once
    `names`  of constants
    `kept`   constants and scalars of the original that remain parameters
    `free`   names that the body uses and does not bind
    """

    body: str
    names: Names
    kept: tuple[str, ...]
    free: tuple[str, ...]


def rewrite_body(subject: SourceKernel, made: Pieces, dtypes: dict[str, str]) -> Rewritten:
    """The body of a kernel, statement by statement. Raises `Refusal`."""
    return _Rewriting(subject, made, names(subject, made), dtypes).run()


@dataclass
class _Rewriting:
    """The state of a rewrite.

    gone   ids of nodes that are removed
    parts  partitions of inputs that are created at the top: the expression, by name
    """

    subject: SourceKernel
    made: Pieces
    names: Names
    dtypes: dict[str, str]
    gone: set[int] = field(default_factory=set)
    parts: dict[str, str] = field(default_factory=dict)

    def run(self) -> Rewritten:
        subject = self.subject
        self.ct = subject.source.tile_module()
        if self.ct is None:
            raise Refusal("the file does not import `cuda.tile` as a module: `import cuda.tile as ct`")
        coordinates = {c for c in self.made.found[0].coordinates if c is not None}
        self.by_axis = self._by_axis(coordinates)
        loops = {loop.node.target.value for loop in self.made.loops if isinstance(loop.node.target, cst.Name)}
        bound = {c for c in coordinates if not c.startswith("bid(")}
        self._mark()
        self.gone = find_dropped(subject, bound | loops, self.gone)
        self._nothing_else_of_blocks(loops - bound)
        turner = _Turner(self)
        body = subject.function.body.visit(turner)
        assert isinstance(body, cst.BaseSuite)
        text = cst.Module([]).code_for_node(body)
        return self._assemble(text, coordinates)

    # --- what goes ---------------------------------------------------------------------------------------------------

    def _by_axis(self, coordinates: set[str]) -> dict[int, str]:
        """The coordinate of each grid axis that is a coordinate itself."""
        out: dict[int, str] = {}
        for c in sorted(coordinates):
            if c.startswith("bid("):
                out[int(c[4:-1])] = self.names.choose_fresh("block" if len(coordinates) == 1 else f"block{c[4:-1]}")
            else:
                values = self.subject.source.values_of(self.subject.function, c)
                if len(values) == 1 and values[0] is not None:
                    axis = find_axis(self.subject.source, self.subject.function, values[0])
                    if axis is not None:
                        out[axis] = c
        return out

    def _mark(self) -> None:
        """Marks nodes that the new kernel does not contain: indices of own pieces, headers of loops that pieces
        replace."""
        for piece in self.made.found:
            for call in (piece.call, *piece.loaded):
                index = get_index(self.subject.source, call)
                assert index is not None
                self.gone.add(id(index))
        for loop in self.made.loops:
            self.gone.update((id(loop.node.iter), id(loop.node.target)))
        for node in walk(self.subject.function.body):
            if isinstance(node, cst.Call) and self.is_like(node) is not None:
                index = get_index(self.subject.source, node)
                self.gone.add(id(index))

    def _nothing_else_of_blocks(self, loops: set[str]) -> None:
        for node in live_nodes(self.subject.function.body, self.gone):
            if isinstance(node, cst.Call) and not identify_operation(self.subject.source, node)[1]:
                name, _ = identify_operation(self.subject.source, node)
                if name == "num_blocks" or (name == "bid" and find_axis(
                        self.subject.source, self.subject.function, node) not in self.by_axis):
                    raise Refusal(f"`{self.subject.code(node)}` is used for more than the place of a piece",
                                  self.subject.line(node))
            if isinstance(node, cst.Name) and node.value in loops:
                raise Refusal(f"`{node.value}` is used for more than the place of a piece", self.subject.line(node))

    # --- accesses ----------------------------------------------------------------------------------------------------

    def array(self, call: cst.Call) -> str | None:
        accesses = self.subject.accesses(call)
        return accesses[0].array.text if accesses else None

    def is_like(self, call: cst.Call) -> Piece | None:
        """The output whose piece has the location of a loaded tile."""
        array = self.array(call)
        if array is None or self.made.of(array) is not None or self.made.persistent is not None:
            return None
        source, function = self.subject.source, self.subject.function
        index, shape = get_index(source, call), source.argument(call, 2, "shape")
        if identify_operation(source, call) != ("load", False) or index is None or shape is None:
            return None
        if source.keyword(call, "order") is not None:
            return None
        place = [self.subject.code(part) for part in get_index_parts(source, function, index)]
        extents = [self.subject.code(part) for part in get_index_parts(source, function, shape)]
        for piece in self.made.found:
            if piece.scatter:
                continue
            own = get_index(source, piece.call)
            assert own is not None
            if place == [self.subject.code(part) for part in get_index_parts(source, function, own)] and extents == [
                    str(axis.extent) for axis in piece.axes]:
                return piece
        return None

    def input_of(self, call: cst.Call, name: str) -> str:
        """The expression of an input as it is loaded: padded, or with its axes in another order."""
        source = self.subject.source
        out = name
        order = source.keyword(call, "order")
        if order is not None:
            axes = get_index_parts(source, self.subject.function, order.value)
            if not all(isinstance(axis, cst.Integer) for axis in axes):
                raise Refusal("an order of axes that is not written out in numbers", self.subject.line(call))
            if [self.subject.code(axis) for axis in axes] != [str(k) for k in range(len(axes))]:
                out += f".permute({', '.join(self.subject.code(axis) for axis in axes)})"
        padding = source.keyword(call, "padding_mode")
        if padding is not None and not self.mode(padding.value).endswith(("ZERO", "UNDETERMINED")):
            out += f".padded({self.mode(padding.value)})"
        return out

    def mode(self, node: cst.BaseExpression) -> str:
        """The text of a padding mode, also where it has a name of its own."""
        node = self.subject.source.resolve_name(self.subject.function, node)
        if isinstance(node, cst.Name):
            for other in self.subject.source.module.body:
                for part in other.body if isinstance(other, cst.SimpleStatementLine) else ():
                    if isinstance(part, cst.Assign) and any(
                        get_dotted_name(t.target) == node.value for t in part.targets
                    ):
                        return self.subject.code(part.value)
        text = self.subject.code(node)
        if not get_dotted_name(node).rpartition(".")[2].isupper():
            raise Refusal(f"the padding mode `{text}` is not written out", self.subject.line(node))
        return text

    def partition(self, array: str, expression: str, shape: str) -> str:
        """The name of a partition that is created at the top of the kernel."""
        wanted = f"{expression}.partition({shape})"
        for name, text in self.parts.items():
            if text == wanted:
                return name
        name = self.names.choose_fresh(f"p{array.lower()}")
        while name in self.parts:
            name += "_"
        self.parts[name] = wanted
        return name

    def in_loop(self, node: cst.CSTNode) -> bool:
        kept = {id(loop.node) for loop in self.made.loops if not loop.persistent}
        return any(isinstance(above, cst.For | cst.While) and id(above) not in kept
                   for above in self.subject.source.find_ancestors(node))

    # --- the result --------------------------------------------------------------------------------------------------

    def _assemble(self, text: str, coordinates: set[str]) -> Rewritten:
        first = self.made.found[0]
        read, bound = _names_in(f"def f():\n{text.lstrip(chr(10))}")
        used = read.union(*(_names_in(part)[0] for part in self.parts.values()))
        head: list[str] = []
        shapes: dict[str, list[str]] = {}
        for constant, (array, axis) in self.names.pieces.items():
            local = self.names.locals[constant]
            if local in used:
                piece = self.made.of(array)
                assert piece is not None
                shapes.setdefault(array, ["_"] * len(piece.axes))[axis] = local
        for array, locals_ in shapes.items():
            if sum(name != "_" for name in locals_) == 1:
                axis = next(k for k, name in enumerate(locals_) if name != "_")
                head.append(f"{locals_[axis]} = {array}.tile[{axis}]")
            else:
                head.append(f"{', '.join(locals_)} = {array}.tile")
        head += [f"{name} = {expression}" for name, expression in self.parts.items()]
        wanted = [(self.by_axis.get(int(c[4:-1]), c) if c.startswith("bid(") else c) if c is not None else None
                  for c in first.coordinates]
        place = self._coordinates(first, [c if c in used else None for c in wanted])
        persistent = self.made.persistent
        if persistent is None:
            head += place
        body = text.lstrip("\n").split("\n")
        out = [f"    {line}" for line in head]
        for line in body:
            out.append(line)
            if persistent is not None and line.strip() == _CELLS:
                indent = line[: len(line) - len(line.lstrip())]
                others = ", ".join(p.array for p in self.made.found[1:2])
                out[-1] = f"{indent}for cell in {first.array}.cells({others}):"
                out += [f"{indent}    {more}" for more in place]
        if persistent is not None and len(self.made.found) > 2:
            raise Refusal("no more than two outputs can be walked together", self.subject.line(persistent))
        docstring = self._docstring(body)
        final = "\n".join(out).rstrip() + "\n"
        if docstring:
            final = docstring + "\n" + final.replace(docstring + "\n", "", 1)
        kept = tuple(p.name for p in self.subject.model.params if p.kind not in ("array", "list") and
                     p.name not in self.names.pieces and self.names.locals.get(p.name, p.name) in used)
        known = {*bound, *wanted, *self.names.locals.values(), *self.parts, "cell", "_cells_",
                 *(p.name for p in self.subject.model.params)}
        free = tuple(sorted(used - known))
        return Rewritten(final, self.names, kept, free)

    def _docstring(self, body: list[str]) -> str:
        nodes = self.subject.function.body.body
        first = nodes[0] if nodes else None
        if isinstance(first, cst.SimpleStatementLine) and isinstance(first.body[0], cst.Expr) and isinstance(
                first.body[0].value, cst.SimpleString | cst.ConcatenatedString):
            return "    " + self.subject.code(first.body[0].value)
        return ""

    def _coordinates(self, first: Piece, wanted: list[str | None]) -> list[str]:
        """The statement that names the used coordinates of a piece."""
        cell = "cell" if self.made.persistent is not None else f"{first.array}.cell()"
        call = f"{first.array}.coords({cell})"
        named = [k for k, name in enumerate(wanted) if name is not None]
        if not named:
            return []
        if len(named) == 1:
            return [f"{wanted[named[0]]} = {call}[{named[0]}]"]
        return [f"{', '.join(name or '_' for name in wanted)} = {call}"]


def _names_in(text: str) -> tuple[set[str], set[str]]:
    """Names that a text reads, and those that it binds."""
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)]
    read, bound = ({node.id for node in found if isinstance(node.ctx, kind)} for kind in (ast.Load, ast.Store))
    return read, bound


_CELLS: Final = "for _cells_ in _cells_:"


class _Turner(cst.CSTTransformer):
    """Converts nodes from the inside. `original` is a node of the original tree, identified by its identity."""

    def __init__(self, rewriting: _Rewriting) -> None:
        super().__init__()
        self.r = rewriting
        self.source = rewriting.subject.source
        self.made = rewriting.made

    def on_visit(self, node: cst.CSTNode) -> bool:
        # removed nodes have no counterpart
        return id(node) not in self.r.gone and super().on_visit(node)

    def leave_SimpleStatementLine(self, original_node: Any, updated_node: Any) -> Any:
        return cst.RemoveFromParent() if id(original_node) in self.r.gone else updated_node

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> Any:
        above = next(iter(self.source.find_ancestors(original_node)), None)
        if isinstance(above, cst.Attribute) and above.attr is original_node:
            return updated_node
        if isinstance(above, cst.Arg) and above.keyword is original_node:
            return updated_node
        return updated_node.with_changes(value=self.r.names.locals.get(original_node.value, original_node.value))

    def leave_Tuple(self, original_node: cst.Tuple, updated_node: cst.Tuple) -> Any:
        """Replaces the shape of a piece by `z.tile`, whose type contains the extents, unlike that of a tuple
        display."""
        around = list(islice(self.source.find_ancestors(original_node), 2))
        if len(around) < 2 or not isinstance(around[1], cst.Call) or identify_operation(
                self.source, around[1])[0] not in _SHAPED or any(isinstance(e, cst.StarredElement) for e in
                                                                 original_node.elements):
            return updated_node
        texts = [self.r.subject.code(element.value) for element in original_node.elements]
        same = next((p for p in self.made.found if [str(a.extent) for a in p.axes] == texts and any(
            isinstance(a.extent, int) for a in p.axes)), None)
        return updated_node if same is None else cst.parse_expression(f"{same.array}.tile")

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> Any:
        loop: Loop | None = next((loop for loop in self.made.loops if loop.node is original_node), None)
        if loop is None:
            return updated_node
        if loop.persistent:
            return updated_node.with_changes(target=cst.Name("_cells_"), iter=cst.Name("_cells_"))
        return cst.FlattenSentinel(updated_node.body.body)

    def leave_Expr(self, original_node: cst.Expr, updated_node: cst.Expr) -> Any:
        piece = next((p for p in self.made.found if p.call is original_node.value), None)
        if piece is None or self.made.persistent is None:
            return updated_node
        assert isinstance(updated_node.value, cst.Call)
        value = updated_node.value.args[0].value
        return cst.Assign([cst.AssignTarget(cst.Subscript(cst.Name(piece.array), [
            cst.SubscriptElement(cst.Index(cst.Name("cell")))]))], value)

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> Any:
        base = original_node.value
        if not isinstance(base, cst.Attribute) or base.attr.value != "shape" or not isinstance(base.value, cst.Name):
            return updated_node
        array = base.value.value
        if self.r.subject.kind(array) != "array":
            return updated_node
        index = original_node.slice[0].slice
        piece = self.made.of(array)
        line = self.r.subject.line(original_node)
        if not isinstance(index, cst.Index) or not isinstance(index.value, cst.Integer):
            raise Refusal(f"an extent of `{array}` by an axis that is not written out", line)
        axis = int(index.value.evaluated_value)
        if piece is not None and piece.axes[axis].coordinate is not None:
            raise Refusal(f"`{array}` is written, and a kernel of the dialect knows only its own piece, not the extent "
                          f"`{self.r.subject.code(original_node)}`: pass it as a number", line)
        return cst.parse_expression(f"{array}.extent({axis})")

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> Any:
        if get_dotted_name(original_node) in _OF_TORCH:
            return cst.parse_expression(f"{self.r.ct}.{original_node.attr.value}")
        if original_node.attr.value == "dtype" and isinstance(original_node.value, cst.Name):
            array = original_node.value.value
            if self.r.subject.kind(array) == "array":
                return cst.parse_expression(f"{self.r.ct}.{_LONG[self.r.dtypes[array]]}")
        return updated_node

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> Any:
        name, method = identify_operation(self.source, original_node)
        subject = self.r.subject
        axis = find_axis(self.source, subject.function, original_node) if name == "bid" and not method else None
        if axis in self.r.by_axis:
            return cst.Name(self.r.by_axis[axis])
        if name == "num_tiles" and not method:
            return self.count_tiles(original_node, updated_node)
        array = self.r.array(original_node)
        if array is None:
            return updated_node
        made = dict(self.argument_texts(original_node, updated_node))
        piece = self.made.of(array)
        if piece is not None:
            return self.of_piece(piece, original_node, made)
        shared = next((a for a, call in self.made.shared if call is original_node), None)
        if shared is not None:
            return self.update_accumulator(shared, name, original_node, updated_node)
        if name == "load" and not method:
            return self.load_input(array, original_node, made)
        if name == "gather" and not method:
            return self.gather_input(array, original_node, made)
        raise Refusal(f"the dialect has nothing for `{name}` of an input", subject.line(original_node))

    # --- calls -------------------------------------------------------------------------------------------------------

    def argument_texts(self, original: cst.Call, updated: cst.Call) -> Iterator[tuple[str, str]]:
        """The new text of the arguments, by the name of the parameter."""
        name, _ = identify_operation(self.source, original)
        places = _PARAMETERS.get(name, ())
        for place, arg in enumerate(updated.args):
            text = cst.Module([]).code_for_node(arg.value)
            if arg.keyword is not None:
                yield arg.keyword.value, text
            elif place < len(places):
                yield places[place], text

    def of_piece(self, piece: Piece, original: cst.Call, made: dict[str, str]) -> Any:
        array = piece.array
        if original is not piece.call:
            return cst.parse_expression(f"{array}[cell]" if self.made.persistent is not None else f"{array}.load()")
        if not piece.scatter:
            return cst.parse_expression(f"{array}.store({_join_lines(made['tile'])})")
        if "mask" not in made:
            # it fills the piece, and elements outside of the array are clipped in both kernels
            return cst.parse_expression(
                f"{array}.store({self.r.ct}.reshape({_join_lines(made['tile'])}, {array}.tile))")
        ct = self.r.ct
        places = ["0" if axis.extent == 1 else f"{ct}.arange({self.extent(axis.extent)}, dtype={ct}.int32)"
                  for axis in piece.axes]
        mask = f", {made['mask']}" if "mask" in made else ""
        place = f"({places[0]},)" if len(places) == 1 else f"({', '.join(places)})"
        return cst.parse_expression(f"{array}.scatter({place}, {_join_lines(made['tile'])}{mask})")

    def extent(self, extent: int | str) -> str:
        return self.r.names.locals[extent] if isinstance(extent, str) else str(extent)

    def load_input(self, array: str, original: cst.Call, made: dict[str, str]) -> Any:
        like = self.r.is_like(original)
        expression = self.r.input_of(original, array)
        if like is not None:
            return cst.parse_expression(f"{expression}.load_like({like.array})")
        shape, index = _join_lines(made["shape"]), _join_lines(made["index"])
        parts = get_index_parts(
            self.source, self.r.subject.function, self.source.argument(original, 2, "shape") or original
        )
        constant = all(isinstance(part, cst.Integer) or (isinstance(part, cst.Name) and self.r.subject.kind(
            part.value) == "constant") for part in parts)
        if constant and self.r.in_loop(original) and shape.startswith("("):
            name = self.r.partition(array, expression, shape[1:-1].rstrip(", "))
            return cst.parse_expression(f"{name}[{index[1:-1].rstrip(', ') if index.startswith('(') else index}]")
        same = next((p for p in self.made.found if [str(a.extent) for a in p.axes] == [
            self.r.subject.code(part) for part in parts]), None)
        return cst.parse_expression(f"{expression}.load({index}, {f'{same.array}.tile' if same else shape})")

    def gather_input(self, array: str, original: cst.Call, made: dict[str, str]) -> Any:
        indices = made["indices"]
        given = self.source.argument(original, 1, "indices")
        whole = indices if isinstance(given, cst.Tuple) else f"({indices},)"
        text = f"{array}.gather({whole})"
        padding = made.get("padding_value")
        kept = [made["mask"]] if "mask" in made else []
        if padding not in (None, "0", "0.0"):
            kept += self.bounds_mask(array, original, whole)
        if kept:
            text = f"{self.r.ct}.where({' & '.join(kept)}, {text}, {padding or 0})"
        return cst.parse_expression(text)

    def bounds_mask(self, array: str, original: cst.Call, whole: str) -> list[str]:
        """Conditions under which a gather reads elements; the dialect otherwise pads with zero."""
        given = cst.parse_expression(whole)
        assert isinstance(given, cst.Tuple)
        texts = [cst.Module([]).code_for_node(element.value) for element in given.elements]
        if any(not text.isidentifier() for text in texts):
            raise Refusal(f"`{array}` is gathered with a padding of its own by an index that has no name; the dialect "
                          "pads with zero", self.r.subject.line(original))
        return [f"({text} >= 0) & ({text} < {array}.extent({k}))" for k, text in enumerate(texts)]

    def count_tiles(self, original: cst.Call, updated: cst.Call) -> Any:
        """`ct.num_tiles(x, axis, shape)`."""
        subject = self.r.subject
        given = original.args[0].value if original.args else None
        array = given.value if isinstance(given, cst.Name) else ""
        if subject.kind(array) != "array" or self.made.of(array) is not None:
            raise Refusal(f"the tiles of `{array}` are counted, and it is not an input", subject.line(original))
        made = dict(self.argument_texts(original, updated))
        shape = _join_lines(made["shape"])
        expression = self.r.input_of(original, array)
        name = self.r.partition(array, expression, shape[1:-1].rstrip(", ") if shape.startswith("(") else shape)
        return cst.parse_expression(f"{name}.tiles({made['axis']})")

    def update_accumulator(self, array: str, name: str, original: cst.Call, updated: cst.Call) -> Any:
        above = next(iter(self.source.find_ancestors(original)), None)
        line = self.r.subject.line(original)
        if not isinstance(above, cst.Expr):
            raise Refusal(f"what `{name}` returns is used, which depends on the order of blocks", line)
        kind = name.removeprefix("atomic_")
        if kind not in _UPDATES or len(updated.args) < 3:
            raise Refusal(f"an accumulator of the dialect has no `{name}`", line)
        if any(self.source.keyword(original, k) for k in ("memory_order", "memory_scope")):
            raise Refusal("an accumulator of the dialect is updated in relaxed order, device-wide", line)
        index, update = (cst.Module([]).code_for_node(arg.value) for arg in updated.args[1:3])
        given = original.args[1].value
        return cst.parse_expression(
            f"{array}.{_UPDATES[kind]}({index if isinstance(given, cst.Tuple) else f'({index},)'}, {update})")


_SHAPED: Final = frozenset({"reshape", "full", "zeros", "ones", "broadcast_to"})
"""Operations that take a shape."""
_OF_TORCH: Final = frozenset(f"torch.{name}" for name in BY_NAME)
"""Element types of torch that `cuda.tile` also accepts."""
_PARAMETERS: Final = {
    "load": ("array", "index", "shape"), "store": ("array", "index", "tile"), "gather": ("array", "indices"),
    "scatter": ("array", "indices", "tile"), "num_tiles": ("array", "axis", "shape"),
}
_UPDATES: Final = {"add": "add", "min": "min", "max": "max", "and": "and_", "or": "or_", "xor": "xor"}


def _join_lines(text: str) -> str:
    return " ".join(text.split()) if "\n" in text else text
