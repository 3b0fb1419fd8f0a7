"""Element types and shapes that the stubs promise are those of the compiler.

Each expression of `promises.txt` is compiled by cuda-tile, without a GPU, and revealed by mypy. Types that
mypy leaves open promise nothing; each type that it names must equal that of the compiler.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.stubs.checkers import CHECKERS

ct = pytest.importorskip("cuda.tile")

LIST = Path(__file__).with_name("promises.txt")
EXPRESSIONS = [text.strip() for line in LIST.read_text(encoding="utf-8").splitlines() for text in line.split(";")]
TILES = {
    "x": ("float32", 8, 16), "h": ("float16", 8, 16), "n": ("int32", 8, 16), "l": ("int64", 8, 16),
    "u": ("uint8", 8, 16), "b": ("bool_", 8, 16), "row": ("float32", 16), "hrow": ("float16", 16),
    "nrow": ("int32", 16), "brow": ("bool_", 16), "col": ("float32", 8, 1),
    "cube": ("float32", 2, 4, 8), "bytes_": ("uint8", 64), "hk": ("float16", 16, 8),
    "x8": ("float32", 8, 8), "xk": ("float32", 16, 8), "i8": ("int8", 8, 16),
    "u8": ("uint8", 16, 8), "i8k": ("int8", 16, 8), "n8": ("int32", 8, 8), "hb": ("float16", 2, 8, 16),
    "hbk": ("float16", 2, 16, 8), "xb": ("float32", 2, 8, 8), "xc": ("float32", 8, 4), "xbk": ("float32", 2, 16, 8),
}
ARRAYS = {"a": 2, "v": 1}


def _compile(folder: Any, expression: str) -> tuple[str, tuple[int, ...]] | None:
    """Element type and shape of the compiler, or None for an expression that it refuses."""
    from tests.runtime.dialect.tileir import array, export_bytecode

    used = {node.id for node in ast.walk(ast.parse(expression)) if isinstance(node, ast.Name)}
    lines = [f"    {name} = ct.full({shape}, 1, ct.{dtype})" for name, (dtype, *dims) in TILES.items() if name in used
             for shape in [tuple(dims)]]
    path = folder / f"compiled_{EXPRESSIONS.index(expression)}.py"
    path.write_text("\n".join([
        "import cuda.tile as ct", "seen = []", "def kernel(a, v):", *lines, f"    result = {expression}",
        "    ct.static_eval(seen.append((result.dtype.name, tuple(result.shape))))"]), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
        export_bytecode(module.kernel, [array(ct.float32, rank) for rank in ARRAYS.values()])
    except ct.TileError:
        pass
    finally:
        del sys.modules[path.stem]
    return module.seen[-1] if module.seen else None


@pytest.fixture(scope="module")
def revealed(tmp_path_factory) -> dict[str, str | None]:
    folder = tmp_path_factory.mktemp("promises")
    parameters = [f"{name}: ct.Tile[ct.{dtype}, {', '.join(f'Literal[{n}]' for n in dims)}]"
                  for name, (dtype, *dims) in TILES.items()]
    parameters += [f"{name}: ct.Array[ct.float32]" for name in ARRAYS]
    head = f"from typing import Literal\nimport cuda.tile as ct\ndef f({', '.join(parameters)}) -> None:\n"
    body = "\n".join(f"    reveal_type({e})" for e in EXPRESSIONS)
    (folder / "promises.py").write_text(head + body, encoding="utf-8")
    lines = {m.line: m.revealed for m in CHECKERS["mypy"](folder, ["promises.py"], sys.executable) if m.revealed}
    return {e: lines.get(number) for number, e in enumerate(EXPRESSIONS, head.count("\n") + 1)}


def _promise(text: str) -> tuple[str | None, list[int | None] | None]:
    """Element type and extents that a revealed type names; None for parts that it leaves open."""
    if text in ("int", "bool", "float"):
        return {"int": "int32", "bool": "bool_", "float": "float32"}[text], []
    if re.fullmatch(r"[a-z]\w*\d\w*|bool_", text):
        return text, []
    if text == "Any":
        return None, None
    inside = re.fullmatch(r"Tile\[(.*)\]", text)
    assert inside, text
    dtype, *dims = re.split(r", (?![^\[]*\])", inside[1])
    known = None if "*tuple[Any, ...]" in dims else [int(d[8:-1]) if d.startswith("Literal") else None for d in dims]
    return None if dtype == "Any" else dtype, known


def test_every_promise_holds(revealed, tmp_path):
    broken, compiled, named = [], 0, 0
    for expression in EXPRESSIONS:
        truth = _compile(tmp_path, expression)
        if truth is None:
            continue
        compiled += 1
        assert revealed[expression], f"mypy refuses {expression}"
        dtype, dims = _promise(revealed[expression])
        named += dtype is not None and dims is not None
        if dtype not in (None, truth[0]) or (dims is not None and (
                len(dims) != len(truth[1]) or any(d not in (None, n) for d, n in zip(dims, truth[1], strict=True)))):
            broken.append(f"{expression}: revealed {revealed[expression]}, compiled {truth}")
    assert not broken, "\n".join(broken)
    assert compiled > 0.9 * len(EXPRESSIONS), f"{compiled} of {len(EXPRESSIONS)}"
    assert named > 0.7 * compiled, f"{named} of {compiled}"
