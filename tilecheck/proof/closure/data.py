"""Rules on declared facts about data."""

from __future__ import annotations

from tilecheck.proof.closure.copies import mark
from tilecheck.proof.closure.state import State
from tilecheck.proof.facts import Assumed, Facts
from tilecheck.proof.terms import Load, Sym, Term, atoms_of, of


def within_array(a: Load) -> list[Term]:
    """Terms that are >= 0 where a load reads an element of its array, and not what stands for one outside it."""
    out: list[Term] = []
    for d, i in enumerate(a.index):
        out += [i, of(Sym(f"{a.array}.shape[{d}]")) - 1 - i]
    return out


def data(state: State) -> bool:
    """Equal elements of an array declared injective stand in one place; both must be elements of it."""
    for a, b in state.loads:
        if a.array not in state.annotations.injective:
            continue
        pairs = zip(a.index, b.index, strict=True)
        news = [x - y for x, y in pairs if (x - y).monos and (x - y) not in state.equations]
        if not news:
            continue
        assumed: Assumed = frozenset()
        for t in (*within_array(a), *within_array(b)):
            got = state.facts.prove(t)
            if got is None:
                break
            assumed |= got
        else:
            state.equations += news
            state.use("data", f"{a.array} holds no value twice", assumed)
            return True
    return False


def segment(state: State) -> bool:
    """An element that lies in segment i and in segment j of disjoint segments: i == j."""
    loads = sorted({a for c in state.conds for a in atoms_of(c) if isinstance(a, Load)}
                   | {a for e in (*state.equations, *state.goals, *state.elements) for a in atoms_of(e)
                      if isinstance(a, Load)})
    for first in loads:
        for second in loads:
            if first.array != second.array or 1 in mark(first) or mark(second) != {1}:
                continue
            news = [x - y for x, y in zip(first.index, second.index, strict=True)]
            if not any(n.monos for n in news) or all(n in state.equations for n in news):
                continue
            if any(_inside(state, first, second, e) for e in state.elements):
                state.equations += [n for n in news if n.monos]
                state.use("segment", f"the segments of {first.array} do not overlap")
                return True
    return False


def _inside(state: State, first: Load, second: Load, element: Term) -> bool:
    def within(start: Load) -> bool:
        stops: list[Term] = []
        if start.array in state.annotations.monotone and len(start.index) == 1:
            stops.append(of(Load(start.array, (start.index[0] + 1,))))
        stops += [of(start) + of(Load(lengths, start.index))
                  for offsets, lengths in state.annotations.segments if offsets == start.array]
        facts = Facts(state.conds, [element, *stops], budget=state.budget)
        return bool(stops) and facts.prove(element - of(start)) is not None and any(
            facts.prove(stop - 1 - element) is not None for stop in stops)

    return within(first) and within(second)
