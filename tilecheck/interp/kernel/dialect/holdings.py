"""Ownership facts that one execution of a dialect kernel collects."""

from __future__ import annotations

from dataclasses import dataclass, field

from tilecheck.dtypes import DType
from tilecheck.interp.kernel.dialect.ownership import Fault, Origin
from tilecheck.symbolic import TRUE, Atom, Cond, Term, atoms_of
from tilecheck.syntax.tree import Span

__all__ = ["Holdings"]


@dataclass
class Holdings:
    """The notes as they are taken.

    roles     `mut`, `ref` or `shared` of each array parameter
    axes      axes of the grid along which blocks own different pieces, as reads of coordinates are noted
    issued    of each coordinate of a cell, the condition that it satisfies in every block
    required  conditions that launches must satisfy, each with the path condition under which it applies
    faults    as they are met, once each
    origins   where symbols come from
    places    of the parameters
    dtypes    their element types, where they are known
    declared  the declared arithmetic conditions on launches
    single    outputs of which the kernel takes the block's only piece, with the pieces along each axis
    """

    roles: dict[str, str] = field(default_factory=dict)
    axes: set[tuple[int, Cond]] = field(default_factory=set)
    issued: dict[Atom, Cond] = field(default_factory=dict)
    required: dict[tuple[Cond, Cond], None] = field(default_factory=dict)
    faults: dict[Fault, None] = field(default_factory=dict)
    origins: tuple[Origin, ...] = ()
    places: dict[str, Span] = field(default_factory=dict)
    dtypes: tuple[tuple[str, DType], ...] = ()
    declared: Cond = TRUE
    single: dict[str, tuple[Term, ...]] = field(default_factory=dict)

    def facts(self, atoms: frozenset[Atom] | set[Atom]) -> tuple[Cond, ...]:
        """Returns the facts on the coordinates among some atoms, and on the coordinates that these facts mention."""
        out: list[Cond] = []
        pending = sorted(atoms.intersection(self.issued))
        seen = set(pending)
        while pending:
            fact = self.issued[pending.pop()]
            out.append(fact)
            more = sorted(atoms_of(fact).intersection(self.issued) - seen)
            seen.update(more)
            pending += more
        return tuple(out)
