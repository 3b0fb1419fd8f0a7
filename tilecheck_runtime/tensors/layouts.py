"""Layouts of views: slices, reshapes, transpositions. Pure arithmetic, equal on every backend."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

from tilecheck_runtime.ownership.handles import Layout, row_major

__all__ = ["extents", "reshape_layout", "slice_layout", "transpose_layout"]


def extents(shape: Any) -> tuple[int, ...]:
    """A shape as a tuple. Raises TypeError for an invalid shape and ValueError for a negative extent."""
    given = shape if isinstance(shape, (tuple, list)) else (shape,)
    try:
        found = tuple(operator.index(n) for n in given)
    except TypeError:
        raise TypeError(f"a shape is an integer or a tuple of integers, not {shape!r}") from None
    if any(n < 0 for n in found):
        raise ValueError(f"shape {found}: extents are not negative")
    return found


def slice_layout(layout: Layout, index: Any) -> Layout:
    """The layout of `x.view[index]`: slices with positive steps, integers, and one `...`.

    Raises IndexError for an index outside an axis or too many of them, and ValueError for a step below 1.
    """
    given = index if isinstance(index, tuple) else (index,)
    rank = len(layout.shape)
    named = sum(item is not Ellipsis for item in given)
    if named > rank:
        raise IndexError(f"{named} indices for {rank} {'axis' if rank == 1 else 'axes'}")
    if Ellipsis not in given:
        given = (*given, Ellipsis)
    at = given.index(Ellipsis)
    if Ellipsis in given[at + 1:]:
        raise IndexError("an index has at most one `...`")
    full = (*given[:at], *[slice(None)] * (rank - named), *given[at + 1:])
    shape, strides, offset = [], [], 0
    for axis, item in enumerate(full):
        extent, stride = layout.shape[axis], layout.strides[axis]
        if isinstance(item, slice):
            start, stop, step = item.indices(extent)
            if step < 1:
                raise ValueError(f"axis {axis}: step {step}; a view goes forward, take a copy to turn an axis round")
            length = len(range(start, stop, step))
            shape.append(length)
            strides.append(stride * step)
            offset += start * stride if length else 0
        else:
            place = operator.index(item)
            if not -extent <= place < extent:
                raise IndexError(f"index {place} is outside axis {axis}, which has extent {extent}")
            offset += place % extent * stride
    return Layout(layout.dtype, tuple(shape), tuple(strides), layout.offset + offset * layout.itemsize)


def reshape_layout(layout: Layout, shape: Sequence[int]) -> Layout:
    """The same elements in another shape; one extent may be -1. Raises ValueError for a different number of elements,
    and if no strides describe them without a copy."""
    wanted = _complete_shape(layout, tuple(operator.index(n) for n in shape))
    if layout.size == 0:
        return Layout(layout.dtype, wanted, row_major(wanted), layout.offset)
    strides = _strides_without_copy(layout, wanted)
    if strides is None:
        raise ValueError(f"strides {layout.strides} of shape {layout.shape} cannot be seen as {wanted} without a copy: "
                         "write `.copy().reshape(...)`")
    return Layout(layout.dtype, wanted, strides, layout.offset)


def _complete_shape(layout: Layout, shape: tuple[int, ...]) -> tuple[int, ...]:
    known = math.prod(n for n in shape if n != -1)
    if shape.count(-1) == 1 and known and layout.size % known == 0:
        shape = tuple(layout.size // known if n == -1 else n for n in shape)
    if any(n < 0 for n in shape) or math.prod(shape) != layout.size:
        raise ValueError(f"shape {layout.shape} has {layout.size} elements and cannot become {shape}")
    return shape


def _strides_without_copy(layout: Layout, wanted: tuple[int, ...]) -> tuple[int, ...] | None:
    """Returns the strides of a new shape: each contiguous run of axes can be divided independently, last axes first.
    None if there are none."""
    old = [(n, s) for n, s in zip(layout.shape, layout.strides, strict=True) if n > 1]
    out: list[int] = []
    run, step = (1, 1)
    for extent in reversed(wanted):
        if extent == 1:
            out.append(step)
            continue
        if run == 1 and old:
            run, step = old.pop()
            while old and old[-1][1] == run * step:
                run *= old.pop()[0]
        if run % extent:
            return None
        out.append(step)
        run, step = run // extent, step * extent
    return tuple(reversed(out))


def transpose_layout(layout: Layout, axes: Sequence[int]) -> Layout:
    """The axes in another order; reversed if `axes` is empty. Raises ValueError unless they are a permutation."""
    rank = len(layout.shape)
    order = tuple(operator.index(a) for a in axes) or tuple(range(rank))[::-1]
    if sorted(order) != list(range(rank)):
        raise ValueError(f"{order} is not a permutation of the {rank} axes")
    return Layout(layout.dtype, tuple(layout.shape[a] for a in order), tuple(layout.strides[a] for a in order),
                  layout.offset)
