"""TC402: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, host

CASES = (
    Case("moved", host("""\
z.partition(128)
print(z.numpy())
"""), """\
TC402 error on line 35: `z` is read after it was moved into a partition
    note on line 34: it was moved here
    help: use what came of the partition, or partition a copy: `.copy().partition(128)`
"""),
    Case("moved and partitioned again", host("""\
a = z.partition(128)
b = z.partition(64)
"""), """\
TC402 error on line 35: `z` is partitioned after it was moved into a partition
    note on line 34: it was moved here
    help: use what came of the partition, or partition a copy: `.copy().partition(128)`
"""),
    Case("view of what was moved", host("""\
head = z.view[:n]
parts = z.partition(128)
print(head.numpy(), parts)
"""), """\
TC402 error on line 36: `head` is read after the tensor that it is a view of was moved into a partition
    note on line 35: that was moved here
    help: use what came of the partition, or partition a copy: `.copy().partition(128)`
"""),
    Case("part was moved", host("""\
parts = z.view[:n].partition(128)
print(z.numpy(), parts.numpy())
"""), """\
TC402 error on line 35: `z` is read, but part of its memory was moved into a partition
    note on line 34: it was moved here
    help: take it back first, with `.unpartition()` on the partition, or let go of that with `del`
"""),
    Case("moved into a launch", host("""\
parts = z.partition(128)
add(parts, x, y).sync()
print(parts.numpy())
"""), """\
TC402 error on line 36: `parts` is read after it was moved into the launch of `add`
    note on line 35: it was moved here
    help: use what the launch returned: `z = add(...).sync()`
"""),
    Case("run twice", host("""\
launch = add(z.partition(128), x, y)
launch.sync()
launch.sync()
"""), """\
TC402 error on line 36: the launch of `add` is run, but it was already run: an operation runs once
    note on line 35: it was run here
    help: build it again from the tensors that the first run returned
"""),
    Case("run after zip", host("""\
launch = add(z.partition(128), x, y)
tcr.zip(launch).sync()
launch.sync()
"""), """\
TC402 error on line 36: the launch of `add` is run, but it was already made part of a `zip`: an operation runs
    once
    note on line 35: it was made part of a `zip` here
    help: build it again from the tensors that the first run returned
"""),
    Case("taken twice", host("""\
flight = add(z.partition(128), x, y).start()
flight.wait()
flight.wait()
"""), """\
TC402 error on line 36: the result of the launch of `add` is taken a second time
    note on line 35: it was taken here
    help: keep it: `z = flight.wait()`
"""),
    Case("grid after the run", host("""\
launch = add(z.partition(128), x, y)
launch.sync()
launch.grid(4)
"""), """\
TC402 error on line 36: the launch of `add` is given a grid, but it was already run: an operation runs once
    note on line 35: it was run here
    help: give it the grid before it is run
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
