"""The contract language: text to clauses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from msgspec import Struct

from tilecheck.contracts.language import (
    ANNOTATIONS,
    CONSTANTS,
    FUNCTIONS,
    MAX_BITS,
    MAX_DEPTH,
    ContractError,
    Token,
    tokens,
)
from tilecheck.contracts.printing import render
from tilecheck.symbolic import (
    ANY,
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Array,
    ArrayElement,
    ArrayParam,
    Cond,
    Extent,
    GridDim,
    Length,
    Scalar,
    Size,
    Stride,
    Symbol,
    Term,
    app,
    atoms_of,
    cdiv,
    conj,
    const,
    disj,
    eq,
    floordiv,
    ge,
    gt,
    ite,
    le,
    lt,
    maximum,
    minimum,
    mod,
    ne,
    negate,
    of,
)
from tilecheck.symbolic.footprint import Clause, ClauseKind
from tilecheck.symbolic.sizes import is_flat

_KINDS: Final[Mapping[str, ClauseKind]] = {"disjoint": "structural", "integer": "semantic"}
"""The kinds of the clauses that say how arguments are passed. The others describe the contents of arrays."""


class Annotation(Struct, frozen=True):
    """A fact about arguments that index arithmetic cannot show.

    name    injective, monotone, segments, range, multiple, ticket, lock, disjoint or integer
    arrays  the arrays it is about; the number that `integer` is about, by its name
    terms   the bounds of `range`, the bound of `injective`, the divisor of `multiple`, the index of `lock`
    """

    name: str
    arrays: tuple[Array, ...]
    terms: tuple[Term, ...] = ()

    @property
    def about_contents(self) -> bool:
        """Whether it describes the contents of arrays."""
        return self.name not in _KINDS

    @property
    def text(self) -> str:
        if self.name == "lock" and self.terms:
            return f"lock({self.arrays[0]}[{', '.join(render(t) for t in self.terms)}])"
        return f"{self.name}({', '.join((*map(str, self.arrays), *(render(t) for t in self.terms)))})"


class _Value(Struct, frozen=True):
    """A parsed expression: an integer, a condition, an array, or an annotation."""

    column: int
    term: Term | None = None
    cond: Cond | None = None
    array: Array | None = None
    index: tuple[Term, ...] = ()
    annotation: Annotation | None = None


ATTRIBUTES: Final[Mapping[str, Callable[[Array, int], Symbol]]] = {"shape": Extent, "strides": Stride}

_COMPARE: Final[Mapping[str, Callable[[Term, Term], Cond]]] = {
    "<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne,
}


def _build_shift(fn: str) -> Callable[[Term, Term], Term]:
    return lambda a, b: app(fn, a, b)


# operators from loosest to tightest, all of them left-associative
_LEVELS: Final[tuple[Mapping[str, Callable[[Term, Term], Term]], ...]] = (
    {"|": lambda a, b: app("or", a, b)},
    {"^": lambda a, b: app("xor", a, b)},
    {"&": lambda a, b: app("and", a, b)},
    {"<<": _build_shift("shl"), ">>": _build_shift("shr")},
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {"*": lambda a, b: a * b, "//": floordiv, "%": mod},
)


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens = tokens(text)
        self.at = 0
        self.depth = 0

    # -- tokens --

    @property
    def here(self) -> Token:
        return self.tokens[self.at]

    def take(self) -> Token:
        token = self.tokens[self.at]
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def accept(self, *texts: str) -> Token | None:
        return self.take() if self.here.kind == "op" and self.here.text in texts else None

    def expect(self, text: str, after: str) -> Token:
        token = self.accept(text)
        if token is None:
            raise ContractError(f"expected `{text}` {after}, {self._describe_found()}", self.here.column)
        return token

    def _describe_found(self) -> str:
        return "but the text ends" if self.here.kind == "end" else f"found `{self.here.text}`"

    # -- conditions --

    def is_at_end(self) -> bool:
        return self.here.kind == "end"

    def parse_all(self) -> list[_Value]:
        if self.is_at_end():
            raise ContractError("the contract is empty", 0)
        parts = [self.negation()]
        while self.accept("and"):
            parts.append(self.negation())
        if self.here.text == "or":
            first = self._alternatives(_join_values(parts))
            parts = [first]
            if self.here.text == "if":
                raise ContractError("a conditional expression needs parentheses", self.here.column)
        if not self.is_at_end():
            raise ContractError(f"unexpected `{self.here.text}`", self.here.column)
        return parts

    def expression(self) -> _Value:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ContractError("the contract is nested too deeply", self.here.column)
        value = self._alternatives(self._conjunction())
        if self.accept("if"):
            chosen = _cond(self._alternatives(self._conjunction()))
            self.expect("else", "after the condition")
            other = self.expression()
            value = _Value(value.column, ite(chosen, _term(value), _term(other)))
        self.depth -= 1
        return self.flat(value)

    def _alternatives(self, value: _Value) -> _Value:
        if self.here.text != "or":
            return value
        parts = [_cond(value)]
        while self.accept("or"):
            parts.append(_cond(self._conjunction()))
        return _Value(value.column, cond=disj(*parts))

    def _conjunction(self) -> _Value:
        parts = [self.negation()]
        while self.accept("and"):
            parts.append(self.negation())
        return _join_values(parts)

    def negation(self) -> _Value:
        token = self.accept("not")
        if token is None:
            return self.comparison()
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ContractError("the contract is nested too deeply", token.column)
        value = _Value(token.column, cond=negate(_cond(self.negation())))
        self.depth -= 1
        return value

    def comparison(self) -> _Value:
        left = self.operation(0)
        token = self.accept(*_COMPARE)
        if token is None:
            return left
        parts: list[Cond] = []
        low = _term(left)
        while token is not None:
            high = _term(self.operation(0))
            parts.append(_COMPARE[token.text](low, high))
            low, token = high, self.accept(*_COMPARE)
        return _Value(left.column, cond=conj(*parts))

    # -- integers --

    def operation(self, level: int) -> _Value:
        if level == len(_LEVELS):
            return self.parse_signed()
        left = self.operation(level + 1)
        while (token := self.accept(*_LEVELS[level])) is not None:
            right = self.operation(level + 1)
            divisor = _term(right)
            if token.text in ("//", "%") and divisor == ZERO:
                raise ContractError("division by zero", right.column)
            left = self.flat(_Value(left.column, _LEVELS[level][token.text](_term(left), divisor)))
        return left

    def flat(self, value: _Value) -> _Value:
        if value.term is not None and not is_flat(value.term):
            raise ContractError("the contract is nested too deeply", value.column)
        return value

    def parse_signed(self) -> _Value:
        token = self.accept("-", "+")
        if token is None:
            return self.power()
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ContractError("the contract is nested too deeply", token.column)
        term = _term(self.parse_signed())
        self.depth -= 1
        return _Value(token.column, -term if token.text == "-" else term)

    def power(self) -> _Value:
        base = self.primary()
        if not self.accept("**"):
            return base
        exponent = self.parse_signed()
        return _Value(base.column, self._raise_power(base, exponent))

    @staticmethod
    def _raise_power(base: _Value, exponent: _Value) -> Term:
        b, e = _term(base), _term(exponent)
        power = e.constant
        if power is None:
            return app("pow", b, e)
        if not 0 <= power <= 64 or (b.constant is None and power > 4):
            raise ContractError("the exponent is out of range", exponent.column)
        value = b.constant
        if value is not None and value.bit_length() * power > MAX_BITS:
            raise ContractError("the number is too large", base.column)
        out = ONE
        for _ in range(power):
            out = out * b
        return out

    def primary(self) -> _Value:
        token = self.take()
        if token.kind == "int":
            return _Value(token.column, const(int(token.text)))
        if token.kind == "name":
            return self._parse_name(token)
        if token.text == "(":
            inner = self.expression()
            self.expect(")", "to close the parenthesis")
            return _Value(token.column, inner.term, inner.cond, inner.array, inner.index, inner.annotation)
        if token.kind == "end":
            raise ContractError("the text ends where an expression is needed", token.column)
        raise ContractError(f"expected an expression, found `{token.text}`", token.column)

    def _parse_name(self, token: Token) -> _Value:
        name = token.text
        if name in CONSTANTS:
            return _Value(token.column, const(CONSTANTS[name]), FALSE if name == "False" else TRUE)
        if self.here.text == "(":
            return self._call(token)
        if self.here.text == "[":
            return self._element(token)
        if self.accept("."):
            return self._attribute(ArrayParam(name), token)
        return _Value(token.column, of(Scalar(name)), array=ArrayParam(name))

    def _element(self, token: Token) -> _Value:
        """`grid[0]`, `cs[*].shape[0]`, `cs[2].shape[0]`, or an element of an array in an annotation."""
        self.take()
        if self.accept("*"):
            self.expect("]", "after `*`")
            return self._member(ArrayElement(token.text, ANY), token)
        index = [_term(self.expression())]
        while self.accept(","):
            index.append(_term(self.expression()))
        self.expect("]", "after the index")
        place = index[0].constant if len(index) == 1 else None
        if token.text == "grid":
            if place is None or not 0 <= place <= 2:
                raise ContractError("a grid has the axes `grid[0]`, `grid[1]` and `grid[2]`", token.column)
            return _Value(token.column, of(GridDim(place)))
        if self.here.text == "." and place is not None:
            return self._member(ArrayElement(token.text, place), token)
        return _Value(token.column, array=ArrayParam(token.text), index=tuple(index))

    def _member(self, array: Array, token: Token) -> _Value:
        if self.accept("."):
            return self._attribute(array, token)
        return _Value(token.column, array=array)

    def _attribute(self, array: Array, token: Token) -> _Value:
        attribute = self.take()
        if attribute.text not in ATTRIBUTES:
            raise ContractError(
                f"`{array}.{attribute.text}` is unknown: an array has `.shape[i]` and `.strides[i]`", attribute.column)
        self.expect("[", f"after `{array}.{attribute.text}`")
        axis = self.take()
        if axis.kind != "int":
            what = "axes are counted from the front" if axis.text == "-" else "the axis must be a number"
            raise ContractError(f"{what}: write `{array}.{attribute.text}[0]`", axis.column)
        self.expect("]", "after the axis")
        return _Value(token.column, of(ATTRIBUTES[attribute.text](array, int(axis.text))))

    def _call(self, token: Token) -> _Value:
        name = token.text
        if name not in FUNCTIONS and name not in ANNOTATIONS:
            known = ", ".join((*FUNCTIONS, *ANNOTATIONS))
            raise ContractError(f"unknown function `{name}`; known are {known}", token.column)
        self.take()
        args: list[_Value] = []
        if not self.accept(")"):
            args.append(self.expression())
            while self.accept(","):
                args.append(self.expression())
            self.expect(")", f"after the arguments of `{name}`")
        if name in ANNOTATIONS:
            return _Value(token.column, annotation=_annotation(name, args, token))
        return _Value(token.column, _FUNCTION[name](_Call(name, args, token)))


class _Call(Struct, frozen=True):
    name: str
    args: list[_Value]
    token: Token

    def terms(self, least: int, most: int | None) -> list[Term]:
        if len(self.args) < least or (most is not None and len(self.args) > most):
            raise ContractError(f"`{self.name}` is written {FUNCTIONS[self.name]}", self.token.column)
        return [_term(a) for a in self.args]

    def array(self) -> Array:
        array = self.args[0].array if len(self.args) == 1 else None
        if array is None or self.args[0].index:
            raise ContractError(f"`{self.name}` is written {FUNCTIONS[self.name]}", self.token.column)
        return array

    def find_sized(self) -> Array:
        """An array, or one of a list: `numel(x)`, `numel(xs[0])`."""
        array, index = (self.args[0].array, self.args[0].index or ()) if len(self.args) == 1 else (None, ())
        position = index[0].constant if len(index) == 1 else None
        return self.array() if array is None or position is None else ArrayElement(array.text, position)

    def divide(self) -> Term:
        num, den = self.terms(2, 2)
        if den == ZERO:
            raise ContractError("division by zero", self.args[1].column)
        return cdiv(num, den)


_FUNCTION: Final[Mapping[str, Callable[[_Call], Term]]] = {
    "min": lambda c: minimum(*c.terms(1, None)),
    "max": lambda c: maximum(*c.terms(1, None)),
    "cdiv": lambda c: c.divide(),
    "abs": lambda c: app("abs", *c.terms(1, 1)),
    "next_pow2": lambda c: app("next_pow2", *c.terms(1, 1)),
    "len": lambda c: of(Length(c.array())),
    "numel": lambda c: of(Size(c.find_sized())),
}

_ARITY: Final = {
    # arrays (least, most), terms (least, most)
    "injective": (1, 1, 0, 1), "monotone": (1, 1, 0, 0), "segments": (1, 2, 0, 0), "range": (1, 1, 2, 2),
    "multiple": (1, 1, 1, 1), "ticket": (1, 1, 0, 0), "lock": (1, 1, 0, 0), "disjoint": (1, 2, 0, 0),
    "integer": (1, 1, 0, 0),
}


def _annotation(name: str, args: list[_Value], token: Token) -> Annotation:
    least, most, fewest, terms = _ARITY[name]
    usage = ContractError(f"`{name}` is written {ANNOTATIONS[name]}", token.column)
    arrays, rest = args[:most], args[most:]
    if len(arrays) < least or not fewest <= len(rest) <= terms:
        raise usage
    if any(a.array is None or (a.index and name != "lock") for a in arrays):
        raise usage
    if name == "integer" and arrays[0].term is None:
        raise usage
    index = arrays[0].index if name == "lock" else tuple(_term(a) for a in rest)
    return Annotation(name, tuple(a.array for a in arrays if a.array is not None), index)


def _term(value: _Value) -> Term:
    if value.term is not None:
        return value.term
    if value.annotation is not None:
        raise ContractError(f"`{value.annotation.name}` stands alone: it is not a number", value.column)
    if value.array is not None:
        raise ContractError("an array element is not a launch scalar", value.column)
    raise ContractError("a number is needed here, not a condition", value.column)


def _cond(value: _Value) -> Cond:
    if value.cond is not None:
        return value.cond
    if value.annotation is not None:
        raise ContractError(
            f"`{value.annotation.name}` stands alone: it cannot be negated or be an alternative", value.column)
    if value.array is not None and value.index:
        raise ContractError("an array element is not a launch scalar", value.column)
    raise ContractError("there is no comparison here: write for example `n >= 1`", value.column)


def _join_values(parts: list[_Value]) -> _Value:
    if len(parts) == 1:
        return parts[0]
    return _Value(parts[0].column, cond=conj(*(_cond(p) for p in parts)))


def _kind(cond: Cond) -> ClauseKind:
    sizes = any(isinstance(a, Size) for a in atoms_of(cond))
    unread = cond.op == "eq" and cond.term.offset == -1 and len(cond.term.monos) == 2 and all(
        isinstance(a, GridDim) for a in cond.term.atoms())
    return "structural" if sizes or unread else "semantic"


def _clauses(value: _Value) -> tuple[Clause, ...]:
    if value.annotation is not None:
        note = value.annotation
        return (Clause(note.text, None, _KINDS.get(note.name, "annotation")),)
    cond = _cond(value)
    return tuple(
        Clause(render(part), part, _kind(part)) for part in (cond.args if cond.op == "and" else (cond,)))


def parse(text: str) -> tuple[Clause, ...]:
    """The clauses of a contract, one for each part of its outermost `and`. Raises ContractError."""
    out: dict[str, Clause] = {}
    for value in _Parser(text).parse_all():
        for clause in _clauses(value):
            out.setdefault(clause.text, clause)
    return tuple(out.values())


def parse_term(text: str) -> Term:
    """An integer expression of the contract language. Raises ContractError."""
    parser = _Parser(text)
    value = parser.expression()
    if not parser.is_at_end():
        raise ContractError(f"unexpected `{parser.here.text}`", parser.here.column)
    return _term(value)


def annotation_of(clause: Clause) -> Annotation | None:
    """The annotation that a clause is, or None when it is arithmetic."""
    return _parse_annotation(clause.text) if clause.cond is None else None


@lru_cache(maxsize=1024)
def _parse_annotation(text: str) -> Annotation | None:
    """A clause is asked for at every launch."""
    (value,) = _Parser(text).parse_all()
    return value.annotation
