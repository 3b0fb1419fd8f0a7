"""Simplification of terms and conditions by known conditions."""

from __future__ import annotations

from functools import lru_cache

from tilecheck.symbolic import FALSE, TRUE, Atom, Cond, Ite, Substitution, Term, atoms_at, atoms_of, conj, negate

SIMPLE = frozenset({"ge", "eq", "ne", "bool"})


def parts(cond: Cond) -> tuple[Cond, ...]:
    return cond.args if cond.op == "and" else (cond,)


class Assuming(Substitution):
    """Replaces conditions that the facts decide, inside terms too."""

    def __init__(self, facts: tuple[Cond, ...]) -> None:
        super().__init__({})
        for f in facts:
            if f.op in SIMPLE:
                self._conds[f.key] = TRUE
                self._conds[negate(f).key] = FALSE

    def keeps(self, value: Term | Cond) -> bool:
        return isinstance(value, Term) and not has_choice(value)

    @property
    def empty(self) -> bool:
        return not self._conds


def has_choice(value: Term | Cond) -> bool:
    if isinstance(value, Cond):
        return any(isinstance(a, Ite) for a in atoms_of(value))
    return any(_chooses(a) for m in value.monos for a in m)


@lru_cache(maxsize=1 << 14)
def _chooses(atom: Atom) -> bool:
    return any(isinstance(a, Ite) for a in atoms_at(atom))


def simplify_access(terms: tuple[Term, ...], guard: Cond) -> tuple[tuple[Term, ...], Cond]:
    """Index terms and their guard, with the choices resolved that the guard decides."""
    terms, guard = _without_sentinels(terms, guard)
    split = parts(guard)
    plain: list[Cond] = []
    involved: list[Cond] = []
    for p in split:
        (plain if p.op in SIMPLE and not has_choice(p) else involved).append(p)
    choices = [has_choice(t) for t in terms]
    if not involved and not any(choices):
        return terms, guard
    s = Assuming(tuple(plain))
    if s.empty:
        return terms, guard
    return (
        tuple(s.term(t) if c else t for t, c in zip(terms, choices, strict=True)),
        conj(*plain, *(s.cond(p) for p in involved)),
    )


def _without_sentinels(terms: tuple[Term, ...], guard: Cond) -> tuple[tuple[Term, ...], Cond]:
    """Choices of which one side breaks the guard: with `where(mask, i, -1) >= 0` in it, the mask holds."""
    for p in parts(guard):
        for choice in sorted(a for a in p.term.atoms() if isinstance(a, Ite)) if p.op == "ge" else ():
            for broken, kept, cond in ((choice.other, choice.then, choice.cond),
                                       (choice.then, choice.other, negate(choice.cond))):
                if Substitution({choice: broken}).cond(p).op == "false":
                    s = Substitution({choice: kept})
                    return _without_sentinels(tuple(s.term(t) for t in terms), conj(s.cond(guard), cond))
    return terms, guard


def decide_condition(cond: Cond, path: Cond) -> Cond:
    """The condition, as far as the path does not decide it."""
    if cond.op in ("true", "false") or path.op == "true":
        return cond
    return _get_assuming(path).cond(cond)


@lru_cache(maxsize=64)
def _get_assuming(path: Cond) -> Assuming:
    """One for all that is decided on a path: what it remembers depends on the path alone."""
    return Assuming(parts(path))
