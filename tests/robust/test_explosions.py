"""Code that explodes where it is followed naively: each file is checked in seconds and in bounded memory, with a
verdict or a sentence that says why there is none. Never with "proved" for want of looking."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import FrameType

import pytest

from tests.robust.kernels import SOURCES
from tilecheck.api import check_source
from tilecheck.config import Config

MEMORY = 3 << 30
"""Bytes of address space that one process gets for all of them."""
HELD = 700 << 20
"""Bytes that it may hold at its peak. Being refused more memory is caught somewhere; growing into it is not bounded."""
SECONDS = 90
"""Of processor time for one: several times what the slowest takes."""

_CHILD = f"""
import re, resource, sys, time
resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
from tests.robust.kernels import SOURCES
from tilecheck.api import check_source
from tilecheck.config import Config
for name in sys.argv[1:]:
    started = time.process_time()
    report = check_source(SOURCES[name], "m.py", Config(use_cache=False, jobs=1))
    took = time.process_time() - started
    wrong = [f.message for f in report.failures if "internal error" in f.message or "MemoryError" in f.message]
    if wrong or took > {SECONDS} or not (report.kernels or report.failures):
        sys.exit(f"{{name}}: {{took:.0f}} s, {{wrong}}")
    # the peak of this program alone: `getrusage` includes that of the process that started it
    held = int(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1]) << 10
    if held > {HELD}:
        sys.exit(f"{{name}}: {{held >> 20}} MB")
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process")
@pytest.mark.parametrize("part", range(4))
def test_each_is_done_in_bounded_time_and_memory(part: int) -> None:
    names = list(SOURCES)[part::4]
    ran = subprocess.run([sys.executable, "-c", _CHILD, *names], capture_output=True, text=True, check=False,
                         cwd=Path(__file__).resolve().parents[2])
    assert ran.returncode == 0, ran.stderr[-2000:]


def test_a_kernel_of_too_many_pairs_is_not_proved_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilecheck.obligations.budget.LIMIT", 40)
    report = check_source(SOURCES["stores under conditions"], "m.py", Config(use_cache=False, jobs=1))
    (kernel,) = report.kernels
    assert kernel.verdict == "unproven"
    assert any(o.why == "the kernel has more pairs of accesses than are looked at" for o in kernel.obligations)
    assert any("more pairs of accesses than are looked at" in d.message for d in report.diagnostics)


@pytest.mark.parametrize("name", ["recursion", "squares", "tuples that double", "static loops", "many returns"])
def test_code_that_is_not_followed_is_not_proved(name: str) -> None:
    report = check_source(SOURCES[name], "m.py", Config(use_cache=False, jobs=1))
    assert [k.verdict for k in report.kernels] == ["unproven"]


@pytest.mark.slow
@pytest.mark.parametrize("line", ["ct.cdiv(e, n)", "min(e, n) + j"])
def test_the_steps_grow_with_the_statements(line: str) -> None:
    """Ten times as many statements take ten times as many calls, not a hundred times as many."""
    few, many = (_calls(SOURCES[f"{count} nested: {line}"]) for count in ("300", "3,000"))
    assert many < 30 * few, (few, many)


def _calls(source: str) -> int:
    """Calls of Python functions in a check."""
    count = 0

    def count_call(frame: FrameType, event: str, arg: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(count_call)
    try:
        check_source(source, "m.py", Config(use_cache=False, jobs=1))
    finally:
        sys.setprofile(before)
    return count


def test_a_contract_that_nests_too_deeply_says_so() -> None:
    report = check_source(SOURCES["a contract of nested quotients"], "m.py", Config(use_cache=False, jobs=1))
    assert [f.message.rpartition(": ")[2] for f in report.failures] == ["the contract is nested too deeply"]
