"""Cases for type checkers in Markdown pages.

A Python block is a case, named by the heading above it. The block under `<!-- prelude -->` stands before every case of
its page. Comments say what must come out:

    reveal_type(x)  # reveals: Tile[float32, BM]    the type, as all checkers have it
                    # reveals: T; pyright: U        with the types of checkers that infer something else
    x + "1"  # error: operator                      an error for all checkers, with that code for mypy
    x + y  # error[mypy]: operator                  an error for those named only

Other lines have no errors.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.docs.markdown import blocks
from tests.stubs.checkers import CHECKERS, Message, available

__all__ = ["ERROR", "Answers", "Case", "answers", "cases", "faults"]

ERROR = re.compile(r"# error(?:\[([\w, ]+)\])?: ([\w-]+)")
_REVEALS = re.compile(r"# (reveals|mypy|pyright|pyrefly): (.+)$")

Answers = Mapping[str, Mapping[str, Sequence[Message]]]
"""The messages, by checker and file."""


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


def cases(page: Path) -> Iterator[Case]:
    """The cases of a page."""
    prelude = ""
    for block in blocks(page):
        if block.before == "<!-- prelude -->":
            prelude = block.text
        elif block.language == "python":
            yield Case(page, block.before.lstrip("# "), prelude + block.text, prelude.count("\n") + 1, block.line)


def _types(line: str) -> Mapping[str, str]:
    found = _REVEALS.search(line)
    if found is None:
        return {}
    given = dict(part.split(": ", 1) for part in f"{found[1]}: {found[2]}".split("; "))
    return {name: given.get(name, given.get("reveals", "")) for name in CHECKERS}


def answers(given: Iterable[Case], make_folder: Callable[[str], Path]) -> Answers:
    """The messages of each installed checker, each in a folder of its own."""
    given = list(given)
    found: dict[str, dict[str, list[Message]]] = {}
    for name, check in CHECKERS.items():
        if not available(name):
            continue
        folder = make_folder(name)
        for case in given:
            (folder / case.file).write_text(case.text, encoding="utf-8")
        found[name] = {case.file: [] for case in given}
        for message in check(folder, [case.file for case in given], sys.executable):
            found[name][message.file].append(message)
    return found


def faults(case: Case, name: str, said: Sequence[Message]) -> Iterator[str]:
    """Lines of a case of which a checker says something else than the comments ask for."""
    for number, line in case.lines():
        here = [message for message in said if message.line == number]
        where = f"{case.page.name}:{case.on_page + number - case.first + 1}: {line.strip()}"
        revealed = next((m.revealed for m in here if m.revealed), None)
        if "reveal_type(" in line and revealed != _types(line).get(name):
            yield f"{where}\n    revealed {revealed}"
        errors = [m for m in here if m.kind == "error" and not m.revealed]
        due = ERROR.search(line)
        expected = due is not None and (due[1] is None or name in due[1].split(", "))
        if bool(errors) != expected or (expected and name == "mypy" and due and due[2] not in {m.code for m in errors}):
            yield f"{where}\n    " + ("; ".join(f"{m.text} [{m.code}]" for m in errors) or "no error")
