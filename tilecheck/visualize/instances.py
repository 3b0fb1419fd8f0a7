"""The reason why an obligation is open, in the numbers of the drawn launch."""

from __future__ import annotations

from collections.abc import Iterator

from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.rules.messages.wording import launch_of
from tilecheck.symbolic import EXTENTS, GridDim, Symbol
from tilecheck.symbolic.footprint import Witness
from tilecheck.visualize.setting import Setting

__all__ = ["note_other_launch", "same_launch", "siblings"]


def same_launch(w: Witness, setting: Setting) -> bool:
    """Whether a witness is of the launch that is drawn: the same grid, and every number that it names."""
    return w.grid == setting.grid and not _differs(w, setting)


def _differs(w: Witness, setting: Setting) -> list[tuple[Symbol, int]]:
    """The launch scalars of a witness that have another value in the launch that is drawn."""
    return [(a, v) for a, v in w.launch.items()
            if isinstance(a, Symbol) and not isinstance(a, GridDim) and setting.scalars.get(a) != v]


def note_other_launch(w: Witness | None, setting: Setting) -> str:
    """A sentence if the example of the report has another launch than the picture; otherwise empty."""
    if w is None or same_launch(w, setting):
        return ""
    other = _differs(w, setting)
    if w.grid == setting.grid and all(isinstance(a, EXTENTS) for a, _ in other):
        told = ", ".join(f"{a.key} = {v}" for a, v in other)
        return (f"grid and constants are those of the report's example, whose arrays are of another size ({told}); "
                "here they end where the tiles of the blocks end")
    return f"the example of the report is another launch, {launch_of(w)}"


def siblings(s: DecidedObligation, obligations: tuple[DecidedObligation, ...]) -> Iterator[DecidedObligation]:
    """The obligation and those on other operands of the same operation, each of which has undefined lanes there."""
    places = {use.span for use, _ in s.uses}
    yield s
    yield from (o for o in obligations if o is not s and o.kind == "padding" and o.code == s.code
                and o.verdict not in ("proved", "atomic") and places & {use.span for use, _ in o.uses})
