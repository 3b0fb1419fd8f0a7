"""The number of seen launches at which the contract of a kernel holds."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.diagnostics import LaunchCounts
from tilecheck.report.summary import describe_launches

KERNEL = """
import cuda.tile as ct
import torch


@ct.kernel
def clamped(x, out, n: int, T: ct.Constant[int]):
    i = min(ct.bid(0), n)
    ct.store(out, (i,), ct.load(x, (i,), (T,)))


def run(s, g, args):
    x, y = torch.empty(64), torch.empty(64)
"""
LAUNCH = "    ct.launch(s, ({},), clamped, (x, y, 4, 16))\n"


def _count(host: str) -> LaunchCounts:
    (kernel,) = check_source(KERNEL + host, "m.py", Config(use_cache=False)).kernels
    return kernel.launches


@pytest.mark.parametrize(("host", "counts", "line"), [
    (LAUNCH.format(4), LaunchCounts(holds=1), "contract holds at 1 launch"),
    (LAUNCH.format(4) + LAUNCH.format(3), LaunchCounts(holds=2), "contract holds at 2 launches"),
    (LAUNCH.format(4) + LAUNCH.format(8), LaunchCounts(1, 1), "contract holds at 1 launch; 1 broken"),
    (LAUNCH.format(4) + LAUNCH.format("g"), LaunchCounts(1, open=1), "contract holds at 1 launch; 1 open"),
    ("    ct.launch(s, g, clamped, (x, y, 4, 16))\n", LaunchCounts(not_followed=1),
     "contract holds at 0 launches; 1 not followed"),
    ("    ct.launch(s, (4,), clamped, args)\n", LaunchCounts(not_followed=1),
     "contract holds at 0 launches; 1 not followed"),
])
def test_launches_are_counted(host: str, counts: LaunchCounts, line: str) -> None:
    (kernel,) = check_source(KERNEL + host, "m.py", Config(use_cache=False)).kernels
    assert kernel.launches == counts
    assert describe_launches(kernel) == [line]


def test_no_line_without_a_launch() -> None:
    (kernel,) = check_source(KERNEL, "m.py", Config(use_cache=False)).kernels
    assert describe_launches(kernel) == []


def test_passing_a_kernel_to_other_code_changes_no_verdict() -> None:
    passing = "\n\ndef register(registry):\n    registry.add(clamped)\n    registry.run(clamped, (8,))\n"
    handed = LAUNCH.format(4) + passing
    assert _count(LAUNCH.format(4)) == _count(handed)
