"""Which functions may launch."""

from __future__ import annotations

from collections.abc import Callable

from tilecheck.source.project import Project

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
