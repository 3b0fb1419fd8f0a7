"""Helpers of kernels in another module, under another alias, some imported by name."""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import cuda.tile as tile
from cuda.tile import full, num_blocks
from cuda.tile import load as read

SCALES = {"double": 2.0, "half": 0.5}
ACCUMULATOR = tile.float32


@dataclass(frozen=True)
class Piece:
    """A device-side object with methods."""

    array: object
    width: int

    def load(self, index):
        return read(self.array, (index,), (self.width,))

    def __setitem__(self, index, value):
        tile.store(self.array, (index,), value)

    @property
    def blocks(self):
        return num_blocks(0)


@dataclass(frozen=True)
class Wide(Piece):
    """A subclass that calls its base."""

    def load(self, index):
        return super().load(index) + fill_tile(self.width, 0)


def fill_tile(width, value):
    return full((width,), value, ACCUMULATOR)


def scale_by_name(x, name):
    return x * tile.static_eval(SCALES[name]) + math.pi * 0


@contextmanager
def yield_one():
    yield fill_tile(1, 1)


@tile.function
def device_only(x, *more, offset=0):
    total = x + offset
    for m in tile.static_iter(more):
        total = total + m
    return total


twice = partial(scale_by_name, name="double")
