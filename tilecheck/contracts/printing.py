"""Conditions and terms as contract text.

The text is canonical and parses back to an equivalent condition. Sums are split so that both sides of a comparison
have positive coefficients, and `cdiv` is recognised in the two forms that canonical terms give it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any, Final

from tilecheck.symbolic import (
    SYMBOLS,
    App,
    Atom,
    Cond,
    FloorDiv,
    GridDim,
    Ite,
    Load,
    Max,
    Min,
    Mod,
    Monomial,
    Term,
    const,
    of,
)

_TIGHT: Final = 9
_PRODUCT: Final = 5
_INFIX: Final[Mapping[str, tuple[str, int]]] = {
    # operator and how tightly it binds; sums bind with 4
    "or": ("|", 0), "xor": ("^", 1), "and": ("&", 2), "shl": ("<<", 3), "shr": (">>", 3), "pow": ("**", 8),
}


class _Shown(Atom):
    """An atom that stands for text; `binds` says how tightly its outermost operator does.

    It is put in order by `order` and then by its text.
    """

    __slots__ = ("binds", "text")

    text: str
    binds: int

    def __new__(cls, text: str, binds: int = _TIGHT, order: str = "") -> _Shown:
        made = object.__new__(cls)
        made.text, made.binds = text, binds
        shown: _Shown = made._intern((cls, text, binds, order), f"{order}\0{text}" if order else text, False)
        return shown

    def within(self, binds: int) -> str:
        return self.text if self.binds >= binds else f"({self.text})"


class _Leading(_Shown):
    """One that comes first in a product: `grid[0]*T`."""

    __slots__ = ()


def build_verbatim(text: str, order: str = "") -> Term:
    """A term that is printed as this text, like a name.

    order  the key by which it is put in order; the text if there is none
    """
    return of(_Shown(text, order=order))


def _show_term(t: Term) -> Term:
    """The same polynomial over shown atoms."""
    out = const(0)
    for m, c in t.monos.items():
        part = const(c)
        for a in m:
            part = part * _atom(a)
        out = out + part
    return out


@cache
def _atom(a: Atom) -> Term:
    show = _SHOW.get(type(a))
    return of(_Shown(a.key)) if show is None else show(a)


def _operand(t: Term, binds: int) -> str:
    """A term as an operand of an operator that binds so tightly."""
    poly = _show_term(t)
    text = _sum(poly.monos)
    loose = _binding(poly)
    return text if loose >= binds else f"({text})"


def _binding(poly: Term) -> int:
    if len(poly.monos) > 1:
        return 4
    for m, c in poly.monos.items():
        if not m:
            return _TIGHT if c >= 0 else 4
        if c < 0:
            return 4
        if len(m) == 1 and c == 1 and isinstance(m[0], _Shown):
            return m[0].binds
        return _PRODUCT
    return _TIGHT


def _factor(a: Atom, binds: int) -> str:
    return a.within(binds) if isinstance(a, _Shown) else a.key


def _product(m: Monomial, c: int) -> str:
    """A monomial with a positive coefficient."""
    if not m:
        return str(c)
    if len(m) == 1 and c == 1:
        return _factor(m[0], _PRODUCT)
    factors = [_factor(a, _PRODUCT + 1) for a in sorted(m, key=lambda a: (not isinstance(a, _Leading), a.key))]
    return "*".join(factors if c == 1 else [str(c), *factors])


def _sum(monos: Mapping[Monomial, int]) -> str:
    if not monos:
        return "0"
    ordered = sorted(monos.items(), key=lambda item: (not item[0], item[1] < 0, tuple(a.key for a in item[0])))
    out = ""
    for m, c in ordered:
        text = _product(m, abs(c))
        if not out and c < 0:
            simple = not m or (len(m) == 1 and _factor(m[0], _TIGHT) == text)
            out = f"-{text}" if simple else f"-({text})"
        elif not out:
            out = text
        else:
            out += f" - {text}" if c < 0 else f" + {text}"
    return out


def _division(a: FloorDiv) -> Term:
    divisor, offset = a.den.constant, a.num.offset
    dividend = a.num - offset
    if dividend.monos and divisor is not None and divisor > 1 and offset == divisor - 1:
        return of(_Shown(f"cdiv({_text(dividend)}, {divisor})"))
    if dividend.monos and divisor is None and offset == -1:
        return of(_Shown(f"cdiv({_text(dividend)}, {_text(a.den)})")) - 1
    return of(_Shown(f"{_operand(a.num, _PRODUCT)} // {_operand(a.den, _PRODUCT + 1)}", _PRODUCT))


def _application(a: App) -> Term:
    infix = _INFIX.get(a.fn) if isinstance(a.fn, str) else None
    if infix is None or len(a.args) != 2:
        return of(_Shown(f"{a.fn}({', '.join(_text(x) for x in a.args)})"))
    operator, binds = infix
    left, right = (_operand(x, max(binds, 4) + 1) for x in a.args)
    return of(_Shown(f"{left} {operator} {right}" if binds < 8 else f"{left}**{right}", binds if binds < 8 else 7))


def _choice(a: Ite) -> Term:
    return of(_Shown(f"({_text(a.then)} if {render(a.cond)} else {_text(a.other)})"))


_SHOW: Final[Mapping[type[Atom], Callable[[Any], Term]]] = {
    **dict.fromkeys(SYMBOLS, lambda a: of(_Shown(a.key))),
    GridDim: lambda a: of(_Leading(a.key)),
    _Shown: of,
    _Leading: of,
    FloorDiv: _division,
    Mod: lambda a: of(_Shown(f"{_operand(a.num, _PRODUCT)} % {_operand(a.den, _PRODUCT + 1)}", _PRODUCT)),
    Min: lambda a: of(_Shown(f"min({', '.join(_text(x) for x in a.args)})")),
    Max: lambda a: of(_Shown(f"max({', '.join(_text(x) for x in a.args)})")),
    Ite: _choice,
    App: _application,
    Load: lambda a: of(_Shown(f"{a.array}[{', '.join(_text(i) for i in a.index)}]")),
}


def _text(t: Term) -> str:
    return _sum(_show_term(t).monos)


def _sides(t: Term) -> tuple[dict[Monomial, int], dict[Monomial, int], int]:
    """The added summands, the subtracted summands, and the constant."""
    monos = _show_term(t).monos
    return (
        {m: c for m, c in monos.items() if m and c > 0},
        {m: -c for m, c in monos.items() if m and c < 0},
        monos.get((), 0),
    )


def _with(monos: dict[Monomial, int], constant: int) -> str:
    return _sum({**monos, (): constant} if constant else monos)


def _at_least(c: Cond) -> str:
    more, less, offset = _sides(c.term)
    if not less:
        return f"{_sum(more)} >= {-offset}"
    if not more:
        power = (offset + 1).bit_length() - 1
        large = power >= 16 and offset + 1 == 1 << power
        return f"{_sum(less)} < 2**{power}" if large else f"{_sum(less)} <= {offset}"
    if offset == -1:
        return f"{_sum(less)} < {_sum(more)}"
    return f"{_with(less, max(-offset, 0))} <= {_with(more, max(offset, 0))}"


def _equal(c: Cond, operator: str) -> str:
    more, less, offset = _sides(c.term)
    if not more:
        more, less, offset = less, more, -offset
    if not less:
        return f"{_sum(more)} {operator} {-offset}"
    return f"{_with(more, max(offset, 0))} {operator} {_with(less, max(-offset, 0))}"


def _junction(c: Cond) -> str:
    return f" {c.op} ".join(f"({render(a)})" if a.op in ("and", "or") else render(a) for a in c.args)


_CONDITION: Final[Mapping[str, Callable[[Cond], str]]] = {
    "true": lambda c: "True",
    "false": lambda c: "False",
    "ge": _at_least,
    "eq": lambda c: _equal(c, "=="),
    "ne": lambda c: _equal(c, "!="),
    "bool": lambda c: f"{_text(of(c.atom)) if c.atom else '?'} {'!=' if c.positive else '=='} 0",
    "and": _junction,
    "or": _junction,
}


@lru_cache(maxsize=1 << 13)
def _condition(c: Cond) -> str:
    return _CONDITION[c.op](c)


def render(value: Cond | Term) -> str:
    """Contract text of a condition or term. Block coordinates and array elements are not launch
    scalars: their text does not parse back."""
    return _text(value) if isinstance(value, Term) else _condition(value)
