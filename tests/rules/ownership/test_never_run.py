"""TC404: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, host

CASES = (
    Case("never run", host("""\
add(z.partition(128), x, y)
"""), """\
TC404 error on line 34: the launch of `add` is built and never run
    note: calling a kernel of the dialect only builds an operation: it runs with `.sync()`, `.start()` or
        `await`
    help: run it: `.sync()`, or `.start()` and wait for it later
"""),
    Case("zip never run", host("""\
tcr.zip(add(z.partition(128), x, y))
"""), """\
TC404 error on line 34: the `zip` of the launch of `add` is built and never run
    note: calling a kernel of the dialect only builds an operation: it runs with `.sync()`, `.start()` or
        `await`
    help: run it: `.sync()`, or `.start()` and wait for it later
"""),
    Case("never run on some path", host("""\
launch = add(z.partition(128), x, y)
if n:
    launch.sync()
"""), """\
TC404 warning on line 34: the launch of `add` is built and on some path never run
    note: calling a kernel of the dialect only builds an operation: it runs with `.sync()`, `.start()` or
        `await`
    help: run it: `.sync()`, or `.start()` and wait for it later
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
