"""Symbols and arrays: one object for each text, in the order of their texts, the same after a process boundary."""

from __future__ import annotations

import pickle

import pytest

from tilecheck.contracts.grammar import parse_term
from tilecheck.symbolic import (
    ANY,
    SYMBOLS,
    UNKNOWN_ARRAY,
    Array,
    ArrayElement,
    ArrayParam,
    Extent,
    ExtentAt,
    GridDim,
    Item,
    LeadingSize,
    Length,
    Rank,
    Scalar,
    Size,
    Stand,
    Stride,
    Symbol,
    array_from_text,
    symbol_from_text,
)

X, ROWS, SECOND = ArrayParam("x"), ArrayElement("xs", ANY), ArrayElement("xs", 2)

TEXTS: dict[str, Symbol] = {
    "n": Scalar("n"), "cfg.BLOCK": Scalar("cfg.BLOCK"), "sizes[2]": Item(ArrayElement("sizes", 2)),
    "grid[0]": GridDim(0), "grid[3]": Item(ArrayElement("grid", 3)),
    "x.shape[0]": Extent(X, 0), "x.shape[-1]": Extent(X, -1), "xs[*].shape[1]": Extent(ROWS, 1),
    "xs[2].shape[1]": Extent(SECOND, 1), "self.x.shape[0]": Extent(ArrayParam("self.x"), 0),
    "x.shape[i]": ExtentAt(X, 1), "x.shape[i]#2": ExtentAt(X, 2), "x.shape[:-1]": LeadingSize(X),
    "x.strides[1]": Stride(X, 1), "numel(x)": Size(X), "x.ndim": Rank(X), "len(xs)": Length(ArrayParam("xs")),
    "len(xs@1.2)": Length(ArrayParam("xs"), (1, 2)),
}


@pytest.mark.parametrize("text", TEXTS)
def test_text_names_one_symbol(text: str) -> None:
    symbol = TEXTS[text]
    assert symbol.key == text and symbol_from_text(text) is symbol
    assert not symbol.varying


@pytest.mark.parametrize("text", [
    "n", "grid[0]", "x.shape[0]", "xs[*].shape[1]", "x.strides[1]", "numel(x)", "len(xs)",
])
def test_contracts_have_the_same_symbols(text: str) -> None:
    assert parse_term(text).single is TEXTS[text]


@pytest.mark.parametrize("symbol", [*TEXTS.values(), Stand("choice 0 1")], ids=str)
def test_a_symbol_is_one_object_after_pickling(symbol: Symbol) -> None:
    assert pickle.loads(pickle.dumps(symbol)) is symbol


def test_every_kind_is_tested() -> None:
    assert {type(symbol) for symbol in TEXTS.values()} | {Stand} == set(SYMBOLS)


def test_symbols_are_ordered_by_text() -> None:
    assert [symbol.key for symbol in sorted(TEXTS.values())] == sorted(TEXTS)


def test_one_text_has_one_kind() -> None:
    assert symbol_from_text("y.shape[7]") is Extent(ArrayParam("y"), 7)
    with pytest.raises(ValueError, match="is Extent and Scalar"):
        Scalar("y.shape[7]")


@pytest.mark.parametrize(("text", "array"), [("x", X), ("xs[*]", ROWS), ("xs[2]", SECOND), ("?", UNKNOWN_ARRAY)])
def test_arrays(text: str, array: Array) -> None:
    assert array_from_text(text) is array and str(array) == text
    assert pickle.loads(pickle.dumps(array)) is array
    assert array.at_any_position == (array is ROWS)


def test_the_parameter_of_an_array() -> None:
    assert [a.root for a in (X, ROWS, SECOND)] == ["x", "xs", "xs"]
    assert sorted([SECOND, X, ROWS]) == [X, ROWS, SECOND]
