"""The kernel of the smaller measurements: an element-wise add, in the dialect and by hand."""

from __future__ import annotations

from typing import Any, TypeVar

import cuda.tile as ct

from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel

B = TypeVar("B", bound=int)
Const: Any = ct.Constant[int]


@kernel
def add(z: Mut[f32, B], x: Ref[f32, Dyn], y: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z) + y.load_like(z))


@ct.kernel
def raw_add(z: Any, x: Any, y: Any, tile: Const) -> None:
    i = ct.bid(0)
    a = ct.load(x, (i,), (tile,), padding_mode=ct.PaddingMode.ZERO)
    b = ct.load(y, (i,), (tile,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(z, (i,), a + b)
