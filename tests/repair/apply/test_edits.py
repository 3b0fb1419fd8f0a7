"""Edits of text, where places move, and files as they are on disk."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilecheck.repair.apply.moves import Moves
from tilecheck.repair.apply.original_bytes import change_bytes
from tilecheck.repair.edits import Edit, OverlapError, apply_edits
from tilecheck.syntax.text import SourceError, decode
from tilecheck.syntax.tree import Span


def edit(line: int, column: int, end_line: int, end_column: int, text: str) -> Edit:
    return Edit(Span("f.py", line, column, end_line, end_column), text)


def test_edits_apply_in_any_order() -> None:
    edits = [edit(2, 0, 2, 1, "B"), edit(1, 1, 1, 1, "+"), edit(1, 2, 2, 0, "|")]
    assert apply_edits("abc\nd\n", edits) == apply_edits("abc\nd\n", edits[::-1]) == "a+b|B\n"


def test_equal_edits_count_once_and_others_must_not_touch_one_place() -> None:
    assert apply_edits("ab", [edit(1, 1, 1, 1, "+"), edit(1, 1, 1, 1, "+")]) == "a+b"
    for other in (edit(1, 1, 1, 1, "-"), edit(1, 0, 1, 2, "")):
        with pytest.raises(OverlapError):
            apply_edits("ab", [edit(1, 1, 1, 1, "+"), other])


def test_locations_move_with_earlier_edits() -> None:
    moves = Moves("one\ntwo\nthree\n", [edit(1, 0, 1, 0, "new\n"), edit(2, 1, 2, 3, "")])
    assert moves.place(1, 0) == (2, 0)
    assert moves.place(2, 0) == (3, 0)
    assert moves.place(2, 2) == (3, 1)  # inside the deleted text: its old location
    assert moves.place(3, 4) == (4, 4)


def test_replaced_text_begins_at_the_same_location() -> None:
    assert Moves("abcdef", [edit(1, 2, 1, 4, "longer")]).place(1, 2) == (1, 2)
    assert Moves("abcdef", [edit(1, 2, 1, 4, "longer")]).place(1, 4) == (1, 8)


@given(st.text("ab\n", max_size=30), st.integers(0, 30), st.integers(0, 5), st.text("xy\n", max_size=6), st.data())
def test_a_place_that_is_not_touched_holds_the_same_text_after(
        text: str, start: int, length: int, new: str, data: st.DataObject) -> None:
    start = min(start, len(text))
    end = min(start + length, len(text))
    at = data.draw(st.one_of(st.integers(0, start), st.integers(end, len(text))))
    place = lambda offset: (text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1))  # noqa: E731
    made = Edit(Span("f", *place(start), *place(end)), new)
    after = apply_edits(text, [made])
    line, column = Moves(text, [made]).place(*place(at))
    offset = sum(len(part) + 1 for part in after.split("\n")[: line - 1]) + column
    if at >= end and not (at == start < end):
        assert after[offset:] == text[at:]
    else:
        assert after[:offset] == text[:at]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_ends_and_byte_order_marks_stay(end: bytes, mark: bytes) -> None:
    data = mark + end.join([b"a = 1", b"\tb = 2  # tab", b"", b"c"])
    changed = change_bytes(data, "f.py", [edit(2, 1, 2, 2, "bb"), edit(3, 0, 3, 0, "x\ny")])
    assert changed == mark + end.join([b"a = 1", b"\tbb = 2  # tab", b"x", b"y", b"c"])


def test_mixed_line_ends_are_preserved() -> None:
    assert change_bytes(b"a\r\nb\nc\rd", "f.py", [edit(1, 1, 1, 1, "\n+"), edit(2, 0, 2, 0, "-\n"),
                                                   edit(4, 1, 4, 1, "\n!")]) == b"a\r\n+\r\n-\nb\nc\rd\r!"


def test_the_encoding_stays() -> None:
    data = "# coding: latin-1\nname = 'é'  # old\n".encode("latin-1")
    assert change_bytes(data, "f.py", [edit(2, 12, 2, 17, "# ü")]) == "# coding: latin-1\nname = 'é'  # ü\n".encode(
        "latin-1")
    with pytest.raises(SourceError, match="cannot be written as"):
        change_bytes(data, "f.py", [edit(2, 12, 2, 17, "# →")])


def test_a_form_feed_is_preserved() -> None:
    data = b"a = 1\n\x0cb = 2\n  \x0c  c\n"
    assert decode(data, "f.py") == "a = 1\nb = 2\n  c\n"
    changed = change_bytes(data, "f.py", [edit(2, 0, 2, 1, "B"), edit(3, 2, 3, 3, "C")])
    assert changed == b"a = 1\n\x0cB = 2\n  \x0c  C\n"


@given(st.text("ab\t \f\r\né", max_size=40), st.sampled_from(["utf-8", "utf-8-sig"]))
def test_no_edit_changes_nothing(text: str, encoding: str) -> None:
    data = text.encode(encoding)
    assert change_bytes(data, "f.py", []) == data
    decoded = decode(data, "f.py")
    lines = decoded.split("\n")
    whole = edit(len(lines), 0, len(lines), len(lines[-1]), lines[-1])
    assert change_bytes(data, "f.py", [whole]) == data
