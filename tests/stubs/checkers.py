"""Type checkers, run on files as a user of the installed stubs would run them."""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.patience import PATIENCE

__all__ = ["CHECKERS", "STUBS", "TYPINGS", "Message", "available", "mypy_errors"]

ROOT = Path(__file__).resolve().parents[2]
STUBS = ROOT / "stubs" / "cuda-stubs"
TYPINGS = ROOT / "typings"
"""The stubs as a folder on a search path; installed they are `cuda-stubs` next to other packages."""


@dataclass(frozen=True)
class Message:
    """A message of a type checker about a line. `kind` is error, warning or note; `code` may be empty."""

    file: str
    line: int
    kind: str
    text: str
    code: str = ""

    @property
    def revealed(self) -> str | None:
        """The type, where this answers a `reveal_type`, without the names of modules and scopes."""
        if short := re.match(r"revealed type: (.+)$", self.text):  # pyrefly leaves out arguments that are the default
            return _normalize_type(re.sub(r"\bTile\[(\w+)\]", r"Tile[\1, *tuple[Any, ...]]", short[1]))
        found = re.search(r'Revealed type is "(.+)"$', self.text) or (
            re.match(r'Type of ".*" is "(.+)"$', self.text, re.S))
        return _normalize_type(found[1]) if found else None


def _normalize_type(text: str) -> str:
    """A type as all checkers would write it."""
    text = re.sub(r"\b(?:[a-z_]\w*\.)+(?=\w)|@\w+|, \*tuple\[\(\)\]", "", text)
    text = re.sub(r"Literal\[\d+\]\?", "int", text)  # a number of which mypy remembers the value
    return re.sub(r"\bTile\b(?!\[)", "Tile[Any, *tuple[Any, ...]]", text)


def _program(name: str) -> str:
    """The program of that name, next to the interpreter first."""
    return shutil.which(name, path=os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))) or name


def _run(command: Sequence[str], cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if not done.stdout.strip():
        raise AssertionError(f"{command[0]}: exit status {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


_LINE = re.compile(r"^(?P<file>.+?):(?P<line>\d+): (?P<kind>\w+): (?P<text>.+?)(?:  \[(?P<code>[\w-]+)\])?$")


def _mypy(folder: Path, files: Sequence[str], python: str) -> Iterator[Message]:
    config = folder / "mypy.ini"
    if not config.exists():
        config.write_text(f"[mypy]\nstrict = True\nmypy_path = {TYPINGS}:{ROOT}\n", encoding="utf-8")
    output = _run([sys.executable, "-m", "mypy", "--config-file", str(config), "--python-executable", python,
                   "--cache-dir", str(folder / ".mypy_cache"), "--follow-imports", "silent", "--no-color-output",
                   *files], folder)
    for line in output.splitlines():
        if found := _LINE.match(line):
            yield Message(found["file"], int(found["line"]), found["kind"], found["text"], found["code"] or "")


def _pyright(folder: Path, files: Sequence[str], python: str) -> Iterator[Message]:
    config = folder / "pyrightconfig.json"
    if not config.exists():
        config.write_text(json.dumps({"extraPaths": [str(TYPINGS), str(ROOT)]}), encoding="utf-8")
    report = json.loads(_run([_program("pyright"), "--outputjson", "--pythonpath", python, "-p", str(config)], folder))
    for found in report["generalDiagnostics"]:
        kind = {"information": "note"}.get(found["severity"], found["severity"])
        yield Message(Path(found["file"]).name, found["range"]["start"]["line"] + 1, kind, found["message"],
                      found.get("rule", ""))


def _pyrefly(folder: Path, files: Sequence[str], python: str) -> Iterator[Message]:
    config = folder / "pyrefly.toml"
    if not config.exists():
        config.write_text(f"search-path = {json.dumps([str(TYPINGS), str(ROOT)])}\npython-interpreter-path = "
                          f"{json.dumps(python)}\n", encoding="utf-8")
    report = json.loads(
        _run([_program("pyrefly"), "check", "--output-format", "json", "-c", str(config), *files], folder))
    for found in report["errors"]:
        kind = {"info": "note", "warn": "warning"}.get(found["severity"], found["severity"])
        yield Message(Path(found["path"]).name, found["line"], kind, found["description"], found["name"])


CHECKERS: Mapping[str, Callable[[Path, Sequence[str], str], Iterator[Message]]] = {
    "mypy": _mypy, "pyright": _pyright, "pyrefly": _pyrefly,
}
"""By name: what a checker says of files in a folder, for the packages of an interpreter. A folder that has the
configuration of the checker keeps it."""


@functools.cache
def available(name: str) -> bool:
    """Whether a checker is installed and runs: pyright needs Node, which it may have to download."""
    try:
        done = subprocess.run([_program(name), "--version"], capture_output=True, check=False, timeout=PATIENCE)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def mypy_errors(folder: Path, files: Sequence[Path]) -> dict[str, dict[int, str]]:
    """Errors of `mypy --strict` with the stubs, by file name and line."""
    found: dict[str, dict[int, str]] = {file.name: {} for file in files}
    for message in _mypy(folder, [str(file) for file in files], sys.executable):
        if message.kind == "error":
            found.setdefault(Path(message.file).name, {})[message.line] = message.text
    return found
