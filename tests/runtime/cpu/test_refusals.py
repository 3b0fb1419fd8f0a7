"""Where the front end is not installed, a kernel that the checker refuses raises the front end's class of error."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tilecheck_runtime.cpu.execution.execute import launch
from tilecheck_runtime.errors import language
from tilecheck_runtime.standin.cutile import register

_HEAD = "import cuda.tile as ct\n\n\n@ct.kernel\ndef kernel(x, y, n: int, T: ct.Constant[int]):\n"

REFUSED = (
    ("TileSyntaxError", "t = [ct.load(x, (0,), (T,))]"),
    ("TileSyntaxError", "ct.store(y, (0,), missing)"),
    ("UnsupportedCallError", "c = sum((1, 2))"),
    ("TileTypeError", "if n > 3:\n    t = ct.load(x, (0,), (T,))\nct.store(y, (0,), t)"),
    ("TileTypeError", "c = 0\nfor k in range(n):\n    c = c + 1.5"),
    ("TileTypeError", "c = x + 1"),
    ("TileTypeError", "c = ct.sigmoid(n)"),
    ("TileTypeError", "for k in (1, 2):\n    c = k"),
    ("TileValueError", "p, q = (1, 2, 3)"),
    ("TileStaticAssertionError", "ct.static_assert(T > 100)"),
    ("TileStaticEvalError", "for k in ct.static_iter(ct.load(x, (0,), (T,))):\n    c = k"),
    ("StaticException", "for k in ct.static_iter(range(n)):\n    c = k"),
    ("StaticException", "if T == 16:\n    raise ct.static_exception(ValueError('no'))"),
)
ACCEPTED = (
    "ct.store(y, (ct.bid(0),), ct.load(x, (ct.bid(0),), (T,)) * n)",
    "if T == 8:\n    t = ct.sigmoid(n)\nct.store(y, (0,), ct.load(x, (0,), (T,)))",
)


@pytest.fixture
def _without_front_end(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in [name for name in sys.modules if name == "cuda" or name.startswith("cuda.")]:
        monkeypatch.delitem(sys.modules, name)
    with register():
        yield


def _load(folder: Path, body: str) -> ModuleType:
    path = folder / f"kernels{len(list(folder.iterdir()))}.py"
    path.write_text(_HEAD + "".join(f"    {line}\n" for line in body.splitlines()), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _launch(module: ModuleType) -> np.ndarray:
    x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
    launch(None, (1,), module.kernel, (x, y, 3, 16))
    return y


@pytest.mark.usefixtures("_without_front_end")
@pytest.mark.parametrize(("name", "body"), REFUSED)
def test_refused_kernels_raise_before_they_run(name: str, body: str, tmp_path: Path) -> None:
    module = _load(tmp_path, "ct.store(y, (0,), ct.zeros((16,), ct.float32) + 7)\n" + body)
    with pytest.raises(getattr(language, name), match="TC60") as caught:
        _launch(module)
    assert type(caught.value).__name__ == name
    assert any(note.startswith("at ") for note in caught.value.__notes__)


@pytest.mark.usefixtures("_without_front_end")
@pytest.mark.parametrize("body", ACCEPTED)
def test_other_kernels_run(body: str, tmp_path: Path) -> None:
    assert _launch(_load(tmp_path, body))[0] > 0
