"""Places in a text as editors count them."""

from __future__ import annotations

import pytest

from tilecheck.server.drift import Drift
from tilecheck.server.positions import ENCODINGS, Text
from tilecheck.syntax.tree import Span

LINE = "a🍎é = 1"


@pytest.mark.parametrize(("encoding", "units"), [("utf-8", [0, 1, 5, 7, 8]), ("utf-16", [0, 1, 3, 4, 5]),
                                                 ("utf-32", [0, 1, 2, 3, 4])])
def test_columns_there_and_back(encoding, units):
    text = Text(f"first\n{LINE}\n", encoding)
    assert [text.place(2, column) for column in range(5)] == [(1, unit) for unit in units]
    assert [text.column((1, unit)) for unit in units] == list(range(5))


def test_a_place_inside_of_a_character_is_at_its_end():
    assert Text("🍎b", "utf-16").column((0, 1)) == 1


def test_places_that_are_not_there():
    text = Text("ab\n🍎", "utf-16")
    assert text.column((0, 99)) == 2 and text.column((1, 99)) == 1 and text.column((7, 3)) == 0
    assert text.place(9, 4) == (8, 0)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end):
    text = Text(f"a{end}bc{end}", "utf-16")
    assert text.lines == ["a", "bc", ""]
    assert text.line_end(2) == (1, 2)


def test_form_feeds_do_not_count_in_the_checker():
    """The checker's column 0 comes after the form feed."""
    text = Text("\f  x = 1\n", "utf-16")
    assert text.place(1, 2) == (0, 3) and text.column((0, 3)) == 2
    assert text.span(Span("f", 1, 2, 1, 7)) == ((0, 3), (0, 8))


def test_every_encoding_of_the_protocol_is_known():
    assert set(ENCODINGS) == {"utf-8", "utf-16", "utf-32"}


def test_lines_move():
    before = ["a", "b", "c", "d"]
    drift = Drift(before, ["new", "a", "b", "changed", "d", "e"])
    assert [drift.line(n) for n in (1, 2, 3, 4)] == [2, 3, 4, 5]


def test_deleted_lines_retain_their_position():
    assert [Drift(["a", "b", "c"], ["a", "c"]).line(n) for n in (1, 2, 3)] == [1, 2, 2]
    assert Drift(["a", "b"], []).line(2) == 1
