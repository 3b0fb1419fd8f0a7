"""Determines the piece of each output that a block owns, from the stores of the kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import libcst as cst

from tilecheck.repair.source.grid_names import find_axis
from tilecheck.repair.source.operations import get_index, get_index_parts, identify_operation
from tilecheck.repair.source.tree import get_dotted_name, walk
from tilecheck.symbolic import Symbol, Term
from tilecheck_runtime.migrate.affine import run_of
from tilecheck_runtime.migrate.refusal import Refusal
from tilecheck_runtime.migrate.source_kernel import SourceKernel

__all__ = ["Axis", "Loop", "Piece", "Pieces", "coordinate_of", "find_pieces"]

_ACCESSES: Final = frozenset({"load", "store", "gather", "scatter"})


@dataclass(frozen=True)
class Axis:
    """One axis of a piece.

    extent      of the piece: a number, or the name of a constant
    coordinate  the name that counts pieces along it, or `bid(0)` if no name holds it; None if the piece is the whole
                axis
    """

    extent: int | str
    coordinate: str | None


@dataclass(frozen=True)
class Piece:
    """The piece that a block writes of an output.

    call     that writes it
    scatter  whether it is written by element
    loaded   calls that read it
    """

    array: str
    axes: tuple[Axis, ...]
    call: cst.Call
    scatter: bool = False
    loaded: tuple[cst.Call, ...] = ()

    @property
    def coordinates(self) -> tuple[str | None, ...]:
        return tuple(axis.coordinate for axis in self.axes)


@dataclass(frozen=True)
class Loop:
    """A loop that the coordinates of pieces replace.

    persistent  whether blocks share its iterations; otherwise each iteration becomes a piece
    """

    node: cst.For
    persistent: bool


@dataclass(frozen=True)
class Pieces:
    """All outputs. The first one determines the coordinates."""

    found: tuple[Piece, ...]
    shared: tuple[tuple[str, cst.Call], ...]
    loops: tuple[Loop, ...]

    @property
    def persistent(self) -> cst.For | None:
        return next((loop.node for loop in self.loops if loop.persistent), None)

    def of(self, array: str) -> Piece | None:
        return next((piece for piece in self.found if piece.array == array), None)


def find_pieces(subject: SourceKernel) -> Pieces:
    """The outputs of a kernel. Raises `Refusal`."""
    written: dict[str, cst.Call] = {}
    shared: list[tuple[str, cst.Call]] = []
    loaded: dict[str, list[cst.Call]] = {}
    for call in _calls(subject):
        name, _ = identify_operation(subject.source, call)
        for access in subject.accesses(call):
            array = access.array.text
            if subject.kind(array) != "array" or access.may:
                raise Refusal(f"which array this accesses is not one parameter: `{array}`", subject.line(call))
            if access.mode == "atomic":
                shared.append((array, call))
            elif name not in _ACCESSES:
                raise Refusal(f"the dialect has nothing for `{name}`", subject.line(call))
            elif access.mode == "write":
                if written.setdefault(array, call) is not call:
                    raise Refusal(f"`{array}` is written here and in line {subject.line(written[array])}; an output of "
                                  "the dialect is written in one place", subject.line(call))
            else:
                loaded.setdefault(array, []).append(call)
    if not written:
        raise Refusal("nothing is written in pieces, so there is no output that a grid would follow from")
    loops = dict.fromkeys(loop for call in written.values() for loop in _loops(subject, call))
    found = [_piece(subject, array, call, loaded.get(array, [])) for array, call in written.items()]
    made = Pieces(tuple(found), tuple(shared), tuple(_kinds(subject, loops, found)))
    _check_agreement(subject, made)
    return made


def _calls(subject: SourceKernel) -> Iterator[cst.Call]:
    for node in walk(subject.function.body):
        if isinstance(node, cst.Call) and subject.accesses(node):
            yield node


def _loops(subject: SourceKernel, call: cst.Call) -> Iterator[cst.For]:
    for above in subject.source.find_ancestors(call):
        if above is subject.function:
            return
        if isinstance(above, cst.For):
            yield above
        elif isinstance(above, cst.While):
            raise Refusal("a store in a `while` loop has no piece", subject.line(above))


def _kinds(subject: SourceKernel, loops: Sequence[cst.For] | dict[cst.For, None],
           found: Sequence[Piece]) -> Iterator[Loop]:
    named = {c for piece in found for c in piece.coordinates}
    persistent = 0
    for loop in loops:
        args = loop.iter.args if isinstance(loop.iter, cst.Call) and get_dotted_name(loop.iter.func) == "range" else ()
        if not args or any(arg.star or arg.keyword for arg in args) or not isinstance(loop.target, cst.Name):
            raise Refusal("a store in a loop that is not a `range` of one variable has no piece", subject.line(loop))
        if len(args) == 3:
            start, step = (find_axis(subject.source, subject.function, args[k].value, what)
                           for k, what in ((0, "bid"), (2, "num_blocks")))
            if start is not None and start == step:
                persistent += 1
                if persistent > 1:
                    raise Refusal("blocks share the iterations of more than one loop", subject.line(loop))
                _check_independent(subject, loop)
                yield Loop(loop, True)
                continue
        whole = len(args) == 1 or (len(args) == 2 and subject.code(args[0].value) == "0")
        if loop.target.value not in named or not whole:
            raise Refusal("a store in a loop is repeated: its variable must count pieces from 0", subject.line(loop))
        _check_independent(subject, loop)
        yield Loop(loop, False)


def _check_independent(subject: SourceKernel, loop: cst.For) -> None:
    """Raises `Refusal` for a loop with iterations that depend on each other: they cannot become pieces."""
    inside = {part.value for node in walk(loop.body) if isinstance(node, cst.Assign | cst.AugAssign | cst.AnnAssign)
              for target in ([t.target for t in node.targets] if isinstance(node, cst.Assign) else [node.target])
              for part in walk(target) if isinstance(part, cst.Name)}
    within = set(map(id, walk(loop)))
    for node in walk(subject.function.body):
        if isinstance(node, cst.Name) and node.value in inside and id(node) not in within:
            raise Refusal(f"`{node.value}` is carried through the loop in line {subject.line(loop)}, whose iterations "
                          "cannot be pieces of their own", subject.line(node))
    if any(isinstance(node, cst.Break | cst.Continue) for node in walk(loop.body)):
        raise Refusal("a loop that is left early cannot become pieces", subject.line(loop))


def _piece(subject: SourceKernel, array: str, call: cst.Call, loaded: Sequence[cst.Call]) -> Piece:
    name, _ = identify_operation(subject.source, call)
    index = get_index(subject.source, call)
    parts = [] if index is None else get_index_parts(subject.source, subject.function, index)
    if not parts:
        raise Refusal(f"the index of `{array}` is not written out", subject.line(call))
    if subject.source.keyword(call, "order") is not None:
        raise Refusal(f"`{array}` is stored in another order of axes", subject.line(call))
    axes = _tile_axes(subject, array, call, parts) if name == "store" else [
        _element_axis(subject, array, call, part) for part in parts]
    named = [axis.coordinate for axis in axes if axis.coordinate is not None]
    if not named:
        raise Refusal(f"the index of `{array}` has no block coordinate in it", subject.line(call))
    if len(set(named)) < len(named):
        raise Refusal(f"one coordinate counts two axes of `{array}`", subject.line(call))
    for other in loaded:
        _check_own_piece(subject, array, other, index)
    return Piece(array, tuple(axes), call, name != "store", tuple(loaded))


def _check_own_piece(subject: SourceKernel, array: str, call: cst.Call, index: cst.BaseExpression | None) -> None:
    """Raises `Refusal` for a read of an output outside of the own piece."""
    theirs = get_index(subject.source, call)
    texts = [
        [subject.code(part) for part in get_index_parts(subject.source, subject.function, i)] if i is not None else []
        for i in (index, theirs)
    ]
    if identify_operation(subject.source, call)[0] != "load" or texts[0] != texts[1]:
        raise Refusal(f"`{array}` is written, and read here at another index than it is written at: only the own piece "
                      "of an output can be read back", subject.line(call))


def _tile_axes(subject: SourceKernel, array: str, call: cst.Call, parts: Sequence[cst.BaseExpression]) -> list[Axis]:
    (access, *_) = subject.accesses(call)
    if len(access.tile) != len(parts):
        raise Refusal(f"the shape of the tile stored to `{array}` is not known", subject.line(call))
    return [Axis(_extent(subject, array, call, extent), coordinate_of(subject, call, part))
            for extent, part in zip(access.tile, parts, strict=True)]


def _extent(subject: SourceKernel, array: str, call: cst.Call, extent: Term) -> int | str:
    if extent.constant is not None:
        return extent.constant
    if isinstance(extent.single, Symbol) and subject.kind(extent.single.name) == "constant":
        return extent.single.name
    raise Refusal(f"an extent of the tile stored to `{array}` is neither a number nor a constant of the kernel",
                  subject.line(call))


def coordinate_of(subject: SourceKernel, call: cst.Call, part: cst.BaseExpression) -> str | None:
    """The name of a coordinate; None for 0, the only piece along an axis. Raises `Refusal`."""
    if isinstance(part, cst.Integer) and part.value == "0":
        return None
    axis = find_axis(subject.source, subject.function, part)
    if isinstance(part, cst.Name) and subject.kind(part.value) is None:
        return part.value
    if axis is not None:
        return f"bid({axis})"
    raise Refusal(f"`{subject.code(part)}` in an index is not a plain block coordinate: give it a name",
                  subject.line(call))


def _element_axis(subject: SourceKernel, array: str, call: cst.Call, part: cst.BaseExpression) -> Axis:
    """The axis of a scatter: `coordinate * T + ct.arange(T)`, or a single coordinate."""
    found = run_of(subject, part)
    if found is not None:
        counter, extent = found
        coordinate = None if counter is None else coordinate_of(subject, call, counter)
        return Axis(_constant(subject, call, extent), coordinate)
    if isinstance(part, cst.Name | cst.Call):
        return Axis(1, coordinate_of(subject, call, part))
    raise Refusal(f"`{array}` is scattered to by `{subject.code(part)}`, which is not a run of elements of a piece",
                  subject.line(call))


def _constant(subject: SourceKernel, call: cst.Call, node: cst.BaseExpression) -> int | str:
    if isinstance(node, cst.Integer):
        return int(node.evaluated_value)
    if isinstance(node, cst.Name) and subject.kind(node.value) == "constant":
        return node.value
    raise Refusal(f"`{subject.code(node)}` is neither a number nor a constant of the kernel", subject.line(call))


def _check_agreement(subject: SourceKernel, made: Pieces) -> None:
    first, *rest = made.found
    for piece in rest:
        longest = max(len(first.axes), len(piece.axes))
        one, two = (p.coordinates + (None,) * (longest - len(p.coordinates)) for p in (first, piece))
        if one != two:
            raise Refusal(f"the pieces of `{piece.array}` are not counted as those of `{first.array}` are, so the two "
                          "do not agree on a grid", subject.line(piece.call))
        if made.persistent is not None and piece.axes != first.axes:
            raise Refusal(f"`{piece.array}` and `{first.array}` have unequal pieces and cannot be walked together",
                          subject.line(piece.call))
    for piece in made.found:
        if made.persistent is not None and piece.scatter and subject.source.keyword(piece.call, "mask") is not None:
            raise Refusal("a block that owns several pieces cannot scatter some of their elements",
                          subject.line(piece.call))
