"""The types of tiles that editors show."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilecheck.api import tile_types
from tilecheck.syntax.text import SourceError

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


def collect_hovers(text: str) -> dict[tuple[int, str], str]:
    """Types by line and source text."""
    lines = text.split("\n")
    return {
        (s.line, lines[s.line - 1][s.column:s.end_column]): t for s, t in tile_types("k.py", text).items()
        if s.line == s.end_line}


def test_shapes_are_spelled_with_the_constants_of_the_kernel() -> None:
    found = collect_hovers(GEMM)
    assert found[10, "ta"] == "Tile[a.dtype, BM, BK]"
    assert found[10, "ct.mma(ta, tb, acc)"] == found[6, "acc"] == "Tile[float32, BM, BN]"
    assert found[11, "acc.astype(c.dtype)"] == "Tile[c.dtype, BM, BN]"


KINDS = """\
import cuda.tile as ct


def helper(t):
    return t[:, None]


@ct.kernel
def k(a, b, ids, eps, T: ct.Constant[int], F: ct.Constant[bool]):
    i = ct.bid(0)
    x = ct.load(a, (i, 0), (4, T))
    y = x.astype(ct.float32) * eps
    mean = ct.sum(y, axis=1) / a.shape[1]
    m = ct.arange(T, dtype=ct.int32) < a.shape[0]
    p, q = x * 2, x + mean[:, None].astype(x.dtype)
    u = ct.where(m, q, 0)
    w = unknown(x)
    v = ct.astype(w, ct.float16)
    one = helper(mean)
    two = helper(ct.arange(8, dtype=ct.int32))
    r = ct.load(ids, (i,), (1,)).item()
    n = r + 1
    acc = ct.zeros((4, 16), ct.float32)
    for j in range(4):
        acc = acc + ct.load(b, (j, 0), (4, 16)).astype(ct.float16)
    z = x if F else y
"""


@pytest.mark.parametrize(("line", "name", "text"), [
    (10, "i", "int32"),
    (11, "x", "Tile[a.dtype, 4, T]"),
    (11, "ct.load(a, (i, 0), (4, T))", "Tile[a.dtype, 4, T]"),
    (12, "y", "Tile[float32, 4, T]"),
    (13, "mean", "Tile[float32, 4]"),
    (14, "m", "Tile[bool_, T]"),
    (14, "ct.arange(T, dtype=ct.int32)", "Tile[int32, T]"),
    (15, "p", "Tile[?, 4, T]"),
    (15, "mean[:, None].astype(x.dtype)", "Tile[a.dtype, 4, 1]"),
    (15, "q", "Tile[a.dtype, 4, T]"),
    (16, "u", "Tile[?, 4, T]"),
    (17, "w", None),
    (18, "v", "Tile[float16, ...]"),
    (19, "one", "Tile[float32, 4, 1]"),
    (20, "two", "Tile[int32, 8, 1]"),
    (5, "t[:, None]", "Tile[float32, 4, 1] | Tile[int32, 8, 1]"),
    (21, "r", "ids.dtype"),
    (22, "n", None),
    (25, "acc", "Tile[float32, 4, 16]"),
    (25, "ct.load(b, (j, 0), (4, 16)).astype(ct.float16)", "Tile[float16, 4, 16]"),
    (26, "z", "Tile[?, 4, T]"),
])
def test_tile_types_are_shown(line: int, name: str, text: str | None) -> None:
    assert collect_hovers(KINDS).get((line, name)) == text


def test_types_are_shown_once_and_in_order() -> None:
    spans = list(tile_types("k.py", KINDS))
    assert spans == sorted(spans) and all(s.file == "k.py" for s in spans)


def test_a_check_does_not_compute_hover_types(monkeypatch: pytest.MonkeyPatch) -> None:
    import tilecheck.pipeline.tile_types
    from tilecheck.api import check_source

    def fail_if_called(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(tilecheck.pipeline.tile_types, "types_of_module", fail_if_called)
    assert check_source(KINDS, "k.py").files == 1


def test_a_file_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text(GEMM)
    assert {s.file for s in tile_types(path)} == {str(path)}
    assert list(tile_types(path).values()) == list(tile_types(path, GEMM.encode()).values())


def test_a_file_that_cannot_be_parsed_is_an_error() -> None:
    with pytest.raises(SourceError):
        tile_types("k.py", "import cuda.tile as ct\n@ct.kernel\ndef k(:\n")
