"""Fixtures of more than one part."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.corpus.wheel import CorpusError, corpus_folder
from tests.seeds import VARIABLE, source_seed

os.environ.setdefault("TILECHECK_BACKEND", "cpu")  # also where there is a GPU, but for the tests of it
os.environ.setdefault(
    "TILECHECK_KERNEL_CACHE", "off"
)  # no test finds the cache of another run, unless it asks for that
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or each process that a test starts compiles all of the package anew


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """By module, unless another distribution than that of `-n` alone was asked for."""
    if config.getoption("dist") != "load":
        return None
    from tests.distribution import ByModule

    return ByModule(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests of the nightly run unless `-m` names them. In the processes of `-n`, begin with long modules."""
    if "nightly" not in config.getoption("markexpr"):
        nightly = [item for item in items if item.get_closest_marker("nightly")]
        config.hook.pytest_deselected(items=nightly)
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]
    if hasattr(config, "workerinput"):
        from tests.distribution import long_first

        long_first(items)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"seed of random tests: {VARIABLE}={source_seed()}")


@pytest.fixture(scope="session", autouse=True)
def _default_signals() -> Iterator[None]:
    """A parent may have started the tests with signals ignored, as a shell does for jobs in the background. The tests
    and the processes that they start need the default actions."""
    numbers = [signal.SIGINT, signal.SIGTERM, *([signal.SIGCHLD] if hasattr(signal, "SIGCHLD") else [])]
    ignored = [number for number in numbers if signal.getsignal(number) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, signal.default_int_handler if number is signal.SIGINT else signal.SIG_DFL)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture(scope="module", autouse=True)
def _what_is_here_stays() -> Iterator[None]:
    """The collector ignores the objects that exist before a module runs. Refusals of the runtime start it, and all
    tests, their imports and their caches are many times the objects that a test leaves."""
    gc.collect()
    gc.freeze()
    yield


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of the unpacked wheel: `TILECHECK_CORPUS`, or a download in `.corpus/`."""
    try:
        return corpus_folder()
    except CorpusError as error:
        pytest.skip(str(error))
