"""Stand-in for `tilecheck_runtime.compile`."""

from __future__ import annotations

import inspect
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tilecheck_runtime.backends.interface import Strided


@dataclass(frozen=True)
class Slot:
    argument: int
    part: str
    axis: int
    ctype: str
    offset: int


@dataclass(frozen=True)
class Compiled:
    cubin: bytes
    symbol: str
    parameters: tuple[Slot, ...]


def signature_of(function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    constants = [getattr(p.annotation, "__metadata__", None) is not None
                 for p in inspect.signature(function).parameters.values()]
    return tuple(_one(a, c) for a, c in zip(arguments, constants, strict=True))


def _one(a: Any, constant: bool) -> Any:
    if isinstance(a, Strided):
        size = max(16 // a.dtype.storage.itemsize, 1)
        return ("array", a.dtype.name, len(a.shape), (a.memory.address + a.offset) % 16 == 0,
                tuple(s == 1 for s in a.strides), tuple(s % size == 0 for s in a.strides),
                tuple(n % 16 == 0 for n in a.shape))
    return ("constant", a) if constant else ("scalar", type(a))


def build(function: Callable[..., Any], signature: Any, arch: str, hints: Mapping[str, Any]) -> Compiled:
    import cuda.tile as ct
    from cuda.tile.compilation import (
        ArrayConstraint,
        CallingConvention,
        ConstantConstraint,
        KernelSignature,
        ScalarConstraint,
        export_kernel,
    )
    made, slots, offset = [], [], 0
    for n, (kind, *facts) in enumerate(signature):
        if kind == "array":
            name, rank, aligned, ones, strides, shapes = facts
            size = max(16 // getattr(ct, name).bitwidth * 8, 1)
            made.append(ArrayConstraint(
                getattr(ct, name), rank, index_dtype=ct.int32, stride_lower_bound_incl=0, alias_groups=(),
                may_alias_internally=False, stride_constant=tuple(1 if one else None for one in ones),
                stride_divisible_by=tuple(size if d else 1 for d in strides),
                shape_divisible_by=tuple(16 if d else 1 for d in shapes),
                base_addr_divisible_by=16 if aligned else 1))
            offset += -offset % 8
            slots.append(Slot(n, "pointer", 0, "u64", offset))
            offset += 8
            for part in ("shape", "stride"):
                for axis in range(rank):
                    slots.append(Slot(n, part, axis, "i32", offset))
                    offset += 4
        elif kind == "constant":
            made.append(ConstantConstraint(facts[0]))
        else:
            code = {int: "i32", float: "f32", bool: "bool"}[facts[0]]
            width = 1 if code == "bool" else 4
            made.append(ScalarConstraint({"i32": ct.int32, "f32": ct.float32, "bool": ct.bool_}[code]))
            offset += -offset % width
            slots.append(Slot(n, "value", 0, code, offset))
            offset += width
    buffer = io.BytesIO()
    known = KernelSignature(made, CallingConvention.cutile_python_v1(), symbol="entry")
    export_kernel(ct.kernel(function, **hints), [known], buffer, gpu_code=arch, output_format="cubin")
    return Compiled(buffer.getvalue(), "entry", tuple(slots))
