"""How messages say where an access goes and where its array ends."""

from __future__ import annotations

from tilecheck.interp.kernel.source_names import spell_term
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.rules.messages.wording import block_name, iterations, launch_of
from tilecheck.symbolic import Term
from tilecheck.symbolic.evaluate import evaluate
from tilecheck.symbolic.footprint import Witness
from tilecheck.text.plural import pluralize

__all__ = ["at_block", "example", "index_text", "place", "where"]


def place(s: DecidedObligation) -> str:
    """The axis that the index selects: ` along axis 1 of \\`a\\``, ` in \\`a\\``."""
    array = s.access.array
    if s.reach is None or s.reach.axis is None:
        return f"in `{array.root}`" if s.reach is not None and not s.reach.unchecked else f"in `{array}`"
    return f"along axis {s.reach.axis} of `{array}`"


def index_text(s: DecidedObligation) -> str:
    """The index as it is known, in names of the author's; empty where it would not be short."""
    if s.reach is None:
        return ""

    text = spell_term(s.reach.index)
    # what has no name in the source is not shown
    return f" `{text}`" if len(text) <= 40 and "?" not in text else ""


def where(s: DecidedObligation) -> str:
    """`asks for tile -1 along axis 0 of \\`a\\`, which has 2 tiles (4 elements)` at the witness."""
    w, reach = s.witness, s.reach
    assert w is not None and reach is not None and s.end is not None
    (at,) = w.element
    step = None if reach.step is None or reach.unchecked else _value(reach.step, w)
    if reach.axis is None and not reach.unchecked:
        return f"asks for array {at} {place(s)}, which has {s.end}"
    if not step:
        return f"touches element {at} {place(s)}, which has {pluralize(s.end, 'element')}"
    tiles = -(-s.end // step)
    return (f"asks for tile {at // step} {place(s)}, which has {pluralize(tiles, 'tile')} "
            f"({pluralize(s.end, 'element')})")


def at_block(s: DecidedObligation, axes: frozenset[int]) -> str:
    """`block 0 in iteration k #2`"""
    assert s.witness is not None
    return f"block {block_name(s.witness.first.block, axes)}{iterations(s.witness.first)}"


def example(s: DecidedObligation, axes: frozenset[int]) -> str:
    """The witness in one sentence."""
    assert s.witness is not None
    return f"{launch_of(s.witness)}: {at_block(s, axes)} {where(s)}"


def _value(t: Term, w: Witness) -> int | None:
    env = w.launch
    try:
        return evaluate(t, env)
    except (KeyError, ArithmeticError):
        return None
