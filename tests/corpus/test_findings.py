"""Each finding on the corpus at the default level has been reviewed, and most findings are true."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any, Final

READ: Final = Path(__file__).parent / "findings.toml"
PRECISE: Final = 0.9


def _read() -> list[dict[str, Any]]:
    return tomllib.loads(READ.read_text(encoding="utf-8"))["finding"]


def test_every_finding_has_been_read(corpus_report):
    found = Counter(
        (f"{d['file'].removeprefix('tilegym/')}::{d['kernel']}", d["code"], d["line"])
        for d in corpus_report["diagnostics"] if d["severity"] != "note")
    read = Counter((f["kernel"], f["code"], line) for f in _read() for line in f["lines"])
    assert not found - read, f"not read yet: {sorted(found - read)}"
    assert not read - found, f"found no more, take them out: {sorted(read - found)}"


def test_most_of_them_are_true():
    said: Counter[str] = Counter()
    for f in _read():
        assert f["why"] and f["verdict"] in ("true", "asks", "false")
        said[f["verdict"]] += len(f["lines"])
    assert said["true"] + said["asks"] >= PRECISE * said.total(), said
    # of those that need no word of the author's
    assert said["true"] >= 0.88 * (said["true"] + said["false"]), said
