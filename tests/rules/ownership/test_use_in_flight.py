"""TC403: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, host

CASES = (
    Case("read in flight", host("""\
flight = add(z.partition(128), x, y).start()
print(z.numpy())
flight.wait()
"""), """\
TC403 error on line 35: `z` is read while the launch of `add`, which is in flight, writes it
    note on line 34: it was started here, and not waited for
    help: wait for it before: `flight.wait()` on what `.start()` returned
"""),
    Case("moved in flight", host("""\
flight = add(z.partition(128), x, y).start()
x.partition(128)
flight.wait()
"""), """\
TC403 error on line 35: `x` is partitioned while the launch of `add`, which is in flight, reads it
    note on line 34: it was started here, and not waited for
    help: wait for it before: `flight.wait()` on what `.start()` returned
"""),
    Case("part in flight", host("""\
flight = add(z.view[:n].partition(128), x, y).start()
print(z.numpy())
flight.wait()
"""), """\
TC403 error on line 35: `z` is read while the launch of `add`, which is in flight, writes it
    note on line 34: it was started here, and not waited for
    help: wait for it before: `flight.wait()` on what `.start()` returned
"""),
    Case("view in flight", host("""\
head = z.view[:n]
flight = add(z.partition(128), x, y).start()
print(head.numpy())
flight.wait()
"""), """\
TC403 error on line 36: `head` is read while the launch of `add`, which is in flight, writes it
    note on line 35: it was started here, and not waited for
    help: wait for it before: `flight.wait()` on what `.start()` returned
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
