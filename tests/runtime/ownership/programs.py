"""Random host code: straight lines, right and wrong uses of tensors, partitions, operations and flights alike."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

HEAD: Final = '''\
from typing import TypeVar

import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel

B = TypeVar("B", bound=int)


@kernel
def add(z: Mut[f32, B], x: Ref[f32, Dyn], y: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z) + y.load_like(z))


@kernel
def split(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    a.store(x.load_like(a))
    b.store(x.load_like(b))


def program():
'''

SIZE: Final = 64


class Program:
    """The statements, and all variables of each kind so far."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.names: dict[str, list[str]] = {k: [] for k in ("tensor", "partition", "shared", "operation", "flight")}
        self._count = 0

    def create_name(self, kind: str, again: bool = True) -> str:
        """A name to bind: mostly a fresh one."""
        known = self.names[kind]
        if again and known and self.rng.random() < 0.25:
            return self.rng.choice(known)
        self._count += 1
        known.append(f"{kind[0]}{self._count}")
        return known[-1]

    def pick(self, kind: str) -> str:
        return self.rng.choice(self.names[kind])

    def readable(self) -> str:
        return self.pick("tensor") if not self.names["shared"] or self.rng.random() < 0.7 else self.pick("shared")

    def add(self, line: str) -> None:
        self.lines.append(f"    {line}")


def _make(p: Program) -> None:
    p.add(f"{p.create_name('tensor')} = tcr.zeros(({SIZE},), f32)")


def _view(p: Program) -> None:
    source = p.pick("tensor")
    begin, end = sorted(p.rng.sample(range(0, SIZE + 1, 16), 2))
    step = p.rng.choice(["", "", f"{begin}:{end}", "0::2", "1::2"])
    p.add(f"{p.create_name('tensor', False)} = {source}.view[{step or f'{begin}:{end}'}]")


def _alias(p: Program) -> None:
    kind = p.rng.choice([k for k in p.names if p.names[k]])
    source = p.pick(kind)
    p.add(f"{p.create_name(kind, False)} = {source}")


def _partition(p: Program) -> None:
    source = p.readable()
    p.add(f"{p.create_name('partition')} = {source}.partition(16)")


def _drop_partition(p: Program) -> None:
    p.add(f"{p.readable()}.partition(16)")


def _back(p: Program) -> None:
    source = p.pick("partition")
    p.add(f"{p.create_name('tensor')} = {source}.unpartition()")


def _share(p: Program) -> None:
    source = p.readable()
    p.add(f"{p.create_name('shared')} = {source}.share()")


def _unshare(p: Program) -> None:
    source = p.pick("shared")
    p.add(f"{p.create_name('tensor')} = {source}.unshare()")


def _read(p: Program) -> None:
    p.add(f"{p.pick('partition') if p.names['partition'] and p.rng.random() < 0.3 else p.readable()}.numpy()")


def _copy(p: Program) -> None:
    source = p.readable()
    p.add(f"{p.create_name('tensor')} = {source}.copy()")


def _call(p: Program) -> str:
    if len(p.names["partition"]) > 1 and p.rng.random() < 0.2:
        return f"split({p.pick('partition')}, {p.pick('partition')}, {p.readable()})"
    return f"add({p.pick('partition')}, {p.readable()}, {p.readable()})"


def _build(p: Program) -> None:
    call = _call(p)
    p.add(f"{p.create_name('operation', False)} = {call}")


def _sync(p: Program) -> None:
    call = _call(p)
    p.add(f"{p.create_name('partition')} = {call}.sync()" if call.startswith("add") else f"{call}.sync()")


def _run(p: Program) -> None:
    p.add(f"{p.pick('operation')}.sync()")


def _start(p: Program) -> None:
    source = p.pick("operation") if p.names["operation"] and p.rng.random() < 0.3 else _call(p)
    p.add(f"{p.create_name('flight', False)} = {source}.start()")


def _wait(p: Program) -> None:
    p.add(f"{p.pick('flight')}.wait()")


def _zip(p: Program) -> None:
    p.add(f"tcr.zip({p.pick('operation')}, {_call(p)}).sync()")


def _del(p: Program) -> None:
    kind = p.rng.choice([k for k in ("partition", "shared") if p.names[k]])
    name = p.pick(kind)
    p.names[kind] = [n for n in p.names[kind] if n != name]
    p.add(f"del {name}")


_STEPS: Final[tuple[tuple[Callable[[Program], None], tuple[str, ...], int], ...]] = (
    (_make, (), 3), (_view, ("tensor",), 3), (_alias, ("tensor",), 1), (_partition, ("tensor",), 5),
    (_drop_partition, ("tensor",), 1), (_back, ("partition",), 2), (_share, ("tensor",), 1), (_unshare, ("shared",), 1),
    (_read, ("tensor",), 3), (_copy, ("tensor",), 1), (_build, ("partition", "tensor"), 1),
    (_sync, ("partition", "tensor"), 3), (_run, ("operation",), 1), (_start, ("partition", "tensor"), 3),
    (_wait, ("flight",), 2), (_zip, ("operation", "partition", "tensor"), 1), (_del, ("partition",), 1))
"""Steps, what there must be for them, and how often they are taken."""


def program(seed: int, steps: int = 9) -> str:
    """The text of a module with a function `program`."""
    rng = Random(seed)
    p = Program(rng)
    _make(p)
    _make(p)
    for _ in range(steps):
        able = [(step, often) for step, needs, often in _STEPS if all(p.names[n] for n in needs)]
        rng.choices([s for s, _ in able], [n for _, n in able])[0](p)
    p.add("return None")
    return HEAD + "\n".join(p.lines) + "\n"
