"""Fixtures of more than one part."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.corpus.wheel import CorpusError, corpus_folder

os.environ.setdefault("TILECHECK_BACKEND", "cpu")  # also where there is a GPU, but for the tests of it
os.environ.setdefault("TILECHECK_KERNEL_CACHE", "off")  # no test finds what another run kept, unless it asks for that
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or each process that a test starts compiles all of the package anew


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """By module, unless another distribution than that of `-n` alone was asked for."""
    if config.getoption("dist") != "load":
        return None
    from tests.distribution import ByModule

    return ByModule(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In the processes of `-n`."""
    if hasattr(config, "workerinput"):
        from tests.distribution import long_first

        long_first(items)


@pytest.fixture(scope="module", autouse=True)
def _what_is_here_stays() -> Iterator[None]:
    """What there is before a module is looked at no more when the collector runs, which refusals of the runtime have it
    do: all tests, what they import and what is cached are many times what a test leaves."""
    gc.collect()
    gc.freeze()
    yield


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of the unpacked wheel: `TILECHECK_CORPUS`, or a download kept in `.corpus/`."""
    try:
        return corpus_folder()
    except CorpusError as error:
        pytest.skip(str(error))
