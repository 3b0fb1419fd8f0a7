"""TC407: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, host

CASES = (
    Case("streams", host("""\
a, b = torch.empty(n), torch.empty(n)
side = torch.cuda.Stream()
ct.launch(side, (8,), copy, (a, b, 128))
print(b.sum())
"""), """\
TC407 error on line 37: `b` is used by `.sum(...)` on the current stream while the launch of `copy` on `side`
    may still use it: nothing orders the two
    note on line 36: the launch of `copy` is here
    help: let the second wait for the first before: `torch.cuda.current_stream().wait_stream(side)`
"""),
    Case("two streams", host("""\
a, b = torch.empty(n), torch.empty(n)
one, two = torch.cuda.Stream(), torch.cuda.Stream()
ct.launch(one, (8,), copy, (a, b, 128))
ct.launch(two, (8,), copy, (b, a, 128))
"""), """\
TC407 error on line 37: `a` is used by the launch of `copy` on `two` while the launch of `copy` on `one` may
    still use it: nothing orders the two
    note on line 36: the launch of `copy` is here
    help: let the second wait for the first before: `two.wait_stream(one)`
TC407 error on line 37: `b` is used by the launch of `copy` on `two` while the launch of `copy` on `one` may
    still use it: nothing orders the two
    note on line 36: the launch of `copy` is here
    help: let the second wait for the first before: `two.wait_stream(one)`
"""),
    Case("nested", host("""\
add(z.partition(128), x, y).then(lambda r: add(r, x, y).sync()).sync()
"""), """\
TC407 error on line 34: the launch of `add` is run inside another operation
    note: a continuation runs inside its operation, which cannot launch another one and wait for it
    help: return the operation without running it: `.then(lambda r: kernel(...))`
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
