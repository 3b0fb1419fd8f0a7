"""The rules by code: what each is called and how severe its findings are by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

Severity = Literal["error", "warning", "note"]


class Rule(NamedTuple):
    """A rule.

    name       the pattern it finds; reads well after "allow"
    summary    one sentence fragment for lists
    severity   of its findings; a finding may be milder where its text says so
    residual   whether a milder finding means "not settled", which `--strict` and `@deny_residual` make an error
    """

    code: str
    name: str
    summary: str
    severity: Severity
    residual: bool = False


_ALL: Final = (
    Rule("TC101", "overlapping-write", "two blocks write the same element", "error", True),
    Rule("TC102", "unproven-disjoint", "writes of different blocks could not be proved disjoint", "warning", True),
    Rule(
        "TC103",
        "cross-block-read",
        "a block reads an element that another block writes in the same launch",
        "error",
        True,
    ),
    Rule("TC104", "shared-write", "a write through a `Ref`, or to an array declared read-only", "error"),
    Rule("TC105", "foreign-index", "a piece written through an index that its partition did not mint", "error"),
    Rule("TC106", "duplicate-scatter", "one scatter writes an element twice from one block", "error", True),
    Rule(
        "TC107",
        "mixed-atomicity",
        "a plain access, or one too weak to synchronise, to what another block updates",
        "error",
        True,
    ),
    Rule("TC108", "lost-order", "accesses of one block whose program order the compiler does not keep", "error", True),
    Rule("TC109", "partial-nesting", "a nested partition whose tile does not divide the piece", "error"),
    Rule("TC110", "unowned-array", "a dialect kernel takes an array that is neither `Mut` nor `Ref`", "error"),
    Rule("TC201", "tile-out-of-range", "a tile index for which the tile lies wholly outside the array", "error", True),
    Rule(
        "TC202",
        "unchecked-out-of-bounds",
        "an access without bounds check, or a false assumption of divisibility",
        "error",
        True,
    ),
    Rule(
        "TC205",
        "grid-coverage",
        "a grid larger than the tile space, or one that leaves part of an output unwritten",
        "error",
    ),
    Rule(
        "TC206",
        "row-spill",
        "a flattened offset that runs past its row or head into the neighbour's",
        "error",
        True,
    ),
    Rule(
        "TC111",
        "missing-grid-wait",
        "a kernel under programmatic dependent launch touches memory before it waits for the launch before",
        "error",
    ),
    Rule("TC203", "index-space", "an element index where a tile index is meant, or the reverse", "warning"),
    Rule("TC204", "slice-range", "a slice outside of the array", "error", residual=True),
    Rule("TC207", "narrowed-index", "an index that is silently truncated or may wrap", "warning"),
    Rule("TC302", "unused-mask", "a mask computed and not used", "warning"),
    Rule("TC304", "unused-result", "a loaded or computed tile that never reaches memory", "warning"),
    Rule(
        "TC305",
        "dropped-remainder",
        "a loop over `n // T` tiles where `n % T` may be non-zero",
        "warning",
    ),
    Rule(
        "TC301",
        "undefined-padding",
        "a reduction, scan, product or store uses padding whose value is unspecified",
        "error",
        True,
    ),
    Rule("TC303", "padding-dtype", "a padding value that the element type does not have", "error"),
    Rule(
        "TC401",
        "aliased-arguments",
        "one launch gets overlapping storage for a written and another parameter",
        "error",
        True,
    ),
    Rule("TC402", "use-after-move", "a tensor used after it was moved into a partition or launch", "error", True),
    Rule(
        "TC403",
        "use-in-flight",
        "a tensor read or written while a launch that writes it is in flight",
        "error",
        True,
    ),
    Rule("TC404", "never-run", "a lazy launch that is built and dropped", "error"),
    Rule(
        "TC405",
        "grid-mismatch",
        "a visible launch whose grid, shapes or constants break the kernel's contract",
        "error",
    ),
    Rule("TC406", "graph-lifetime", "a captured graph replayed after its inputs are gone or moved", "error", True),
    Rule("TC407", "stream-hazard", "two streams touch the same storage with no order between them", "error", True),
    Rule("TC408", "launch-arguments", "wrong number or kind of arguments at a visible launch", "error"),
    Rule("TC501", "tile-shape", "a tile whose extents are not those that its place asks for", "error"),
    Rule("TC502", "tile-dtype", "a tile whose element type is not the one that its place asks for", "error"),
    Rule("TC503", "tile-rank", "a number of axes, or an axis, that a tile or array does not have", "error"),
    Rule("TC504", "tile-extent", "an extent of a tile that is no power of two", "error"),
    Rule("TC505", "product-operands", "operands of a matrix product of types that it does not take", "error"),
    Rule("TC901", "unused-opt-out", "an opt-out that suppresses nothing", "warning"),
    Rule("TC902", "opt-out-without-reason", "an opt-out that gives no reason", "warning"),
)

RULES: Final[Mapping[str, Rule]] = MappingProxyType({rule.code: rule for rule in _ALL})

BY_NAME: Final[Mapping[str, Rule]] = MappingProxyType({rule.name: rule for rule in _ALL})


def find(code_or_name: str) -> Rule | None:
    """The rule with this code (in any case) or name."""
    return RULES.get(code_or_name.upper()) or BY_NAME.get(code_or_name.lower())
