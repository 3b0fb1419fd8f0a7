"""The members of the dialect that type checkers see without a plugin, which are those on the device."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.cases.expectations import FOLDER
from tests.stubs.checkers import mypy_errors
from tilecheck_runtime.dialect import types
from tilecheck_runtime.dialect.device.mutable import Mut
from tilecheck_runtime.dialect.device.reference import Part, Ref
from tilecheck_runtime.dialect.device.shared import Shared

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def errors(tmp_path_factory) -> dict[str, dict[int, str]]:
    """Errors of `mypy --strict`, by file name and line."""
    folder = tmp_path_factory.mktemp("mypy")
    files = [FOLDER / "dialect.py", *(HERE / name for name in ("typed.py", "kernels.py"))]
    return mypy_errors(folder, files)


def find_marked_lines(path: Path, mark: str) -> set[int]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return {n for n, line in enumerate(lines, 1) if re.search(mark, line)}


def test_the_cases(errors):
    path = FOLDER / "dialect.py"
    assert set(errors["dialect.py"]) == find_marked_lines(path, r"# expect:.*\bmypy\b"), errors


def test_more_cases(errors):
    assert set(errors["typed.py"]) == find_marked_lines(HERE / "typed.py", r"# mypy$"), errors["typed.py"]


def test_right_kernels_are_accepted(errors):
    assert not errors["kernels.py"]


def _list_stub_names(name: str) -> set[str]:
    tree = ast.parse(Path(types.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    (node,) = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == name]
    return {n.name for n in node.body if isinstance(n, ast.FunctionDef)}


@pytest.mark.parametrize(("kind", "fields"), [
    (Mut, {"array", "tile"}), (Ref, set()), (Part, {"tile"}), (Shared, set()),
])
def test_the_device_has_the_members_that_type_checkers_see(kind, fields):
    methods = {n for n, v in vars(kind).items() if callable(v) and not n.startswith("_")} - {"resolve_cell"}
    methods |= {n for n in ("__getitem__", "__setitem__") if n in vars(kind)}
    assert _list_stub_names(kind.__name__) == methods | fields


def test_every_type_of_the_stub_exists():
    assert set(types.__all__) <= set(vars(types))
