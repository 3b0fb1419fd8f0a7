"""The compiler judges random kernels: a kernel that it accepts is not refused, and most others are, on its line.

`TILECHECK_LANGUAGE=5000` compares that many programs; the default is a sample that takes half a minute.
`TILECHECK_LANGUAGE_SEED` gives another sequence.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("cuda.tile._compile", reason="compiling to Tile IR takes the package cuda-tile")

from tests.language.comparing import Compared, compare, generate
from tests.language.front_end import CRASHED, Refused
from tests.language.known import KNOWN, OTHER, find_kind

COUNT = int(os.environ.get("TILECHECK_LANGUAGE", "250"))
SEED = int(os.environ.get("TILECHECK_LANGUAGE_SEED", "21"))
FOUND = 0.96
"""The share of refused programs that is refused on the line of the compiler. `known` says what the rest is."""

UNKNOWN = 0.02
"""The share of refused programs that is not refused on that line for another reason than those in `known`."""


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
    assert sum(find_kind(_words(c)) is None for c in missed) <= UNKNOWN * len(refused)


def test_each_known_disagreement_is_one(tmp_path: Path) -> None:
    programs = [kind.program.replace("k0", f"k{place}") for place, kind in enumerate(KNOWN)]
    for kind, c in zip(KNOWN, compare(programs, tmp_path), strict=True):
        assert isinstance(c.theirs, Refused) and not c.agrees, c.describe()
        assert find_kind(c.theirs.words) is kind, c.describe()


def _summarize(missed: list[Compared], count: int) -> str:
    """The disagreements by their reason."""
    kinds = Counter(find_kind(_words(c)) for c in missed)
    lines = [f"{len(missed)} of {count} refused programs are not refused on that line"]
    lines += [f"{n:5} {OTHER if kind is None else kind.reason}" for kind, n in kinds.most_common()]
    return "\n".join([*lines, *(c.describe() for c in missed)])


def _words(c: Compared) -> str:
    assert isinstance(c.theirs, Refused)
    return c.theirs.words
