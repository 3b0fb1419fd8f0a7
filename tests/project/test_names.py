"""Names resolve across modules."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tilecheck.project.module import Module
from tilecheck.project.project import Project
from tilecheck.project.targets import (
    ClassTarget,
    ConstantTarget,
    ExternalName,
    FunctionTarget,
    ModuleTarget,
    TileName,
)
from tilecheck.syntax.statements import lower_block
from tilecheck.syntax.tree import Attribute, Constant, Expr, ExprStmt, Name

Build = Callable[..., Project]


def module_of(project: Project, name: str = "m.py") -> Module:
    return next(module for module in project.modules() if module.path.endswith(name))


def chain(text: str) -> Expr:
    (statement,) = lower_block(text + "\n", "f.py")
    assert isinstance(statement, ExprStmt)
    assert isinstance(statement.value, Name | Attribute)
    return statement.value


@pytest.mark.parametrize(("imports", "expression", "expected"), [
    ("import cuda.tile as ct", "ct", TileName("")),
    ("import cuda.tile as ct", "ct.PaddingMode.ZERO", TileName("PaddingMode.ZERO")),
    ("from cuda import tile", "tile.load", TileName("load")),
    ("import cuda.tile", "cuda.tile.load", TileName("load")),
    ("from cuda.tile import load as ld", "ld", TileName("load")),
    ("from cuda.tile import *", "cdiv", TileName("cdiv")),
    ("from cuda.tile import *", "range", None),
    ("from cuda.tile.tune import exhaustive_search", "exhaustive_search", TileName("tune.exhaustive_search")),
    ("import math", "math.pi", ExternalName("math.pi")),
    ("from tilecheck import requires", "requires", ExternalName("tilecheck.requires")),
    ("import tilecheck_runtime as tcr", "tcr.kernel", ExternalName("tilecheck_runtime.kernel")),
    ("try:\n    from cuda import tile as ct\nexcept ImportError:\n    import fake as ct", "ct.load", TileName("load")),
    ("import torch\nnn = torch.nn\nF = nn.functional", "F.softmax", ExternalName("torch.nn.functional.softmax")),
    ("", "undefined", None),
    ("a = b\nb = a", "a.c", None),
    ("for a in range(3): pass", "a", None),
    ("from . import nothing", "nothing.x", None),
])
def test_single_file(project: Build, imports: str, expression: str, expected: object) -> None:
    opened = project({"m.py": imports + "\n"})
    assert opened.resolve(module_of(opened), chain(expression)) == expected


PACKAGE = {
    "pkg/__init__.py": "from .ops import *\nfrom .ops.deep import helper as renamed\nfrom . import ops\n",
    "pkg/ops/__init__.py": "from .deep import helper, SIZE\n__all__ = ['helper']\n",
    "pkg/ops/deep.py": "SIZE = 4\ndef helper(x): return x\nclass Config:\n    def run(self): pass\n",
    "pkg/sub/m.py": "",
}


@pytest.mark.parametrize(("imports", "expression", "kind"), [
    ("from pkg.ops.deep import helper", "helper", FunctionTarget),
    ("from pkg import helper", "helper", FunctionTarget),
    ("from pkg import renamed", "renamed", FunctionTarget),
    ("import pkg", "pkg.ops.deep.helper", FunctionTarget),
    ("import pkg.ops.deep", "pkg.ops.deep.helper", FunctionTarget),
    ("import pkg.ops.deep as d", "d.Config", ClassTarget),
    ("from pkg.ops.deep import Config", "Config.run", FunctionTarget),
    ("from pkg.ops import deep", "deep", ModuleTarget),
    ("from pkg.ops.deep import *", "SIZE", ConstantTarget),
    ("from pkg import *", "helper", FunctionTarget),
    ("from pkg import SIZE", "SIZE", type(None)),
    ("from pkg import unknown", "unknown", type(None)),
    ("try:\n    from pkg.ops.deep import helper\nexcept ImportError:\n    helper = None", "helper", FunctionTarget),
    ("try:\n    from pkg.ops.deep import helper\nexcept ImportError:\n    from vendored import helper", "helper",
     FunctionTarget),
    ("try:\n    from fast import helper\nexcept ImportError:\n    def helper(x): return x", "helper", type(None)),
])
def test_checked_tree(project: Build, imports: str, expression: str, kind: type) -> None:
    opened = project({**PACKAGE, "pkg/m.py": imports + "\n"})
    module = next(module for module in opened.modules() if module.name == "pkg.m")
    target = opened.resolve(module, chain(expression))
    assert isinstance(target, kind)
    if isinstance(target, FunctionTarget):
        assert target.module.name == "pkg.ops.deep"


def test_relative_imports(project: Build) -> None:
    opened = project({**PACKAGE, "pkg/ops/m2.py": "from ..ops.deep import helper\nfrom .. import ops\n"})
    module = module_of(opened, "m2.py")
    assert isinstance(module.lookup("helper"), FunctionTarget)
    assert isinstance(module.lookup("ops"), ModuleTarget)
    assert isinstance(opened.resolve_import(module, "deep.SIZE", 1), ConstantTarget)
    assert opened.resolve_import(module, "cuda.tile.load") == TileName("load")
    found = opened.by_name("..ops", module)
    assert found is not None
    assert found.name == "pkg.ops"


def test_only_one_file_given_finds_its_package(project: Build) -> None:
    opened = project({**PACKAGE, "pkg/m.py": "from .ops.deep import helper\n"}, roots=False, given=["pkg/m.py"])
    target = module_of(opened).lookup("helper")
    assert isinstance(target, FunctionTarget)
    assert [module.name for module in opened.modules()] == ["pkg.m"]


def test_namespace_packages_below_a_given_directory(project: Build) -> None:
    opened = project({"ns/inner/a.py": "def f(): pass\n", "ns/m.py": "import ns.inner.a\nfrom ns.inner import a\n"})
    module = module_of(opened)
    assert isinstance(module.lookup("a"), ModuleTarget)
    assert isinstance(opened.resolve(module, chain("ns.inner.a.f")), FunctionTarget)


def test_scripts_import_their_neighbours(project: Build) -> None:
    opened = project({"x/a.py": "V = 1\n", "x/m.py": "from a import V\n", "y/a.py": "V = 2\n"}, roots=False)
    target = module_of(opened).lookup("V")
    assert isinstance(target, ConstantTarget)
    assert isinstance(target.value, Constant)
    assert target.value.value == 1


@pytest.mark.parametrize(("text", "value", "several"), [
    ("X = 1", 1, False),
    ("X: int = 1", 1, False),
    ("A, X = 2, 1", 1, False),
    ("(A, (X, B)) = 2, (1, 3)", 1, False),
    ("A = X = 1", 1, False),
    ("s = 'äö'; X = 1; Y = 2", 1, False),
    ("if T: X = 1", 1, False),
    ("X = 0\nX = 1", 1, True),
    ("if T:\n    X = 0\nelse:\n    X = 1", 1, True),
    ("X = 1\ndef f():\n    global X\n    X = 2", 1, True),
    ("X = 1\nX += 1", 1, True),
    ("X = (\n  1\n)", 1, False),
])
def test_constants(project: Build, text: str, value: int, several: bool) -> None:
    target = module_of(project({"m.py": text + "\n"})).lookup("X")
    assert isinstance(target, ConstantTarget)
    assert isinstance(target.value, Constant)
    assert target.value.value == value
    assert target.several == several


@pytest.mark.parametrize("text", [
    "X, Y = f()", "with f() as X: pass", "(X := 1)", "import a as X\nX += 1", "del X", "def X(): pass\nX = None; del X",
    "if T:\n    def X(): pass\nelse:\n    def X(): return 1",
    "match a:\n    case [X]: pass",
])
def test_unknown_bindings(project: Build, text: str) -> None:
    target = module_of(project({"m.py": text + "\n"})).lookup("X")
    assert target is None or (isinstance(target, ConstantTarget) and target.several)


def test_value_spans_are_those_of_the_file(project: Build) -> None:
    target = module_of(project({"m.py": "\nif T:\n    A = 'ä'; X = b + c\n"})).lookup("X")
    assert isinstance(target, ConstantTarget)
    assert (target.value.span.line, target.value.span.column, target.value.span.end_column) == (3, 17, 22)


def test_functions_and_body(project: Build) -> None:
    module = module_of(project({"m.py": """
        import a
        X = 1
        def f():
            def g(): pass
            return g
        if X:
            def f(): pass
        class C:
            async def m(self): pass
        f()
        """}))
    assert module.functions() == ("f", "f.g", "f#2", "C.m")
    method = module.function("C.m")
    assert method is not None
    assert method.is_async
    outer = module.function("f")
    assert outer is not None
    assert module.function("f.g") is outer.body[0]
    assert module.function("nothing") is None
    class_ = module.class_("C")
    assert class_ is not None
    assert class_.body == (method,)
    assert [type(statement).__name__ for statement in module.body()] == ["ImportStmt", "Assign", "If", "ExprStmt"]
    assert [statement.span.line for statement in module.body()] == [2, 3, 7, 11]


def test_broken_import_is_the_fault_of_the_broken_file_only(project: Build) -> None:
    opened = project({"pkg/__init__.py": "", "pkg/bad.py": "def f(:\n", "pkg/m.py": "from .bad import f\nX = 1\n"})
    module = module_of(opened)
    assert module.lookup("f") is None
    assert isinstance(module.lookup("X"), ConstantTarget)


def test_many_modules_that_import_each_other(project: Build) -> None:
    names = [f"m{number}" for number in range(12)]
    stars = "".join(f"from .{name} import *\n" for name in names)
    opened = project({"pkg/__init__.py": stars, **{f"pkg/{name}.py": stars for name in names},
                      "pkg/m.py": "from . import missing, last\n", "pkg/m11.py": stars + "last = 1\n"})
    module = module_of(opened, "m.py")
    assert module.lookup("missing") is None
    assert isinstance(module.lookup("last"), ConstantTarget)
