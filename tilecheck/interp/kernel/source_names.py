"""Terms and conditions in the names of the source: loop variables, coordinates of cells, the lane of a tile."""

from __future__ import annotations

from typing import Final

from tilecheck.contracts import render
from tilecheck.contracts.printing import build_verbatim
from tilecheck.interp.kernel.dialect.ownership import COORDINATE, NESTED
from tilecheck.symbolic import Atom, Cond, Counter, Lane, Scalar, Substitution, Term, atoms_in
from tilecheck.symbolic.spelling import Spelling

__all__ = ["counter_name", "spell_condition", "spell_term", "spelling", "symbol_name"]


def spell_term(term: Term) -> str:
    """A term as a contract writes it, in the names of the source: `i*T + lane`, `bid(0) // H`."""
    return render(_build_name_substitution(term).term(term))


def spell_condition(cond: Cond) -> str:
    """A condition in the same way."""
    return render(_build_name_substitution(cond).cond(cond))


def _build_name_substitution(value: Term | Cond) -> Substitution:
    """Puts the names of the source for the atoms that have one. Summands keep their order."""
    found: dict[Atom, Term] = {}
    for a in atoms_in(value):
        if isinstance(a, Lane):
            found[a] = build_verbatim("lane", a.key)
        elif isinstance(a, (Counter, Scalar)):
            text = counter_name(a.name) if isinstance(a, Counter) else symbol_name(a.name)
            if text != a.key:
                found[a] = build_verbatim(text, a.key)
    return Substitution(found)


def counter_name(name: str) -> str:
    """A loop counter by the variable of its loop."""
    variable, at, _ = name.partition("@")
    variable = variable.partition(".")[0]
    return _coordinate(variable) or (variable if at else f"#{name}")


def symbol_name(name: str) -> str:
    """A launch scalar by its name in the kernel."""
    return _coordinate(name) or name


def _coordinate(name: str) -> str | None:
    """`z.coords(cell)[0]`, for the name of a coordinate of a cell."""
    for mark, source in ((COORDINATE, "coords(cell)"), (NESTED, "pieces(...)")):
        array, found, axis = name.partition(mark)
        if found:
            return f"{array}.{source}[{axis}]"
    return None


spelling: Final = Spelling(counter_name, symbol_name)
"""How the reasons of verdicts spell terms and conditions."""
