"""The page on migration: each kernel becomes what the page says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.markdown import ROOT, Block, blocks
from tests.runtime.conftest import _unregistered
from tilecheck_runtime.commands.migrate import migrate

__all__ = ["_unregistered"]

PAGE = ROOT / "docs" / "migrate.md"
PYTHON = [block for block in blocks(PAGE) if block.language == "python"]
TYPES = {"gemm": "f16"}


@pytest.mark.parametrize(("raw", "new"), list(zip(PYTHON[::2], PYTHON[1::2], strict=True)),
                         ids=lambda block: str(block.line))
def test_a_kernel_is_migrated_as_the_page_shows(raw: Block, new: Block, tmp_path: Path) -> None:
    path = tmp_path / "example.py"
    path.write_text(raw.text, encoding="utf-8")
    name = new.text.partition("`")[2].partition("`")[0]
    made, launches, typed = migrate(str(path), name, {}, TYPES.get(name, "f32"))
    assert made.text == new.text
    assert launches and typed
