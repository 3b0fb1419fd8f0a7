"""Asks the front end of `cuda.tile`, where it is installed, whether a kernel compiles for the arguments of a launch.

The front end needs no GPU. A launch of a kernel that it refuses raises its error.
"""

from __future__ import annotations

import functools
import io
import sys
from collections.abc import Hashable, Sequence
from typing import Any, Final
from weakref import WeakKeyDictionary

from tilecheck_runtime.cpu.arrays import Array, ArrayList
from tilecheck_runtime.cpu.execution.arguments import Parameter
from tilecheck_runtime.cpu.tile import Tile
from tilecheck_runtime.errors.language import TileError

__all__ = ["as_installed", "check_compiles", "is_compilable"]

VERSION: Final = "13.4"
"""Of the bytecode: the newest that the oldest supported release makes."""

_compiled: WeakKeyDictionary[Any, set[Hashable]] = WeakKeyDictionary()
"""The arguments for which each kernel is known to compile."""


def is_compilable(kernel: Any) -> bool:
    """Whether a kernel is an object of the installed package."""
    return type(kernel).__module__.startswith("cuda.tile.") and hasattr(kernel, "_annotated_function")


def check_compiles(kernel: Any, known: Sequence[Parameter], arguments: Sequence[Any]) -> None:
    """Raises the error of the front end if it refuses a kernel for bound arguments.

    An internal error of the front end, and its error for a helper without source, show nothing about the kernel and are
    ignored.
    """
    key = tuple(_key(p, a) for p, a in zip(known, arguments, strict=True))
    done = _compiled.setdefault(kernel, set())
    if key in done:
        return
    tile: Any = sys.modules["cuda.tile"]
    made, internal = tile.compilation, tile.TileInternalError
    convention = made.CallingConvention.cutile_python_v2()
    signature = made.KernelSignature([_constraint(tile, part) for part in key], convention, kernel._pyfunc.__name__)
    try:
        made.export_kernel(kernel, [signature], io.BytesIO(), gpu_code=None, output_format="tileir_bytecode",
                           bytecode_version=VERSION)
    except internal:
        return
    except tile.TileError:
        raise
    except Exception:
        return  # the front end itself fails
    done.add(key)


def as_installed(error: TileError) -> None:
    """Makes an error of the CPU also one of the class that the installed package has under that name."""
    kind: Any = type(error)
    tile: Any = sys.modules["cuda.tile"]
    found = getattr(tile, kind.__name__, None)
    if isinstance(found, type) and not isinstance(error, found):
        error.__class__ = _joint_class(kind, found)
        vars(error).update(message=str(error.args[0]) if error.args else "", loc=tile.TileError("").loc)


@functools.cache
def _joint_class(ours: type, theirs: type) -> type:
    return type(theirs.__name__, (ours, theirs), {"__module__": "cuda.tile", "__str__": Exception.__str__})


def _key(known: Parameter, value: Any) -> Any:
    """The properties of an argument that the front end sees."""
    if isinstance(value, Array):
        return _array_key([value])
    if isinstance(value, ArrayList):
        return ("list", _array_key(value.items))
    if isinstance(value, tuple):
        return ("tuple", tuple(_key(part, item) for part, item in zip(known.parts(len(value)), value, strict=True)))
    if type(value) is Tile:
        return ("scalar", value.dtype.name)
    return ("constant", type(value), repr(value), value)


def _array_key(arrays: Sequence[Array]) -> Any:
    first = arrays[0]
    wide, far = first.static
    shape = tuple(n if axis in wide else None for axis, n in enumerate(first.data.shape))
    strides = tuple(s if all(a.shadow.strides[axis] == s for a in arrays) and (s == 1 or axis in far) else None
                    for axis, s in enumerate(first.shadow.strides))
    return ("array", first.dtype.name, first.ndim, first.index.name, shape, strides)


def _constraint(tile: Any, key: Any) -> Any:
    made = tile.compilation
    kind, *rest = key
    if kind == "array":
        dtype, rank, index, shape, strides = rest
        return made.ArrayConstraint(
            getattr(tile, dtype), rank, index_dtype=getattr(tile, index), stride_lower_bound_incl=0, alias_groups=(),
            may_alias_internally=False, shape_constant=shape, stride_constant=strides)
    if kind == "list":
        return made.ListConstraint(_constraint(tile, rest[0]), alias_groups=(), elements_may_alias=True)
    if kind == "tuple":
        return made.TupleConstraint([_constraint(tile, item) for item in rest[0]])
    if kind == "scalar":
        return made.ScalarConstraint(getattr(tile, rest[0]))
    return made.ConstantConstraint(rest[2])

