"""Edits that may make two blocks access different elements. Each is a guess that `recheck` tries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from tilecheck.interp.kernel.access import Access
from tilecheck.repair.candidates.indices import Index, find_load, format_index, index_of, replace_index
from tilecheck.repair.candidates.recheck import Candidate
from tilecheck.repair.candidates.scene import Scene, axes_of, walk
from tilecheck.symbolic import Bid, Lane, Symbol, Term, atoms_of, of
from tilecheck.symbolic.footprint import Witness
from tilecheck.syntax.tree import Attribute, BinOp, BoolOp, Call, Compare, Constant, Expr, For, Keyword, Name, Span

__all__ = ["find_unused_names", "reorder_index", "separate_blocks", "separate_statements"]

_PIECES: Final = 4
"""The number of expressions to try on an axis."""


def separate_blocks(scene: Scene, access: Access, w: Witness) -> Iterator[Candidate]:
    """Edits for two blocks that access one element through the same statement."""
    call = scene.calls.get(access.span)
    index = None if call is None else index_of(scene, call)
    if call is None or index is None:
        return
    differ = frozenset(k for k in range(3) if w.first.block[k] != w.second.block[k])
    yield from _stride_loops(scene, access, differ)
    yield from _unify_radices(scene, index)
    yield from _widen_strides(scene, access, index, differ)
    yield from _widen_traversal_steps(scene, access, call)
    yield from index_as_loaded(scene, access)
    yield from _replace_parts(scene, index, w, differ)
    yield from _guard_one_block(scene, access, call, differ)


def separate_statements(scene: Scene, access: Access) -> Iterator[Candidate]:
    """Edits for two statements: the index that the tile was loaded at, or the next tile if the other statement writes
    every second tile or fewer."""
    yield from index_as_loaded(scene, access)
    call = scene.calls.get(access.span)
    index = None if call is None else index_of(scene, call)
    if index is None:
        return
    for other in scene.model.accesses:
        theirs = scene.calls.get(other.span)
        known = None if theirs is None or other.mode != "write" or other.array != access.array else (
            index_of(scene, theirs))
        if known is None or other.site >= access.site or len(known.parts) != len(index.parts):
            continue
        for place, part in enumerate(known.parts):
            if isinstance(part, BinOp) and part.op == "*":
                text = f"{scene.text(part.span)} + 1"
                texts = tuple(text if k == place else scene.text(p.span) for k, p in enumerate(known.parts))
                node = BinOp("+", part, Constant(1, part.span), index.parts[place].span)
                nodes = (*known.parts[:place], node, *known.parts[place + 1:])
                yield Candidate(
                    *replace_index(scene, index, nodes, texts),
                    format_index(texts) if index.is_tuple else texts[0],
                    0,
                    was=scene.text(index.whole.span),
                )


def _guard_one_block(scene: Scene, access: Access, call: Call, differ: frozenset[int]) -> Iterator[Candidate]:
    """A condition that lets one block write a value that is equal in all blocks."""
    if any(axes_of(t) for t in access.region.index):
        return
    for node in (n for a in (*call.args, *(k.value for k in call.keywords)) for n in scene.behind(a)):
        name = node.func.attr if isinstance(node, Call) and isinstance(node.func, Attribute) else ""
        if name not in ("", "full", "zeros", "ones"):
            return
    made = [_spell_coordinate(scene, axis, call.span) for axis in sorted(differ)]
    tests = tuple(Compare(node, ("==",), (Constant(0, call.span),), call.span) for _, node in made)
    test = tests[0] if len(tests) == 1 else BoolOp("and", tests, call.span)
    shown = f"if {' and '.join(f'{text} == 0' for text, _ in made)}:"
    yield Candidate(call.span, test, "", shown, 0, guard=True)


def find_unused_names(scene: Scene, index: Index, w: Witness, differ: frozenset[int]) -> Iterator[str]:
    """Names of values that differ between the two blocks and are not in the index; those that loads use come first."""
    used = {n.id for p in index.parts for n in scene.behind(p) if isinstance(n, Name)}
    direct = {n.id for p in index.parts for n in walk(p) if isinstance(n, Name)}
    read = [n.id for i in _read_indices(scene) for p in i.parts for n in walk(p) if isinstance(n, Name)]
    names = dict.fromkeys((*read, *reversed(tuple(scene.given))))
    for name in sorted(names, key=lambda n: n in used):
        given = scene.given.get(name)
        term = None if given is None else scene.term(given.target)
        if term is not None and name not in direct and axes_of(term) & differ and _differs(scene, term, w):
            yield name


def _differs(scene: Scene, term: Term, w: Witness) -> bool:
    if any(isinstance(a, Lane) for a in atoms_of(term)):
        return False
    first, second = scene.at(term, w, w.first), scene.at(term, w, w.second)
    return first is not None and second is not None and first != second


# --- the index -------------------------------------------------------------------------------------------------------

def index_as_loaded(scene: Scene, access: Access) -> Iterator[Candidate]:
    """The index that the tile was loaded at."""
    call = scene.calls.get(access.span)
    index = None if call is None else index_of(scene, call)
    found = find_load(scene, access)
    if index is None or found is None or len(found.parts) != len(index.parts):
        return
    texts = tuple(scene.text(p.span) for p in found.parts)
    if texts != tuple(scene.text(p.span) for p in index.parts):
        array = scene.text(found.call.args[0].span) if found.call.args else ""
        why = f"as the tile is loaded{f' from `{array}`' if array.isidentifier() else ''}"
        yield Candidate(
            *replace_index(scene, index, found.parts, texts),
            format_index(texts) if index.is_tuple else texts[0],
            0,
            f"{why} and permuted" if found.permuted else why,
            was=scene.text(index.whole.span),
        )


def reorder_index(scene: Scene, access: Access) -> Iterator[Candidate]:
    """The index that the tile was loaded at, if it is stored at the same parts in another order."""
    call = scene.calls.get(access.span)
    index = None if call is None else index_of(scene, call)
    found = find_load(scene, access)
    if index is not None and found is not None and sorted(scene.text(p.span) for p in index.parts) == sorted(
            scene.text(p.span) for p in found.parts):
        yield from index_as_loaded(scene, access)


def _read_indices(scene: Scene) -> Iterator[Index]:
    reads = {a.span for a in scene.model.accesses if a.mode == "read"}
    for span in sorted(reads & scene.calls.keys()):
        index = index_of(scene, scene.calls[span])
        if index is not None:
            yield index


def _replace_parts(scene: Scene, index: Index, w: Witness, differ: frozenset[int]) -> Iterator[Candidate]:
    """A value that differs between the blocks, on an axis whose index is a constant, is that of another axis, or is a
    coordinate with no other use."""
    texts = tuple(scene.text(p.span) for p in index.parts)
    reads = [i for i in _read_indices(scene) if len(i.parts) == len(index.parts)]
    named = {scene.text(p.span) for i in _read_indices(scene) for p in i.parts}
    for place, part in enumerate(index.parts):
        spare = not isinstance(part, Constant) and texts.count(texts[place]) == 1
        if not index.is_tuple or (spare and not _is_coordinate(scene, part, differ)):
            continue
        there = [i.parts[place] for i in reads if _depends_on_axes(scene, i.parts[place], differ)]
        known = {scene.text(p.span): (p, 1) for p in there}
        for name in find_unused_names(scene, index, w, differ):
            known.setdefault(name, (Name(name, part.span), 2))
        if not known:
            known = {t: (e, 2) for axis in sorted(differ) for t, e in (_spell_coordinate(scene, axis, part.span),)}
        for text, (node, rank) in list(known.items())[:_PIECES]:
            if text not in texts:
                new = (*texts[:place], text, *texts[place + 1:])
                nodes = (*index.parts[:place], node, *index.parts[place + 1:])
                yield Candidate(*replace_index(scene, index, nodes, new), format_index(new),
                                rank if not spare else 0 if text in named else 3,
                                was=scene.text(index.whole.span))


def _is_coordinate(scene: Scene, part: Expr, differ: frozenset[int]) -> bool:
    """Whether a part is a block coordinate on an axis on which the blocks do not differ."""
    term = scene.term(part)
    return term is not None and isinstance(term.single, Bid) and term.single.axis not in differ


def _depends_on_axes(scene: Scene, e: Expr, differ: frozenset[int]) -> bool:
    term = scene.term(e)
    return term is not None and bool(axes_of(term) & differ)


def _spell_coordinate(scene: Scene, axis: int, span: Span) -> tuple[str, Expr]:
    """`ct.bid(axis)` as this kernel writes it."""
    return _spell_device_call(scene, "bid", axis, span)


def _spell_device_call(scene: Scene, what: str, axis: int, span: Span) -> tuple[str, Expr]:
    text = f"{scene.module}{what}({axis})"
    known = next((c.func for c in scene.calls.values() if scene.text(c.func.span) == f"{scene.module}{what}"), None)
    func = known if known is not None else _build_device_name(scene, what, span)
    return text, Call(func, (Constant(axis, span),), (), span)


def _build_device_name(scene: Scene, what: str, span: Span) -> Expr:
    """A function of `cuda.tile`, spelled as the kernel spells others."""
    for call in scene.calls.values():
        if isinstance(call.func, Attribute) and f"{scene.text(call.func.value.span)}." == scene.module:
            return replace(call.func, attr=what)
    return Name(what, span)


# --- parts of the index ----------------------------------------------------------------------------------------------

def _stride_loops(scene: Scene, access: Access, differ: frozenset[int]) -> Iterator[Candidate]:
    """A loop that begins at the block's coordinate takes the number of blocks as its step."""
    for loop in scene.nodes:
        if not isinstance(loop, For) or not _contains(access.span, loop.span) or not isinstance(loop.iterable, Call):
            continue
        call = loop.iterable
        start = scene.term(call.args[0]) if len(call.args) in (2, 3) and not call.keywords else None
        axes = frozenset() if start is None else axes_of(start) & differ
        if isinstance(call.func, Name) and call.func.id == "range" and start is not None and len(axes) == 1:
            (axis,) = axes
            if start != of(Bid(axis)):
                continue
            text, node = _spell_block_count(scene, axis, call.span)
            texts = (*(scene.text(a.span) for a in call.args[:2]), text)
            shown = f"range({', '.join(texts)})"
            yield Candidate(call.span, replace(call, args=(*call.args[:2], node)), shown, shown, 0,
                            was=scene.text(call.span))


def _spell_block_count(scene: Scene, axis: int, span: Span) -> tuple[str, Expr]:
    """`ct.num_blocks(axis)`, or the name that it has here."""
    text, node = _spell_device_call(scene, "num_blocks", axis, span)
    for name, given in scene.given.items():
        if isinstance(given.value, Call) and scene.text(given.value.span) == text:
            return name, Name(name, span)
    return text, node


def _unify_radices(scene: Scene, index: Index) -> Iterator[Candidate]:
    """The same divisor for a quotient and a remainder of one number."""
    made = [n for p in index.parts for n in scene.behind(p) if isinstance(n, BinOp) and n.op in ("//", "%")]
    for i, a in enumerate(made):
        for b in made[:i]:
            if {a.op, b.op} == {"//", "%"} and scene.text(a.left.span) == scene.text(b.left.span) and (
                    scene.text(a.right.span) != scene.text(b.right.span)):
                for one, other in ((b, a), (a, b)):
                    radix = scene.text(other.right.span)
                    text = f"({radix})" if isinstance(other.right, BinOp) and not radix.startswith("(") else radix
                    shown = f"{scene.text(one.left.span)} {one.op} {text}"
                    yield Candidate(one.right.span, other.right, text, shown, 0 if isinstance(other.right, Name) else 1,
                                    wide=_include_parentheses(scene, one.right), was=_get_operation_text(scene, one))


def _widen_strides(scene: Scene, access: Access, index: Index, differ: frozenset[int]) -> Iterator[Candidate]:
    """The width of a tile as the factor of a coordinate."""
    sizes = {a.size for t in access.region.index for a in atoms_of(t) if isinstance(a, Lane)}
    for size in sorted(sizes, key=lambda t: t.key):
        node = _build_size(size, access.span)
        for product in (n for p in index.parts for n in scene.behind(p) if isinstance(n, BinOp) and n.op == "*"):
            if node is None:
                continue
            for factor, other in ((product.left, product.right), (product.right, product.left)):
                term = scene.term(other)
                if term is not None and axes_of(term) & differ and not _may_be_tile(scene.term(factor)) and (
                        scene.term(factor) != size):
                    text = node.id if isinstance(node, Name) else str(node.value)
                    left, right = (text if e is factor else scene.text(e.span) for e in (product.left, product.right))
                    yield Candidate(factor.span, node, text, f"{left} * {right}", 0,
                                    wide=_include_parentheses(scene, factor), was=_get_operation_text(scene, product))


def _include_parentheses(scene: Scene, operand: Expr) -> Span:
    """The span of an operand and the parentheses around it."""
    span = operand.span
    wide = replace(span, column=max(span.column - 1, 0), end_column=span.end_column + 1)
    text = scene.text(wide)
    return wide if span.line == span.end_line and text[:1] == "(" and text[-1:] == ")" else span


def _get_operation_text(scene: Scene, node: BinOp) -> str:
    """The source text of an operation, with the parentheses of its operands."""
    left, right = _include_parentheses(scene, node.left), _include_parentheses(scene, node.right)
    return scene.text(replace(left, end_line=right.end_line, end_column=right.end_column))


def _may_be_tile(term: Term | None) -> bool:
    return term is None or bool(axes_of(term)) or any(isinstance(a, Lane) for a in atoms_of(term))


def _build_size(size: Term, span: Span) -> Name | Constant | None:
    if size.constant is not None:
        return Constant(size.constant, span)
    single = size.single
    return Name(single.name, span) if isinstance(single, Symbol) and single.name.isidentifier() else None


def _widen_traversal_steps(scene: Scene, access: Access, call: Call) -> Iterator[Candidate]:
    """Tiles of a view that begin no nearer to each other than they are wide."""
    view = scene.resolve(call.func.value) if isinstance(call.func, Attribute) else None
    if not access.op.startswith("tiled_view") or not isinstance(view, Call):
        return
    shape = next((k.value for k in view.keywords if k.name in ("tile_shape", "shape")), None) or (
        view.args[0] if view.args else None)
    steps: Keyword | None = next((k for k in view.keywords if k.name == "traversal_steps"), None)
    if shape is not None and steps is not None:
        text = scene.text(shape.span)
        yield Candidate(steps.value.span, shape, text, f"traversal_steps={text}", 0,
                        was=f"traversal_steps={scene.text(steps.value.span)}")


def _contains(inner: Span, outer: Span) -> bool:
    return (outer.line, outer.column) <= (inner.line, inner.column) and (
        inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
