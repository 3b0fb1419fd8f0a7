"""An offset that runs past the end of its row: where rows begin, and the mask that ends them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from tilecheck.diagnostics import Note
from tilecheck.interp.kernel.access import Access
from tilecheck.interp.kernel.source_names import spell_term
from tilecheck.obligations.obligation import Advice, DecidedObligation
from tilecheck.repair.candidates.indices import index_of
from tilecheck.repair.candidates.notes import describe_in_both_blocks, label_access
from tilecheck.repair.candidates.recheck import Candidate, try_candidate
from tilecheck.repair.candidates.scene import Scene, axes_of
from tilecheck.repair.candidates.wording import alternatives
from tilecheck.symbolic import Lane, Scalar, Term, atoms_of
from tilecheck.syntax.tree import Attribute, BinOp, Call, Compare, Expr, Keyword, Name

__all__ = ["advise_on_row_spill"]


def advise_on_row_spill(scene: Scene, s: DecidedObligation) -> Advice | None:
    call = scene.calls.get(s.access.span)
    index = None if call is None else index_of(scene, call)
    if call is None or index is None or index.is_tuple or s.verdict != "conditional":
        return None
    found = [*_note_rows(scene, index.whole)]
    w = s.witness
    if w is not None and s.other is not None and s.other.span != s.access.span:
        found += (n for a, p in ((s.other, w.first), (s.access, w.second)) for n in label_access(scene, a, w, p))
    elif w is not None:
        found.append(Note(describe_in_both_blocks(scene, s.access, w), index.whole.span, True, of_block=True))
    notes = tuple(sorted(found, key=lambda n: n.span or s.access.span))
    clauses = " and ".join(s.semantic_texts)
    masks = [c for a in _find_similar_accesses(scene, s) for c in list(_propose_masks(scene, a))[:1]]
    writes = [c for c in masks if c.span in {a.span for a in scene.model.accesses if a.mode == "write"}]
    if not writes or try_candidate(scene, s, *writes) is None:
        return Advice(notes)
    places: dict[str, set[int]] = {}
    for c in masks:
        places.setdefault(c.shown, set()).add(c.span.line)
    told = "; ".join(f"on {_join_lines(at)}, add `{text}`" for text, at in places.items())
    return Advice(notes, alternatives("each of these keeps the blocks to their rows", (
        f"{told}: the lanes past the end of the row are left out then",
        f'declare what every launch satisfies, if it does: @requires("{clauses}")')))


def _join_lines(numbers: set[int]) -> str:
    *most, last = sorted(numbers)
    return f"lines {', '.join(map(str, most))} and {last}" if most else f"line {last}"


def _find_similar_accesses(scene: Scene, s: DecidedObligation) -> list[Access]:
    """The writes to the array, and the reads that go past the end of a row as one of them does."""
    writes = [a for a in scene.model.accesses if a.mode == "write" and a.array == s.access.array]
    indices = {a.region.index for a in writes}
    found = [a for a in scene.model.accesses if a in writes or (a.mode == "read" and a.region.index in indices)]
    return list({a.span: a for a in found}.values())


def _note_rows(scene: Scene, index: Expr) -> Iterator[Note]:
    """Notes on the offset of a row and on the width of the written tile."""
    for node in scene.behind(index):
        if isinstance(node, BinOp) and node.op == "*":
            for row, stride in ((node.left, node.right), (node.right, node.left)):
                term = scene.term(row)
                if term is not None and axes_of(term) and not axes_of(scene.term(stride) or term):
                    yield Note(f"a row has `{scene.text(stride.span)}` elements", node.span, True)
        if isinstance(node, Call) and isinstance(node.func, Attribute) and node.func.attr == "arange" and node.args:
            yield Note(f"a block takes `{scene.text(node.args[0].span)}` elements of its row", node.span, True)


def _propose_masks(scene: Scene, access: Access) -> Iterator[Candidate]:
    """A mask of the lanes that lie in the row."""
    call = scene.calls.get(access.span)
    index = None if call is None else index_of(scene, call)
    if call is None or index is None or len(access.region.index) != 1 or any(k.name == "mask" for k in call.keywords):
        return
    (offset,) = access.region.index
    for node in scene.behind(index.whole):
        if not isinstance(node, BinOp) or node.op != "*":
            continue
        for row, stride in ((node.left, node.right), (node.right, node.left)):
            term, width = scene.term(row), scene.term(stride)
            if term is None or width is None or not axes_of(term) or axes_of(width):
                continue
            column = offset - term * width
            made = _spell_column(scene, column, call)
            if made is not None:
                text, expr = made
                shown = f"mask={text} < {scene.text(stride.span)}"
                mask = Compare(expr, ("<",), (stride,), call.span)
                masked = replace(call, keywords=(*call.keywords, Keyword("mask", mask)))
                yield Candidate(call.span, masked, scene.text(call.span), shown, 0)


def _spell_column(scene: Scene, column: Term, call: Call) -> tuple[str, Expr] | None:
    """A column of lanes as source text and node: the name of the lanes plus an offset."""
    lanes = {a for a in atoms_of(column) if isinstance(a, Lane)}
    if len(lanes) != 1:
        return None
    (lane,) = lanes
    alone = Term({(lane,): 1})
    name = next((n for n, g in scene.given.items() if scene.term(g.target) == alone), None)
    made = next((c for c in scene.calls.values() if scene.term(c) == alone), None)
    rest = column - alone
    if rest.varying or (name is None and made is None):
        return None
    lanes_text = name or scene.text(made.span if made is not None else call.span)
    lanes_node: Expr | None = made if name is None else Name(name, call.span)
    assert lanes_node is not None  # one of the two is there
    if rest == Term({}):
        return lanes_text, lanes_node
    written = next((n for n in scene.nodes if isinstance(n, BinOp) and scene.term(n) == rest), None)
    plain = rest.single
    node: Expr | None = written
    if isinstance(plain, Scalar) and plain.name.isidentifier():
        node = Name(plain.name, call.span)
    if node is None:
        return None
    text = scene.text(written.span) if written is not None else spell_term(rest)
    return f"{text} + {lanes_text}", BinOp("+", node, lanes_node, call.span)
