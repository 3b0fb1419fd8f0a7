"""Any file at all: no crash, no hang.

CI tries some hundreds; `TILECHECK_BROKEN_FILES=10000 pytest tests/robust/test_broken_files.py` tries more.
"""

from __future__ import annotations

import os
import time

import pytest

from tests.robust.files import broken_file, seeds
from tilecheck.api import check_source
from tilecheck.config import Config

COUNT = int(os.environ.get("TILECHECK_BROKEN_FILES", "400"))
FIRST = int(os.environ.get("TILECHECK_BROKEN_FIRST", "0"))
CHUNK = 100
SECONDS = 60
"""Of processor time, for one small file: far more than any takes, so that a slow machine is not a failure."""


@pytest.mark.parametrize("chunk", range(FIRST, FIRST + COUNT, CHUNK))
def test_broken_files_neither_crash_nor_hang(chunk: int) -> None:
    sources = seeds()
    config = Config(use_cache=False, jobs=1)
    for number in range(chunk, min(chunk + CHUNK, FIRST + COUNT)):
        data = broken_file(number, sources)
        started = time.process_time()
        report = check_source(data, "broken.py", config)
        assert time.process_time() - started < SECONDS, f"file {number}"
        crashed = [f.message for f in report.failures if "internal error" in f.message]
        assert not crashed, f"file {number}: {crashed}"


def test_many_of_them_are_still_kernels() -> None:
    sources = seeds()
    config = Config(use_cache=False, jobs=1)
    reports = [check_source(broken_file(number, sources), "broken.py", config) for number in range(120)]
    assert sum(bool(r.kernels) for r in reports) >= 20
    assert sum(bool(r.failures) for r in reports) >= 20
