"""Kernels that loop over cells in one way or another, and compute the same."""

from __future__ import annotations

from typing import TypeVar

import cuda.tile as ct

from tilecheck_runtime import Mut, f32, kernel

A = TypeVar("A", bound=int)

ALL = ("plain", "one_line", "leaves_early", "goes_on_early", "on_two_lines", "begins_with_a_branch",
       "hands_its_output_on", "renames_its_output", "loops_in_a_nested_function", "keeps_its_cells", "twice")


def value(z, i):
    return ct.full(z.tile, i + 1.0, ct.float32)


@kernel
def plain(z: Mut[f32, A]) -> None:
    for cell in z.cells():
        (i,) = z.coords(cell)
        z[cell] = ct.full(z.tile, i + 1.0, ct.float32)


@kernel
def one_line(z: Mut[f32, A]) -> None:
    for cell in z.cells(): z[cell] = ct.full(z.tile, z.coords(cell)[0] + 1.0, ct.float32)  # noqa: E701


@kernel
def leaves_early(z: Mut[f32, A]) -> None:
    for cell in z.cells():
        i = z.coords(cell)[0]
        z[cell] = ct.full(z.tile, i + 1.0, ct.float32)
        if i > 1000:
            break


@kernel
def goes_on_early(z: Mut[f32, A]) -> None:
    for cell in z.cells():
        i = z.coords(cell)[0]
        if i > 1000:
            continue
        z[cell] = ct.full(z.tile, i + 1.0, ct.float32)


@kernel
def on_two_lines(z: Mut[f32, A]) -> None:
    for cell in z.cells(
    ):
        i = z.coords(cell)[0]
        z[cell] = ct.full(z.tile, i + 1.0, ct.float32)


@kernel
def begins_with_a_branch(z: Mut[f32, A]) -> None:
    for cell in z.cells():
        if z.coords(cell)[0] >= 0:
            z[cell] = ct.full(z.tile, z.coords(cell)[0] + 1.0, ct.float32)


@kernel
def hands_its_output_on(z: Mut[f32, A]) -> None:
    for cell in z.cells():
        i = z.coords(cell)[0]
        z[cell] = value(z, i)


@kernel
def renames_its_output(z: Mut[f32, A]) -> None:
    y = z
    for cell in y.cells():
        i = z.coords(cell)[0]
        y[cell] = ct.full(z.tile, i + 1.0, ct.float32)


@kernel
def loops_in_a_nested_function(z: Mut[f32, A]) -> None:
    def body():
        for cell in z.cells():
            i = z.coords(cell)[0]
            z[cell] = ct.full(z.tile, i + 1.0, ct.float32)

    body()


@kernel
def keeps_its_cells(z: Mut[f32, A]) -> None:
    for cell in z.cells():
        i = z.coords(cell)[0]
        z[cell] = ct.full(z.tile, i + 0.5, ct.float32)
    cells = z.cells()
    for cell in cells:
        t = z[cell]
        z[cell] = t + 0.5


@kernel
def twice(z: Mut[f32, A]) -> None:
    for cell in z.cells():
        i = z.coords(cell)[0]
        z[cell] = ct.full(z.tile, i + 0.5, ct.float32)
    for cell in z.cells():
        t = z[cell]
        z[cell] = t + 0.5
