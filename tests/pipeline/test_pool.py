"""The state of workers, and of their results, after one of them dies or the caller stops waiting for them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest

import tilecheck.pipeline.analyze
import tilecheck.pipeline.pool
from tests.patience import PATIENCE
from tilecheck.interp.host.launch import Launch
from tilecheck.obligations.variants import ExecuteVariant
from tilecheck.pipeline.analyze import ProvedKernel
from tilecheck.pipeline.pool import compute_in_parallel
from tilecheck.pipeline.progress import no_progress
from tilecheck.pipeline.results import Analysis, Concluded
from tilecheck.pipeline.units import Done
from tilecheck.pipeline.workspace import Workspace

forked = pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only, and see what is patched")

KERNELS = """import cuda.tile as ct

@ct.kernel
def racy{n}(c):
    ct.store(c, (0, 0), ct.zeros((4, 4), ct.float32) + ct.bid(0))

@ct.kernel
def apart{n}(c, T: ct.Constant[int]):
    ct.store(c, (ct.bid(0), 0), ct.zeros((T, 4), ct.float32))
"""
LAUNCHES = """import torch, cuda.tile as ct
from k{n} import apart{n}

def start{n}(x):
    ct.launch(torch.cuda.current_stream(), (ct.cdiv(x.shape[0], 8) + 1, 1, 1), apart{n}, (x, 8))
"""
FILES = {f"k{n}.py": KERNELS.format(n=n).encode() for n in range(6)} | {
    f"l{n}.py": LAUNCHES.format(n=n).encode() for n in range(6)}


def _analyse_in_one_process(files: Mapping[str, bytes]) -> Analysis:
    """The analysis by one process."""
    workspace = Workspace(files, (), {})
    while workspace.step():
        pass
    return workspace.analysis()


def _analyse_in_parallel(files: Mapping[str, bytes], paths: list[str] | None = None, workers: int = 2) -> Analysis:
    """The analysis by several processes."""
    workspace = Workspace(files, (), {})
    compute_in_parallel(workspace, paths or list(files), workers, no_progress)
    assert not workspace.stale
    return workspace.analysis()


EXPECTED = _analyse_in_one_process(FILES)


def test_findings_do_not_depend_on_scheduling() -> None:
    assert any(d.code in ("TC205", "TC405") for k in EXPECTED.kernels for d in k.diagnostics)
    for workers in (1, 2, 5):
        for paths in (list(FILES), sorted(FILES, reverse=True)):
            assert _analyse_in_parallel(FILES, paths, workers) == EXPECTED


def test_workers_that_cannot_be_forked_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tilecheck.pipeline.pool, "_SAFE_TO_FORK", ())
    assert _analyse_in_parallel(FILES) == EXPECTED


def test_proofs_stay_with_the_worker_that_computed_them(monkeypatch: pytest.MonkeyPatch) -> None:
    received: list[Done] = []
    real = Workspace.take

    def record_received(workspace: Workspace, done: Done, computed_here: bool = True) -> None:
        if not computed_here:
            received.append(done)
        real(workspace, done, computed_here)

    monkeypatch.setattr(Workspace, "take", record_received)
    assert _analyse_in_parallel(FILES) == EXPECTED
    assert not any(done.large for done in received)
    assert sum(done.unit.step == "conclusion" for done in received) == 12


@forked
@pytest.mark.parametrize("step", ["kernels", "launches", "conclude"])
def test_a_file_is_retried_after_an_unrelated_worker_death(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = tilecheck.pipeline.pool._STEPS[step]
    marker = tmp_path / "died"

    def die_once(worker: tilecheck.pipeline.pool._Worker, path: str) -> Iterable[Done]:
        if path in ("k1.py", "l1.py") and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return real(worker, path)

    monkeypatch.setitem(tilecheck.pipeline.pool._STEPS, step, die_once)
    assert _analyse_in_parallel(FILES) == EXPECTED
    assert marker.exists()


@forked
def test_a_worker_that_dies_at_the_end_loses_the_kernels_of_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    real = tilecheck.pipeline.analyze.conclude_kernel

    def exit_in_worker(kernel: ProvedKernel, launches: Sequence[Launch], *rest: ExecuteVariant) -> Concluded:
        if kernel.model.name == "racy0":
            os._exit(1)
        return real(kernel, launches, *rest)

    monkeypatch.setattr(tilecheck.pipeline.analyze, "conclude_kernel", exit_in_worker)
    found = _analyse_in_parallel(FILES)
    assert [k for k in EXPECTED.kernels if k.report.file != "k0.py"] == list(found.kernels)
    assert {(f.file, f.message) for f in found.failures} == {
        ("k0.py", "internal error: the process that checked it died")}


@forked
def test_a_crash_in_host_code_loses_no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    real = tilecheck.pipeline.pool._STEPS["launches"]

    def exit_in_worker(worker: tilecheck.pipeline.pool._Worker, path: str) -> Iterable[Done]:
        if path == "l3.py":
            os._exit(1)
        return real(worker, path)

    monkeypatch.setitem(tilecheck.pipeline.pool._STEPS, "launches", exit_in_worker)
    found = _analyse_in_parallel(FILES)
    assert [k.report.name for k in found.kernels] == [k.report.name for k in EXPECTED.kernels]
    assert [k for k in EXPECTED.kernels if k.report.name != "apart3"] == [
        k for k in found.kernels if k.report.name != "apart3"]
    assert [f.file for f in found.failures] == ["l3.py"]


@forked
def test_a_result_that_cannot_be_sent_is_a_failure_of_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    real = tilecheck.pipeline.pool._STEPS["launches"]

    def unsendable(worker: tilecheck.pipeline.pool._Worker, path: str) -> Iterable[Done]:
        for done in real(worker, path):
            yield done._replace(large=(lambda: None,)) if path == "l3.py" else done  # type: ignore[arg-type]

    monkeypatch.setitem(tilecheck.pipeline.pool._STEPS, "launches", unsendable)
    found = _analyse_in_parallel(FILES)
    assert [f.file for f in found.failures] == ["l3.py"]
    assert "please report it" in found.failures[0].message


CHECK = """
import os, sys, time
import tilecheck.pipeline.pool as workers
from tilecheck.pipeline.progress import no_progress
from tilecheck.pipeline.workspace import Workspace

def slow(worker, path):
    os.write(1, b"working %d\\n" % os.getpid())  # at once, or those of two workers mix
    time.sleep(60)

workers._STEPS["kernels"] = slow
files = {f"f{n}.py": b"" for n in range(4)}
try:
    workers.compute_in_parallel(Workspace(files, (), {}), list(files), 2, no_progress)
except KeyboardInterrupt:
    sys.exit(7)
"""


@forked
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 7), (signal.SIGKILL, -signal.SIGKILL)])
def test_workers_end_with_their_parent(number: signal.Signals, status: int) -> None:
    """Interrupted from a terminal, all processes get the signal; killed, only the one."""
    with subprocess.Popen([sys.executable, "-c", CHECK.replace("60", "5" if number is signal.SIGKILL else "60")],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as run:
        assert run.stdout and run.stderr
        pids = [int(run.stdout.readline().split()[1]) for _ in range(2)]
        time.sleep(0.2)
        (os.killpg if number is signal.SIGINT else os.kill)(run.pid, number)
        try:
            run.wait(timeout=20)
        except subprocess.TimeoutExpired:  # what interrupts a finaliser is swallowed by the interpreter
            os.killpg(run.pid, number)
        assert run.wait(timeout=PATIENCE) == status
        deadline = time.monotonic() + PATIENCE
        while any(map(_lives, pids)) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not any(map(_lives, pids))
        assert run.stderr.read() == ""


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
