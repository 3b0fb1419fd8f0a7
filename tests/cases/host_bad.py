"""Wrong host code of the runtime: the line that is wrong is marked, statically and when it runs."""
from __future__ import annotations

from typing import TypeVar

import numpy as np

import tilecheck_runtime as tcr
from dialect import add, gemm
from tilecheck_runtime import Dyn, Mut, Ref, f16, f32, kernel

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


# --- TC401 -----------------------------------------------------------------------------------------------------------

def the_same_under_two_names() -> None:
    x = ones()
    y = x
    z = x.partition(16)
    add(z, y, ones()).sync()  # expect: TC401


def a_reshaped_view() -> None:
    x = tcr.ones((8, 8), f32)
    flat = x.reshape(64)
    add(flat.partition(16), x.reshape(-1), ones()).sync()  # expect: TC401


def views_that_meet() -> None:
    x = tcr.ones((128,), f32)
    add(x.view[:64].partition(16), x.view[32:96], ones()).sync()  # expect: TC401


def every_other_element() -> None:
    x = tcr.ones((128,), f32)
    add(x.view[0::2].partition(16), x.view[64:], ones()).sync()  # expect: TC401


def packed(x: tcr.Tensor) -> tuple[tcr.Partition, tcr.Tensor]:
    return x.partition(16), x


def through_a_tuple() -> None:
    z, x = packed(ones())
    add(z, x, ones()).sync()  # expect: TC401


def an_output_read_as_well() -> None:
    z = tcr.zeros((128,), f32)
    split(z.view[:64].partition(16), z.view[64:].partition(16), z.view[32:96]).sync()  # expect: TC401


# --- TC402 -----------------------------------------------------------------------------------------------------------

def moved_into_a_launch() -> None:
    z = pieces()
    add(z, ones(), ones()).sync()
    print(z.numpy())  # expect: TC402


def put_together_twice() -> None:
    z = pieces()
    z.unpartition()
    z.unpartition()  # expect: TC402


def a_view_of_what_was_moved() -> None:
    x = ones()
    head = x.view[:32]
    parts = x.partition(16)
    print(head.numpy(), parts.numpy())  # expect: TC402


def part_of_it_was_moved() -> None:
    x = ones()
    parts = x.view[:32].partition(16)
    print(x.numpy(), parts.numpy())  # expect: TC402


def moved_where_nobody_looks(z: tcr.Tensor | None = None) -> None:
    def consume(t: tcr.Tensor) -> tcr.Partition:
        return t.partition(16)

    z = z or ones()
    parts = consume(z)
    print(z.numpy(), parts.numpy())  # expect: TC402


def moved_in_the_first_round() -> None:
    z = ones()
    kept = []
    for _ in range(2):
        kept.append(z.partition(16))  # expect: TC402


def shared_and_used_all_the_same() -> None:
    x = ones()
    handle = x.share()
    print(handle.numpy(), x.numpy())  # expect: TC402


def moved_unless(flag: bool = False) -> None:
    z = ones()
    if not flag:
        parts = z.partition(16)
        print(parts.numpy())
    if not flag:
        print(z.numpy())  # expect: TC402


def an_operation_runs_once() -> None:
    operation = add(pieces(), ones(), ones())
    operation.sync()
    operation.sync()  # expect: TC402


def a_result_is_taken_once() -> None:
    flight = add(pieces(), ones(), ones()).start()
    flight.wait()
    flight.wait()  # expect: TC402


class Model:
    def __init__(self) -> None:
        self.weights = ones()

    def freeze(self) -> object:
        parts = self.weights.partition(16)
        return self.weights.numpy(), parts  # expect: TC402


def an_attribute() -> None:
    print(Model().freeze())


def used_in_finally() -> None:
    z = ones()
    try:
        print(z.partition(16).numpy())
    finally:
        print(z.numpy())  # expect: TC402


def moved_by_a_closure() -> None:
    z = ones()

    def take() -> tcr.Partition:
        return z.partition(16)

    parts = take()
    print(parts.numpy(), z.numpy())  # expect: TC402


# --- TC403 -----------------------------------------------------------------------------------------------------------

def an_input_is_moved_in_flight() -> None:
    x = ones()
    flight = add(pieces(), x, x).start()
    parts = x.partition(16)  # expect: TC403
    print(flight.wait().numpy(), parts.numpy())


def written_while_it_is_read() -> None:
    x = ones()
    flight = scaled(pieces(), x, 2.0).start()
    add(x.partition(16), ones(), ones()).sync()  # expect: TC403
    flight.wait()


def a_view_in_flight() -> None:
    z = tcr.zeros((64,), f32)
    head = z.view[:32]
    flight = add(z.partition(16), ones(), ones()).start()
    print(head.numpy())  # expect: TC403
    flight.wait()


def a_flight_that_was_dropped() -> None:
    z = pieces()
    add(z, ones(), ones()).start()
    print(z.numpy())  # expect: TC403


def one_of_two_was_waited_for() -> None:
    x, y = ones(), ones()
    first = add(pieces(), x, x).start()
    second = add(pieces(), y, y).start()
    first.wait()
    print(y.share().numpy())
    second.wait()


def numpy_reads_too() -> None:
    z = tcr.zeros((64,), f32)
    flight = add(z.partition(16), ones(), ones()).start()
    print(np.asarray(z))  # expect: TC403
    flight.wait()


def only_the_first_in_the_list() -> None:
    x = ones()
    flights = [scaled(pieces(), x, 2.0).start() for _ in range(2)]
    flights[0].wait()
    parts = x.partition(16)  # expect: TC403
    print(parts.numpy(), flights[1].wait().numpy())


def half_of_it() -> None:
    z = tcr.zeros((64,), f32)
    flight = add(z.view[:32].partition(16), ones(), ones()).start()
    print(z.view[16:48].numpy())  # expect: TC403
    flight.wait()


# --- TC404 -----------------------------------------------------------------------------------------------------------

def kept_and_forgotten() -> None:
    operation = add(pieces(), ones(), ones())  # expect: TC404
    print("done")


def in_a_list_of_operations() -> None:
    x = ones()
    operations = [add(pieces(), x, x) for _ in range(2)]  # expect: TC404
    print(len(operations))


def zipped_and_dropped() -> None:
    x = ones()
    tcr.zip(add(pieces(), x, x), add(pieces(), x, x))  # expect: TC404


def followed_and_dropped() -> None:
    x = ones()
    add(pieces(), x, x).then(lambda z: add(z, x, x))  # expect: TC404


def on_one_path(flag: bool = False) -> None:
    operation = add(pieces(), ones(), ones())  # expect: TC404
    if flag:
        operation.sync()


def replaced_before_it_ran() -> None:
    x = ones()
    operation = add(pieces(), x, x)  # expect: TC404
    operation = scaled(pieces(), x, 2.0)
    operation.sync()


def with_a_grid() -> None:
    add(pieces(), ones(), ones()).grid(4)  # expect: TC404


# --- TC405 -----------------------------------------------------------------------------------------------------------

def a_larger_prefix() -> None:
    scaled(tcr.zeros((64,), f32).partition_prefix(16), ones(), 2.0).grid(5).sync()  # expect: TC405


def an_input_too_short() -> None:
    add(pieces(), tcr.ones((32,), f32), ones()).sync()  # expect: TC405


def tiles_do_not_agree() -> None:
    split(pieces(), tcr.zeros((64,), f32).partition(8), ones()).sync()  # expect: TC405


def outputs_do_not_agree() -> None:
    split(pieces(), tcr.zeros((32,), f32).partition(16), ones()).sync()  # expect: TC405


def two_axes_of_a_grid() -> None:
    x, y = tcr.ones((64, 32), f16), tcr.ones((32, 64), f16)
    gemm(tcr.zeros((64, 64), f32).partition(16, 32), x, y, 16).grid(2, 4).sync()  # expect: TC405


def arguments_in_the_wrong_order() -> None:
    x, y = tcr.ones((64, 32), f16), tcr.ones((32, 48), f16)
    gemm(tcr.zeros((64, 48), f32).partition(16, 16), y, x, 16).sync()  # expect: TC405


def an_output_too_long() -> None:
    add(tcr.zeros((128,), f32).partition(16), ones(), ones()).sync()  # expect: TC405


# --- TC406 -----------------------------------------------------------------------------------------------------------
# Graphs take a GPU: these do not run in the tests of the runtime.

def graph_of_two() -> None:
    x = ones()
    graph = tcr.graph(add(pieces(), x, x), add(pieces(), x, x))
    x.share()
    x = ones()
    graph.replay()


def graph_and_a_view() -> None:
    x = ones()
    graph = tcr.graph(add(pieces(), x, x))
    x.view[:32].partition(16)  # expect: TC406
    graph.replay()


def graph_and_a_launch() -> None:
    x = ones()
    graph = tcr.graph(scaled(pieces(), x, 2.0))
    parts = x.partition(16)  # expect: TC406
    add(parts, ones(), ones()).sync()
    graph.replay()


def graph_in_a_loop() -> None:
    x = ones()
    graphs = []
    for _ in range(2):
        graphs.append(tcr.graph(scaled(pieces(), x, 2.0)))
    x.partition(16)  # expect: TC406


def graph_let_go_of() -> None:
    x = ones()
    graph = tcr.graph(scaled(pieces(), x, 2.0))
    graph.replay()
    del graph
    print(x.partition(16).numpy())


def graph_replayed_in_time(steps: int = 3) -> None:
    x = ones()
    graph = tcr.graph(scaled(pieces(), x, 2.0))
    for _ in range(steps):
        graph.replay()
        print(x.numpy())


# --- TC407 -----------------------------------------------------------------------------------------------------------

def run_inside_another() -> None:
    x = ones()
    add(pieces(), x, x).then(lambda z: add(pieces(), x, x).sync()).sync()  # expect: TC407


def run_inside_by_a_function() -> None:
    x = ones()

    def following(z: tcr.Partition) -> tcr.Operation:
        scaled(pieces(), x, 2.0).sync()  # expect: TC407
        return add(z, x, x)

    add(pieces(), x, x).then(following).sync()


# --- TC408 -----------------------------------------------------------------------------------------------------------

def one_too_many() -> None:
    add(pieces(), ones(), ones(), 16).sync()  # expect: TC408


def a_tensor_for_an_output() -> None:
    add(tcr.zeros((64,), f32), ones(), ones()).sync()  # expect: TC408


def a_partition_for_an_input() -> None:
    add(pieces(), pieces(), ones()).sync()  # expect: TC408


def the_output_comes_last() -> None:
    x, y, z = ones(), ones(), pieces()
    add(x, y, z).sync()  # expect: TC408


def another_element_type() -> None:
    add(pieces(), tcr.ones((64,), f16), ones()).sync()  # expect: TC408


def another_rank() -> None:
    add(pieces(), tcr.ones((8, 8), f32), ones()).sync()  # expect: TC408


def a_number_for_a_tensor() -> None:
    add(pieces(), 2.0, ones()).sync()  # expect: TC408


def a_tensor_for_a_number() -> None:
    scaled(pieces(), ones(), ones()).sync()  # expect: TC408


def an_unknown_name() -> None:
    add(pieces(), ones(), w=ones()).sync()  # expect: TC408


def not_waited_for() -> None:
    x = ones()
    add(pieces(), add(pieces(), x, x).start(), x).sync()  # expect: TC408


def what_may_be_refused_went_well() -> None:
    z = tcr.zeros((64,), f32)
    try:
        print(add(z.partition(16), ones(), ones()).sync().numpy())
    except tcr.MovedError:
        raise
    print(z.numpy())  # expect: TC402


# ruff: noqa: F841, I001
