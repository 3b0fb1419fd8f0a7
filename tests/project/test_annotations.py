"""Kinds of kernel parameters by their annotations."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tilecheck.project.annotations import annotation_kind, is_constant_annotation
from tilecheck.project.project import Project

HEAD = """\
from typing import Annotated, Optional
import typing as t
import cuda.tile as ct
from cuda.tile import Constant, Constant as C
from types_ import Shared, Flag
from tilecheck_runtime import Mut, f32
import torch
Int = ct.Constant[int]
Again = Int
Long = ct.IndexedWithInt64[ct.Array]
Meta = Annotated[int, ct.ConstantAnnotation()]
if True:
    Maybe = ct.Constant[int]
else:
    Maybe = ct.Constant[bool]
"""


@pytest.mark.parametrize(("annotation", "kind"), [
    ("ct.Constant", "constant"), ("ct.Constant[int]", "constant"), ("Constant[bool]", "constant"), ("C", "constant"),
    ("Int", "constant"), ("Again", "constant"), ("Shared", "constant"), ("Maybe", "constant"), ("Meta", "constant"),
    ("'Int'", "constant"), ("'ct.Constant[int]'", "constant"), ("Annotated[int, ct.ConstantAnnotation()]", "constant"),
    ("t.Annotated[int, 'x', ct.ConstantAnnotation]", "constant"), ("Optional[Int]", "constant"),
    ("Int | None", "constant"), ("Flag", "constant"),
    ("ct.Array", "array"), ("Long", "array"), ("Annotated[ct.Array, ct.ArrayAnnotation()]", "array"),
    ("torch.Tensor", "array"), ("Mut[f32, 4]", "array"),
    ("list", "list"), ("list[ct.Array]", "list"), ("Annotated[list, ct.ListAnnotation(element=1)]", "list"),
    ("int", "scalar"), ("float", "scalar"), ("ct.ScalarInt64", "scalar"), ("ct.ScalarInt64[int]", "scalar"),
    ("unknown", None), ("str", None), ("'1 +'", None), ("f()", None),
])
def test_kinds(project: Callable[..., Project], annotation: str, kind: str | None) -> None:
    opened = project({
        "m.py": HEAD + f"def k(p: {annotation}): pass\n",
        "types_.py": "import cuda.tile\nShared = cuda.tile.Constant[int]\nFlag = 'cuda.tile.Constant[bool]'\n"})
    module = next(module for module in opened.modules() if module.path.endswith("m.py"))
    function = module.function("k")
    assert function is not None
    found = function.params[0].annotation
    assert annotation_kind(opened, module, found) == kind
    assert is_constant_annotation(opened, module, found) == (kind == "constant")


def test_local_alias_of_a_factory(project: Callable[..., Project]) -> None:
    opened = project({"m.py": """
        def factory():
            import cuda.tile as ct
            Int = ct.Constant[int]
            def k(p: Int, q): pass
        """})
    (module,) = opened.modules()
    function = module.function("factory.k")
    assert function is not None
    assert annotation_kind(opened, module, function.params[0].annotation, "factory.k") == "constant"
    assert annotation_kind(opened, module, function.params[0].annotation) is None
    assert annotation_kind(opened, module, function.params[1].annotation) is None
