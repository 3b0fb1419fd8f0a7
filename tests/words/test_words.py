"""Prose and names use the terms of `docs/glossary.md`. `python -m tests.words FOLDER` lists violations."""

from __future__ import annotations

import pytest

from tests.words.pending import is_pending, pending
from tests.words.scan import ROOT, checked_files, name_violations, names_of, phrase_violations, texts_of, violations

_UNITS = sorted({"/".join(path.split("/")[:2]) for path in checked_files()})


@pytest.mark.parametrize("unit", _UNITS)
def test_files_use_the_terms_of_the_glossary(unit: str) -> None:
    entries = pending()
    paths = [path for path in checked_files(unit) if not is_pending(path, entries)]
    found = [str(violation) for path in paths for violation in violations(path)]
    assert not found, "\n".join(found)


def test_pending_entries_exist() -> None:
    assert [entry for entry in pending() if not (ROOT / entry).exists()] == []


@pytest.mark.parametrize("text", [
    "Nothing to mend.",
    "It hangs on the data.",
    "The user is told of it.",
    "This is none of theirs.",
    "A value that is no tensor.",
    "What is rounded up matters.",
    "Of what may be no tensor nothing is certain.",
    "The clause is settled.",
    "Launches in view are checked.",
    "The contract, of which clauses are folded.",
    "An opt-out without a reason is a finding, too.",
    "The tools that are wrong about what runs that is unknown.",
    "What a kernel reads.",
    "The block's cell is minted.",
])
def test_banned_forms_are_found(text: str) -> None:
    assert list(phrase_violations(text))


@pytest.mark.parametrize("text", [
    "There is no launch.",
    "The value is no longer borrowed.",
    "Says what the kernel reads.",
    "Two of which are equal.",
    "Apart from this, nothing changes.",
    "Shadow memory records each write.",
    "The option `--kept` exists.",
])
def test_plain_forms_are_accepted(text: str) -> None:
    assert not list(phrase_violations(text))


@pytest.mark.parametrize("name", [
    "_told", "_settled", "reached", "_kept", "apart", "again", "is_settled", "Minted", "found",
])
def test_names_that_are_not_verbs_are_found(name: str) -> None:
    assert list(name_violations(name, "class" if name[0].isupper() else "function"))


@pytest.mark.parametrize("name", ["discharge_clauses", "need", "_embed", "__add__", "is_cached", "read", "shape"])
def test_verb_phrases_are_accepted(name: str) -> None:
    assert not list(name_violations(name, "function"))


def test_kernels_fixtures_and_properties_may_name_states() -> None:
    source = "@property\ndef borrowed(self): ...\n@ct.kernel(x=1)\ndef shifted(): ...\ndef moved(): ...\n"
    assert [kind for _, _, kind in names_of(source)] == ["property", "property", "function"]


def test_prose_of_a_python_file_is_read() -> None:
    source = '"""One.\n\nTwo."""\n# three\n# four\nx = f"five six seven {x}"\ny = "no"\n'
    assert [(text.line, text.kind, text.text) for text in texts_of("tilecheck/x.py", source)] == [
        (1, "docstring", "One."), (3, "docstring", "Two."), (4, "comment", "three four"),
        (6, "message", "five six seven `x`")]


def test_code_in_markdown_is_skipped() -> None:
    source = "# Title\n\nOne\ntwo.\n\n```python\ncode\n```\n\n* item\n"
    assert [text.text for text in texts_of("docs/x.md", source)] == ["Title", "One two.", "item"]
