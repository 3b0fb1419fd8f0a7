"""The types of tiles that editors show."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilecheck.api import tile_types
from tilecheck.source.text import SourceError

GEMM = '''\
import cuda.tile as ct

@ct.kernel
def gemm(a, b, c, BM: ct.Constant[int], BN: ct.Constant[int], BK: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((BM, BN), ct.float32)
    for k in range(ct.num_tiles(a, 1, (BM, BK))):
        ta = ct.load(a, (i, k), (BM, BK), padding_mode=ct.PaddingMode.ZERO)
        tb = ct.load(b, (k, j), (BK, BN), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(ta, tb, acc)
    ct.store(c, (i, j), acc.astype(c.dtype))
'''


def shown(text: str) -> dict[tuple[int, str], str]:
    """Types by line and source text."""
    lines = text.split("\n")
    return {
        (s.line, lines[s.line - 1][s.column:s.end_column]): t for s, t in tile_types("k.py", text).items()
        if s.line == s.end_line}


def test_shapes_are_spelled_with_the_constants_of_the_kernel() -> None:
    found = shown(GEMM)
    assert found[10, "ta"].endswith(", BM, BK]")
    assert found[6, "acc"].endswith(", BM, BN]")
    assert (5, "i") not in found or not found[5, "i"].startswith("Tile")


def test_a_file_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text(GEMM)
    assert {s.file for s in tile_types(path)} == {str(path)}
    assert list(tile_types(path).values()) == list(tile_types(path, GEMM.encode()).values())


def test_a_file_that_cannot_be_parsed_is_an_error() -> None:
    with pytest.raises(SourceError):
        tile_types("k.py", "import cuda.tile as ct\n@ct.kernel\ndef k(:\n")
