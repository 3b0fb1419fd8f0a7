"""Statements without layout: what identifies a finding."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilecheck.report.statements import Statements

FORMS = [
    "ct.store(c, (i, 0), t)",
    "ct.store( c,(i,0) ,t )   # why",
    "ct.store(\n    c,\n    (i, 0),  # row\n    t,\n)",
    "ct.store(c, \\\n    (i, 0), t)",
]


def at(text: str, line: int) -> str:
    return Statements(lambda path: text.split("\n")).at("k.py", line)


@pytest.mark.parametrize("form", FORMS)
def test_layout_does_not_matter(form: str) -> None:
    last = 1 + form.count("\n")
    for line in range(1, last + 1):
        assert at(f"{form}\nnext_one()\n", line) == "ct.store(c,(i,0),t)"
    assert at(f"def f():\n    {form}\n", 2) == "ct.store(c,(i,0),t)"


def test_words_stay_separate_and_strings_have_one_spelling() -> None:
    assert at("return x\n", 1) == "return x"
    assert at("f('a', \"a\", r'a')\n", 1) == "f('a','a','a')"
    assert at("f('a b')\n", 1) != at("f('ab')\n", 1)


def test_every_python_reads_a_statement_alike() -> None:
    """Formatted strings are one token up to 3.11, and several later on."""
    assert at('x = f"a{b!r:>{w}} c" + 1\n', 1) == 'x=f"a{b!r:>{w}} c"+1'


def test_a_compound_statement_is_the_line_that_begins_it() -> None:
    text = "for i in range(\n    n\n):\n    f(i)\n"
    assert at(text, 2) == "for i in range(n):"
    assert at(text, 4) == "f(i)"


@pytest.mark.parametrize(("text", "line", "found"), [
    ("# a comment\nx = 1\n", 1, "# a comment"),
    ("x = (\n", 1, "x = ("),
    ("def f(:\n'''", 2, "'''"),
    ("x = 1\n", 9, ""),
    ("", 1, ""),
])
def test_lines_without_a_statement_identify_themselves(text: str, line: int, found: str) -> None:
    assert at(text, line) == found


@given(st.text(alphabet=st.sampled_from(list("ab (){}[]:'\"\\\n\t\f#,.=0\0\ud800\u00e9")), max_size=40))
@settings(max_examples=300, deadline=None)
def test_any_text_has_a_statement_for_every_line(text: str) -> None:
    for line in range(len(text.split("\n")) + 2):
        assert isinstance(at(text, line), str)
