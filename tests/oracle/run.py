"""Runs a kernel: every block of a grid in turn, in one thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tests.oracle.fake_tile import Kernel
from tests.oracle.log import Log
from tests.oracle.machine import Machine, Ticks
from tests.oracle.memory import blocks_of
from tests.oracle.values import UndefinedBehaviour

BLOCK_TICKS = 50_000


def run(kernel: Kernel | Callable[..., Any], grid: Sequence[int], args: Sequence[Any] | Mapping[str, Any],
        ticks: int = BLOCK_TICKS) -> Log:
    """Executes `kernel` over `grid`. `args` are positional, or by name. No action of the kernel raises."""
    function = kernel._pyfunc if isinstance(kernel, Kernel) else kernel
    extents = (*grid, 1, 1, 1)[:3]
    log = Log()
    Machine.start(log, extents)
    with np.errstate(all="ignore"):
        for block in blocks_of(extents):
            Machine.enter(block, ticks)
            try:
                if isinstance(args, Mapping):
                    function(**args)
                else:
                    function(*args)
            except (UndefinedBehaviour, ZeroDivisionError) as undefined:
                log.undefined.append(f"{undefined} in block {block}")
                break
            except Exception as error:
                log.error = error
                break
            finally:
                log.ticks += ticks - Ticks.left
                Ticks.left = Ticks.UNLIMITED
    return log
