"""Names and indices in the numbers of a witness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tilecheck.diagnostics import Note
from tilecheck.interp.kernel.access import Access
from tilecheck.repair.candidates.indices import index_of
from tilecheck.repair.candidates.scene import Scene
from tilecheck.rules.messages.wording import block_name
from tilecheck.symbolic.footprint import BlockPoint, Witness

__all__ = ["describe_in_both_blocks", "describe_in_each_block", "format_tile", "label_access"]


def describe_in_each_block(scene: Scene, name: str, w: Witness) -> str:
    """`head` is 0 in one block and 1 in the other."""
    term = scene.term(scene.given[name].target)
    values = () if term is None else tuple((scene.at(term, w, p), p) for p in (w.first, w.second))
    said = " and ".join(f"{v} in {'' if k else 'block '}{block_name(p.block, scene.model.axes_read)}"
                        for k, (v, p) in enumerate(values))
    return f"`{name}` is {said}"


def describe_in_both_blocks(scene: Scene, access: Access, w: Witness) -> str:
    """The tile that an access takes in both blocks; empty where it takes two, or elements."""
    first, second = (_evaluate_tile(scene, access, w, p) for p in (w.first, w.second))
    if first is not None and first == second:
        return f"tile {format_tile(first)} in both blocks"
    return "" if access.tile else f"element {format_tile(w.element)} in both blocks"


def label_access(scene: Scene, access: Access, w: Witness, point: BlockPoint) -> Iterator[Note]:
    """The tile that an access takes in one block, or the element of the witness, at its index."""
    call = scene.calls.get(access.span)
    index = None if call is None else index_of(scene, call)
    tile = _evaluate_tile(scene, access, w, point)
    taken = (
        f"tile {format_tile(tile)}" if tile is not None else "" if access.tile else f"element {format_tile(w.element)}"
    )
    if index is not None and taken:
        block = block_name(point.block, scene.model.axes_read)
        yield Note(f"{taken} in block {block}", index.whole.span, True, of_block=True)


def format_tile(numbers: Sequence[int]) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"({', '.join(map(str, numbers))})"


def _evaluate_tile(scene: Scene, access: Access, w: Witness, point: BlockPoint) -> tuple[int, ...] | None:
    # of an element of a list of arrays, the position in the list comes first
    terms = access.tile_index[1:] if access.array.at_any_position else access.tile_index
    found = [scene.at(t, w, point) for t in terms]
    numbers = tuple(n for n in found if n is not None)
    return numbers if numbers and len(numbers) == len(found) else None
