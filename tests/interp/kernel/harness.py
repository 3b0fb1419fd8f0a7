"""Runs symbolic execution on source text."""

from __future__ import annotations

import textwrap

from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.kernel_model.driver import execute
from tilecheck.project.project import Project

HEADER = "import cuda.tile as ct\nInt = ct.Constant[int]\n"


def models(source: str, header: str = HEADER, **others: str) -> dict[str, KernelModel]:
    """The models of all kernels in a file, by name. `others` are further files beside it, by module name."""
    files = {"kernels.py": header + textwrap.dedent(source)}
    files |= {f"{name}.py": textwrap.dedent(text) for name, text in others.items()}
    project = Project(list(files), contents={name: text.encode() for name, text in files.items()})
    module = project.module("kernels.py")
    return {site.qualname: execute(project, site) for site in module.kernels()}


def model(source: str, **others: str) -> KernelModel:
    """The model of the only kernel in a file."""
    (found,) = models(source, **others).values()
    return found


def kernel(body: str, params: str = "x, y, n: int, T: Int", before: str = "") -> KernelModel:
    """The model of a kernel with this body."""
    text = f"{textwrap.dedent(before)}\n@ct.kernel\ndef k({params}):\n{textwrap.indent(textwrap.dedent(body), '    ')}"
    found = models(text)
    return found["k"]


def writes(found: KernelModel) -> list[Access]:
    return [a for a in found.accesses if a.mode != "read"]


def index(found: KernelModel, position: int = 0) -> list[str]:
    """The element index of a write."""
    return [t.key for t in writes(found)[position].region.index]


def guard(found: KernelModel, position: int = 0) -> set[str]:
    """The conjuncts of the guard of a write."""
    cond = writes(found)[position].region.guard
    return {p.key for p in (cond.args if cond.op == "and" else (cond,))}
