"""Random programs do the same if repeated launches are recognized and if all guards run each time: the same
values, the same refusals, the same warnings."""

from __future__ import annotations

import gc
import random
import warnings

import pytest

import tilecheck_runtime as tcr
from tests.cases.dialect import add
from tests.runtime.backends.cuda.fake import fake_gpu
from tests.runtime.backends.cuda.kernels import both, increased
from tilecheck_runtime import f32
from tilecheck_runtime.backends.selection import select
from tilecheck_runtime.launch_cache import repeat, templates
from tilecheck_runtime.launches import launch

N = 16


class Program:
    """One of the random programs; `said` is what it did, step by step."""

    def __init__(self, seed, gpu):
        self.random, self.gpu, self.said = random.Random(seed), gpu, []
        self.sides = [None, None, None, tcr.stream("side")]
        self.kept = {"tensor": [tcr.full((N,), float(n), f32) for n in range(3)], "launch": [], "flight": [],
                     "partition": [tcr.zeros((N,), f32).partition(4) for _ in range(3)], "view": []}

    def pick(self, kind):
        held = self.kept[kind]
        return self.random.choice(held) if held else None

    def take(self, kind):
        held = self.kept[kind]
        return held.pop(self.random.randrange(len(held))) if held else None

    def pick_to_move(self, kind):
        """One to be moved: mostly it is then no longer there to be used once more."""
        return self.take(kind) if self.random.random() < 0.85 else self.pick(kind)

    def keep(self, value):
        for one in value if isinstance(value, tuple) else (value,):
            self.kept["partition" if isinstance(one, tcr.Partition) else "tensor"].append(one)

    def run(self, steps):
        names = [n for n in dir(self) if n.startswith("do_")]
        weights = [4 if n in ("do_launch", "do_start", "do_early", "do_line") else 1 for n in names]
        for _ in range(steps):
            name, = self.random.choices(names, weights)
            try:
                getattr(self, name)()
                self.said.append(name)
            except tcr.OwnershipError as error:
                self.said.append((name, type(error).__name__, error.summary))
                del error

    def do_launch(self):
        z, x, y = self.pick_to_move("partition"), self.pick("tensor"), self.pick("tensor")
        if None in (z, x, y):
            return
        kind = self.random.randrange(4)
        if kind == 0:
            self.kept["launch"].append(increased(z))
        elif kind == 1:
            self.kept["launch"].append(both(z, self.pick_to_move("partition") or z, x))
        else:
            self.kept["launch"].append(add(z, x, y))

    def do_line(self):
        """A whole launch, as most are."""
        z, x, y = self.pick_to_move("partition"), self.pick("tensor"), self.pick("tensor")
        if None not in (z, x, y):
            self.keep(add(z, x, y).start(self.random.choice(self.sides)).take_early())

    def do_start(self):
        made = self.pick_to_move("launch")
        if made is not None:
            self.kept["flight"].append(made.start(self.random.choice(self.sides)))

    def do_early(self):
        flight = self.take("flight")
        if flight is not None:
            self.keep(flight.take_early())

    def do_wait(self):
        flight = self.take("flight")
        if flight is not None:
            self.gpu.paused = False
            self.keep(flight.wait())

    def do_chain(self):
        made, x = self.take("launch"), self.pick("tensor")
        if made is not None and x is not None:
            self.gpu.paused = False
            self.keep(made.then(lambda z: add(z[0] if isinstance(z, tuple) else z, x, x)).sync())

    def do_grid(self):
        made = self.pick("launch")
        if made is not None:
            made.grid(4)

    def do_drop(self):
        self.take(self.random.choice(list(self.kept)))
        gc.collect(0)

    def do_partition(self):
        held = self.pick_to_move("tensor")
        if held is not None:
            self.keep(held.partition(4))

    def do_unpartition(self):
        held = self.pick_to_move("partition")
        if held is not None:
            self.keep(held.unpartition())

    def do_view(self):
        held = self.pick("tensor")
        if held is not None:
            self.kept["tensor"].append(held.view[:])

    def do_new(self):
        self.keep(tcr.full((N,), float(self.random.randrange(5)), f32))
        self.keep(tcr.zeros((N,), f32).partition(4))

    def do_read(self):
        held = self.pick(self.random.choice(["tensor", "partition"]))
        if held is not None:
            self.gpu.paused = False
            self.said.append(held.numpy().tolist())

    def do_pause(self):
        self.gpu.paused = not self.gpu.paused


def done(seed, told, monkeypatch):
    """Returns the actions of the program; `told` is whether repeated launches are recognized."""
    gpu, backend = fake_gpu()
    monkeypatch.setenv(select.CHOICE, "cuda")
    monkeypatch.setattr(select, "_cuda", lambda ordinal: backend)
    select._choose.cache_clear()
    templates.TEMPLATES.clear()
    launch._KNOWN.clear()
    if not told:
        monkeypatch.setattr(repeat, "record_template", lambda *a: None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        program = Program(seed, gpu)
        program.run(120)
        gpu.paused = False
        for kind in ("flight", "launch"):
            program.kept[kind].clear()
        gc.collect()
        for kind in ("tensor", "partition"):
            for held in program.kept[kind]:
                try:
                    program.said.append(held.numpy().tolist())
                except tcr.OwnershipError as error:
                    program.said.append(type(error).__name__)
    select._choose.cache_clear()
    said = sorted((w.category.__name__, str(w.message).partition("\n")[0]) for w in caught)
    return program.said, said, templates.TEMPLATES


@pytest.mark.parametrize("seed", [*range(20), 386])
def test_repeated_and_ordinary_launches_agree(seed, monkeypatch):
    with monkeypatch.context() as patched:
        expected, warned, none = done(seed, False, patched)
        assert not none
    with monkeypatch.context() as patched:
        found, also, known = done(seed, True, patched)
        assert known
    for number, (a, b) in enumerate(zip(expected, found, strict=False)):
        assert a == b, f"step {number}"
    assert len(expected) == len(found) and warned == also
