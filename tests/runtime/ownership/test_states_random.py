"""Random programs of views, partitions, shared handles and flights, compared with a model that counts elements.

The model knows nothing of regions: it keeps a set of elements for every handle, and says which uses are allowed.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import tilecheck_runtime as tcr
from tests.runtime.launches.kernels import add, double
from tilecheck_runtime import OwnershipError

SIZE = 24


@dataclass(eq=False)
class Held:
    """A handle of the runtime, and what the model knows of it.

    dead    whether it, or what it is a view of, was moved
    parent  what it is a view of
    """

    handle: Any
    elements: frozenset[int]
    kind: str
    parent: Held | None = None
    moved: bool = False

    @property
    def dead(self) -> bool:
        return self.moved or (self.parent is not None and self.parent.dead)


@dataclass
class Model:
    """All handles, and the flights with the handles that they write and read. `base` is the address of element 0."""

    base: int
    held: list[Held]
    flights: list[tuple[Any, Held | None, list[Held]]] = field(default_factory=list)

    def list_others(self, one: Held, *kinds: str) -> list[Held]:
        return [h for h in self.held if h is not one and not h.moved and h.kind in kinds and h.elements & one.elements]

    def is_written(self, elements: frozenset[int]) -> bool:
        return any(out is not None and out.elements & elements for _, out, _ in self.flights)

    def read(self, elements: frozenset[int]) -> bool:
        return any(i.elements & elements for _, _, inputs in self.flights for i in inputs)

    def readable(self, h: Held) -> bool:
        return not (h.dead or self.is_written(h.elements) or self.list_others(h, "partition"))

    def ownable(self, h: Held) -> bool:
        return self.readable(h) and not self.read(h.elements) and not self.list_others(h, "shared")


def _elements(handle, base):
    """The elements of the array that a handle covers, by address."""
    first = (handle.region.address - base) // 4
    return frozenset(first + i * handle.strides[0] for i in range(handle.shape[0]))


def _pick(rng, model, *kinds):
    found = [h for h in model.held if h.kind in kinds]
    return rng.choice(found) if found else None


def _attempt(allowed, call, what):
    """The result of a call, which is refused if and only if it is not allowed."""
    try:
        made = call()
    except OwnershipError:
        assert not allowed, f"{what} was refused"
        return None
    assert allowed, f"{what} was not refused"
    return made


def _view(rng, model):
    h = _pick(rng, model, "tensor")
    if h is None or not h.handle.shape[0]:
        return
    start = rng.randrange(h.handle.shape[0])
    cut = slice(start, rng.randint(start + 1, h.handle.shape[0]), rng.choice((1, 1, 2, 3)))
    made = _attempt(not h.dead, lambda: h.handle.view[cut], "view")
    if made is not None:
        model.held.append(Held(made, _elements(made, model.base), "tensor", h))


def _partition(rng, model):
    h = _pick(rng, model, "tensor", "shared")
    if h is None:
        return
    made = _attempt(model.ownable(h), lambda: h.handle.partition(4), "partition")
    if made is not None:
        h.moved = True
        model.held.append(Held(made, h.elements, "partition", h.parent))


def _unpartition(rng, model):
    h = _pick(rng, model, "partition")
    if h is None:
        return
    made = _attempt(not h.dead, lambda: h.handle.unpartition(), "unpartition")
    if made is not None:
        h.moved = True
        model.held.append(Held(made, h.elements, "tensor", h.parent))


def _share(rng, model):
    h = _pick(rng, model, "tensor", "shared")
    if h is None:
        return
    made = _attempt(model.readable(h), lambda: h.handle.share(), "share")
    if made is not None:
        h.moved = h.moved or h.kind == "tensor"
        model.held.append(Held(made, h.elements, "shared", h.parent))


def _unshare(rng, model):
    h = _pick(rng, model, "shared")
    if h is None:
        return
    made = _attempt(model.ownable(h), lambda: h.handle.unshare(), "unshare")
    if made is not None:
        h.moved = True
        model.held.append(Held(made, h.elements, "tensor", h.parent))


def _read(rng, model):
    h = _pick(rng, model, "tensor", "shared", "partition")
    if h is not None:
        _attempt(model.readable(h), lambda: h.handle.numpy(), "read")


def _drop(rng, model):
    if len(model.held) > 4:
        h = rng.choice(model.held[1:])
        if not any(g.parent is h for g in model.held) and not any(h in (o, *i) for _, o, i in model.flights):
            model.held.remove(h)


def _launch(rng, model):
    out = _pick(rng, model, "partition")
    a, b = _pick(rng, model, "tensor", "shared"), _pick(rng, model, "tensor", "shared")
    if out is None or a is None or b is None:
        return
    size = out.handle.shape[0]
    fits = a.handle.shape[0] >= size and b.handle.shape[0] >= size
    allowed = (model.readable(out) and not model.read(out.elements) and not model.list_others(out, "shared")
               and all(model.readable(i) and not i.elements & out.elements for i in (a, b)) and fits)
    flight = _attempt(allowed, lambda: add(out.handle, a.handle, b.handle).start(), "launch")
    if flight is not None:
        out.moved = True
        model.flights.append((flight, out, [a, b]))


def _wait(rng, model):
    if model.flights:
        flight, out, _ = model.flights.pop(rng.randrange(len(model.flights)))
        model.held.append(Held(flight.wait(), out.elements, "partition", out.parent))


def _double(rng, model):
    out = _pick(rng, model, "partition")
    if out is None:
        return
    allowed = model.readable(out) and not model.read(out.elements) and not model.list_others(out, "shared")
    made = _attempt(allowed, lambda: double(out.handle).sync(), "launch")
    if made is not None:
        out.moved = True
        model.held.append(Held(made, out.elements, "partition", out.parent))


STEPS = (_view, _view, _partition, _unpartition, _share, _unshare, _read, _read, _drop, _launch, _wait, _double)


@pytest.mark.parametrize("seed", range(30))
def test_refusals_agree_with_the_model(seed):
    rng = random.Random(seed)
    memory = np.zeros(SIZE, np.float32)
    x = tcr.from_numpy(memory, copy=False)
    model = Model(x.region.address, [Held(x, frozenset(range(SIZE)), "tensor")])
    for start, stop in ((0, 8), (8, 24), (4, 20)):
        part = tcr.from_numpy(memory[start:stop], copy=False)
        model.held.append(Held(part, frozenset(range(start, stop)), "tensor"))
    del x, part
    for _ in range(60):
        rng.choice(STEPS)(rng, model)
    while model.flights:
        _wait(rng, model)
