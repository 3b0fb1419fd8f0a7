"""Terms and conditions as text for people, in the names of the kernel.

This text explains; it does not parse back. Contract text parses back; `tilecheck.contracts` prints it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Final

from msgspec import Struct

from tilecheck.symbolic.atoms import (
    App,
    Atom,
    Bid,
    Carried,
    Counter,
    FloorDiv,
    Ite,
    Lane,
    Load,
    Max,
    Min,
    Mod,
    Monomial,
    Opaque,
)
from tilecheck.symbolic.conditions import Cond
from tilecheck.symbolic.polynomials import Term, keys_of, of
from tilecheck.symbolic.symbols import SYMBOLS, Symbol
from tilecheck.symbolic.walk import Substitution

__all__ = ["Spelling", "fold_ceilings"]

_Part = tuple[Monomial, int]


class _Ceiling(Atom):
    """The least number of pieces of `den` elements that cover `num`: `cdiv(num, den)`."""

    __slots__ = ("den", "num")

    num: Term
    den: Term

    def __new__(cls, num: Term, den: Term) -> _Ceiling:
        built = object.__new__(cls)
        built.num, built.den = num, den
        found: _Ceiling = built._intern((cls, num, den), f"cdiv({num.key}, {den.key})", num.varying or den.varying)
        return found


@cache
def fold_ceilings(t: Term) -> Term:
    """The polynomial with every `(x - 1)//d + 1` over launch scalars as one atom; what stands inside atoms is left."""
    folded: dict[Atom, Term] = {
        a: of(_Ceiling(a.num + 1, a.den)) - 1 for a in t.atoms()
        if isinstance(a, FloorDiv) and not a.varying and a.num.offset == -1}
    return Substitution(folded).term(t) if folded else t


class Spelling(Struct, frozen=True):
    """How terms are written: the names of symbols, and the names that stand for whole terms.

    counter   the name of a loop counter
    symbol    the name of a launch scalar, a function or an array
    unknown   the name of an opaque value, which begins with `?`
    names     names of the kernel, by the term that each stands for
    """

    counter: Callable[[str], str]
    symbol: Callable[[str], str] = str
    unknown: Callable[[str], str] = str
    names: tuple[tuple[Term, str], ...] = ()

    def __call__(self, value: Term | Cond) -> str:
        """The text of a term or a condition. The two copies of an access are written alike."""
        return self._sum(value) if isinstance(value, Term) else _CONDITION[value.op](self, value)

    def _sum(self, t: Term) -> str:
        folded = fold_ceilings(t)
        parts = sorted(folded.monos.items(), key=_place)
        out = ""
        while parts:
            text, negative, length = self._spell_first(parts, not out)
            out += ((" - " if out else "-") if negative else " + " if out else "") + text
            parts = parts[length:]
        return out or "0"

    def _spell_first(self, parts: list[_Part], leads: bool) -> tuple[str, bool, int]:
        """The first summand without its sign, whether it is subtracted, and how many monomials it takes.

        leads  whether nothing stands before it, so that a minus sign would bind as tightly as a product
        """
        for term, name in self.names:
            summands = _summands(term)
            length = len(summands)
            if parts[:length] == list(summands):
                return name, False, length
            if length == 1 and parts[:1] == [(summands[0][0], -summands[0][1])] and summands[0][0]:
                return name, True, 1
        m, c = parts[0]
        return self._product(m, abs(c), leads and c < 0), c < 0, 1

    def _product(self, m: Monomial, c: int, tight: bool) -> str:
        factors = [] if c == 1 and m else [str(c)]
        factors += [self._factor(a) for a in m] if tight or m[1:] or factors else [self.atom(a) for a in m]
        return "*".join(factors)

    def _factor(self, a: Atom) -> str:
        text = self.atom(a)
        return f"({text})" if isinstance(a, (FloorDiv, Mod)) and self.name_of(a) is None else text

    def name_of(self, a: Atom) -> str | None:
        """The name that stands for an atom, if there is one."""
        alone = of(a)
        return next((name for term, name in self.names if term == alone), None)

    def atom(self, a: Atom) -> str:
        """The text of one atom."""
        return self.name_of(a) or _ATOM[type(a)](self, a)

    def _operand(self, t: Term) -> str:
        """A dividend or divisor, in parentheses unless it is one name or number."""
        text = self._sum(t)
        return text if self._is_simple(t) or (text.isidentifier() and t.single is None) else f"({text})"

    def _is_simple(self, t: Term) -> bool:
        a = t.single
        number = t.constant
        return isinstance(a, (Bid, Symbol, Lane, Counter)) or (a is not None and self.name_of(a) is not None) or (
            number is not None and number >= 0)

    def factor(self, t: Term) -> str:
        """The text of a term that stands before or behind `*`."""
        text = self._sum(t)
        if text.isidentifier():
            return text
        (m, c), *others = sorted(fold_ceilings(t).monos.items(), key=_place) or [((), 0)]
        if others or c < 0:
            return f"({text})"
        return self._factor(m[0]) if c == 1 and len(m) == 1 else text

    def _list(self, terms: Iterable[Term]) -> str:
        return ", ".join(self._sum(t) for t in terms)

    def _junction(self, c: Cond) -> str:
        return f" {c.op} ".join(f"({self(p)})" if p.op in ("and", "or") else self(p) for p in c.args)


def _place(part: _Part) -> tuple[bool, tuple[str, ...]]:
    """The order of summands: by their keys, the constant last."""
    return not part[0], keys_of(part[0])


@cache
def _summands(t: Term) -> tuple[_Part, ...]:
    return tuple(sorted(fold_ceilings(t).monos.items(), key=_place))


_ATOM: Final[Mapping[type[Atom], Callable[[Spelling, Any], str]]] = {
    **{kind: lambda s, a: s.symbol(a.key) for kind in SYMBOLS},
    Bid: lambda s, a: f"bid({a.axis})",
    Counter: lambda s, a: s.counter(a.name),
    Lane: lambda s, a: "lane",
    Opaque: lambda s, a: s.unknown(f"{'??' if a.uniform else '?'}{a.name}"),
    FloorDiv: lambda s, a: f"{s._operand(a.num)} // {s._operand(a.den)}",
    Mod: lambda s, a: f"{s._operand(a.num)} % {s._operand(a.den)}",
    Min: lambda s, a: f"min({s._list(a.args)})",
    Max: lambda s, a: f"max({s._list(a.args)})",
    Ite: lambda s, a: f"ite({s(a.cond)}, {s(a.then)}, {s(a.other)})",
    App: lambda s, a: f"{s.symbol(a.fn.variable if isinstance(a.fn, Carried) else str(a.fn))}({s._list(a.args)})",
    Load: lambda s, a: f"{s.symbol('grid@' if a.array.text == 'grid' else a.array.text)}[{s._list(a.index)}]",
    _Ceiling: lambda s, a: f"cdiv({s._list((a.num, a.den))})",
}
_CONDITION: Final[Mapping[str, Callable[[Spelling, Cond], str]]] = {
    "true": lambda s, c: "true",
    "false": lambda s, c: "false",
    "ge": lambda s, c: f"{s(c.term)} >= 0",
    "eq": lambda s, c: f"{s(c.term)} == 0",
    "ne": lambda s, c: f"{s(c.term)} != 0",
    "bool": lambda s, c: f"{'' if c.positive else 'not '}<{'?' if c.atom is None else s.atom(c.atom)}>",
    "and": Spelling._junction,
    "or": Spelling._junction,
}
