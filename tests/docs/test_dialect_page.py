"""The page on the dialect: its script prints what it shows, its kernels compile and type-check, its tables whole."""

from __future__ import annotations

import importlib.util
import os
import re
import sys

import pytest

from tests.docs.markdown import ROOT, blocks
from tests.runtime.conftest import _unregistered
from tests.stubs.checkers import mypy_errors
from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck_runtime.dialect import dtypes, schedules
from tilecheck_runtime.dialect.device.mutable import Mut
from tilecheck_runtime.dialect.device.reference import Part, Ref
from tilecheck_runtime.dialect.device.shared import Shared
from tilecheck_runtime.dialect.plan import Output, Plan

__all__ = ["_unregistered"]

PAGE = ROOT / "docs" / "dialect.md"


def _blocks(mark: str) -> str:
    return "".join(block.text for block in blocks(PAGE) if block.before == f"<!-- {mark} -->")


@pytest.fixture
def page(tmp_path, monkeypatch):
    """The kernels of the page as a module."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "dialect_page.py"
    path.write_text(_blocks("kernels"), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("dialect_page", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "dialect_page", module)
    spec.loader.exec_module(module)
    return module


def test_the_script_prints_the_shown_output(page, capsys):
    exec(compile(_blocks("script"), "script.py", "exec"), {"add": page.add})
    output = re.sub(r"(-->) \S*dialect_page\.py", r"\1 dialect_page.py", capsys.readouterr().out.rstrip("\n"))
    if os.environ.get("UPDATE_README"):
        before, opening, after = PAGE.read_text(encoding="utf-8").partition("<!-- output -->\n```text\n")
        PAGE.write_text(f"{before}{opening}{output}\n```{after.partition('```')[2]}", encoding="utf-8")
    assert output == _blocks("output").rstrip("\n")


def test_launches_print_the_shown_output(page, capsys):
    exec(compile(_blocks("launch"), "launch.py", "exec"), {"add": page.add, "gemm": page.gemm})
    assert capsys.readouterr().out == _blocks("launched")


def test_the_kernels_are_proved(page):
    report = check_source(_blocks("kernels"), "dialect_page.py", Config(use_cache=False, jobs=1))
    assert report.diagnostics == () and {k.verdict for k in report.kernels} == {"proved"}


def test_the_codes_of_the_checker_have_pages():
    after = PAGE.read_text(encoding="utf-8").partition("`tilecheck check` reports these")[2]
    codes = re.findall(r"\[(TC\d+)\]\(rules/(TC\d+)\.md\)", after.partition("A plain type checker")[0])
    assert {c for c, _ in codes} == {"TC104", "TC105", "TC107", "TC109", "TC110", *(f"TC50{k}" for k in range(1, 6))}
    assert all(c == d and (ROOT / "docs" / "rules" / f"{c}.md").exists() for c, d in codes)


PIECES = {"add": [(16,)], "gemm": [(16, 16)], "append": [(1, 24, 16)], "center": [(1, 40)], "one_hot": [(8, 16)],
          "copy_with_sums": [(8, 16)]}


def test_every_kernel_compiles(page):
    pytest.importorskip("cuda.tile._compile", reason="compiling to Tile IR takes the package cuda-tile")
    from tests.runtime.dialect.tileir import export_bytecode, parameters

    defined = {name for name, value in vars(page).items() if hasattr(value, "_pyfunc")}
    assert defined == set(PIECES)
    for name, pieces in PIECES.items():
        kernel = getattr(page, name)
        values = dict.fromkeys(kernel.signature.variables, 16)
        for parameter, tile in zip(kernel.signature.outputs, pieces, strict=True):
            values |= {e: n for e, n in zip(parameter.extents, tile, strict=True) if isinstance(e, str)}
        outputs = tuple(Output(tile, whole=(False, *(True for _ in tile[1:]))) for tile in pieces)
        entry = kernel.entry(Plan(tuple(values.items()), outputs, compact=True))
        assert export_bytecode(entry.function, parameters(entry, kernel.signature)), name


def test_type_checkers_accept_the_kernels(page, tmp_path):
    assert not mypy_errors(tmp_path, [tmp_path / "dialect_page.py"])["dialect_page.py"]


@pytest.mark.parametrize(("kind", "name"), [(Mut, "z"), (Ref, "x"), (Part, "p")])
def test_the_tables_name_every_method(kind, name):
    text = PAGE.read_text(encoding="utf-8")
    for method in {n for n, v in vars(kind).items() if callable(v) and not n.startswith("_")} - {"resolve_cell"}:
        assert f"`{name}.{method}(" in text, method


def test_updates_element_types_and_schedules_are_named():
    text = PAGE.read_text(encoding="utf-8")
    for method in {n for n, v in vars(Shared).items() if callable(v) and not n.startswith("_")} - {"extent"}:
        assert f"`{method}`" in text
    for kind in dtypes.BY_NAME.values():
        name = kind.__name__
        assert f"`{name}`" in text or re.fullmatch(r"[iu](16|32)", name), name
    for name in set(schedules.__all__) - {"MOST", "Schedule", "Single", "count_streamed", "largest_number"}:
        assert f"`{name}(" in text
