"""`pytest --tilecheck`: kernels that tests launch run on the CPU, and a test with findings fails.

Every run of pytest loads this module if tilecheck is installed, so it imports the runtime only on request.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack
from typing import Final

import pytest

_HOOKS: Final = pytest.StashKey[ExitStack]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--tilecheck` and its options."""
    group = parser.getgroup("tilecheck")
    group.addoption("--tilecheck", action="store_true", help="run kernels on the CPU; tests in which they race, "
                    "leave their arrays or use undefined lanes fail")
    group.addoption("--tilecheck-seed", type=int, default=0, metavar="N", help="seed that shuffles the order of blocks")
    group.addoption("--tilecheck-replay", action="store_true", help="run launches with a race twice, to report every "
                    "pair of lines that races")


def pytest_configure(config: pytest.Config) -> None:
    """Makes `ct.launch` run on the CPU before any test module is imported. Raises UsageError without the extra."""
    if not config.getoption("--tilecheck"):
        return
    try:
        from tilecheck_runtime.hooks.install import cpu_launches
    except ImportError as error:
        raise pytest.UsageError(str(error)) from error
    stack = config.stash[_HOOKS] = ExitStack()
    stack.enter_context(cpu_launches())


def pytest_unconfigure(config: pytest.Config) -> None:
    """Restores `ct.launch`."""
    stack = config.stash.get(_HOOKS, None)
    if stack is not None:
        stack.close()


def _run_phase(item: pytest.Item, phase: str) -> Generator[None, object, object]:
    """Runs a phase of a test, and fails it if there are findings. If it fails by itself, its report includes them."""
    if item.config.stash.get(_HOOKS, None) is None:
        return (yield)
    from tilecheck_runtime.sanitizer.session import session

    options = item.config.getoption
    with session(options("--tilecheck-seed"), options("--tilecheck-replay")) as found:
        try:
            result = yield
        except BaseException:
            if found.report().events:
                item.add_report_section(phase, "tilecheck", found.report().render())
            raise
    report = found.report()
    if report.events:
        pytest.fail(report.render(), pytrace=False)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Checks the launches of fixtures."""
    return (yield from _run_phase(item, "setup"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Checks the launches of the test."""
    return (yield from _run_phase(item, "call"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Checks the launches of fixtures during teardown."""
    return (yield from _run_phase(item, "teardown"))
