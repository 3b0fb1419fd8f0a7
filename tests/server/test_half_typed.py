"""The analysis accepts any text of an editor, and reports correct findings for each correct text."""

from __future__ import annotations

import itertools
import random

import pytest

from tests.cli.conftest import CLEAN, RACY, UNPROVEN
from tilecheck.server.analysis.session import Session
from tilecheck.server.messages import Answer, Closed, Opened, Published, Question, Reply, Settings, Touched

HELPED = """\
import cuda.tile as ct
from racy import racy
import clean


def run(stream, a, c):
    ct.launch(stream, (1, 2), racy, (a, c, 4))
    ct.launch(stream, (1,), clean.clean, (a, c, 4))
"""
PIECES = ("(", ")", "\n", '"""', "\t", "#", "🍎", "\f", "\r", "\0", "def ", "\\\n", "\ud800", "[:", "")
TEXTS = {"racy.py": RACY, "clean.py": CLEAN, "unproven.py": UNPROVEN, "host.py": HELPED}


class Editing:
    """A session in this process."""

    def __init__(self, root) -> None:
        self.root = root
        self.told: list[Reply] = []
        self.session = Session(self.told.append)
        self.version = itertools.count(1)
        for name, text in TEXTS.items():
            (root / name).write_text(text)
        self.session.take(Settings((str(root),), "utf-16"))

    def open(self, name: str, text: str) -> None:
        self.session.take(Opened(str(self.root / name), next(self.version), text))

    def ask(self, name: str, line: int, column: int) -> None:
        for kind in ("hover", "actions"):
            self.session.take(Question(next(self.version), kind, str(self.root / name), (line, column), (line, column)))

    def finish_analysis(self) -> None:
        while self.session.step():
            pass

    def list_findings(self, name: str) -> list[tuple[str | None, int]]:
        found = [r for r in self.told if isinstance(r, Published) and r.path == str(self.root / name)]
        return [(f.code, f.start[0] + 1) for f in found[-1].findings]


@pytest.fixture
def editing(tmp_path, capfd):
    yield Editing(tmp_path)
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("name", TEXTS)
def test_typed_from_the_first_character_to_the_last(editing, name):
    text = TEXTS[name]
    for length in range(0, len(text), 7):
        editing.open(name, text[:length])
        editing.ask(name, text[:length].count("\n"), 5)
        for _ in range(length % 4):
            editing.session.step()
    editing.open(name, text)
    editing.finish_analysis()
    editing.open("racy.py", RACY)
    editing.finish_analysis()
    assert editing.list_findings("racy.py") == [("TC101", 8)]
    questions = [r for r in editing.told if isinstance(r, Answer)]
    assert len(questions) == 2 * len(range(0, len(text), 7))


@pytest.mark.parametrize("seed", range(4))
def test_characters_at_random(editing, seed):
    chance = random.Random(seed)
    for _ in range(60):
        name = chance.choice(list(TEXTS))
        text = TEXTS[name]
        at = chance.randrange(len(text))
        piece = chance.choice(PIECES)
        editing.open(name, text[:at] + piece + text[at + chance.randrange(3):])
        editing.ask(name, chance.randrange(10), chance.randrange(30))
        if chance.random() < 0.2:
            editing.session.take(Closed(str(editing.root / name)))
        if chance.random() < 0.2:
            editing.session.take(Touched())
        for _ in range(chance.randrange(4)):
            editing.session.step()
    for name, text in TEXTS.items():
        editing.open(name, text)
    editing.finish_analysis()
    assert [editing.list_findings(name) for name in TEXTS] == [[("TC101", 8)], [], [("TC102", 7)], []]


def test_a_file_that_says_how_it_is_encoded(editing):
    text = "# -*- coding: latin-1 -*-\n" + RACY.replace("ct.store(c, (i, 0), t)", "ct.store(c, (i, 0), t)  # é")
    editing.open("racy.py", text)
    editing.finish_analysis()
    assert editing.list_findings("racy.py") == [("TC101", 9)]
    editing.open("racy.py", text.replace("é", "🍎"))  # which it could not be saved as
    editing.finish_analysis()
    assert ("TC101", 9) in editing.list_findings("racy.py")


def test_an_unknown_encoding_is_reported(editing):
    editing.open("racy.py", "# coding: nonsense\n" + RACY)
    editing.finish_analysis()
    assert ("TC101", 9) in editing.list_findings("racy.py")  # the finding moved together with the racy line
    assert (None, 1) in editing.list_findings("racy.py")
