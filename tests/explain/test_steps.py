"""`tilecheck explain --steps` lists the steps that the prover recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilecheck.cli.app import main

KERNEL = """import cuda.tile as ct


@ct.kernel
def copy(x, out, H: ct.Constant[int]):
    b = ct.bid(0)
    ct.store(out, (b // H, b % H), ct.load(x, (b // H, b % H), (16, 16)))
"""


@pytest.mark.parametrize("option", ["--steps", ""])
def test_steps_are_listed_on_request(option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "copy.py"
    path.write_text(KERNEL, encoding="utf-8")
    arguments = ["explain", "--isolated", "--no-cache", f"{path}::copy", *([option] if option else [])]
    assert main(arguments) == 0
    steps = [line.strip() for line in capsys.readouterr().out.splitlines() if line.startswith("    step: ")]
    assert ("step: DIGIT(bid(0) // H, lane1<16>, 16)" in steps) is bool(option)
    assert ("step: SAME(bid(0))" in steps) is bool(option)
