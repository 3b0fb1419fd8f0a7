"""Runs the test suite of a checkout of cutile-python on the CPU backend, one process a file, and sorts its failures.

    TILECHECK_PEER_SUITE=CHECKOUT python -m tests.peer.harness [FILE ...]

The checkout is not part of this repository. `remaining.toml` lists the kinds of tests that fail, and why.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

__all__ = ["VARIABLE", "Kind", "Result", "classify", "kinds", "reason_to_skip", "run_file", "suite_files", "summarize"]

VARIABLE: Final = "TILECHECK_PEER_SUITE"
ROOT: Final = Path(__file__).parents[2]
HERE: Final = Path(__file__).parent
LIMIT: Final = 40
"""Seconds for one test."""
WHOLE: Final = 900
"""Seconds for one file."""


@dataclass(frozen=True)
class Kind:
    """Failures with one reason.

    applicable  whether the backend is meant to pass such tests
    files       patterns of the names of their files
    test, error, text  patterns of the name of the test, of the class of the error, and of its text
    """

    name: str
    reason: str
    applicable: bool
    files: str = ""
    test: str = ""
    error: str = ""
    text: str = ""

    def matches(self, file: str, row: Mapping[str, Any]) -> bool:
        return all(re.search(pattern, value) for pattern, value in (
            (self.files, file), (self.test, row["test"].rpartition("::")[2]), (self.error, row.get("error", "")),
            (self.text, row.get("text", "") + row.get("long", ""))))


@dataclass(frozen=True)
class Result:
    """The outcomes of the tests of one file.

    kinds        the number of failures of each kind
    unexplained  names and errors of failures of no kind
    """

    file: str
    passed: int
    skipped: int
    kinds: Mapping[str, int]
    unexplained: Sequence[str]


def _table() -> Mapping[str, Any]:
    return tomllib.loads((HERE / "remaining.toml").read_text(encoding="utf-8"))


def kinds() -> tuple[Kind, ...]:
    """The kinds of failures, in the order in which they are tried."""
    return tuple(Kind(**row) for row in _table()["kind"])


def left_out() -> Mapping[str, str]:
    """Files that are not run, with the reason."""
    return {name: group["reason"] for group in _table()["left_out"] for name in group["files"]}


def reason_to_skip() -> str | None:
    """Why the suite cannot be run here; None if it can."""
    where = os.environ.get(VARIABLE)
    if not where:
        return f"{VARIABLE} does not name a checkout of cutile-python"
    if not (Path(where) / "test").is_dir():
        return f"{where} has no folder of tests"
    missing = [name for name in ("torch", "cuda.tile", "pytest_timeout") if importlib.util.find_spec(name) is None]
    return f"not installed: {', '.join(missing)}" if missing else None


def suite_files() -> list[str]:
    """The names of the files that are run; none without a checkout."""
    if reason_to_skip():
        return []
    found = sorted(path.name for path in (Path(os.environ[VARIABLE]) / "test").glob("test_*.py"))
    return [name for name in found if name not in left_out()]


def run_file(name: str) -> Result:
    """Runs the tests of a file."""
    folder = Path(os.environ[VARIABLE]) / "test"
    with tempfile.TemporaryDirectory() as scratch:
        record = Path(scratch) / "record"
        paths = os.pathsep.join(map(str, (ROOT, HERE / "child", folder)))
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-c", str(HERE / "suite.ini"), f"--rootdir={folder}", "-p",
             "tests.peer.plugin", "--tilecheck", "-p", "no:cacheprovider", f"--timeout={LIMIT}", "-q", name],
            cwd=folder, capture_output=True, text=True, check=False, timeout=WHOLE,
            env={**os.environ, "PYTHONPATH": paths, "PEER_RECORD": str(record), "TILECHECK_BACKEND": "cpu"})
        lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    found = classify(name, [json.loads(line) for line in lines])
    if done.returncode in (0, 1):
        return found
    stopped = f"{name}: pytest stopped with status {done.returncode}: {done.stdout[-600:]}"
    return replace(found, unexplained=(*found.unexplained, stopped))


def classify(file: str, rows: Iterable[Mapping[str, Any]]) -> Result:
    """Sorts the tests of a file by outcome and kind."""
    outcomes: Counter[str] = Counter()
    found: Counter[str] = Counter()
    unexplained = []
    known = kinds()
    for row in rows:
        outcomes[row["outcome"]] += 1
        if row["outcome"] == "failed":
            kind = next((k for k in known if k.matches(file, row)), None)
            if kind is None:
                unexplained.append(f"{row['test']}: {row.get('error')}: {row.get('text', '')[:200]}")
            else:
                found[kind.name] += 1
    return Result(file, outcomes["passed"], outcomes["skipped"], found, tuple(unexplained))


def summarize(results: Sequence[Result]) -> tuple[int, int, Counter[str]]:
    """The numbers of applicable tests that pass and that fail, and of failures by kind."""
    applicable = {k.name for k in kinds() if k.applicable}
    total: Counter[str] = sum((Counter(r.kinds) for r in results), Counter())
    failed = sum(n for name, n in total.items() if name in applicable) + sum(len(r.unexplained) for r in results)
    return sum(r.passed for r in results), failed, total


def main(names: Sequence[str]) -> None:
    results = []
    for name in names or suite_files():
        results.append(run_file(name))
        print(f"{name}: {results[-1].passed} passed, {sum(results[-1].kinds.values())} of known kinds, "
              f"{len(results[-1].unexplained)} unexplained", flush=True)
        print(*(f"  {line}" for line in results[-1].unexplained), sep="\n", end="\n" * bool(results[-1].unexplained))
    passed, failed, by_kind = summarize(results)
    print(f"{passed} of {passed + failed} applicable tests pass ({100 * passed / max(passed + failed, 1):.2f} %)")
    for kind, count in by_kind.most_common():
        print(f"{count:5} {kind}")


if __name__ == "__main__":
    problem = reason_to_skip()
    if problem:
        sys.exit(problem)
    main(sys.argv[1:])
