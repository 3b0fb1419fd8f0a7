"""Comments that state the messages of mypy for a line. Lines without one have no errors.

    # error: TC101        a finding, under the code of mypy that its rule has; nothing is reported twice
    # mypy: arg-type      an error of mypy itself
    # reveals: T          the revealed type
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tests.mypy_plugin.runner import Run, is_ours
from tilecheck.mypy_plugin.codes import code_of

__all__ = ["complaints", "rules_of"]

_ERROR = re.compile(r"# error: (TC\d+(?:, TC\d+)*)")
_MYPY = re.compile(r"# mypy: ([\w-]+)")
_REVEALS = re.compile(r"# reveals: (.+?)(?:  #|$)")


def rules_of(line: str) -> set[str]:
    """The rules whose findings are expected on a line."""
    return {code for found in _ERROR.finditer(line) for code in found[1].split(", ")}


def complaints(file: str, lines: Iterable[tuple[int, str]], run: Run) -> list[str]:
    """The lines of a file of which mypy says something else."""
    out = []
    for number, line in lines:
        here = [m for m in run.messages if m.file == file and m.line == number]
        ours = {(m.text.split()[0], m.code) for m in here if is_ours(m)}
        others = {m.code for m in here if m.kind == "error" and not is_ours(m)}
        revealed = _REVEALS.search(line)
        expected = ({(rule, code_of(rule)) for rule in rules_of(line)}, {m[1] for m in _MYPY.finditer(line)},
                    revealed[1] if revealed else None)
        found = (ours, others, next((m.revealed for m in here if m.revealed), None))
        errors = [m for m in here if m.kind == "error"]
        once = len(set(errors)) == len(errors)
        if found != expected or not once:
            out.append(f"{number}: {line.strip()}\n    {found}")
    return out
