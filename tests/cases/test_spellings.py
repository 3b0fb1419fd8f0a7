"""However a file spells cuda.tile and the declarations, its kernels get the same verdicts."""

from __future__ import annotations

import re

import pytest

from tests.cases.expectations import FOLDER
from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.diagnostics import Report

CONFIG = Config(use_cache=False, jobs=1)
IMPORTS = ("import cuda.tile", "import cuda.tile as tile, cuda")


def _check(text: str) -> Report:
    return check_source(text, "k.py", CONFIG)


def _said(report: Report) -> object:
    kernels = [(k.name, sorted((o.kind, o.verdict) for o in k.obligations),
                [(c.clause, c.kind, c.state) for c in k.contract]) for k in report.kernels]
    return kernels, sorted((d.span.line, d.code) for d in report.diagnostics), report.failures


@pytest.mark.parametrize("statement", IMPORTS)
@pytest.mark.parametrize("name", ["raw_good.py", "raw_bad.py", "lints_bad.py"])
def test_the_full_name_is_like_an_alias(name: str, statement: str) -> None:
    text = (FOLDER / name).read_text(encoding="utf-8")
    spelt = re.sub(r"\bct\.", "cuda.tile.", re.sub(r"^import cuda\.tile as ct$", statement, text, flags=re.M))
    assert statement in spelt and "ct." not in re.findall(r"\w+\.", spelt)
    assert _said(_check(spelt)) == _said(_check(text))


KERNEL = """
@DECORATOR("K == 1")
@ct.kernel
def k(x, y, K: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(y, (i // K,), ct.load(x, (i,), (4,)))
"""
FALLBACK = "try:\n    from tilecheck import requires\nexcept ImportError:\n    def requires(*a): return lambda f: f"
OURS = [
    ("from tilecheck import requires", "requires"), ("from tilecheck import requires as need", "need"),
    ("from tilecheck.decorators import requires as need", "need"),
    ("from tilecheck_runtime import requires", "requires"),
    ("import tilecheck", "tilecheck.requires"), ("import tilecheck as tc", "tc.decorators.requires"),
    ("import tilecheck_runtime as tr", "tr.requires"), ("from tilecheck import *", "requires"),
    ("from tilecheck import requires\nneed = requires", "need"), (FALLBACK, "requires"),
    ("try:\n    from tilecheck import requires\nexcept ImportError:\n    from tilecheck_runtime import requires",
     "requires"),
]
OTHERS = [
    ("from contracts import requires", "requires"), ("import contracts", "contracts.requires"), ("", "requires"),
    ("def requires(*a):\n    return lambda f: f", "requires"),
    ("from tilecheck.other import requires", "requires"), ("from contracts import *", "requires"),
    ("from tilecheck import requires\nfrom contracts import requires", "requires"),
    ("try:\n    from tilecheck import requires\nexcept ImportError:\n    from tilecheck import unsafe as requires",
     "requires"),
]


@pytest.mark.parametrize(("statement", "decorator"), OURS)
def test_our_contracts_count_under_every_name(statement: str, decorator: str) -> None:
    report = _check(f"import cuda.tile as ct\n{statement}\n{KERNEL.replace('DECORATOR', decorator)}")
    (kernel,) = report.kernels
    assert [c.clause for c in kernel.contract if c.state == "declared"] == ["K == 1"]
    assert report.diagnostics == ()


@pytest.mark.parametrize(("statement", "decorator"), OTHERS)
def test_a_decorator_of_another_module_is_not_a_contract(statement: str, decorator: str) -> None:
    report = _check(f"import cuda.tile as ct\n{statement}\n{KERNEL.replace('DECORATOR', decorator)}")
    (kernel,) = report.kernels
    assert not [c for c in kernel.contract if c.state == "declared"]
    assert "TC101" in [d.code for d in report.diagnostics]


def test_an_import_in_the_function_around_a_kernel_counts() -> None:
    body = KERNEL.replace("DECORATOR", "need").replace("\n", "\n    ")
    report = _check(f"import cuda.tile as ct\n\ndef make():\n    from tilecheck import requires as need\n{body}")
    assert report.diagnostics == ()
