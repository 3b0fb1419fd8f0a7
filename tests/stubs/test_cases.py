"""What type checkers infer, from the Markdown files in `cases/`.

A Python block is a case, named by the heading above it. The block under `<!-- prelude -->` stands before every case of its
page. Comments say what must come out:

    reveal_type(x)  # reveals: Tile[float32, BM]    the type, as all checkers have it
                    # mypy: T; pyright: T           the types of checkers that infer something else
    x + "1"  # error: operator                      an error for all checkers, with that code for mypy
    x + y  # error[mypy]: operator                  an error for those named only

Other lines have no errors. `UPDATE_CASES=1` writes what is revealed into the pages, to be read before it is committed.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.docs.markdown import blocks
from tests.stubs.checkers import CHECKERS, Message, available

FOLDER = Path(__file__).with_name("cases")
_ERROR = re.compile(r"# error(?:\[([\w, ]+)\])?: ([\w-]+)")
_REVEALS = re.compile(r"# (reveals|mypy|pyright|pyrefly): (.+)$")


@dataclass(frozen=True)
class Case:
    """A block of a page: its file for the checkers, and the line on which it begins there and on the page."""

    page: Path
    name: str
    text: str
    first: int
    on_page: int

    @property
    def file(self) -> str:
        return re.sub(r"\W+", "_", f"{self.page.stem}_{self.on_page}_{self.name}".lower()).strip("_") + ".py"

    def lines(self) -> Iterator[tuple[int, str]]:
        """Lines of the case itself, by number in its file."""
        for number, line in enumerate(self.text.split("\n"), 1):
            if number >= self.first:
                yield number, line


def _cases(page: Path) -> Iterator[Case]:
    prelude = ""
    for block in blocks(page):
        if block.before == "<!-- prelude -->":
            prelude = block.text
        elif block.language == "python":
            yield Case(page, block.before.lstrip("# "), prelude + block.text, prelude.count("\n") + 1, block.line)


CASES = [case for page in sorted(FOLDER.glob("*.md")) for case in _cases(page)]


def _types(line: str) -> Mapping[str, str]:
    found = _REVEALS.search(line)
    if found is None:
        return {}
    given = dict(part.split(": ", 1) for part in f"{found[1]}: {found[2]}".split("; "))
    return {name: given.get(name, given.get("reveals", "")) for name in CHECKERS}


@pytest.fixture(scope="module")
def answers(tmp_path_factory) -> Mapping[str, Mapping[str, list[Message]]]:
    """What each checker says, by file."""
    found: dict[str, dict[str, list[Message]]] = {}
    for name, check in CHECKERS.items():
        if not available(name):
            continue
        folder = tmp_path_factory.mktemp(name)
        for case in CASES:
            (folder / case.file).write_text(case.text, encoding="utf-8")
        found[name] = {case.file: [] for case in CASES}
        for message in check(folder, [case.file for case in CASES], sys.executable):
            found[name][message.file].append(message)
    if os.environ.get("UPDATE_CASES"):
        _update(found)
    return found


@pytest.mark.parametrize("name", list(CHECKERS))
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.page.stem}: {case.name}")
def test_case(case, name, answers):
    if name not in answers:
        pytest.skip(f"{name} is not installed")
    said = answers[name][case.file]
    wrong = []
    for number, line in case.lines():
        here = [message for message in said if message.line == number]
        where = f"{case.page.name}:{case.on_page + number - case.first + 1}: {line.strip()}"
        revealed = next((m.revealed for m in here if m.revealed), None)
        if "reveal_type(" in line and revealed != _types(line).get(name):
            wrong.append(f"{where}\n    revealed {revealed}")
        errors = [m for m in here if m.kind == "error" and not m.revealed]
        due = _ERROR.search(line)
        expected = due is not None and (due[1] is None or name in due[1].split(", "))
        if bool(errors) != expected or (expected and name == "mypy" and due and due[2] not in {m.code for m in errors}):
            wrong.append(f"{where}\n    " + ("; ".join(f"{m.text} [{m.code}]" for m in errors) or "no error"))
    assert not wrong, "\n".join(wrong)


def test_there_are_cases_of_either_kind():
    text = "\n".join(case.text for case in CASES)
    assert text.count("reveal_type(") > 200
    assert len(_ERROR.findall(text)) > 60


def _update(found: Mapping[str, Mapping[str, list[Message]]]) -> None:
    for page in sorted(FOLDER.glob("*.md")):
        lines = page.read_text(encoding="utf-8").split("\n")
        for case in (case for case in CASES if case.page == page):
            for number, line in case.lines():
                if "reveal_type(" not in line:
                    continue
                types = {name: next((m.revealed for m in said[case.file] if m.line == number and m.revealed), "?")
                         for name, said in found.items()}
                common = types["mypy"]
                others = "".join(f"; {name}: {kind}" for name, kind in types.items() if kind != common)
                lines[case.on_page + number - case.first] = f"{line.split('  # ')[0]}  # reveals: {common}{others}"
        page.write_text("\n".join(lines), encoding="utf-8")
