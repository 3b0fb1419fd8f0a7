"""Right host code of the runtime: nothing is to be said of it, statically or when it runs."""
from __future__ import annotations

import asyncio
from collections import deque
from typing import TypeVar

import numpy as np

import tilecheck_runtime as tcr
from dialect import add, gemm
from tilecheck_runtime import Dyn, Linear, Mut, Ref, f16, f32, kernel

B = TypeVar("B", bound=int)


@kernel
def split(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    a.store(x.load_like(a))
    b.store(x.load_like(b))


@kernel
def scaled(z: Mut[f32, B], x: Ref[f32, Dyn], by: float) -> None:
    tiles = x.partition(z.tile[0])
    for cell in z.cells():
        z[cell] = tiles[z.coords(cell)[0],] * by


def ones() -> tcr.Tensor:
    return tcr.ones((64,), f32)


def pieces() -> tcr.Partition:
    return tcr.zeros((64,), f32).partition(16)


# --- moves ---------------------------------------------------------------------------------------------------------

def the_name_is_bound_again() -> None:
    x = ones()
    z = pieces()
    z = add(z, x, x).sync()
    z = add(z, x, x).sync()
    print(z.unpartition().numpy())


def moved_on_both_paths_and_made_anew(flag: bool = True) -> None:
    z = tcr.zeros((64,), f32)
    if flag:
        parts = z.partition(16)
        print("coarse")
    else:
        parts = z.partition(8)
    z = tcr.zeros((64,), f32)
    print(z.numpy(), parts.numpy())


def the_same_test_twice(flag: bool = True) -> None:
    z = tcr.zeros((64,), f32)
    if flag:
        z = z.partition(16).unpartition()
    if not flag:
        z = z.partition(8).unpartition()
    print(z.numpy())


def moved_where_it_is_not_used_after(flag: bool = True) -> None:
    z = tcr.zeros((64,), f32)
    if flag:
        parts = z.partition(16)
    if not flag:
        print(z.numpy())
        return
    print(parts.numpy())


def returns_before_the_use(flag: bool = True) -> None:
    z = tcr.zeros((64,), f32)
    if flag:
        print(add(z.partition(16), ones(), ones()).sync().numpy())
        return
    print(z.numpy())


def loop_that_binds_again(steps: int = 3) -> None:
    x, z = ones(), tcr.zeros((64,), f32)
    for _ in range(steps):
        parts = add(z.partition(16), x, x).sync()
        z = parts.unpartition()
    print(z.numpy())


def made_in_the_loop(steps: int = 3) -> None:
    x = ones()
    for _ in range(steps):
        z = tcr.zeros((64,), f32)
        add(z.partition(16), x, x).sync()


def leaves_the_loop_after_the_move() -> None:
    x, z = ones(), tcr.zeros((64,), f32)
    while True:
        print(add(z.partition(16), x, x).sync().numpy())
        break


def views_that_do_not_meet() -> None:
    x = ones()
    even, odd = x.view[0::2], x.view[1::2]
    parts = even.partition(8)
    print(odd.numpy(), parts.numpy())


def halves() -> None:
    x = ones()
    head = add(x.view[:32].partition(16), x.view[32:], x.view[32:]).sync()
    print(head.numpy())


def a_dropped_partition_holds_nothing() -> None:
    x = ones()
    x.view[:32].partition(16)
    print(x.numpy())


def taken_back() -> None:
    x = ones()
    parts = x.view[:32].partition(16)
    parts.unpartition()
    print(x.numpy())


def a_copy_is_another_tensor() -> None:
    x = ones()
    z = x.copy()
    print(add(z.partition(16), x, x).sync().numpy(), x.numpy())


def shape_of_what_was_moved() -> None:
    z = tcr.zeros((64,), f32)
    parts = z.partition(16)
    print(z.shape, z.dtype, parts.numpy())


def finally_takes_back() -> None:
    z = tcr.zeros((64,), f32)
    parts = z.partition(16)
    try:
        parts = add(parts, ones(), ones()).sync()
    finally:
        z = parts.unpartition()
    print(z.numpy())


def refused_and_caught() -> None:
    z = tcr.zeros((64,), f32)
    parts = z.partition(16)
    try:
        z.numpy()
    except tcr.MovedError as error:
        print(error.code, parts.numpy())


def refused_for_a_reason_that_is_not_seen() -> None:
    x = ones()
    chain: tcr.Operation[tcr.Partition] = scaled(pieces(), x, 2.0)
    for _ in range(3):
        chain = chain.then(lambda z: scaled(z, x, 2.0))
    graph = tcr.graph(chain)
    print(graph.replay().numpy())
    try:
        x.partition(16)
    except tcr.GraphLifetimeError as error:
        print(error.code)
    del graph, chain
    print(x.numpy())


def an_operation_that_is_refused_for_a_reason_that_is_not_seen() -> None:
    array = np.ones(64, np.float32)
    z, x = tcr.from_numpy(array, copy=False), tcr.from_numpy(array[:], copy=False)
    try:
        add(z.partition(16), x, x)
    except tcr.OwnershipError as error:
        print(error.code)


def through_functions() -> None:
    def run(z: tcr.Partition) -> tcr.Partition:
        return add(z, x, x).sync()

    x = ones()
    z = run(pieces())
    z = run(z)
    print(z.numpy())


def swapped_in_a_tuple() -> None:
    a, b = ones(), tcr.zeros((64,), f32)
    a, b = b, a
    parts = a.partition(16)
    print(b.numpy(), parts.numpy())


class Model:
    def __init__(self) -> None:
        self.weights = ones()
        self.state = pieces()

    def step(self) -> None:
        self.state = add(self.state, self.weights, self.weights).sync()

    def read(self) -> object:
        return self.state.numpy()


def an_object_that_keeps_its_state() -> None:
    model = Model()
    model.step()
    model.step()
    print(model.read())


# --- sharing ---------------------------------------------------------------------------------------------------------

def shared_by_two_launches() -> None:
    x = ones().share()
    y = x.share()
    a, b = tcr.zip(add(pieces(), x, y), add(pieces(), y, x)).sync()
    print(a.numpy(), b.numpy())


def the_sole_handle_again() -> None:
    x = ones().share()
    y = x.share()
    print(y.numpy())
    del y
    print(add(x.partition(16), ones(), ones()).sync().numpy())


def outputs_apart() -> None:
    z = tcr.zeros((64,), f32)
    a, b = split(z.view[:32].partition(16), z.view[32:].partition(16), ones()).sync()
    print(a.numpy(), b.numpy())


# --- flights ---------------------------------------------------------------------------------------------------------

def waited_for() -> None:
    flight = add(pieces(), ones(), ones()).start()
    z = flight.wait()
    print(z.numpy())


def inputs_are_read_in_flight() -> None:
    x = ones()
    flight = add(pieces(), x, x).start()
    print(x.numpy())
    flight.wait()


def two_flights_share_an_input() -> None:
    x = ones()
    first, second = add(pieces(), x, x).start(), add(pieces(), x, x).start()
    print(first.wait().numpy(), second.wait().numpy())


def flights_in_a_list(count: int = 3) -> None:
    x = ones()
    flights = []
    for _ in range(count):
        flights.append(add(pieces(), x, x).start())
    for flight in flights:
        print(flight.wait().numpy())
    print(x.partition(16).numpy())


def flights_of_a_comprehension() -> None:
    x = ones()
    flights = [add(pieces(), x, x).start() for _ in range(2)]
    results = [flight.wait() for flight in flights]
    print(x.partition(16).numpy(), [r.numpy() for r in results])


def polled() -> None:
    x = ones()
    flight = add(pieces(), x, x).start()
    while not flight.done():
        print(x.shape)
    z = flight.wait()
    print(z.numpy(), x.partition(16).numpy())


def drained_from_the_end() -> None:
    x = ones()
    flights = [add(pieces(), x, x).start() for _ in range(3)]
    while flights:
        print(flights.pop().wait().numpy())
    print(x.partition(16).numpy())


def at_most_two_at_a_time(count: int = 5) -> None:
    x = ones()
    flights = deque()
    for _ in range(count):
        flights.append(add(pieces(), x, x).start())
        if len(flights) > 2:
            flights.popleft().wait()
    while flights:
        flights.popleft().wait()
    print(x.partition(16).numpy())


def one_ahead(count: int = 3) -> None:
    x = ones()
    before = None
    for _ in range(count):
        flight = add(pieces(), x, x).start()
        if before is not None:
            before.wait()
        before = flight
    if before is not None:
        before.wait()
    print(x.partition(16).numpy())


def back_and_forth(count: int = 3) -> None:
    one, other = ones(), tcr.zeros((64,), f32)
    for _ in range(count):
        result = add(other.partition(16), one, one).sync().unpartition()
        one, other = result, one
    print(one.numpy())


def flights_by_number() -> None:
    x = ones()
    flights = {}
    for number in range(4):
        flights[number] = add(pieces(), x, x).start()
    for number in range(4):
        print(flights[number].wait().numpy())
    print(x.partition(16).numpy())


def tried_again() -> None:
    x, z = ones(), pieces()
    for _ in range(3):
        try:
            z = add(z, x, x).sync()
            break
        except RuntimeError:
            z = pieces()
    print(z.numpy())


def one_after_the_other_by_then() -> None:
    x = ones()
    z = add(pieces(), x, x).then(lambda first: add(pieces(), first.unpartition(), x)).sync()
    print(z.numpy())


async def awaited() -> None:
    x = ones()
    z = await add(pieces(), x, x)
    z = await add(z, x, x)
    print(z.numpy(), x.numpy())


async def awaited_together() -> None:
    x = ones()
    flights = [add(pieces(), x, x).start(), add(pieces(), x, x).start()]
    a, b = [await flight for flight in flights]
    print(a.numpy(), b.numpy(), x.partition(16).numpy())


def run_to_the_end() -> None:
    async def both() -> None:
        x = ones()
        print((await add(pieces(), x, x)).numpy())

    asyncio.run(both())


def read_by_numpy() -> None:
    x = ones()
    flight = add(pieces(), x, x).start()
    print(np.asarray(x).sum())
    flight.wait()


# --- launches that run -----------------------------------------------------------------------------------------------

def kept_and_run_later(flag: bool = True) -> None:
    operation = add(pieces(), ones(), ones())
    if flag:
        print("soon")
    print(operation.sync().numpy())


def run_on_either_path(flag: bool = True) -> None:
    operation = add(pieces(), ones(), ones())
    z = operation.sync() if flag else operation.start().wait()
    print(z.numpy())


def made(x: tcr.Tensor) -> tcr.Operation:
    return add(pieces(), x, x)


def run_by_who_asked_for_it() -> None:
    print(made(ones()).sync().numpy())


def operations_in_a_list() -> None:
    x = ones()
    operations = [add(pieces(), x, x) for _ in range(2)]
    for operation in operations:
        print(operation.sync().numpy())


def given_up(flag: bool = False) -> None:
    operation = add(pieces(), ones(), ones())
    if flag:
        raise ValueError("not now")
    print(operation.sync().numpy())


# --- shapes ----------------------------------------------------------------------------------------------------------

def the_grid_that_follows() -> None:
    print(add(pieces(), ones(), ones()).grid(4).sync().numpy())


def part_of_the_pieces() -> None:
    print(scaled(tcr.zeros((64,), f32).partition_prefix(16), ones(), 2.0).grid(2).sync().numpy())


def several_pieces_a_block() -> None:
    print(scaled(pieces().map(Linear(), 2), ones(), 2.0).sync().numpy())


def shapes_agree() -> None:
    x, y = tcr.ones((64, 128), f16), tcr.ones((128, 64), f16)
    print(gemm(tcr.zeros((64, 64), f32).partition(16, 16), x, y, 16).sync().numpy())


def by_name() -> None:
    x = ones()
    print(add(y=x, z=pieces(), x=x).sync().numpy(), scaled(pieces(), x=x, by=2.0).sync().numpy())


def spread() -> None:
    arguments = (pieces(), ones(), ones())
    print(add(*arguments).sync().numpy())


def converted() -> None:
    half = tcr.ones((64,), f16)
    print(add(pieces(), half.astype(f32), ones()).sync().numpy())


def reshaped() -> None:
    table = tcr.ones((8, 8), f32)
    print(add(pieces(), table.reshape(64), table.reshape(-1)).sync().numpy())


def any_size(n: int = 48, tile: int = 16) -> None:
    x, z = tcr.ones((n,), f32), tcr.zeros((n,), f32).partition(tile)
    print(add(z, x, x).grid(-(-n // tile)).sync().numpy())

# ruff: noqa: I001
