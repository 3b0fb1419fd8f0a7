"""A tile outside its array: where the index comes from, and what keeps it inside."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from tilecheck.diagnostics import Note
from tilecheck.obligations.obligation import Advice, DecidedObligation
from tilecheck.repair.candidates.indices import index_of
from tilecheck.repair.candidates.recheck import Candidate, try_candidate
from tilecheck.repair.candidates.scene import Scene, walk
from tilecheck.rules.messages.wording import block_name
from tilecheck.symbolic.footprint import Witness
from tilecheck.syntax.tree import Attribute, BinOp, Call, Constant, Expr, For, Name

__all__ = ["advise_on_range"]


def advise_on_range(scene: Scene, s: DecidedObligation) -> Advice | None:
    w, reach = s.witness, s.reach
    if w is None or reach is None or reach.axis is None or s.verdict != "refuted" or reach.step is None:
        return None
    call = scene.calls.get(s.access.span)
    index = None if call is None else index_of(scene, call)
    if call is None or index is None or reach.axis >= len(index.parts):
        return None
    part = index.parts[reach.axis]
    notes = (*_note_loops(scene, s, part, w), *_note_tile_number(scene, s, w, part))
    for c in _propose_loop_ends(scene, s, call, part):
        if try_candidate(scene, s, c) is not None:
            return Advice(notes, f"{c.describe('write')}: then the loop ends with the last tile of `{s.access.array}`",
                          (c.edit,))
    text = scene.text(part.span)
    on = f"on line {part.span.line}, "
    if w.element[0] < 0:
        return Advice(notes, f"{on}write `max({text}, 0)` in place of `{text}`, or leave out the blocks for which it "
                             f"is negative with `if {text} >= 0:`; tiles are not counted from the end")
    tiles = _spell_tile_count(scene, s, call)
    if tiles is None:
        return Advice(notes)
    return Advice(notes, f"{on}write `min({text}, {tiles} - 1)` in place of `{text}`, or leave out the tiles past "
                         f"the end with `if {text} < {tiles}:`")


def _note_tile_number(scene: Scene, s: DecidedObligation, w: Witness, part: Expr) -> Iterator[Note]:
    """The number of the tile, and the numbers that exist."""
    assert s.reach is not None and s.reach.step is not None  # or nothing is advised
    number, step = scene.at(s.reach.index, w, w.first), scene.at(s.reach.step, w, w.first)
    if number is not None and step and s.end:
        block = block_name(w.first.block, scene.model.axes_read)
        there = -(-s.end // step)
        tiles = f"tiles are 0 to {there - 1}" if there > 1 else "the only tile is 0"
        yield Note(f"{number} in block {block}; {tiles}", part.span, True)


def _note_loops(scene: Scene, s: DecidedObligation, part: Expr, w: Witness) -> Iterator[Note]:
    """The loop that counts the index, and how far it goes."""
    names = {n.id for n in scene.behind(part) if isinstance(n, Name)}
    for loop, name in _find_enclosing_loops(scene, s):
        used = next((n for n in scene.behind(part) if isinstance(n, Name) and n.id == name), None)
        value = None if used is None else scene.term(used)
        last = None if value is None else scene.at(value, w, w.first)
        if name in names and last is not None:
            yield Note(f"`{name}` comes to {last} here", loop.iterable.span, True)


def _find_enclosing_loops(scene: Scene, s: DecidedObligation) -> Iterator[tuple[For, str]]:
    at = (s.access.span.line, s.access.span.column)
    for n in scene.nodes:
        if isinstance(n, For) and isinstance(n.target, Name) and (n.span.line, n.span.column) <= at <= (
                n.span.end_line, n.span.end_column):
            yield n, n.target.id


def _propose_loop_ends(scene: Scene, s: DecidedObligation, call: Call, part: Expr) -> Iterator[Candidate]:
    """The end of the loop that counts the index, at the number of tiles."""
    names = {n.id for n in scene.behind(part) if isinstance(n, Name)}
    for loop, name in _find_enclosing_loops(scene, s):
        over = loop.iterable
        if name not in names or not isinstance(over, Call) or not isinstance(over.func, Name) or (
                over.func.id != "range" or over.keywords or not over.args):
            continue
        place = 0 if len(over.args) == 1 else 1
        end = over.args[place]
        tiles = _spell_tile_count(scene, s, call)
        asked = f"{scene.module}num_tiles("
        shorter: list[Expr] = [e for e in walk(end) if isinstance(e, Call) and scene.text(e.span).startswith(asked)]
        if isinstance(end, BinOp):
            shorter.append(end.left)
        for e in shorter:
            texts = [scene.text(e.span) if k == place else scene.text(a.span) for k, a in enumerate(over.args)]
            yield Candidate(end.span, replace(e), scene.text(e.span), f"range({', '.join(texts)})", 0,
                            was=scene.text(over.span))
        if tiles is not None:
            texts = [tiles if k == place else scene.text(a.span) for k, a in enumerate(over.args)]
            node = _build_tile_count(scene, s, call, end)
            if node is not None:
                yield Candidate(end.span, node, tiles, f"range({', '.join(texts)})", 1,
                                was=scene.text(over.span))


def _get_shape(call: Call) -> Expr | None:
    return next((k.value for k in call.keywords if k.name == "shape"), call.args[2] if len(call.args) > 2 else None)


def _spell_tile_count(scene: Scene, s: DecidedObligation, call: Call) -> str | None:
    """The number of tiles, as this kernel would ask for it."""
    shape, reach = _get_shape(call), s.reach
    array = scene.text(call.args[0].span) if call.args else ""
    if shape is None or reach is None or not array.isidentifier() or s.access.op != "load":
        return None
    return f"{scene.module}num_tiles({array}, {reach.axis}, {scene.text(shape.span)})"


def _build_tile_count(scene: Scene, s: DecidedObligation, call: Call, at: Expr) -> Expr | None:
    shape, reach = _get_shape(call), s.reach
    if shape is None or reach is None:
        return None
    func = replace(call.func, attr="num_tiles") if isinstance(call.func, Attribute) else Name("num_tiles", at.span)
    return Call(func, (call.args[0], Constant(reach.axis, at.span), shape), (), at.span)
