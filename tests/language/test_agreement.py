"""The compiler judges random kernels: a kernel that it accepts is not refused, and most others are, on its line.

`TILECHECK_LANGUAGE=5000` compares that many programs; the default is a sample that takes half a minute.
`TILECHECK_LANGUAGE_SEED` gives another sequence.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("cuda.tile._compile", reason="compiling to Tile IR takes the package cuda-tile")

from tests.language.comparing import Compared, compare, generate
from tests.language.front_end import CRASHED, Refused

COUNT = int(os.environ.get("TILECHECK_LANGUAGE", "250"))
SEED = int(os.environ.get("TILECHECK_LANGUAGE_SEED", "21"))
FOUND = 0.82
"""The share of refused programs that is refused on the line of the compiler. `KNOWN` says what the rest is."""

KNOWN = (
    ("(of uint32|of int64|Implicit promotion|Bitwise|Float inputs|signed integer|does not support)",
     "the element type of a scalar parameter, or of a value computed from one, is that of the launch"),
    ("Type of .* depends on path",
     "the type of one of the values is that of the launch, or follows a value that is not followed"),
    ("StaticException|StaticEval|static_iter|static_eval|static_assert",
     "Python that the compiler executes is not executed by the checker"),
    ("Expected a tuple$", "the compiler names the line on which the value was made"),
    ("_lru_cache_wrapper", "a cached function is reported where it is called, not where it is named"),
    ("Array\\[|array", "nothing shows that a parameter is an array in every variant"),
    ("string constant|FormattedString|GeneratorContextManager|range' object|<module|<function|<class",
     "what may be done with a string, a module or a function that is a value"),
    ("", "an operand of a kind that is not followed, in code that is compiled under a condition that is not followed"),
)
"""Kinds of programs that are refused and not found, by the words of the compiler, with the reason."""


def test_programs_that_compile_are_not_refused_and_most_others_are(tmp_path: Path) -> None:
    found = list(compare(list(generate(SEED, COUNT)), tmp_path))
    refused = [c for c in found if isinstance(c.theirs, Refused)]
    missed = [c for c in refused if not c.agrees]
    print(_summarize(missed, len(refused)))
    assert [c.describe() for c in found if c.is_wrong] == []
    assert len(refused) > COUNT // 3
    assert sum(c.theirs is None for c in found) > COUNT // 5
    assert sum(c.theirs == CRASHED for c in found) < COUNT // 10
    assert len(missed) <= (1 - FOUND) * len(refused)


def _summarize(missed: list[Compared], count: int) -> str:
    """The disagreements by their reason."""
    reasons: Counter[str] = Counter()
    for c in missed:
        assert isinstance(c.theirs, Refused)
        reasons[next(reason for pattern, reason in KNOWN if re.search(pattern, c.theirs.words))] += 1
    lines = [f"{len(missed)} of {count} refused programs are not refused on that line"]
    lines += [f"{n:5} {reason}" for reason, n in reasons.most_common()]
    return "\n".join([*lines, *(c.describe() for c in missed)])
