"""How tests are spread over processes by `pytest -n`."""

from __future__ import annotations

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

__all__ = ["ByModule", "long_first"]

TOGETHER = ("tests/corpus/", "tests/integrations/")
"""Folders whose modules share fixtures that are expensive to build."""
LONG = ("tests/mypy_plugin/test_modes.py", "tests/server/test_server.py")
"""Modules of many tests none of which takes long."""
SPREAD = ("tests/oracle/test_fresh_kernels.py", "tests/oracle/test_planted.py", "tests/robust/test_explosions.py",
          "tests/mutation/test_mutation.py", "tests/runtime/sanitizer/test_verdicts.py")
"""Modules whose long tests share nothing: each test may run in any process."""


class ByModule(LoadScopeScheduling):
    """The tests of a module run in one process, or each process would make what they share: environments, wheels, runs
    of type checkers. Modules are given out in the order in which they are collected."""

    def __init__(self, config: pytest.Config, log: Producer | None = None) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False

    def _split_scope(self, nodeid: str) -> str:
        module = nodeid.partition("::")[0]
        if module in SPREAD:
            return nodeid
        return next((folder for folder in TOGETHER if module.startswith(folder)), module)


def long_first(items: list[pytest.Item]) -> None:
    """Modules with tests that take long come first: begun last, one of them would be waited for by all processes."""
    slow = {item.path for item in items if item.get_closest_marker("slow") or item.nodeid.startswith(LONG)}
    items.sort(key=lambda item: item.path not in slow)
