"""Kernels of the dialect from text, as the front end finds them."""

from __future__ import annotations

from tilecheck.interp.kernel.dialect.typed.infer import Inference, infer
from tilecheck.kernel_model.driver import execute
from tilecheck.project.module import KernelSite
from tilecheck.project.project import Project

HEAD = """\
from __future__ import annotations
from typing import Literal, TypeVar
import typing as ty
import cuda.tile as ct
import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Mut, Ref, Shared, SystemShared, bf16, f16, f32, i32, kernel
B = TypeVar("B", bound=int)
BM = TypeVar("BM", bound=int)
BN = TypeVar("BN", bound=int)
BK = TypeVar("BK", bound=int)
"""


def site(text: str, name: str = "k", head: str = HEAD) -> tuple[Project, KernelSite]:
    project = Project(["m.py"], contents={"m.py": (head + text).encode()})
    (module,) = project.modules()
    return project, next(s for s in module.kernels() if s.qualname == name)


def model(text: str):
    """The kernel as the rules see it."""
    return execute(*site(text))


def infer_text(text: str) -> Inference:
    """The types of its expressions."""
    return infer(*site(text))
