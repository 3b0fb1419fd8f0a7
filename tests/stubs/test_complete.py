"""The stubs against the installed package: a new release shows what is missing."""

from __future__ import annotations

import ast
import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stubs.checkers import STUBS

ct = pytest.importorskip("cuda.tile")
pytest.importorskip("mypy.stubtest")

ALLOWED = Path(__file__).with_name("allowlist.txt")
TREE = ast.parse((STUBS / "tile" / "__init__.pyi").read_text(encoding="utf-8"))


def differences(folder: Path) -> str:
    """The output of stubtest for stubs in `folder/cuda/tile`."""
    config = folder / "mypy.ini"
    config.write_text(f"[mypy]\nmypy_path = {folder}\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "cuda.tile", "--concise", "--allowlist", str(ALLOWED),
         "--mypy-config-file", str(config)],
        cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith(("cuda.", "note:", "error:"))]
    return "\n".join(lines)


@pytest.fixture
def stubs(tmp_path):
    shutil.copytree(STUBS, tmp_path / "cuda")
    return tmp_path


def edit(folder: Path, pattern: str, replacement: str, file: str = "__init__.pyi") -> None:
    path = folder / "cuda" / "tile" / file
    text, count = re.subn(pattern, replacement, path.read_text(encoding="utf-8"), flags=re.M | re.S)
    assert count, pattern
    path.write_text(text, encoding="utf-8")


def test_the_stubs_match_the_package(stubs):
    assert differences(stubs) == ""


EDITS = (
    # file, pattern, replacement, message
    ("", r"^def num_blocks\(.*?$", "", "cuda.tile.num_blocks is not present in stub"),
    ("", r"^def mma_scaled\(\s+x: _AnyTile, x_scale: _AnyTile, ", "def mma_scaled(x: _AnyTile, ",
     "cuda.tile.mma_scaled"),
    ("", r', order: _Order = "C"\) -> int', ") -> int", 'cuda.tile.num_tiles is inconsistent.*"order"'),
    ("", r'def assume_divisible_by\(x: _T, divisor: int\)', "def assume_divisible_by(x: _T, divisor: int, extra: int)",
     'cuda.tile.assume_divisible_by is inconsistent.*"extra"'),
    ("", r"(def store\(.*?)    check_bounds: bool = True,\n", r"\1", 'cuda.tile.store is inconsistent.*"check_bounds"'),
    ("", r"^    def get_raw_memory.*?$", "", "cuda.tile.Array.get_raw_memory is not present in stub"),
    ("", r'^    RZI = "nearest_int_to_zero"$', "", "cuda.tile.RoundingMode.RZI is not present in stub"),
    ("", r"reverse: bool = False", r"reverse: bool = True", "cuda.tile.scan is inconsistent.*reverse"),
    ("", r"^class StaticException.*?$", "", "cuda.tile.StaticException is not present in stub"),
    ("tune", r"^    flush_l2: bool = True,$", "", "cuda.tile.tune.exhaustive_search is inconsistent"),
    ("compilation", r"^    def with_symbol.*?$", "",
     "cuda.tile.compilation.KernelSignature.with_symbol is not present in stub"),
)


@pytest.fixture(scope="module")
def edited_output(tmp_path_factory) -> str:
    """The output after all these edits; without the edits it is empty."""
    folder = tmp_path_factory.mktemp("edited")
    shutil.copytree(STUBS, folder / "cuda")
    for module, pattern, replacement, _ in EDITS:
        edit(folder, pattern, replacement, f"{module}/__init__.pyi" if module else "__init__.pyi")
    return differences(folder)


@pytest.mark.slow
@pytest.mark.parametrize("expected", [expected for *_, expected in EDITS])
def test_missing_names_are_reported(edited_output, expected):
    assert re.search(expected, edited_output)


def _parameters(class_name: str, method: str) -> list[list[str]]:
    (node,) = [n for n in TREE.body if isinstance(n, ast.ClassDef) and n.name == class_name]
    return [[a.arg for a in n.args.kwonlyargs] for n in node.body
            if isinstance(n, ast.FunctionDef) and n.name == method]


def test_hints_of_kernels():
    hints = [p.name for p in inspect.signature(ct.kernel.__init__).parameters.values() if p.kind is p.KEYWORD_ONLY]
    assert _parameters("kernel", "__new__") == [hints, hints]
    assert _parameters("kernel", "replace_hints") == [hints]


def test_every_element_type_is_an_instance_of_dtype():
    kinds = {"_Integral", "_Integer", "_Floating"}
    marked = {n.name for n in TREE.body if isinstance(n, ast.ClassDef) and not n.name.startswith("_")
              and any(isinstance(b, ast.Name) and b.id in kinds for b in n.bases)}
    assert marked == {name for name in ct.__all__ if isinstance(getattr(ct, name), ct.DType)}


def test_integers_and_fractions():
    for node in TREE.body:
        if isinstance(node, ast.ClassDef) and (kind := getattr(ct, node.name, None)) and isinstance(kind, ct.DType):
            base = "_Integral" if node.name == "bool_" else "_Integer" if "int" in node.name else "_Floating"
            assert isinstance(node.bases[0], ast.Name)
            assert node.bases[0].id == base, node.name


def test_every_public_name_is_defined_in_the_stubs():
    defined = {n.name for n in TREE.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
    defined |= {t.id for n in TREE.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
    defined |= {n.target.id for n in TREE.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)}
    assert set(ct.__all__) - defined == {"tune", "compilation"}


def test_the_stubs_have_no_top_level_package():
    assert {p.name for p in STUBS.iterdir()} == {"tile"}
    assert (STUBS / "tile" / "py.typed").read_text(encoding="utf-8") == "partial\n"
