"""Right host code of torch: nothing is to be said of it."""
from __future__ import annotations

import cuda.tile as ct
import torch

Int = ct.Constant[int]


@ct.kernel
def copy(src, dst, T: Int):
    i = ct.bid(0)
    ct.store(dst, (i,), ct.load(src, (i,), (T,)))


def blocks(x):
    return (ct.cdiv(x.shape[0], 128),)


# --- one memory ------------------------------------------------------------------------------------------------------

def parts_that_do_not_meet(x):
    ct.launch(torch.cuda.current_stream(), (8,), copy, (x[:1024], x[1024:2048], 128))


def a_clone(x):
    ct.launch(torch.cuda.current_stream(), blocks(x), copy, (x, x.clone(), 128))


def of_two_rows(x):
    ct.launch(torch.cuda.current_stream(), (8,), copy, (x[0], x[1], 128))


def parts_by_a_variable(x, n):
    ct.launch(torch.cuda.current_stream(), (8,), copy, (x[:n], x[n:], 128))


def not_in_place(x):
    y = x.add(1)
    ct.launch(torch.cuda.current_stream(), blocks(x), copy, (x, y, 128))


def into_another(x, y):
    z = torch.add(x, 1, out=y)
    ct.launch(torch.cuda.current_stream(), blocks(x), copy, (x, z, 128))


# --- graphs ----------------------------------------------------------------------------------------------------------

def filled_in_place(n, batches):
    x, y = torch.rand(n, device="cuda"), torch.empty(n, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        ct.launch(torch.cuda.current_stream(), (8,), copy, (x, y, 128))
    for batch in batches:
        x.copy_(batch)
        graph.replay()
    return y


def kept_under_another_name(n):
    x, y = torch.rand(n, device="cuda"), torch.empty(n, device="cuda")
    kept = [x]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        ct.launch(torch.cuda.current_stream(), (8,), copy, (x, y, 128))
    x = torch.rand(n, device="cuda")
    graph.replay()
    return y, kept, x


def of_the_caller(x, y):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        ct.launch(torch.cuda.current_stream(), (8,), copy, (x, y, 128))
    x = y.clone()
    graph.replay()
    return x


# --- streams ---------------------------------------------------------------------------------------------------------

def waits(x, y, z):
    one, two = torch.cuda.Stream(), torch.cuda.Stream()
    ct.launch(one, blocks(x), copy, (x, y, 128))
    two.wait_stream(one)
    ct.launch(two, blocks(x), copy, (y, z, 128))


def both_read(x, y, z):
    one, two = torch.cuda.Stream(), torch.cuda.Stream()
    ct.launch(one, blocks(x), copy, (x, y, 128))
    ct.launch(two, blocks(x), copy, (x, z, 128))


def by_an_event(x, y):
    side = torch.cuda.Stream()
    ct.launch(side, blocks(x), copy, (x, y, 128))
    event = side.record_event()
    torch.cuda.current_stream().wait_event(event)
    return y.cpu()


def the_host_waits(x, y):
    side = torch.cuda.Stream()
    ct.launch(side, blocks(x), copy, (x, y, 128))
    torch.cuda.synchronize()
    return y.cpu()


def on_the_stream_that_is_current(n):
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        x, y = torch.zeros(n, device="cuda"), torch.empty(n, device="cuda")
        ct.launch(torch.cuda.current_stream(), (8,), copy, (x, y, 128))
        return y.cpu()


def filled_before(n):
    side = torch.cuda.Stream()
    x, y = torch.zeros(n, device="cuda"), torch.empty(n, device="cuda")
    side.wait_stream(torch.cuda.current_stream())
    ct.launch(side, (8,), copy, (x, y, 128))
    torch.cuda.current_stream().wait_stream(side)
    return y.sum()


def chained_by_events(x, y, z):
    one, two = torch.cuda.Stream(), torch.cuda.Stream()
    done = torch.cuda.Event()
    ct.launch(one, blocks(x), copy, (x, y, 128))
    done.record(one)
    done.wait(two)
    ct.launch(two, blocks(x), copy, (y, z, 128))
    two.synchronize()
    return z.cpu()


def a_stream_of_the_caller(x, y, z, stream):
    side = torch.cuda.Stream()
    ct.launch(side, blocks(x), copy, (x, y, 128))
    ct.launch(stream, blocks(x), copy, (x, z, 128))


def both_wait_or_neither(x, y, wait):
    side = torch.cuda.Stream() if wait else torch.cuda.current_stream()
    ct.launch(side, blocks(x), copy, (x, y, 128))
    if wait:
        torch.cuda.current_stream().wait_stream(side)
    return y.cpu()
