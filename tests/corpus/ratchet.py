"""Figures of the checker's results for each kernel of the corpus, and the comparison of two sets of figures."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["ANNOTATIONS", "DECIDED", "KEPT", "Change", "compare", "decided_writes", "figures", "load", "run", "save"]

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
KEPT = HERE / "ratchet.json"
ANNOTATIONS = HERE / "annotations.toml"
DECIDED = ("proved", "conditional", "atomic", "single-block")
BEST_FIRST = ("single-block", "atomic", "proved", "conditional", "unproven", "refuted")

Figures = dict[str, dict[str, dict[str, int]]]
"""`path::kernel` -> obligation kind, or "findings" -> verdict, or code -> count."""


def run(corpus: Path, *options: str, paths: Sequence[str] = ("tilegym",)) -> dict[str, Any]:
    """The report of the checker on the corpus, from the command line."""
    command = [sys.executable, "-m", "tilecheck", "check", "--isolated", "--no-cache", "--no-respect-gitignore",
               "--format", "json", *options, *paths]
    done = subprocess.run(command, cwd=corpus, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise AssertionError(f"exit status {done.returncode}: {done.stderr[-2000:]}")
    return json.loads(done.stdout)


def environment() -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONPATH": str(ROOT)}


def figures(report: Mapping[str, Any]) -> Figures:
    """The numbers of a report, in a fixed order."""
    counts: dict[str, dict[str, Counter[str]]] = {}
    for kernel in report["kernels"]:
        kinds = counts.setdefault(f"{kernel['file']}::{kernel['name']}", {})
        for o in kernel["obligations"]:
            kinds.setdefault(o["kind"], Counter())[o["verdict"]] += 1
    names = {k.partition("::")[2]: k for k in counts}
    for d in report["diagnostics"]:
        own = f"{d['file']}::{d['kernel']}"
        key = own if own in counts else names.get(d["kernel"] or "", own)
        counts.setdefault(key, {}).setdefault("findings", Counter())[d["code"]] += 1
    return {k: {kind: dict(sorted(c.items())) for kind, c in sorted(v.items())} for k, v in sorted(counts.items())}


def decided_writes(found: Figures) -> tuple[int, int]:
    """How many writes are decided, and how many there are."""
    total: Counter[str] = Counter()
    for kinds in found.values():
        total.update(kinds.get("disjoint", {}))
    return sum(total[v] for v in DECIDED), total.total()


def decided_statements(report: Mapping[str, Any]) -> tuple[int, int]:
    """How many statements that write are decided in every kernel that they are part of, and how many there are. A
    statement of a helper is one, whichever kernels inline it."""
    verdicts: defaultdict[tuple[str, int, int], set[str]] = defaultdict(set)
    for kernel in report["kernels"]:
        for o in kernel["obligations"]:
            if o["kind"] == "disjoint":
                verdicts[o["file"], o["line"], o["column"]].add(o["verdict"])
    return sum(found <= set(DECIDED) for found in verdicts.values()), len(verdicts)


@dataclass(frozen=True)
class Change:
    """One kernel and kind whose numbers differ from the stored ones."""

    where: str
    what: str
    kept: Mapping[str, int]
    found: Mapping[str, int]

    @property
    def worse(self) -> bool:
        """Whether something was lost: a write or a verdict that is gone counts too."""
        if self.what == "findings":
            return any(n > self.kept.get(code, 0) for code, n in self.found.items())
        if sum(self.kept.values()) != sum(self.found.values()):
            return True
        # not worse when, for each verdict, at least as many obligations as before are at least as good
        return any(
            sum(self.found.get(v, 0) for v in BEST_FIRST[:n]) < sum(self.kept.get(v, 0) for v in BEST_FIRST[:n])
            for n in range(3, len(BEST_FIRST)))

    def __str__(self) -> str:
        return f"{self.where}  {self.what}: {_say(self.kept)} -> {_say(self.found)}"


def _say(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {what}" for what, n in counts.items()) or "none"


def compare(kept: Figures, found: Figures) -> tuple[Change, ...]:
    return tuple(_changes(kept, found))


def _changes(kept: Figures, found: Figures) -> Iterator[Change]:
    for where in sorted({*kept, *found}):
        before, now = kept.get(where, {}), found.get(where, {})
        for what in sorted({*before, *now}):
            if before.get(what, {}) != now.get(what, {}):
                yield Change(where, what, before.get(what, {}), now.get(what, {}))


def load(path: Path = KEPT) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def save(kept: Mapping[str, Any], path: Path = KEPT) -> None:
    """One line a kernel, so that a change of one reads as one."""
    lines = [f"    {json.dumps(k)}: {json.dumps(v)}" for k, v in kept["kernels"].items()]
    declared = [f"    {json.dumps(k)}: {json.dumps(v)}" for k, v in kept["annotated"].items()]
    path.write_text(
        "{\n" + f'  "wheel": {json.dumps(kept["wheel"])},\n' + '  "kernels": {\n' + ",\n".join(lines)
        + '\n  },\n  "annotated": {\n' + ",\n".join(declared) + "\n  }\n}\n", encoding="utf-8")
