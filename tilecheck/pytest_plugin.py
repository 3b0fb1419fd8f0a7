"""`pytest --tilecheck`: kernels that tests launch run on the CPU, and a test with findings fails.

Every pytest that finds tilecheck installed loads this, so nothing of the runtime is imported before it is asked for.
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
    group.addoption("--tilecheck-seed", type=int, default=0, metavar="N", help="shuffles the order of blocks")
    group.addoption("--tilecheck-replay", action="store_true", help="run launches that race twice, to name every pair "
                    "of lines that does")


def pytest_configure(config: pytest.Config) -> None:
    """Puts the CPU behind `ct.launch` before any test module is imported. Raises UsageError without the extra."""
    if not config.getoption("--tilecheck"):
        return
    try:
        from tilecheck_runtime.hooks.install import installed
    except ImportError as error:
        raise pytest.UsageError(str(error)) from error
    stack = config.stash[_HOOKS] = ExitStack()
    stack.enter_context(installed())


def pytest_unconfigure(config: pytest.Config) -> None:
    """Puts everything back."""
    stack = config.stash.get(_HOOKS, None)
    if stack is not None:
        stack.close()


def _watched(item: pytest.Item, phase: str) -> Generator[None, object, object]:
    """Fails a phase of a test during which something was found; one that failed by itself shows it as well."""
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
    """Watches what fixtures launch."""
    return (yield from _watched(item, "setup"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Watches what the test launches."""
    return (yield from _watched(item, "call"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Watches what fixtures launch when they end."""
    return (yield from _watched(item, "teardown"))
