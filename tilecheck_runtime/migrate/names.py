"""Names for the constants of the original in the dialect: type variables, and their values in the kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import libcst as cst

from tilecheck.repair.source.tree import walk
from tilecheck_runtime.migrate.pieces import Pieces
from tilecheck_runtime.migrate.source_kernel import SourceKernel

__all__ = ["Names", "names"]


@dataclass(frozen=True)
class Names:
    """By the name of a constant of the original.

    variables  its type variable
    locals     the name of its value in the kernel
    pieces     the source of the value, for an extent of a piece: the output and the axis; other constants are
               parameters
    """

    variables: Mapping[str, str]
    locals: Mapping[str, str]
    pieces: Mapping[str, tuple[str, int]]

    def choose_fresh(self, wanted: str) -> str:
        """A name that is not taken yet."""
        taken = {*self.variables.values(), *self.locals.values(), *self._used}
        while wanted in taken:
            wanted += "_"
        return wanted

    _used: frozenset[str] = frozenset()


def names(subject: SourceKernel, made: Pieces) -> Names:
    """Chooses names for all constants, in the order of the parameters."""
    used = {node.value for node in walk(subject.function) if isinstance(node, cst.Name)}
    variables: dict[str, str] = {}
    values: dict[str, str] = {}
    for p in subject.model.params:
        if p.kind == "constant":
            variables[p.name] = _variable(p.name, used | set(variables.values()))
            lower = p.name.lower()
            values[p.name] = lower if lower == p.name or lower not in used else f"n_{lower}"
    found: dict[str, tuple[str, int]] = {}
    for piece in made.found:
        for axis, part in enumerate(piece.axes):
            if isinstance(part.extent, str):
                found.setdefault(part.extent, (piece.array, axis))
    return Names(variables, values, found, frozenset(used))


def _variable(name: str, used: set[str]) -> str:
    upper = name.upper()
    return upper if upper == name or upper not in used else f"{upper}_"
