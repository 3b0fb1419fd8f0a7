"""Verdicts, contract clauses, findings and offered fixes of the checker, as text that can be compared.

    python -m tests.golden.record             print what differs from the recorded files, in words
    python -m tests.golden.record --update    record the current results

`--group NAME` limits either to one group; it may be repeated. The exit status is 1 if anything differs.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from tests.corpus.wheel import CorpusError, corpus_folder
from tilecheck.config import Config
from tilecheck.diagnostics import Diagnostic, KernelReport, Report
from tilecheck.pipeline.policy import finish
from tilecheck.pipeline.run import analyse_paths
from tilecheck.repair.edits import Fix
from tilecheck.repair.fixers.registry import fixes_for
from tilecheck.syntax.text import decode

__all__ = ["GROUPS", "Results", "compare", "load", "main", "measure", "save"]

ROOT: Final = Path(__file__).parents[2]
HERE: Final = Path(__file__).parent

Results = dict[str, dict[str, list[str]]]
"""For each kernel (`path::name`) and for each file with findings (`path`): the recorded facts, by kind."""


def _repository(*paths: str) -> Callable[[], tuple[Path, Sequence[str]]]:
    return lambda: (ROOT, paths)


def _case_files() -> tuple[Path, Sequence[str]]:
    return ROOT, [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "tests/cases").glob("*.py"))
                  if not path.name.startswith("test_")]


def _corpus() -> tuple[Path, Sequence[str]]:
    return corpus_folder(), ("tilegym",)


GROUPS: Final[Mapping[str, Callable[[], tuple[Path, Sequence[str]]]]] = {
    "cases": _case_files,
    "programs": _repository(*(f"tests/cases/{name}" for name in (
        "dialect_kernels", "not_compilable", "outside", "ownership_errors", "peer", "wrong_verdicts"))),
    "examples": _repository("examples"),
    "corpus": _corpus,
}
"""The folder and the paths of each group. Paths are recorded as they are given here."""


@contextmanager
def _change_folder(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def measure(group: str, jobs: int = 2) -> Results:
    """The facts that the checker finds in a group. Raises `CorpusError` if the group cannot be downloaded."""
    folder, paths = GROUPS[group]()
    with _change_folder(folder):
        config = Config(root=folder, use_cache=False, jobs=jobs, respect_gitignore=False)
        report = finish(analyse_paths(paths, config), config)
        return _results(report)


def _results(report: Report) -> Results:
    found: Results = {}
    for kernel in report.kernels:
        found[f"{kernel.file}::{kernel.name}"] = _of_kernel(kernel)
    texts: dict[str, str] = {}
    for diagnostic in report.diagnostics:
        facts = found.setdefault(diagnostic.span.file, {})
        facts.setdefault("findings", []).append(_of_finding(diagnostic))
        facts.setdefault("fixes", []).extend(_of_fixes(diagnostic, texts))
    for failure in report.failures:
        found.setdefault(failure.file, {}).setdefault("failures", []).append(f"{failure.line}: {failure.message}")
    return {key: {kind: facts for kind, facts in found[key].items() if facts} for key in sorted(found)}


def _of_kernel(kernel: KernelReport) -> dict[str, list[str]]:
    return {
        "verdict": [f"line {kernel.line}: {kernel.verdict}"],
        "contract": [f"{clause.kind} {clause.state}: {clause.clause}" for clause in kernel.contract],
        "obligations": [
            f"{o.span.file}:{o.line}:{o.span.column} {o.kind} {o.array}: {o.verdict}"
            + (f" by {', '.join(o.rules)}" if o.rules else "")
            + (f" if {' and '.join(o.clauses)}" if o.clauses else "")
            + (f" declare {o.annotation}" if o.annotation else "")
            for o in kernel.obligations],
    }


def _of_finding(diagnostic: Diagnostic) -> str:
    span = diagnostic.span
    return (f"{span.line}:{span.column}-{span.end_line}:{span.end_column} {diagnostic.code} {diagnostic.severity}"
            f" {diagnostic.kernel or '-'}")


def _of_fixes(diagnostic: Diagnostic, texts: dict[str, str]) -> Iterator[str]:
    """The fixes that are offered for a finding, before any of them is tried."""
    file = diagnostic.span.file
    if file not in texts:
        texts[file] = decode(Path(file).read_bytes(), file)
    for fix in fixes_for(texts[file], diagnostic):
        yield f"{diagnostic.span.line}:{diagnostic.span.column} {fix.code} {fix.applicability} {_digest(fix)}"


def _digest(fix: Fix) -> str:
    """The edits of a fix. Recorded as a digest: the text may be that of a file that is not ours."""
    edits = [(e.span.line, e.span.column, e.span.end_line, e.span.end_column, e.text) for e in fix.edits]
    return blake2b(json.dumps(edits).encode(), digest_size=6).hexdigest()


def compare(recorded: Results, found: Results) -> Iterator[str]:
    """One line for each fact that was lost or gained."""
    for key in sorted({*recorded, *found}):
        before, now = recorded.get(key, {}), found.get(key, {})
        for kind in sorted({*before, *now}):
            old, new = before.get(kind, []), now.get(kind, [])
            if old == new:
                continue
            lost, gained = [f for f in old if f not in new], [f for f in new if f not in old]
            yield from (f"{key}: {kind}: no longer {fact}" for fact in lost)
            yield from (f"{key}: {kind}: now {fact}" for fact in gained)
            if not lost and not gained:
                yield f"{key}: {kind}: the same facts in another order or number"


def _file(group: str) -> Path:
    return HERE / f"{group}.json"


def load(group: str) -> Results:
    """The recorded results of a group; empty if there are none."""
    path = _file(group)
    results: Results = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return results


def save(group: str, results: Results) -> None:
    """Record results, one line a fact, so that a difference between revisions reads as one."""
    _file(group).write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    options: dict[str, Any] = {"update": "--update" in arguments}
    named = [arguments[n + 1] for n, word in enumerate(arguments[:-1]) if word == "--group"]
    differences = 0
    for group in named or GROUPS:
        try:
            found = measure(group)
        except CorpusError as error:
            print(f"{group}: not compared: {error}")
            continue
        changes = list(compare(load(group), found))
        differences += len(changes)
        print(f"{group}: {len(found)} kernels and files, {len(changes)} differences")
        for change in changes:
            print(f"  {change}")
        if options["update"]:
            save(group, found)
    return 1 if differences and not options["update"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
