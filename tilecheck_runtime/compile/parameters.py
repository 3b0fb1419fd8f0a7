"""Parameters of a function to compile, from its annotations."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType
from typing import Annotated, Any, get_args, get_origin

__all__ = ["Declared", "declared_parameters"]


@dataclass(frozen=True)
class Declared:
    """The content of an annotation of `cuda.tile`.

    constant        the value is part of the code
    index           type of extents and strides of an array
    scalar          type of an integer
    static_shape    axes whose extents are constants of the code
    static_strides  axes whose strides are constants of the code
    """

    name: str
    constant: bool = False
    index: str = "int32"
    scalar: str = "int32"
    static_shape: tuple[int, ...] = ()
    static_strides: tuple[int, ...] = ()


@lru_cache(maxsize=4096)
def declared_parameters(function: FunctionType) -> tuple[Declared, ...]:
    """Returns the parameters of a function, in order."""
    hints = typing.get_type_hints(function, include_extras=True)
    return tuple(_parse_annotation(name, hints.get(name)) for name in inspect.signature(function).parameters)


def _parse_annotation(name: str, annotation: Any) -> Declared:
    # compares names, so that `cuda.tile` need not be installed
    found = {type(item).__name__: item for item in _metadata(annotation)}
    array, scalar = found.get("ArrayAnnotation"), found.get("ScalarAnnotation")
    return Declared(
        name, "ConstantAnnotation" in found, getattr(getattr(array, "index_dtype", None), "name", "int32"),
        getattr(getattr(scalar, "dtype", None), "name", "int32"), getattr(array, "static_shape_dims", ()),
        getattr(array, "static_stride_dims", ()))


def _metadata(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) is Annotated:
        inner, *metadata = get_args(annotation)
        yield from metadata
        yield from _metadata(inner)
