"""Which functions may launch."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tilecheck.project.hosts import _Search
from tilecheck.project.project import Project

Build = Callable[..., Project]


def hosts(project: Project, name: str) -> tuple[str, ...]:
    return next(module for module in project.modules() if module.path.endswith(name)).host_functions()


def test_direct_and_transitive(project: Build) -> None:
    opened = project({
        "pkg/__init__.py": "from .ops import run as public\n",
        "pkg/ops.py": """
            import cuda.tile as ct

            @ct.kernel
            def k(a):
                '''launch me'''

            def run(a):
                ct.launch(0, (1,), k, (a,))

            def tuned(a):
                def attempt(cfg):
                    return ct.launch(0, (1,), k, (a,))
                return attempt

            def caller(a):
                run(a)

            def bystander(a):  # launch
                return 'launch(a)'

            class Op:
                @staticmethod
                def forward(ctx, a):
                    run(a)

                def helper(self):
                    self.inner()

                def inner(self):
                    caller(1)

            apply_op = Op.apply

            def uses_op(a):
                return apply_op(a)
            """,
        "other.py": """
            import pkg
            from pkg import public as start
            import torch

            def main(a):
                start(a)

            def far(a):
                pkg.ops.uses_op(a)

            def unrelated(a):
                torch.run(a)
                a.caller(1)

            if __name__ == "__main__":
                main(1)
            """,
        "none.py": "def run(a):\n    pass\ndef f():\n    run(1)\n",
    })
    assert hosts(opened, "ops.py") == (
        "run", "tuned", "caller", "Op.forward", "Op.helper", "Op.inner", "uses_op")
    assert hosts(opened, "other.py") == ("main", "far", "<module>")
    assert hosts(opened, "none.py") == ()


def test_files_without_cuda_tile(project: Build) -> None:
    opened = project({
        "pkg/__init__.py": "",
        "pkg/kernels.py": "import cuda.tile as ct\n@ct.kernel\ndef k(a): pass\n",
        "pkg/host.py": "from .kernels import k, ct\ndef f(a):\n    ct.launch(0, (1,), k, (a,))\n",
        "pkg/search.py": "def g(a):\n    return exhaustive_search(a)\nlaunch = None\nlaunch(1)\n",
    })
    assert hosts(opened, "kernels.py") == ()
    assert hosts(opened, "host.py") == ("f",)
    assert hosts(opened, "search.py") == ("g", "<module>")


def test_broken_files_are_left_out(project: Build) -> None:
    opened = project({"a.py": "def launch(:\n", "b.py": "def f():\n    launch(1)\n"})
    assert hosts(opened, "b.py") == ("f",)


@pytest.mark.parametrize("function", [
    "def f(launch):\n    return launch.grid\n",
    "def f(a, *, launch=None):\n    def g():\n        return launch(a)\n    return g\n",
    "def f(*launch):\n    return [one for one in launch]\n",
])
def test_a_parameter_of_that_name_is_resolved_at_its_callers(project: Build, function: str) -> None:
    opened = project({"a.py": function + "def g(a):\n    f(a)\n"})
    assert hosts(opened, "a.py") == ()


@pytest.mark.parametrize("function", [
    "def f(launch=launch):\n    return launch(1)\n",
    "def f(*, launch=launch):\n    return launch(1)\n",
    "@tuned(launch)\ndef f(launch):\n    return launch(1)\n",
    "def f(launch):\n    from cuda.tile import launch\n    launch(1)\n",
    "def f(launch):\n    launch = launch or tile['launch']\n    launch(1)\n",
    "def f(launch):\n    def launch(a):\n        return a\n    launch(1)\n",
    "def f(launch):\n    def g():\n        global launch\n        launch(1)\n    g()\n",
    "def f(launch):\n    return [launch(1) for launch in ALL]\n",
    "def f(launch, ct):\n    return ct.launch(1)\n",
    "def f(launch):\n    return exhaustive_search(1)\n",
    "def f(a):\n    return lambda launch: launch(a)\n",
])
def test_a_parameter_of_that_name_may_have_another_value(project: Build, function: str) -> None:
    assert hosts(project({"a.py": function}), "a.py") == ("f",)


def test_functions_that_pass_a_launcher_launch(project: Build) -> None:
    opened = project({"a.py": "import cuda.tile as ct\ndef f(launch):\n    launch(1)\ndef g():\n    f(ct.launch)\n"})
    assert hosts(opened, "a.py") == ("g",)


def test_files_in_which_launches_are_looked_for(project: Build) -> None:
    opened = project({
        "pkg/__init__.py": "",
        "pkg/kernels.py": "import cuda.tile as ct\n@ct.kernel\ndef k(a): pass\n",
        "pkg/hands.py": "from .kernels import k\nimport lib\nlib.run(k)\n",
        "pkg/host.py": "from .kernels import k, ct\ndef f(a):\n    ct.launch(0, (1,), k, (a,))\n",
        "pkg/other.py": "import os, sys\nfrom torch import nn\n",
        "broken.py": "import (\n",
    })
    found = {m.path.rpartition("/")[2] for m in opened.modules() if opened.is_launching(m)}
    assert found == {"host.py"}


def test_a_function_that_is_named_apply(project: Build) -> None:
    """A call of it is not the `apply` of a class, and does not end the search."""
    opened = project({"a.py": """
        import cuda.tile as ct

        @ct.kernel
        def k(a):
            pass

        def apply(a):
            ct.launch(0, (1,), k, (a,))

        def run(a):
            apply(a)

        start = apply

        def again(a):
            start(a)
        """})
    assert hosts(opened, "a.py") == ("apply", "run", "again")


def test_an_internal_error_ends_the_search_in_one_file_only(project: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
        import cuda.tile as ct

        @ct.kernel
        def k(a):
            pass

        def NAME(a):
            ct.launch(0, (1,), k, (a,))

        def run(a):
            NAME(a)
        """
    real = _Search.find_callers

    def find_callers(search: _Search, path: str) -> bool:
        if path.endswith("bad.py"):
            raise ZeroDivisionError("oh")
        return real(search, path)

    monkeypatch.setattr(_Search, "find_callers", find_callers)
    opened = project({"bad.py": text.replace("NAME", "one"), "good.py": text.replace("NAME", "two")})
    assert hosts(opened, "good.py") == ("two", "run")
    (path,) = opened.launching.errors
    assert path.endswith("bad.py") and opened.launching.errors[path] == "ZeroDivisionError: oh"


def test_a_function_that_is_named_apply_is_called(project: Build) -> None:
    opened = project({
        "a.py": """
            import cuda.tile as ct

            @ct.kernel
            def k(a):
                pass

            class Op:
                @staticmethod
                def forward(a):
                    ct.launch(0, (1,), k, (a,))

            def caller(a):
                return Op.apply(a)

            def bystander(a):
                return apply(a)
        """,
    })
    assert hosts(opened, "a.py") == ("Op.forward", "caller")
