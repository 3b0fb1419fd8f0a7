"""Which definitions are kernels."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tilecheck.project.project import Project

Build = Callable[..., Project]


def kernels(project: Project, name: str = "m.py") -> list[tuple[str, str]]:
    module = next(module for module in project.modules() if module.path.endswith(name))
    return [(site.qualname, site.how) for site in module.kernels()]


@pytest.mark.parametrize("head", [
    "import cuda.tile as ct\n@ct.kernel",
    "import cuda.tile as ct\n@ct.kernel(occupancy=2)",
    "from cuda import tile\n@tile.kernel",
    "import cuda.tile\n@cuda.tile.kernel",
    "from cuda.tile import kernel, load as ld\n@kernel",
    "from cuda.tile import kernel as kk\n@kk(num_ctas=2)",
    "from cuda.tile import *\n@kernel",
    "import cuda.tile as ct\nimport functools\n@functools.partial(ct.kernel, occupancy=2)",
    "import cuda.tile as ct\nfrom functools import partial\nfast = partial(ct.kernel, occupancy=2)\n@fast",
    "import cuda.tile as ct\nfast = ct.kernel(occupancy=2)\n@fast",
    "import cuda.tile as ct\nfast = lambda f: ct.kernel(f, occupancy=2)\n@fast",
    "import cuda.tile as ct\ndef fast(f):\n    return ct.kernel(f, occupancy=2)\n@fast",
    "import cuda.tile as ct\ndef hints(n):\n    return ct.kernel(occupancy=n)\n@hints(2)",
    "import cuda.tile as ct\ndef hints(n):\n    return partial(ct.kernel, occupancy=n)\nfrom functools import partial\n"
    "@hints(2)",
    "import cuda.tile as ct\nimport other\n@other.wraps\n@ct.kernel\n@other.inner",
    "try:\n    import cuda.tile as ct\nexcept ImportError:\n    ct = None\n@ct.kernel",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import cuda.tile as ct\n@ct.kernel",
    "import cuda.tile as ct\ntile = ct\n@tile.kernel",
    "import cuda.tile as ct\nct.extra = 1\n@ct.kernel",
])
def test_decorators(project: Build, head: str) -> None:
    found = kernels(project({"m.py": f"{head}\ndef k(a, b):\n    pass\n"}))
    assert found == [("k", "decorator")]


@pytest.mark.parametrize("text", [
    "import cuda.tile as ct\ndef k(a): pass\n",
    "import cuda.tile as ct\n@ct.function\ndef k(a): pass\n",
    "import other as ct, cuda.tile\n@ct.kernel\ndef k(a): pass\n",
    "import cuda.tile as ct\nct = other\n@ct.kernel\ndef k(a): pass\n",
    "@kernel\ndef k(a): pass\n",
    "'@ct.kernel'\nimport cuda.tile as ct\n# @ct.kernel\ndef k(a): pass\n",
])
def test_no_kernels(project: Build, text: str) -> None:
    assert kernels(project({"m.py": text})) == []


@pytest.mark.parametrize("call", [
    "k = ct.kernel(f)",
    "k = ct.kernel(f, occupancy=2)",
    "k = ct.kernel(occupancy=2)(f)",
    "def launch():\n    return ct.kernel(f)",
    "cache = {}\ncache[1] = ct.kernel(f)",
    "import functools\nk = functools.partial(ct.kernel, occupancy=2)(f)",
    "def make(fn):\n    return ct.kernel(fn)\nk = make(f)",
    "make = lambda n, fn: ct.kernel(fn, occupancy=n)\nk = make(2, f)",
    "g = f\nk = ct.kernel(g)",
    "k = ct.kernel(f)\nk2 = ct.kernel(k._pyfunc, occupancy=2)",
    "f = ct.kernel(f)",
])
def test_kernels_built_by_calls_are_found(project: Build, call: str) -> None:
    assert kernels(project({"m.py": f"import cuda.tile as ct\ndef f(a):\n    pass\n{call}\n"})) == [("f", "call")]


def test_a_kernel_built_from_a_decorated_one_counts_once(project: Build) -> None:
    text = "import cuda.tile as ct\n@ct.kernel\ndef k(a): pass\ndef tune(): return ct.kernel(k._pyfunc, occupancy=2)\n"
    assert kernels(project({"m.py": text})) == [("k", "decorator")]


def test_a_kernel_built_from_an_imported_function_is_found(project: Build) -> None:
    opened = project({
        "pkg/__init__.py": "", "pkg/bodies.py": "def f(a): pass\n",
        "pkg/m.py": "import cuda.tile as ct\nfrom .bodies import f\nk = ct.kernel(f)\n"})
    (site,) = next(module for module in opened.modules() if module.path.endswith("m.py")).kernels()
    assert site.module.path.endswith("bodies.py")
    assert site.how == "call"


def test_places(project: Build) -> None:
    found = kernels(project({"m.py": """
        import cuda.tile as ct

        def factory(n):
            if n:
                @ct.kernel
                def k(a): pass
            else:
                @ct.kernel
                def k(a, b): pass
            return k

        class Ops:
            @ct.kernel
            def k(a): pass

        if FAST:
            @ct.kernel
            def top(a): pass
        else:
            @ct.kernel
            def top(a): pass

        def lazy():
            import cuda.tile as tl
            @tl.kernel
            def inner(a): pass
        """}))
    assert [name for name, _ in found] == ["factory.k", "factory.k#2", "Ops.k", "top", "top#2", "lazy.inner"]


def test_site(project: Build) -> None:
    opened = project({"m.py": """
        import cuda.tile as ct
        from tilecheck import requires

        def factory(n):
            @requires("n <= 4")
            @ct.kernel
            def k(a): pass
            return k
        """})
    (module,) = opened.modules()
    (site,) = module.kernels()
    assert [function.name for function in site.outer] == ["factory"]
    assert site.definition is site.outer[0].body[0]
    assert len(site.decorators) == 2
    assert not site.dialect
    assert site.definition.span.line == 8


@pytest.mark.parametrize("head", [
    "from tilecheck_runtime import kernel\n@kernel",
    "import tilecheck_runtime as tcr\n@tcr.kernel(occupancy=2)",
    "from tilecheck_runtime import kernel as tile_kernel\n@tile_kernel()",
    "from tilecheck_runtime import *\n@kernel",
    "from tilecheck_runtime.api.kernel import kernel\n@kernel",
    "import tilecheck_runtime\nfast = tilecheck_runtime.kernel(occupancy=2)\n@fast",
])
def test_dialect(project: Build, head: str) -> None:
    (module,) = project({"m.py": f"{head}\ndef k(z): pass\n"}).modules()
    (site,) = module.kernels()
    assert site.dialect


def test_alias_of_the_checked_tree(project: Build) -> None:
    opened = project({
        "pkg/__init__.py": "", "pkg/compat.py": "import cuda.tile as ct\nkernel = ct.kernel\n",
        "pkg/m.py": "from .compat import kernel\n@kernel\ndef k(a): pass\n"})
    assert kernels(opened) == [("k", "decorator")]


def test_maker_of_another_module(project: Build) -> None:
    opened = project({
        "pkg/__init__.py": "", "pkg/make.py": "import cuda.tile as ct\ndef jit(fn): return ct.kernel(fn)\n",
        "pkg/m.py": "import cuda.tile as ct\nfrom .make import jit\ndef f(a): pass\nk = jit(\n    f,\n)\n"})
    assert kernels(opened) == [("f", "call")]


def test_irrelevant_files_are_not_analysed(project: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = project({"m.py": "def f(x):\n    return x\n"})
    monkeypatch.setattr("tilecheck.project.module.skeleton", lambda tree: pytest.fail("analysed"))
    (module,) = opened.modules()
    assert module.kernels() == ()
    assert module.host_functions() == ()
