"""Every finding of host code, word for word: they are what an author reads."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source
from tilecheck.config import Config

HEAD = """\
import torch
from typing import Literal, TypeVar

import cuda.tile as ct
import numpy as np
import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Mut, Ref, f16, f32, kernel

B = TypeVar("B", bound=int)


@kernel
def add(z: Mut[f32, B], x: Ref[f32, Dyn], y: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z) + y.load_like(z))


@kernel
def split(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    a.store(x.load_like(a))
    b.store(x.load_like(b))


@kernel
def fixed(z: Mut[f32, Literal[16]], x: Ref[f32, Dyn], by: float, n: int) -> None:
    z.store(x.load_like(z) * by * n)


@ct.kernel
def copy(src, dst, T: ct.Constant[int]):
    ct.store(dst, (ct.bid(0),), ct.load(src, (ct.bid(0),), (T,)))


def run(x: tcr.Tensor, y: tcr.Tensor, z: tcr.Tensor, n: int) -> None:
"""

BODIES = {
    "moved": """\
z.partition(128)
print(z.numpy())
""",
    "moved and partitioned again": """\
a = z.partition(128)
b = z.partition(64)
""",
    "view of what was moved": """\
head = z.view[:n]
parts = z.partition(128)
print(head.numpy(), parts)
""",
    "part was moved": """\
parts = z.view[:n].partition(128)
print(z.numpy(), parts.numpy())
""",
    "moved into a launch": """\
parts = z.partition(128)
add(parts, x, y).sync()
print(parts.numpy())
""",
    "run twice": """\
launch = add(z.partition(128), x, y)
launch.sync()
launch.sync()
""",
    "run after zip": """\
launch = add(z.partition(128), x, y)
tcr.zip(launch).sync()
launch.sync()
""",
    "taken twice": """\
flight = add(z.partition(128), x, y).start()
flight.wait()
flight.wait()
""",
    "grid after the run": """\
launch = add(z.partition(128), x, y)
launch.sync()
launch.grid(4)
""",
    "read in flight": """\
flight = add(z.partition(128), x, y).start()
print(z.numpy())
flight.wait()
""",
    "moved in flight": """\
flight = add(z.partition(128), x, y).start()
x.partition(128)
flight.wait()
""",
    "part in flight": """\
flight = add(z.view[:n].partition(128), x, y).start()
print(z.numpy())
flight.wait()
""",
    "view in flight": """\
head = z.view[:n]
flight = add(z.partition(128), x, y).start()
print(head.numpy())
flight.wait()
""",
    "never run": """\
add(z.partition(128), x, y)
""",
    "zip never run": """\
tcr.zip(add(z.partition(128), x, y))
""",
    "never run on some path": """\
launch = add(z.partition(128), x, y)
if n:
    launch.sync()
""",
    "graph held": """\
graph = tcr.graph(add(z.partition(128), x, y))
x.partition(128)
graph.replay()
""",
    "graph replayed": """\
a, b = torch.rand(n), torch.empty(n)
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    ct.launch(torch.cuda.current_stream(), (8,), copy, (a, b, 128))
del a
g.replay()
""",
    "streams": """\
a, b = torch.empty(n), torch.empty(n)
side = torch.cuda.Stream()
ct.launch(side, (8,), copy, (a, b, 128))
print(b.sum())
""",
    "two streams": """\
a, b = torch.empty(n), torch.empty(n)
one, two = torch.cuda.Stream(), torch.cuda.Stream()
ct.launch(one, (8,), copy, (a, b, 128))
ct.launch(two, (8,), copy, (b, a, 128))
""",
    "nested": """\
add(z.partition(128), x, y).then(lambda r: add(r, x, y).sync()).sync()
""",
    "aliased": """\
add(z.partition(128), z, y).sync()
""",
    "grid": """\
parts = tcr.zeros((1024,), f32).partition(128)
add(parts, x, y).grid(7).sync()
""",
    "room": """\
parts = tcr.zeros((1024,), f32).partition_prefix(128)
add(parts, x, y).grid(9).sync()
""",
    "outputs": """\
a, b = tcr.zeros((256,), f32), tcr.zeros((512,), f32)
split(a.partition(16), b.partition(16), x).sync()
""",
    "variables": """\
split(z.partition(16), y.partition(32), x).sync()
""",
    "literal extents": """\
fixed(z.partition(32), x, 2.0, 3).sync()
""",
    "shapes": """\
add(tcr.zeros((64,), f32).partition(16), tcr.ones((32,), f32), y).sync()
""",
    "missing": """\
add(z.partition(16), x).sync()
""",
    "too many": """\
add(z.partition(16), x, y, n).sync()
""",
    "no such name": """\
add(z.partition(16), x, w=y).sync()
""",
    "twice": """\
add(z.partition(16), x, x=y).sync()
""",
    "tensor for an output": """\
add(z, x, y).sync()
""",
    "partition for an input": """\
add(z.partition(16), x.partition(16), y).sync()
""",
    "number for an array": """\
add(z.partition(16), 2, y).sync()
""",
    "array for a number": """\
fixed(z.partition(16), x, y, 3).sync()
""",
    "float for an int": """\
fixed(z.partition(16), x, 2.0, 1.5).sync()
""",
    "element type": """\
add(z.partition(16), tcr.ones((64,), f16), y).sync()
""",
    "rank": """\
add(z.partition(16), tcr.ones((8, 8), f32), y).sync()
""",
    "operation for an array": """\
add(z.partition(16), add(tcr.zeros((64,), f32).partition(16), x, x), y).sync()
""",
    "shared": """\
a = z.share()
b = a.share()
a.partition(16)
print(b.numpy())
""",
    "read-only": """\
z.transposed().partition(16)
""",
}

FINDINGS = {
    "moved": [
        (
            "TC402", "error", 2,
            "`z` is read after it was moved into a partition",
            [
                ("it was moved here", 1),
            ],
            "use what came of the partition, or partition a copy: `.copy().partition(128)`",
        ),
    ],
    "moved and partitioned again": [
        (
            "TC402", "error", 2,
            "`z` is partitioned after it was moved into a partition",
            [
                ("it was moved here", 1),
            ],
            "use what came of the partition, or partition a copy: `.copy().partition(128)`",
        ),
    ],
    "view of what was moved": [
        (
            "TC402", "error", 3,
            "`head` is read after the tensor that it is a view of was moved into a partition",
            [
                ("that was moved here", 2),
            ],
            "use what came of the partition, or partition a copy: `.copy().partition(128)`",
        ),
    ],
    "part was moved": [
        (
            "TC402", "error", 2,
            "`z` is read, but part of its memory was moved into a partition",
            [
                ("it was moved here", 1),
            ],
            "take it back first, with `.unpartition()` on the partition, or let go of that with `del`",
        ),
    ],
    "moved into a launch": [
        (
            "TC402", "error", 3,
            "`parts` is read after it was moved into the launch of `add`",
            [
                ("it was moved here", 2),
            ],
            "use what the launch returned: `z = add(...).sync()`",
        ),
    ],
    "run twice": [
        (
            "TC402", "error", 3,
            "the launch of `add` is run, but it was already run: an operation runs once",
            [
                ("it was run here", 2),
            ],
            "build it anew with what the first run returned",
        ),
    ],
    "run after zip": [
        (
            "TC402", "error", 3,
            "the launch of `add` is run, but it was already made part of a `zip`: an operation runs once",
            [
                ("it was made part of a `zip` here", 2),
            ],
            "build it anew with what the first run returned",
        ),
    ],
    "taken twice": [
        (
            "TC402", "error", 3,
            "the result of the launch of `add` is taken a second time",
            [
                ("it was taken here", 2),
            ],
            "keep it: `z = flight.wait()`",
        ),
    ],
    "grid after the run": [
        (
            "TC402", "error", 3,
            "the launch of `add` is given a grid, but it was already run: an operation runs once",
            [
                ("it was run here", 2),
            ],
            "give it the grid before it is run",
        ),
    ],
    "read in flight": [
        (
            "TC403", "error", 2,
            "`z` is read while the launch of `add`, which is in flight, writes it",
            [
                ("it was started here, and not waited for", 1),
            ],
            "wait for it before: `flight.wait()` on what `.start()` returned",
        ),
    ],
    "moved in flight": [
        (
            "TC403", "error", 2,
            "`x` is partitioned while the launch of `add`, which is in flight, reads it",
            [
                ("it was started here, and not waited for", 1),
            ],
            "wait for it before: `flight.wait()` on what `.start()` returned",
        ),
    ],
    "part in flight": [
        (
            "TC403", "error", 2,
            "`z` is read while the launch of `add`, which is in flight, writes it",
            [
                ("it was started here, and not waited for", 1),
            ],
            "wait for it before: `flight.wait()` on what `.start()` returned",
        ),
    ],
    "view in flight": [
        (
            "TC403", "error", 3,
            "`head` is read while the launch of `add`, which is in flight, writes it",
            [
                ("it was started here, and not waited for", 2),
            ],
            "wait for it before: `flight.wait()` on what `.start()` returned",
        ),
    ],
    "never run": [
        (
            "TC404", "error", 1,
            "the launch of `add` is built and never run",
            [
                ("calling a kernel of the dialect only builds an operation: nothing runs before it is told to", None),
            ],
            "run it: `.sync()`, or `.start()` and wait for it later",
        ),
    ],
    "zip never run": [
        (
            "TC404", "error", 1,
            "the `zip` of the launch of `add` is built and never run",
            [
                ("calling a kernel of the dialect only builds an operation: nothing runs before it is told to", None),
            ],
            "run it: `.sync()`, or `.start()` and wait for it later",
        ),
    ],
    "never run on some path": [
        (
            "TC404", "warning", 1,
            "the launch of `add` is built and on some path never run",
            [
                ("calling a kernel of the dialect only builds an operation: nothing runs before it is told to", None),
            ],
            "run it: `.sync()`, or `.start()` and wait for it later",
        ),
    ],
    "graph held": [
        (
            "TC406", "error", 2,
            "`x` is partitioned while a graph that works on it can still be replayed",
            [
                ("the graph was captured here", 1),
            ],
            "let go of the graph first (`del graph`), or capture it with a copy: `.copy()`",
        ),
    ],
    "graph replayed": [
        (
            "TC406", "error", 6,
            "`g` is replayed after `a`, which it works on, is gone",
            [
                ("it was captured here", 4),
            ],
            "keep `a` until the graph has run for the last time, or write into it in place: `a.copy_(...)`",
        ),
    ],
    "streams": [
        (
            "TC407", "error", 4,
            (
                "`b` is used by `.sum(...)` on the current stream while the launch of `copy` on `side` may still "
                "work on it: nothing orders the two"
            ),
            [
                ("the launch of `copy` is here", 3),
            ],
            "let the second wait for the first before: `torch.cuda.current_stream().wait_stream(side)`",
        ),
    ],
    "two streams": [
        (
            "TC407", "error", 4,
            (
                "`a` is used by the launch of `copy` on `two` while the launch of `copy` on `one` may still work on "
                "it: nothing orders the two"
            ),
            [
                ("the launch of `copy` is here", 3),
            ],
            "let the second wait for the first before: `two.wait_stream(one)`",
        ),
        (
            "TC407", "error", 4,
            (
                "`b` is used by the launch of `copy` on `two` while the launch of `copy` on `one` may still work on "
                "it: nothing orders the two"
            ),
            [
                ("the launch of `copy` is here", 3),
            ],
            "let the second wait for the first before: `two.wait_stream(one)`",
        ),
    ],
    "nested": [
        (
            "TC407", "error", 1,
            "the launch of `add` is run inside another operation",
            [
                ("what follows an operation runs inside it, where nothing can be launched and waited for", None),
            ],
            "return the operation without running it: `.then(lambda r: kernel(...))`",
        ),
    ],
    "aliased": [
        (
            "TC401", "error", 1,
            "`z` and `z.partition(128)` share memory: they are passed as `x` and `z`, and `add` writes `z`",
            [
                ("the kernel is here", None),
            ],
            "pass a copy as `x`: `.copy()`, taken before the other one is partitioned",
        ),
    ],
    "grid": [
        (
            "TC405", "error", 2,
            "the grid of `add` is (7, 1, 1), but the pieces of `parts` ask for (8, 1, 1)",
            [
                ("the kernel is here", None),
            ],
            "leave `.grid(...)` out: it follows from the partition",
        ),
    ],
    "room": [
        (
            "TC405", "error", 2,
            "the grid of `add` is (9, 1, 1), but `parts` has room for at most (8, 1, 1)",
            [
                ("the kernel is here", None),
            ],
            "ask for at most `.grid(8, 1, 1)`",
        ),
    ],
    "outputs": [
        (
            "TC405", "error", 2,
            (
                "`a.partition(16)` asks for grid (16, 1, 1) and `b.partition(16)` for (32, 1, 1) in one launch of "
                "`split`"
            ),
            [
                ("the kernel is here", None),
            ],
            "partition all outputs into the same number of pieces along each axis",
        ),
    ],
    "variables": [
        (
            "TC405", "error", 1,
            (
                "the extents of `y.partition(32)` do not fit `split`: B is 16 by the pieces of `a`, and its pieces "
                "have 32"
            ),
            [
                ("the kernel is here", None),
            ],
            "partition it into pieces that agree",
        ),
    ],
    "literal extents": [
        (
            "TC405", "error", 1,
            "the extents of `z.partition(32)` do not fit `fixed`: `z` is declared with 16, and its pieces have 32",
            [
                ("the kernel is here", None),
            ],
            "partition it into pieces that agree",
        ),
    ],
    "shapes": [
        (
            "TC405", "error", 1,
            "this launch breaks `z.shape[0] <= x.shape[0]`, which `add` needs",
            [
                ("here the clause says 64 <= 32", None),
                ("the kernel is here", None),
                ("what this does with `x` needs it", None),
            ],
            "launch `add` with a grid, shapes and constants that satisfy `z.shape[0] <= x.shape[0]`",
        ),
    ],
    "missing": [
        (
            "TC408", "error", 1,
            "`add` takes 3 arguments (z, x, y): `y` is missing",
            [
                ("the kernel is here", None),
            ],
            "pass `y` as well",
        ),
    ],
    "too many": [
        (
            "TC408", "error", 1,
            "`add` takes 3 arguments (z, x, y): 4 are passed",
            [
                ("the kernel is here", None),
            ],
            "leave out the last 1",
        ),
    ],
    "no such name": [
        (
            "TC408", "error", 1,
            "`add` takes 3 arguments (z, x, y): it has none named `w`",
            [
                ("the kernel is here", None),
            ],
            "leave out `w=...`",
        ),
    ],
    "twice": [
        (
            "TC408", "error", 1,
            "`add` takes 3 arguments (z, x, y): `x` is passed twice",
            [
                ("the kernel is here", None),
            ],
            "leave out `x=...`",
        ),
    ],
    "tensor for an output": [
        (
            "TC408", "error", 1,
            "`z` is passed as `z` of `add`: that is an output, which takes a partition, not a tensor",
            [
                ("the kernel is here", None),
            ],
            "divide it into pieces: `z.partition(16)`",
        ),
    ],
    "partition for an input": [
        (
            "TC408", "error", 1,
            "`x.partition(16)` is passed as `x` of `add`: that is an input, which takes a tensor, not a partition",
            [
                ("the kernel is here", None),
            ],
            "pass `x` itself: the kernel divides its inputs",
        ),
    ],
    "number for an array": [
        (
            "TC408", "error", 1,
            "`2` is passed as `x` of `add`: that is an input, which takes a tensor, not a number",
            [
                ("the kernel is here", None),
            ],
            "make a tensor of it: `tilecheck_runtime.from_numpy(...)` or `from_dlpack(...)`",
        ),
    ],
    "array for a number": [
        (
            "TC408", "error", 1,
            "`y` is passed as `by` of `fixed`: that is a number of type float, not a tensor",
            [
                ("the kernel is here", None),
            ],
            "pass a number as `by`",
        ),
    ],
    "float for an int": [
        (
            "TC408", "error", 1,
            "`1.5` is passed as `n` of `fixed`: that is a number of type int, not a float",
            [
                ("the kernel is here", None),
            ],
            "pass a number as `n`",
        ),
    ],
    "element type": [
        (
            "TC408", "error", 1,
            "`tcr.ones((64,), f16)` is passed as `x` of `add`: that is an array of f32, not one of f16",
            [
                ("the kernel is here", None),
            ],
            "convert it: `.astype(f32)`",
        ),
    ],
    "rank": [
        (
            "TC408", "error", 1,
            (
                "`tcr.ones((8, 8), f32)` is passed as `x` of `add`: that is an array with 1 axis, not one of shape "
                "(8, 8)"
            ),
            [
                ("the kernel is here", None),
            ],
            "give it the shape that the kernel asks for: `.reshape(...)`",
        ),
    ],
    "operation for an array": [
        (
            "TC408", "error", 1,
            (
                "`add(tcr.zeros((64,), f32).partition(16), x, x)` is passed as `x` of `add`: that is an input, which "
                "takes a tensor, not an operation that has not run"
            ),
            [
                ("the kernel is here", None),
            ],
            "run it first: `.sync()`",
        ),
    ],
    "shared": [
        (
            "TC104", "error", 3,
            "`a` is partitioned, but another handle shares its memory",
            [
                ("that one was made here", 2),
            ],
            "let go of the other handle with `del`, or take a copy: `.copy()`",
        ),
    ],
    "read-only": [
        (
            "TC104", "error", 1,
            "`z.transposed()` is partitioned, but it is a read-only view",
            [
            ],
            "take a copy of your own: `.copy()`",
        ),
    ],
}


def _report(name: str):
    body = "".join(f"    {line}\n" for line in BODIES[name].splitlines())
    return check_source(HEAD + body, "host.py", Config(use_cache=False))


@pytest.mark.parametrize("name", BODIES)
def test_findings_are_said_in_these_words(name: str) -> None:
    """Lines are counted from the body; those of notes above it are the kernel's, and left out."""
    first = HEAD.count("\n")
    report = _report(name)
    said = [(d.code, d.severity, d.span.line - first, d.message, [
        (n.message, n.span.line - first if n.span is not None and n.span.line > first else None) for n in d.notes],
        d.help) for d in report.diagnostics]
    assert said == FINDINGS[name]
    assert not report.failures


@pytest.mark.parametrize("name", BODIES)
def test_messages_name_nothing_internal_and_say_what_to_do(name: str) -> None:
    for d in _report(name).diagnostics:
        text = " ".join((d.message, *(n.message for n in d.notes)))
        assert not any(mark in text for mark in ("Unknown", "object at", "Handle", "None", "#2", "module:"))
        assert d.help
