"""The findings for faults of a launch that its Tile IR shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.syntax.tree import Span

__all__ = ["CODES_OF_FAULTS", "report_outside", "report_race"]

_WRITES: Final = "TC101"
_READ: Final = "TC103"
_ATOMIC: Final = "TC107"
_OUTSIDE: Final = "TC202"
CODES_OF_FAULTS: Final = frozenset({_WRITES, _READ, _ATOMIC, _OUTSIDE})

_VERBS: Final = {"read": "reads", "write": "writes", "atomic": "updates atomically"}


def report_race(
    kernel: str, array: str, element: int, blocks: Sequence[tuple[int, ...]], modes: tuple[str, str],
    span: Span, other: Span | None, launch: Span,
) -> Diagnostic:
    """The error for two blocks that access one element. `modes` and `blocks` begin with the earlier access, whose
    location is `other`."""
    code = _ATOMIC if "atomic" in modes else _READ if "read" in modes else _WRITES
    first = f"block {blocks[0]}" if len(blocks) > 1 else "another block"
    second = f"block {blocks[-1]}"
    message = (f"in this launch {first} {_VERBS[modes[0]]} and {second} {_VERBS[modes[1]]} the element at offset "
               f"{element} of `{array}`")
    notes = () if other is None or other == span else (Note("the other access", other),)
    return Diagnostic(code, "error", message, span, kernel, (*notes, _note_launch(launch)),
                      "let each block access elements of its own, or launch the kernel with other numbers")


def report_outside(kernel: str, array: str, block: tuple[int, ...], span: Span, launch: Span) -> Diagnostic:
    """The error for an access without bounds check outside its array."""
    return Diagnostic(_OUTSIDE, "error", f"in this launch block {block} accesses elements outside `{array}`", span,
                      kernel, (_note_launch(launch),),
                      "launch fewer blocks or larger arrays, or leave the bounds check on")


def _note_launch(launch: Span) -> Note:
    return Note("refuted from Tile IR at this launch, for all data", launch)
