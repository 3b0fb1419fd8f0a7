"""The contract language."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings

from tests.symbolic.strategies import Recipe, build, conditions, integers
from tilecheck.contracts import (
    Annotation,
    ContractError,
    annotation_of,
    equivalent,
    evaluate,
    parse,
    parse_overlay,
    parse_term,
    render,
    select,
)
from tilecheck.symbolic import (
    ArrayParam,
    Cond,
    Term,
    array_from_text,
    bid,
    bool_opaque,
    cdiv,
    conj,
    const,
    eq,
    ge,
    grid,
    holds,
    le,
    load,
    lt,
    mod,
    ne,
    symbol,
    symbol_from_text,
)
from tilecheck.symbolic.footprint import Clause

CANONICAL = [
    "grid[0] <= cdiv(c.shape[0], T)",
    "grid[1] == 1",
    "x.shape[1] == y.shape[0]",
    "a.strides[1] == 1",
    "grid[0]*T <= n",
    "n < 5*m",
    "n >= 0",
    "HD // 2 + T <= HD",
    "n % T == 0",
    "numel(x) < 2**31",
    "numel(xs[1]) < 2**31",
    "grid[0] <= cdiv(M, tm)*cdiv(N, tn)",
    "grid[0] <= cdiv(n, 128)",
    "a < b or c == 2",
    "T == next_pow2(n)",
    "cs[*].shape[0] == len(cs)",
    "cs[2].shape[0] >= 4",
    "min(3, a, b + 1) <= max(7, a)",
    "(a if n >= 4 else b) < c",
    "(a | b) <= (c ^ d)",
    "(a << b) < c",
    "a // b // c < 2*(n % m)",
    "a // (b // c) == 3",
    "a*(b % c) == 5",
    "n*n // T <= 4",
    "abs(a) >= 2",
    "a**b <= 3",
    "(a < b and c == 2) or d != 0",
]


def _note(name: str, arrays: tuple[str, ...], terms: tuple[Term, ...] = ()) -> Annotation:
    return Annotation(name, tuple(map(array_from_text, arrays)), terms)


@pytest.mark.parametrize("text", CANONICAL)
def test_canonical_text_is_unchanged(text: str) -> None:
    (clause,) = parse(text)
    assert clause.text == text
    assert clause.cond is not None and render(clause.cond) == text


@pytest.mark.parametrize(("text", "expected"), [
    ("n - 1 >= T * grid[0] // 4", ["grid[0]*T // 4 < n"]),
    ("0 <= n < 5", ["n <= 4", "n >= 0"]),
    ("not (a < b or c == 2)", ["b <= a", "c != 2"]),
    ("-(n // T) < -3", ["n // T >= 4"]),
    ("cdiv(n, 8) > grid[0]", ["grid[0] < cdiv(n, 8)"]),
    ("a & 7 == 0", ["a % 8 == 0"]),
    ("1_000 < n and 0x10 < m", ["n >= 1001", "m >= 17"]),
    ("flag == True", ["flag == 1"]),
    ("(((n))) >= (1)", ["n >= 1"]),
    ("n >= 1 and n >= 1", ["n >= 1"]),
    ("2 * n >= 3", ["n >= 2"]),
    ("True", ["True"]),
    ("n < n", ["False"]),
])
def test_other_spellings(text: str, expected: list[str]) -> None:
    assert [c.text for c in parse(text)] == expected


def test_kinds() -> None:
    kinds = {c.text: c.kind for c in parse(
        "grid[2] == 1 and numel(x) < 2**31 and disjoint(c, a) and injective(ids) and integer(n) and grid[0]*C <= S")}
    assert kinds == {
        "grid[2] == 1": "structural", "numel(x) < 2**31": "structural", "disjoint(c, a)": "structural",
        "injective(ids)": "annotation", "integer(n)": "semantic", "grid[0]*C <= S": "semantic",
    }


@pytest.mark.parametrize(("text", "annotation"), [
    ("injective(ids)", _note("injective", ("ids",))),
    ("injective(ids, n)", _note("injective", ("ids",), (symbol("n"),))),
    ("multiple(sizes, 2*T)", _note("multiple", ("sizes",), (2 * symbol("T"),))),
    ("monotone(indptr)", _note("monotone", ("indptr",))),
    ("segments(offsets)", _note("segments", ("offsets",))),
    ("segments(offsets, lengths)", _note("segments", ("offsets", "lengths"))),
    ("range(ids, 0, n - 1)", _note("range", ("ids",), (const(0), symbol("n") - 1))),
    ("ticket(counter)", _note("ticket", ("counter",))),
    ("lock(locks[i, 2*j])", _note("lock", ("locks",), (symbol("i"), 2 * symbol("j")))),
    ("lock(locks)", _note("lock", ("locks",))),
    ("disjoint(c, a)", _note("disjoint", ("c", "a"))),
    ("disjoint(cs[*], a)", _note("disjoint", ("cs[*]", "a"))),
    ("integer(n)", _note("integer", ("n",))),
])
def test_annotations(text: str, annotation: Annotation) -> None:
    (clause,) = parse(text)
    assert clause.cond is None and clause.text == text
    assert annotation_of(clause) == annotation


def test_arithmetic_is_not_an_annotation() -> None:
    assert annotation_of(parse("n >= 1")[0]) is None


@pytest.mark.parametrize(("text", "column", "words"), [
    ("", 0, "empty"),
    ("n", 0, "no comparison"),
    ("n >= 1 and m", 11, "no comparison"),
    ("foo(n) < 2", 0, "unknown function `foo`"),
    ("n <", 3, "ends"),
    ("n / 2 < 3", 2, "write `//`"),
    ("n = 3", 2, "write `==`"),
    ("!a", 0, "not"),
    ("x.size == 3", 2, "has `.shape[i]`"),
    ("x.shape == 3", 8, "expected `[`"),
    ("x.shape[-1] == 2", 8, "from the front"),
    ("x.shape[i] == 2", 8, "must be a number"),
    ("grid[3] == 1", 0, "axes"),
    ("grid[n] == 1", 0, "axes"),
    ("ids[3] == 2", 0, "array element"),
    ("1 < n and injective(x", 21, "expected `)`"),
    ("not injective(x)", 4, "stands alone"),
    ("n > 1 or injective(x)", 9, "stands alone"),
    ("injective(x) + 1 < n", 0, "stands alone"),
    ("injective(x + 1)", 0, "is written"),
    ("range(x, 1)", 0, "is written"),
    ("injective(x, 1, 2)", 0, "is written"),
    ("multiple(x)", 0, "is written"),
    ("monotone(x, y)", 0, "is written"),
    ("disjoint(a, b, c)", 0, "is written"),
    ("integer(n, m)", 0, "is written"),
    ("integer()", 0, "is written"),
    ("integer(x.shape[0])", 0, "is written"),
    ("integer(ids[2])", 0, "is written"),
    ("integer(xs[*])", 0, "is written"),
    ("integer(2*n)", 0, "is written"),
    ("not integer(n)", 4, "stands alone"),
    ("n > 1 or integer(n)", 9, "stands alone"),
    ("cdiv(n) < 2", 0, "is written cdiv(a, b)"),
    ("len(a + b) < 2", 0, "is written"),
    ("a b", 2, "unexpected `b`"),
    ("(a < b", 6, "expected `)`"),
    ("n % 0 == 1", 4, "division by zero"),
    ("cdiv(n, 0) == 1", 8, "division by zero"),
    ("a <= b + (c < d)", 9, "a number is needed"),
    ("'a' == 2", 0, "unexpected"),
    ("2**1000 > n", 3, "exponent"),
    ("n**9 > 2", 3, "exponent"),
    ("9" * 60 + " < n", 0, "too large"),
    ("0b2 < n", 0, "not an integer"),
    ("(" * 300, 61, "too deeply"),
    ("not " * 300 + "a < b", 240, "too deeply"),
    ("-" * 300 + "a < b", 60, "too deeply"),
    ("n < 1 if a < b else c", 6, "unexpected `if`"),
    ("lambda: 1", 6, "unexpected `:`"),
    ("__import__('os')", 11, "unexpected"),
    ("n < " + "1 + " * 2000, 4000, "characters"),
])
def test_mistakes(text: str, column: int, words: str) -> None:
    with pytest.raises(ContractError) as caught:
        parse(text)
    assert words in caught.value.message
    assert caught.value.column == column


NAMES = (symbol_from_text("a"), symbol_from_text("b"), symbol_from_text("c"))
SYMBOLS = {"a": NAMES[0], "b": NAMES[1], "c": NAMES[2]}
# an author's mistake in a text, but expressions drawn at random have it
ZERO_DIVISOR = re.compile(r"(//|%) \(?0\b")
POINTS = [(1, 2, 3), (4, 1, 7), (-3, 5, 2), (0, 1, -6), (9, 8, 7), (2, 2, 2), (13, -4, 1)]


def assert_same(a: Cond, b: Cond) -> None:
    for values in POINTS:
        env = dict(zip(NAMES, values, strict=True))
        try:
            expected = holds(a, env)
        except ArithmeticError:
            continue
        assert holds(b, env) == expected


@settings(max_examples=400, deadline=None)
@given(conditions())
def test_rendered_contracts_parse_to_the_same(recipe: Recipe) -> None:
    cond = build(recipe, SYMBOLS)
    text = render(cond)
    if len(text) < 2000 and not ZERO_DIVISOR.search(text):
        again = conj(*(c.cond for c in parse(text) if c.cond is not None))
        assert_same(cond, again)


@settings(max_examples=400, deadline=None)
@given(integers())
def test_parsing_rendered_terms(recipe: Recipe) -> None:
    term = build(recipe, SYMBOLS)
    text = render(term)
    if len(text) < 2000 and not ZERO_DIVISOR.search(text):
        assert_same(eq(term, 0), eq(parse_term(text), 0))
        assert_same(ge(term, 0), ge(parse_term(text), 0))


def test_terms_outside_the_contract_language_are_rendered() -> None:
    assert render(le(bid(0), load(ArrayParam("ids"), (symbol("n"),)))) == "bid(0) <= ids[n]"
    assert render(bool_opaque(symbol_from_text("flag"))) == "flag != 0"
    assert render(bool_opaque(symbol_from_text("flag"), False)) == "flag == 0"
    assert render(cdiv(symbol("n"), symbol("T")) * 2) == "2*cdiv(n, T)"
    assert render(-symbol("n")) == "-n"
    assert render(-mod(symbol("n"), symbol("T"))) == "-(n % T)"


def clause(text: str) -> Clause:
    (only,) = parse(text)
    return only


def test_evaluation() -> None:
    assert evaluate(clause("grid[0] <= cdiv(c.shape[0], T)"), {"grid[0]": 3, "c.shape[0]": 5, "T": 2})
    assert not evaluate(clause("grid[0] <= cdiv(c.shape[0], T)"), {"grid[0]": 4, "c.shape[0]": 5, "T": 2})
    assert evaluate(clause("T == 0 or n % T == 0"), {"T": 0, "n": 3})
    assert not evaluate(clause("n % T == 0"), {"T": 0, "n": 3})
    assert evaluate(clause("numel(x) < 100"), {"x.shape[0]": 9, "x.shape[1]": 11})
    assert not evaluate(clause("numel(x) < 99"), {"x.shape[0]": 9, "x.shape[1]": 11})
    assert evaluate(clause("numel(xs[1]) < 5"), {"xs[0].shape[0]": 9, "xs[1].shape[0]": 4})
    assert evaluate(clause("next_pow2(n) == 8"), {"n": 5})
    with pytest.raises(KeyError):
        evaluate(clause("n < 3"), {})
    with pytest.raises(KeyError):
        evaluate(clause("numel(x) < 3"), {})
    with pytest.raises(ContractError):
        evaluate(clause("injective(ids)"), {})


def test_equivalence() -> None:
    n, t, m = symbol("n"), symbol("T"), symbol("m")
    assert equivalent(le(grid(0), cdiv(n, t)), lt((grid(0) - 1) * t, n))
    assert not equivalent(le(grid(0), cdiv(n, t)), le(grid(0) * t, n))
    assert equivalent(eq(n, m), eq(m, n))
    assert not equivalent(eq(n, m), eq(n, m + 1))
    assert not equivalent(eq(n, 977), eq(n, 978))
    assert not equivalent(ne(n, 977), ge(n, 0))
    assert equivalent(ge(n, 1), ge(n + 0, 1))


def test_overlay() -> None:
    overlay = parse_overlay(
        '[contracts]\n"ops/moe.py::fused_*" = ["injective(ids)", "grid[0] <= n"]\n"*/rope.py::k" = "n >= 1"\n')
    assert overlay == {"ops/moe.py::fused_*": ("injective(ids)", "grid[0] <= n"), "*/rope.py::k": ("n >= 1",)}
    assert select(overlay, "/home/me/src/ops/moe.py", "fused_moe") == ("injective(ids)", "grid[0] <= n")
    assert select(overlay, "./ops/moe.py", "fused_moe") == ("injective(ids)", "grid[0] <= n")
    assert select(overlay, "drops/moe.py", "fused_moe") == ()
    assert select(overlay, "ops/moe.py", "other") == ()
    assert select(overlay, "a/b/rope.py", "k") == ("n >= 1",)
    assert parse_overlay("") == {}


@pytest.mark.parametrize("text", [
    "x", '[contract]\n"a.py::k" = []', "contracts = 3", '[contracts]\n"a.py" = []', '[contracts]\n"a.py::k" = [1]',
    '[contracts]\n"a.py::k" = ["n <"]', '[contracts]\n"::k" = []',
])
def test_overlay_mistakes(text: str) -> None:
    with pytest.raises(ContractError):
        parse_overlay(text)
