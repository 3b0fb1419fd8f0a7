"""Hints and flags."""

from __future__ import annotations

import cuda.tile as ct
import pytest

from tests.runtime.compile import needs
from tilecheck_runtime.compile.options import Options
from tilecheck_runtime.errors.compilation import HintError


def test_hints_become_options():
    made = Options.of({"occupancy": 2, "num_ctas": 4, "opt_level": 1}, "sm_90")
    assert (made.occupancy, made.num_ctas, made.opt_level) == (2, 4, 1)
    assert made.flags == ("-O1", "--lineinfo")
    assert Options(lineinfo=False, sanitize="memcheck").flags == ("-O3", "--sanitize=memcheck")


@needs.bytecode
def test_a_hint_may_depend_on_the_target():
    hints = {"num_ctas": ct.ByTarget(default=1, sm_90=2), "opt_level": ct.ByTarget(sm_90=1)}
    assert Options.of(hints, "sm_90") == Options(num_ctas=2, opt_level=1)
    assert Options.of(hints, "sm_80") == Options(num_ctas=1)


@pytest.mark.parametrize(("hints", "message"), [
    ({"num_ctas": 3}, r"`num_ctas` is a power of two from 1 to 16, not 3\n.*write @kernel\(num_ctas=1\)"),
    ({"occupancy": 0}, "`occupancy` is from 1 to 32, not 0"),
    ({"occupancy": True}, "`occupancy` is from 1 to 32, not True"),
    ({"opt_level": 4}, "`opt_level` is from 0 to 3, not 4"),
    ({"warps": 4}, r"no hint `warps`\n.*use one of num_ctas, occupancy, opt_level, num_worker_warps, lineinfo, sani"),
    ({"sanitize": "racecheck"}, r"`sanitize` is 'memcheck' or None, not 'racecheck'\n.*kernel\(sanitize='memcheck'\)"),
    ({"num_ctas": [2]}, r"`num_ctas` is a power of two from 1 to 16, not \[2\]"),
    ({"lineinfo": 1}, "`lineinfo` is True or False, not 1"),
    ({"num_ctas": "2"}, "`num_ctas` is a power of two from 1 to 16, not '2'"),
])
def test_unsupported_options_are_named(hints, message):
    with pytest.raises(HintError, match=message):
        Options.of(hints, "sm_90")
