"""Wrong host code of torch: streams with no order, graphs of memory that is gone, one memory under two names."""
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


# --- TC401 -----------------------------------------------------------------------------------------------------------

def a_view(x):
    ct.launch(torch.cuda.current_stream(), blocks(x), copy, (x, x.view(-1), 128))  # expect: TC401


def a_part(x):
    ct.launch(torch.cuda.current_stream(), blocks(x), copy, (x[1024:], x, 128))  # expect: TC401


def in_place(x):
    y = x.add_(1)
    ct.launch(torch.cuda.current_stream(), blocks(x), copy, (x, y, 128))  # expect: TC401


def into_an_argument(x, y):
    z = torch.add(x, 1, out=y)
    ct.launch(torch.cuda.current_stream(), blocks(x), copy, (y, z, 128))  # expect: TC401


def the_same_part(x, n):
    head = x[:n]
    ct.launch(torch.cuda.current_stream(), blocks(x), copy, (head, head, 128))  # expect: TC401


def parts_that_meet(x):
    ct.launch(torch.cuda.current_stream(), (8,), copy, (x[:1024], x[512:1536], 128))  # expect: TC401


def expanded(x):
    y = x.unsqueeze(0).squeeze(0)
    ct.launch(torch.cuda.current_stream(), blocks(x), copy, (x, y, 128))  # expect: TC401


# --- TC406 -----------------------------------------------------------------------------------------------------------

def an_input_bound_anew(n):
    x, y = torch.rand(n, device="cuda"), torch.empty(n, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        ct.launch(torch.cuda.current_stream(), (8,), copy, (x, y, 128))
    x = torch.rand(n, device="cuda")
    graph.replay()  # expect: TC406
    return y


def an_input_deleted(n):
    x, y = torch.rand(n, device="cuda"), torch.empty(n, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        ct.launch(torch.cuda.current_stream(), (8,), copy, (x, y, 128))
    del x
    graph.replay()  # expect: TC406
    return y


def an_output_bound_anew(n):
    x, y = torch.rand(n, device="cuda"), torch.empty(n, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        ct.launch(torch.cuda.current_stream(), (8,), copy, (x, y, 128))
    for _ in range(2):
        graph.replay()  # expect: TC406
        y = y + 1
    return x, y


# --- TC407 -----------------------------------------------------------------------------------------------------------

def one_writes_what_the_other_reads(x, y, z):
    one, two = torch.cuda.Stream(), torch.cuda.Stream()
    ct.launch(one, blocks(x), copy, (x, y, 128))
    ct.launch(two, blocks(x), copy, (y, z, 128))  # expect: TC407


def read_on_the_current_stream(x, y):
    side = torch.cuda.Stream()
    ct.launch(side, blocks(x), copy, (x, y, 128))
    return y.cpu()  # expect: TC407


def waits_the_wrong_way_round(x, y):
    side = torch.cuda.Stream()
    ct.launch(side, blocks(x), copy, (x, y, 128))
    side.wait_stream(torch.cuda.current_stream())
    return y.sum()  # expect: TC407


def filled_on_another_stream(n):
    side = torch.cuda.Stream()
    x, y = torch.zeros(n, device="cuda"), torch.empty(n, device="cuda")
    ct.launch(side, (8,), copy, (x, y, 128))  # expect: TC407
    side.synchronize()
    return y


def an_event_recorded_too_early(x, y):
    side = torch.cuda.Stream()
    event = side.record_event()
    ct.launch(side, blocks(x), copy, (x, y, 128))
    torch.cuda.current_stream().wait_event(event)
    return y + 1  # expect: TC407


def written_in_place_while_it_is_read(x, y):
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        ct.launch(torch.cuda.current_stream(), blocks(x), copy, (x, y, 128))
    x += 1  # expect: TC407


def waits_on_one_path(x, y, wait):
    side = torch.cuda.Stream()
    ct.launch(side, blocks(x), copy, (x, y, 128))
    if wait:
        torch.cuda.current_stream().wait_stream(side)
    return y.cpu()  # expect: TC407


# --- TC408 -----------------------------------------------------------------------------------------------------------

def in_the_wrong_order(x, y):
    ct.launch(torch.cuda.current_stream(), blocks(x), copy, (x, 128, y[:]))  # expect: TC408
