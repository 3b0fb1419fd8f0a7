"""Kernels that the compiler refuses, among some that it accepts: each draws a finding, on its own lines."""

from __future__ import annotations

import re
from pathlib import Path

from tilecheck.api import check_paths
from tilecheck.config import Config

PROBES = Path("tests/cases/not_compilable/static_miss.py")
REFUSED = ("TC5", "TC6")
"""The rules on types and on the language. In the ownership dialect each other error counts as well."""


def test_every_probe_that_does_not_compile_is_refused_and_no_other() -> None:
    report = check_paths([str(PROBES)], Config(use_cache=False, jobs=1))
    lines = PROBES.read_text(encoding="utf-8").splitlines()
    starts = [(k, line) for k, line in enumerate(lines, 1) if line.startswith("def ")]
    wrong = {}
    for (first, header), (end, _) in zip(starts, [*starts[1:], (len(lines) + 2, "")], strict=True):
        name = re.match(r"def (\w+)", header)
        assert name is not None
        errors = [d for d in report.diagnostics if first <= d.span.line < end - 1 and d.severity == "error"]
        compiles = "# compiles" in header
        refused = any(d.code.startswith(REFUSED) for d in errors) if compiles else not errors
        if refused:
            wrong[name[1]] = [d.code for d in errors]
    assert len(starts) == 29
    assert wrong == {}
