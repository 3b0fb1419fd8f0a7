"""A code base with findings is taken on with a fresh baseline: then one injected race is found, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.corpus.part import part
from tests.corpus.ratchet import environment

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Injection:
    """A block id that goes missing from the index of a write."""

    file: str
    kernel: str
    old: str
    new: str


INJECTIONS = (
    Injection("tilegym/ops/cutile/transpose.py", "_transpose_kernel",
              "ct.store(output, index=(pid_n, pid_m)", "ct.store(output, index=(pid_n, 0)"),
    # a kernel with a finding of its own that is known
    Injection("tilegym/ops/cutile/mla_decoding.py", "_naive_absorb_mla_transpose_kernel",
              "ct.store(Out, index=(batch_idx, bid_x, 0)", "ct.store(Out, index=(batch_idx, 0, 0)"),
)


TAKEN = ("__init__.py", "attention*.py", "m*.py", "rms_norm.py", "softmax.py", "transpose.py")
"""Of `ops/cutile`: most files that have findings, and some that have none."""


@dataclass(frozen=True)
class Copy:
    """A copy of the corpus, and its baseline."""

    folder: Path

    def check(self, *options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tilecheck", "check", "--isolated", "--no-respect-gitignore", "--baseline",
                   "known.json", *options, "tilegym"]
        variables = {name: value for name, value in environment().items() if name != "CI"}
        return subprocess.run(command, cwd=self.folder, env=variables, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def taken_on(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Copy:
    copy = Copy(tmp_path_factory.mktemp("corpus"))
    part(corpus, copy.folder, *(str(p.relative_to(corpus / "tilegym")) for name in TAKEN for p in sorted(
        (corpus / "tilegym" / "ops" / "cutile").glob(name))))
    written = copy.check("--update-baseline")
    assert written.returncode == 0, written.stderr
    assert "finding" in written.stderr
    return copy


def test_the_corpus_is_clean_only_with_its_baseline(taken_on: Copy) -> None:
    again = taken_on.check("--error-stale-baseline", "--fail-level", "warning", "--format", "json")
    report = json.loads(again.stdout)
    assert (again.returncode, again.stderr) == (0, "")
    assert len(report["diagnostics"]) > 20 and all(d["baselined"] for d in report["diagnostics"])


def test_only_injected_races_are_found(taken_on: Copy) -> None:
    """The line numbers of every file also differ from its baseline."""
    for path in sorted((taken_on.folder / "tilegym").rglob("*.py")):
        path.write_text("# one line more\n\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    for injection in INJECTIONS:
        path = taken_on.folder / injection.file
        text = path.read_text(encoding="utf-8")
        assert text.count(injection.old) == 1
        path.write_text(text.replace(injection.old, injection.new), encoding="utf-8")
    done = taken_on.check("--error-stale-baseline", "--fail-level", "warning", "--format", "json")
    found: list[dict[str, Any]] = [d for d in json.loads(done.stdout)["diagnostics"] if not d["baselined"]]
    assert {(d["file"], d["kernel"], d["code"]) for d in found} == {(i.file, i.kernel, "TC101") for i in INJECTIONS}
    assert len(found) == len(INJECTIONS)
    assert (done.returncode, done.stderr) == (1, "")
    assert all(d["witness"] for d in found)
