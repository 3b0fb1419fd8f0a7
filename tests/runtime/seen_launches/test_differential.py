"""Verdicts on seen launches from Tile IR against the sanitizer: kernels from factories, with closures that the source
does not show."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

import tilecheck_runtime as tcr
from tests.runtime.tile_ir.compare import load_real
from tests.seeds import source_seed
from tilecheck.cli.app import main

pytest.importorskip("cuda.tile._compile", reason="the front end comes from the package cuda-tile")

COUNT: Final = int(os.environ.get("TILECHECK_SEEN_LAUNCHES", "60"))

_INDICES: Final = (
    "i * n", "i // 2 + n", "i % (m + 1)", "i ^ n", "(i + n) % 4", "n - i", "i * m + n", "i + m", "max(i, n)",
    "min(i, m)", "(i * n) // (m + 1)", "i ^ (i >> 1)", "ct.num_blocks(0) - 1 - i")
_LANES: Final = "ct.arange(T, dtype=ct.int32)"
_LOAD: Final = "ct.load(x, (i,), (T,))"
_BODIES: Final = (
    f"ct.store(y, ({{0}},), {_LOAD})",
    f"ct.scatter(y, ({{0}}) * T + {_LANES}, {_LOAD})",
    f"ct.scatter(y, ({{0}}) * 8 + {_LANES}, {_LOAD})",
    f"ct.scatter(y, ({{0}}) * T + {_LANES}, {_LOAD}, check_bounds=False)",
    f"ct.store(y, (i,), ct.load(y, ({{0}},), (T,)) + {_LOAD})",
    f"ct.atomic_add(y, ({{0}}) * T + {_LANES}, {_LOAD})",
    f"if i < n + 2:\n            ct.store(y, ({{0}},), {_LOAD})",
    f"for q in range(2):\n            ct.store(y, (({{0}}) * 2 + q,), {_LOAD})",
)


def build(rng: random.Random, count: int) -> str:
    """A module of factories, each with a kernel and a launch."""
    return "import cuda.tile as ct\nimport numpy as np\n" + "".join(_programs(rng, count))


def _programs(rng: random.Random, count: int) -> Iterator[str]:
    for k in range(count):
        body = rng.choice(_BODIES).format(rng.choice(_INDICES))
        x, y = (rng.choice((64, 64, 128, 60)) for _ in "xy")
        yield f"""

def make{k}(n, m):
    @ct.kernel
    def k{k}(x, y, T: ct.Constant[int]):
        i = ct.bid(0)
        {body}
    return k{k}


K{k} = make{k}({rng.randrange(4)}, {rng.randrange(4)})


def run{k}():
    x, y = np.zeros({x}, np.float32), np.zeros({y}, np.float32)
    ct.launch(0, ({rng.choice((1, 2, 4, 4, 4))},), K{k}, (x, y, 16))
"""


def test_verdicts_agree_with_the_sanitizer(tmp_path: Path, capsys: pytest.CaptureFixture[str],
                                           monkeypatch: pytest.MonkeyPatch) -> None:
    text = build(random.Random(source_seed()), COUNT)
    path = tmp_path / "made.py"
    path.write_text(text, encoding="utf-8")
    main(["check", str(path), "--compile", "--no-cache", "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    verdicts = {x["kernel"].rpartition(".")[2]: x["verdict"] for x in report["compilation"]["launches"]}
    assert len(verdicts) == COUNT
    module: Any = load_real(tmp_path, text)
    clean: dict[str, bool] = {}

    def launch(stream: Any, grid: Any, kernel: Any, args: Any) -> None:
        clean[kernel._pyfunc.__name__] = not tcr.sanitize(kernel, grid, args).events

    monkeypatch.setattr(module.ct, "launch", launch)
    for k in range(COUNT):
        vars(module)[f"run{k}"]()
    wrong = {name: (verdict, clean[name]) for name, verdict in verdicts.items()
             if verdict in ("proved", "refuted") and clean[name] != (verdict == "proved")}
    assert wrong == {}, text
    assert sum(v in ("proved", "refuted") for v in verdicts.values()) > COUNT // 2
