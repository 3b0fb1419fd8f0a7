"""How messages spell blocks, elements and witnesses."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from tilecheck.diagnostics import Note
from tilecheck.obligations.reasons import Cause
from tilecheck.symbolic import Array
from tilecheck.symbolic.footprint import BlockPoint, Witness
from tilecheck.symbolic.steps import Reason
from tilecheck.text.block_names import block_name as _name
from tilecheck.text.block_names import rank_of_axes

__all__ = [
    "advise_on_example", "block_name", "blocks", "clause_list", "element_of", "iterations", "launch_of",
    "note_example", "pair_of_blocks", "scalars_of", "show_axes",
]


def block_name(block: tuple[int, int, int], axes: frozenset[int]) -> str:
    """A block of a kernel that reads these axes."""
    return _name(block, rank_of_axes(axes))


def pair_of_blocks(w: Witness, axes: frozenset[int]) -> tuple[str, str]:
    """The blocks of a witness for a kernel that reads these axes. A launch may have blocks that differ along others."""
    shown = show_axes(w, axes)
    return block_name(w.first.block, shown), block_name(w.second.block, shown)


def blocks(w: Witness, axes: frozenset[int]) -> str:
    first, second = pair_of_blocks(w, axes)
    return f"blocks {first} and {second}"


def show_axes(w: Witness | None, axes: frozenset[int]) -> frozenset[int]:
    """The axes by which the blocks of a witness are named: those that the kernel reads, and those where they differ."""
    return axes if w is None else axes | {
        k for k, (a, b) in enumerate(zip(w.first.block, w.second.block, strict=True)) if a != b}


def element_of(array: Array, w: Witness) -> str:
    """`c[0, 4]`; an element of an array of a list by its position in the list first, `xs[2][0, 4]`"""
    if array.at_any_position:
        return f"{array.root}[{w.element[0]}][{', '.join(str(i) for i in w.element[1:])}]"
    return f"{array}[{', '.join(str(i) for i in w.element)}]"


def scalars_of(w: Witness) -> str:
    return ", ".join(f"{name} = {value}" for name, value in w.scalars)


def launch_of(w: Witness) -> str:
    """`with grid (2, 1, 1) and T = 4, n = 8`"""
    scalars = scalars_of(w)
    return f"with grid {w.grid}" + (f" and {scalars}" if scalars else "")


def note_example(reason: Reason, w: Witness) -> tuple[Note, ...]:
    """The data that a failure was seen with, where a launch may have other data; nothing for another reason."""
    data = ", ".join(f"{name} = {value}" for name, value in w.data)
    return tuple(Note(_EXAMPLES[step.rule].format(step.operands[0], data)) for step in reason if step.rule in _EXAMPLES)


def advise_on_example(reason: Reason) -> str | None:
    """Advice on a failure that was seen with some data; None for another reason."""
    return next((_ADVICE[step.rule].format(step.operands[0]) for step in reason if step.rule in _ADVICE), None)


_EXAMPLES: Final[Mapping[Enum, str]] = {
    Cause.ROWS_OVERLAP: "the rows from an element of `{0}` on are not compared with the end of their segment; in the "
                        "example, {1}",
    Cause.DRAWN_IN_TURN: "in the example, blocks draw their numbers from `{0}` one after the other, the first one 0",
}
_ADVICE: Final[Mapping[Enum, str]] = {
    Cause.ROWS_OVERLAP: "mask the rows that lie past the end of their segment, which the next element of `{0}` or an "
                        "array of lengths says",
    Cause.DRAWN_IN_TURN: "let the index differ wherever the number from `{0}` does: no two blocks draw one number",
}


def iterations(p: BlockPoint) -> str:
    """` at i = 0, k = 2`, or nothing outside loops; ` in iteration i #0`, counted from 0, where the value of the loop
    variable is not known."""
    known = dict(p.variables)
    valued = ", ".join(f"{name.partition('@')[0]} = {known[name]}" for name, _ in p.iterations if name in known)
    counted = ", ".join(f"{name.partition('@')[0]} #{n}" for name, n in p.iterations if name not in known)
    return (f" at {valued}" if valued else "") + (f" in iteration {counted}" if counted else "")


def clause_list(texts: tuple[str, ...]) -> str:
    quoted = [f"`{t}`" for t in texts]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
