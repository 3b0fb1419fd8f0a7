"""Makes mutants that provably collide, and asks the checker about each."""

from __future__ import annotations

import ast
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tests.mutation.launches import Candidate, Signature, execute, explore
from tests.mutation.mutate import Mutant, mutants
from tests.oracle.fake_tile import Kernel
from tests.oracle.loading import Loader, kernels
from tests.oracle.log import Log, collisions
from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.diagnostics import Diagnostic, Report

NOTICED = ("TC101", "TC102")


@dataclass(frozen=True)
class Subject:
    """A kernel that is right on all of `launches`."""

    path: Path
    text: str
    name: str
    known: Signature
    launches: tuple[Candidate, ...]


@dataclass(frozen=True)
class Verdict:
    """The answer of the checker for a colliding mutant: `refuted` (TC101 with a witness), `noticed` or `missed`.

    Those of `straying` have words of their own; a mutant that is `right` where it is launched does not count.
    """

    kernel: str
    mutant: Mutant
    said: str
    codes: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.kernel}:{self.mutant.line} {self.mutant.what}: {self.mutant.detail} -> {' '.join(self.codes)}"


@dataclass(frozen=True)
class Study:
    """All verdicts of a run."""

    verdicts: tuple[Verdict, ...]
    subjects: int

    def share(self, *said: str) -> float:
        counted = [v for v in self.verdicts if v.said != "right"]
        return sum(v.said in said for v in counted) / max(len(counted), 1)

    def summary(self) -> str:
        kinds = Counter((v.mutant.what, v.said) for v in self.verdicts)
        lines = [f"{len(self.verdicts)} colliding mutants of {self.subjects} kernels: TC101 with witness "
                 f"{self.share('refuted'):.1%}, TC101 or TC102 {self.share('refuted', 'noticed'):.1%}"]
        lines += [f"  {what:16} {said:8} {n}" for (what, said), n in sorted(kinds.items())]
        lines += [f"  missed {v}" for v in self.verdicts if v.said == "missed"]
        return "\n".join(lines)


def writes_collide(log: Log) -> bool:
    """Whether two blocks write one element."""
    return any(c.kind == "write-write" for c in collisions(log, limit=2000))


def reload(subject: Subject, text: str, loader: Callable[[str, Path], dict[str, Kernel]]) -> Kernel | None:
    try:
        return loader(text, subject.path).get(subject.name)
    except Exception:
        return None


def list_colliding_mutants(
    subject: Subject, loader: Callable[[str, Path], dict[str, Kernel]], limit: int
) -> Iterator[Mutant]:
    """Mutants that collide in a launch in which the original does not. Spread over the kinds of edit.

    An edit that leaves a grid axis unread makes a kernel for one block on that axis. The launch is then wrong, and the
    mutant does not count.
    """
    every = list(mutants(subject.text, subject.name))
    random.Random(subject.name).shuffle(every)
    count: Counter[str] = Counter()
    for mutant in every:
        if sum(count.values()) >= limit:
            return
        if count[mutant.what] >= max(limit // 3, 1):
            continue
        kernel = reload(subject, mutant.text, loader)
        if kernel is None:
            continue
        for launch in subject.launches:
            known = replace(subject.known, axes=set())
            log = execute(kernel, known, launch)
            if known.axes != subject.known.axes:
                break
            if log.valid and writes_collide(log):
                count[mutant.what] += 1
                yield mutant
                break


def isolate_kernel(text: str, name: str) -> str:
    """Empties every other kernel of a module: host code launches it as before, and lines keep their numbers."""
    lines = text.split("\n")
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name != name and any(
                "kernel" in ast.unparse(d) for d in node.decorator_list):
            first, last = node.body[0], node.body[-1]
            lines[first.lineno - 1:last.end_lineno] = [
                " " * first.col_offset + "pass", *[""] * ((last.end_lineno or 0) - first.lineno)]
    return "\n".join(lines)


def judge(subject: Subject, mutant: Mutant, check: Callable[[str, Path], Report]) -> Verdict:
    report = check(isolate_kernel(mutant.text, subject.name), subject.path)
    if report.failures:
        raise AssertionError(f"the checker fails on {subject.name}: {report.failures[0].message}\n{mutant.text}")
    mine: Sequence[Diagnostic] = [d for d in report.diagnostics if d.kernel == subject.name]
    codes = tuple(sorted({d.code for d in mine}))
    if any(d.code == "TC101" and d.witness is not None for d in mine):
        return Verdict(subject.name, mutant, "refuted", codes)
    return Verdict(subject.name, mutant, "noticed" if set(codes) & set(NOTICED) else "missed", codes)


def check_text(text: str, path: Path) -> Report:
    return check_source(text, str(path), Config(use_cache=False, jobs=1))


def subjects(root: Path, wanted: int, launches: int = 5) -> Iterator[tuple[Subject, Loader]]:
    """Kernels under a folder that run on launches found for them; one of each file before the second of any."""
    loader = Loader(root)
    queues: list[list[tuple[Path, str, Kernel]]] = []
    for path in sorted(root.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "kernel" not in text or "cuda" not in text:
            continue
        dotted = ".".join(path.relative_to(root).with_suffix("").parts)
        found = [(path, name, k) for name, k in kernels(vars(loader.module(dotted))).items()
                 if k._pyfunc.__module__ == dotted and k._pyfunc.__name__ == name]
        if found:
            queues.append(found)
    given = 0
    while queues and given < wanted:
        for queue in list(queues):
            path, name, kernel = queue.pop(0)
            if not queue:
                queues.remove(queue)
            known, good = explore(kernel, wanted=launches)
            if len(good) == launches:
                given += 1
                yield Subject(path, path.read_text(encoding="utf-8"), name, known, tuple(good)), loader
            if given == wanted:
                return


def corpus_loader(loader: Loader) -> Callable[[str, Path], dict[str, Kernel]]:
    """Loads an edited module with its imports taken from the corpus."""
    def load(text: str, path: Path) -> dict[str, Kernel]:
        assert loader.root is not None
        dotted = ".".join(path.relative_to(loader.root).with_suffix("").parts)
        return kernels(loader.text(text, str(path), dotted))

    return load
