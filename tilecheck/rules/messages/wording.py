"""How messages spell blocks, elements and witnesses."""

from __future__ import annotations

import re
from typing import Final

from tilecheck.contracts import render
from tilecheck.interp.kernel.dialect.ownership import COORDINATE, NESTED
from tilecheck.symbolic import Array, Term
from tilecheck.symbolic.footprint import BlockPoint, Witness
from tilecheck.symbolic.spelling import Spelling
from tilecheck.text.block_names import block_name as _name
from tilecheck.text.block_names import rank_of_axes

__all__ = ["block_name", "blocks", "clause_list", "counter_name", "element_of", "iterations", "launch_of", "readable",
           "scalars_of", "spell_term", "spelling", "symbol_name"]


def block_name(block: tuple[int, int, int], axes: frozenset[int]) -> str:
    """A block of a kernel that reads these axes."""
    return _name(block, rank_of_axes(axes))


def blocks(w: Witness, axes: frozenset[int]) -> str:
    return f"blocks {block_name(w.first.block, axes)} and {block_name(w.second.block, axes)}"


def element_of(array: Array, w: Witness) -> str:
    """`c[0, 4]`; an element of an array of a list by its position in the list first, `xs[2][0, 4]`"""
    if array.at_any_position:
        return f"{array.root}[{w.element[0]}][{', '.join(str(i) for i in w.element[1:])}]"
    return f"{array}[{', '.join(str(i) for i in w.element)}]"


def scalars_of(w: Witness) -> str:
    return ", ".join(f"{name} = {value}" for name, value in w.scalars if not name.startswith("grid["))


def launch_of(w: Witness) -> str:
    """`with grid (2, 1, 1) and T = 4, n = 8`"""
    scalars = scalars_of(w)
    return f"with grid {w.grid}" + (f" and {scalars}" if scalars else "")


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


_LANE = re.compile(r"lane\d<(?:[^<>]|<[^<>]*>)*>")
_COUNT = re.compile(r"#([A-Za-z_]\w*)(?:\.\w+)*@[\d/.]+")
_SIMPLE = re.compile(r"\((bid\(\d\)|[A-Za-z_]\w*(?:\.\w+\[\d+\])?|\d+)\)")
_COORDINATE = re.compile(rf"#?([A-Za-z_]\w*?){COORDINATE}(\d)")
_NESTED = re.compile(rf"#?([A-Za-z_]\w*?){NESTED}(\d)")
_DIVISION = re.compile(r"\s*(//|%)\s*")


def readable(text: str) -> str:
    """An explanation with the names that an author knows: the lane of a tile, the loop variable, `bid(0) // H`."""
    text = _COUNT.sub(r"\1", _LANE.sub("lane", text))
    text = _NESTED.sub(r"\1.pieces(...)[\2]", _COORDINATE.sub(r"\1.coords(cell)[\2]", text))
    return _DIVISION.sub(r" \1 ", _SIMPLE.sub(_drop_parentheses, text))


def spell_term(term: Term) -> str:
    """A term in the same way, with the parentheses that it needs."""
    return readable(render(term))


def _coordinate(name: str) -> str | None:
    """`z.coords(cell)[0]`, for the name of a coordinate of a cell."""
    for mark, source in ((COORDINATE, "coords(cell)"), (NESTED, "pieces(...)")):
        array, found, axis = name.partition(mark)
        if found:
            return f"{array}.{source}[{axis}]"
    return None


def counter_name(name: str) -> str:
    """A loop counter by the variable of its loop."""
    variable, at, _ = name.partition("@")
    variable = variable.partition(".")[0]
    return _coordinate(variable) or (variable if at else f"#{name}")


def symbol_name(name: str) -> str:
    """A launch scalar by its name in the kernel."""
    return _coordinate(name) or name


spelling: Final = Spelling(counter_name, symbol_name)
"""How the reasons of verdicts spell terms and conditions."""


def _drop_parentheses(match: re.Match[str]) -> str:
    before = match.string[match.start() - 1] if match.start() else " "
    # the parentheses of a call stay
    return match.group(0) if before.isalnum() or before in "_]" else match.group(1)
