"""The names that code mentions, and the side effects that the evaluation of an expression may have."""

from __future__ import annotations

from typing import Final

from tilecheck.interp.host.library import HARMLESS
from tilecheck.syntax import tree

__all__ = ["find_mentioned_names", "has_effects"]

_PLAIN: Final = HARMLESS | {
    "abs", "bool", "data_ptr", "dim", "element_size", "get", "int", "is_contiguous", "len", "max", "min", "numel",
    "size", "startswith", "stride", "sum",
}
"""Names of functions and methods that leave everything as it is."""


def has_effects(node: object) -> bool:
    """Whether evaluating an expression may change variables or objects, or end the function."""
    if isinstance(node, tuple):
        return any(map(has_effects, node))
    if isinstance(node, tree.Lambda):
        return False
    if isinstance(node, tree.Unknown) and node.assigns:
        return True
    if isinstance(node, tree.Call):
        func = node.func
        name = func.attr if isinstance(func, tree.Attribute) else func.id if isinstance(func, tree.Name) else ""
        if name not in _PLAIN:
            return True
    return any(has_effects(getattr(node, field)) for field in tree.PARTS[type(node)])


def find_mentioned_names(node: object) -> frozenset[str]:
    """The names that code mentions."""
    if isinstance(node, tree.Name):
        return frozenset((node.id,))
    parts = node if isinstance(node, tuple) else [getattr(node, f) for f in tree.FIELDS[type(node)]]
    return frozenset().union(*map(find_mentioned_names, parts))
