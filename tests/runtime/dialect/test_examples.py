"""The examples of the dialect run, and the checker decides every kernel in them that has no suppression."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from tilecheck.api import check_paths
from tilecheck_runtime.api.kernel import Kernel
from tilecheck_runtime.compile.verification_gate import require_verified

FOLDER = Path(__file__).parents[3] / "examples" / "dialect"
NAMES = sorted(p.stem for p in FOLDER.glob("*.py"))
TORCH = {"torch_interop"}


def load(name):
    return importlib.import_module(f"examples.dialect.{name}")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", NAMES)
def test_an_example_runs(name, monkeypatch):
    if name in TORCH:
        pytest.importorskip("torch")
    monkeypatch.setattr("sys.argv", [name])
    load(name).main()


@pytest.mark.parametrize("name", NAMES)
def test_its_kernels_may_be_compiled(name):
    kernels = [k for k in vars(load(name)).values() if isinstance(k, Kernel)]
    assert kernels
    for kernel in kernels:
        require_verified(kernel._pyfunc)


def test_the_examples_have_no_finding():
    report = check_paths([str(FOLDER)])
    assert not report.diagnostics and not report.failures, [d.message for d in report.diagnostics]


def test_a_search_resumes(tmp_path):
    search = load("tuning").search
    record = tmp_path / "record.jsonl"
    first = search(256, [64, 128], record)
    assert not any(t.resumed for t in first.trials)
    with record.open("a") as file:
        file.write('{"cut sh')
    second = search(256, [64, 128, 256, 100], record)
    assert {t.config["tile"]: t.resumed for t in second.trials} == {64: True, 128: True, 256: False, 100: False}
    assert second.trials[-1].config == {"tile": 100} and second.trials[-1].microseconds is None
    assert search(512, [64], record).trials[0].resumed is False  # another key
    with pytest.raises(ValueError, match="no configuration runs"):
        search(256, [100])
