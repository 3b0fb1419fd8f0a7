"""Removes scalar arithmetic of a kernel that is unused once the pieces provide the coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Final

import libcst as cst

from tilecheck.repair.source.operations import identify_operation
from tilecheck_runtime.migrate.refusal import Refusal
from tilecheck_runtime.migrate.source_kernel import SourceKernel

__all__ = ["find_dropped", "live_nodes"]

_SCALAR: Final = frozenset({"bid", "num_blocks", "num_tiles", "cdiv", "min", "max", "minimum", "maximum", "arange"})


def live_nodes(node: cst.CSTNode, gone: Set[int]) -> Iterator[cst.CSTNode]:
    """Yields a node and all nodes below it, except removed ones."""
    if id(node) not in gone:
        yield node
        for child in node.children:
            yield from live_nodes(child, gone)


def find_dropped(subject: SourceKernel, coordinates: Set[str], gone: set[int]) -> set[int]:
    """Returns ids of statements to remove besides those in `gone`: statements that compute coordinates, and statements
    that only computed inputs of those. Raises `Refusal` if a statement also computes other values."""
    out = set(gone)
    statements = [node for node in live_nodes(subject.function.body, out) if isinstance(node, cst.SimpleStatementLine)]
    for statement in statements:
        for part in statement.body:
            if isinstance(part, cst.Assign) and set(_bound_names(part)) & coordinates:
                _check_only_coordinates(subject, part, coordinates, out)
                out.add(id(statement))
    while True:
        used = {node.value for node in live_nodes(subject.function.body, out) if isinstance(node, cst.Name)
                and not _is_target(subject, node)}
        idle = [s for s in statements if id(s) not in out and _is_idle(subject, s, used)]
        if not idle:
            return out
        out.update(id(s) for s in idle)


def _bound_names(node: cst.Assign) -> list[str]:
    return [part.value for target in node.targets for part in live_nodes(target.target, frozenset())
            if isinstance(part, cst.Name)]


def _is_target(subject: SourceKernel, node: cst.Name) -> bool:
    """Whether a name is bound at its location, rather than read."""
    inside: cst.CSTNode = node
    for above in subject.source.find_ancestors(node):
        if isinstance(above, cst.AssignTarget):
            return True
        if isinstance(above, cst.For):
            return inside is above.target
        if not isinstance(above, cst.Tuple | cst.Element):
            return False
        inside = above
    return False


def _check_only_coordinates(subject: SourceKernel, node: cst.Assign, coordinates: Set[str], gone: set[int]) -> None:
    """Raises `Refusal` for an assignment that also binds a name which other code reads."""
    for name in _bound_names(node):
        if name in coordinates:
            continue
        for other in live_nodes(subject.function.body, gone | {id(node)}):
            if isinstance(other, cst.Name) and other.value == name and not _is_target(subject, other):
                raise Refusal(f"`{name}` is made together with the coordinates of pieces: assign it in a statement of "
                              "its own", subject.line(node))


def _is_idle(subject: SourceKernel, statement: cst.SimpleStatementLine, used: Set[str]) -> bool:
    """Whether a statement only computes numbers that nothing reads."""
    return all(isinstance(part, cst.Assign) and not set(_bound_names(part)) & used and _is_plain(subject, part.value)
               for part in statement.body)


def _is_plain(subject: SourceKernel, value: cst.BaseExpression) -> bool:
    calls: Iterable[cst.Call] = (node for node in live_nodes(value, frozenset()) if isinstance(node, cst.Call))
    return not any(
        subject.accesses(call)
        or (identify_operation(subject.source, call)[0] not in _SCALAR and identify_operation(subject.source, call)[1])
        for call in calls
    )
