"""Raw launches with tensors and streams of torch, and what happens to a kernel that races."""

from __future__ import annotations

import gc

import cuda.tile as ct
import numpy as np
import pytest

import tilecheck_runtime as tcr
from examples.head_permutation import permute_heads, permute_heads_racy
from examples.vector_add import vector_add
from tests.cases.dialect import add
from tests.runtime.backends.cuda.test_raw_guards import sums
from tilecheck_runtime import bf16, f32

torch = pytest.importorskip("torch")


@pytest.fixture
def xyz():
    return [torch.randn(4096, device="cuda") for _ in range(2)] + [torch.full((4096,), float("nan"), device="cuda")]


@pytest.mark.parametrize("side", [False, True])
def test_torch_tensors_and_streams(xyz, side):
    x, y, out = xyz
    stream = torch.cuda.Stream() if side else torch.cuda.current_stream()
    stream.wait_stream(torch.cuda.current_stream())
    tcr.launch(stream, (32, 1, 1), vector_add, (x, y, out, 128))
    stream.synchronize()
    assert torch.equal(out, x + y)


def test_bad_launches_are_refused_and_change_nothing(xyz):
    x, y, out = xyz
    stream = torch.cuda.current_stream()
    with pytest.raises(tcr.AliasedError):
        tcr.launch(stream, (32, 1, 1), vector_add, (x, y, x, 128))
    with pytest.raises(tcr.AliasedError):
        tcr.launch(stream, (31, 1, 1), vector_add, (x[:3968], y[:3968], x[1:3969], 128))
    with pytest.raises(tcr.ContractError):
        tcr.launch(stream, (33, 1, 1), vector_add, (x, y, out, 128))
    with pytest.raises(tcr.ReadOnlyError):
        tcr.launch(stream, (32, 1, 1), vector_add, (x, y, out[:1].expand(4096), 128))
    assert torch.isnan(out).all()


def test_a_list_of_arrays_is_launched_and_not_captured(xyz):
    x, y, out = xyz
    kernel = tcr.unsafe("the checker does not see lists")(sums)
    stream = torch.cuda.current_stream()
    tcr.launch(stream, (32,), kernel, ([x, y, x], out, 128))
    assert torch.allclose(out, 2 * x + y)
    with pytest.raises(tcr.AliasedError, match=r"`xs\[1\]`"):
        tcr.launch(stream, (32,), kernel, ([x, out], out, 128))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph), pytest.raises(tcr.CaptureError, match="is a list of arrays"):
        tcr.launch(torch.cuda.current_stream(), (32,), kernel, ([x, y], out, 128))


def heads(count=8):
    src = torch.randn((4, count, 256, 64), device="cuda")
    return src, torch.zeros((4, 256, count, 64), device="cuda")


def test_a_race_is_real_and_refused():
    src, dst = heads()
    grid, arguments = (32, 8, 1), (src, dst, 8, 32, 64)
    seen = []
    for _ in range(20):
        ct.launch(torch.cuda.current_stream(), grid, permute_heads_racy, arguments)
        seen.append(dst.clone())
    differ = max((a != seen[0]).float().mean().item() for a in seen[1:])
    wrong = (seen[0] != src.permute(0, 2, 1, 3)).float().mean().item()
    print(f"runs differ in {differ:.1%} of the elements; wrong are {wrong:.1%}")
    assert wrong > 0.5 and differ > 0
    with pytest.raises(tcr.RefutedError):
        tcr.launch(torch.cuda.current_stream(), grid, permute_heads_racy, arguments)
    report = tcr.sanitize(permute_heads_racy, (4, 2, 1), (np.zeros((2, 2, 8, 8), np.float32),
                                                          np.zeros((2, 8, 2, 8), np.float32), 2, 8, 8))
    assert "TC101" in report.codes()
    tcr.launch(torch.cuda.current_stream(), (32, 1, 1), permute_heads, arguments)
    assert torch.equal(dst, src.permute(0, 2, 1, 3))


def test_tensors_of_torch_in_the_dialect():
    x, y = torch.randn(5000, device="cuda"), torch.randn(5000, device="cuda")
    out = torch.full((5000,), float("nan"), device="cuda")
    z = add(tcr.from_dlpack(out).partition(128), tcr.from_dlpack(x), tcr.from_dlpack(y)).sync()
    assert torch.equal(out, x + y) and (z.numpy() == (x + y).cpu().numpy()).all()
    with pytest.raises(tcr.AliasedError):
        add(tcr.from_dlpack(x).partition(128), tcr.from_dlpack(x), tcr.from_dlpack(y))
    with pytest.raises(tcr.AliasedError):
        add(tcr.from_dlpack(x[:4000]).partition(128), tcr.from_dlpack(x[1000:]), tcr.from_dlpack(y))
    with pytest.raises(tcr.ForeignMemoryError, match="requires a gradient"):
        tcr.from_dlpack(torch.zeros(4, device="cuda", requires_grad=True))
    with pytest.raises(tcr.ReadOnlyError):
        tcr.from_dlpack(x[:1].expand(64)).partition(16)
    wide = torch.randn(64, 64, device="cuda", dtype=torch.bfloat16)
    ours = tcr.from_dlpack(wide.T)
    assert ours.dtype is bf16
    assert (ours.numpy().astype(np.float32) == wide.T.float().cpu().numpy()).all()


def test_torch_memory_is_retained_until_a_launch_ends():
    n = 1 << 24
    x = torch.ones(n, device="cuda")
    out = torch.zeros(n, device="cuda")
    kept = out.data_ptr()
    bound = add.bind(tcr.from_dlpack(out).partition(1024), tcr.from_dlpack(x), tcr.from_dlpack(x))
    for _ in range(20):
        bound()
    del out, x
    gc.collect()
    assert all(torch.empty(n, device="cuda").data_ptr() != kept for _ in range(4))
    assert (bound.release().numpy() == 2).all()


def test_our_launches_wait_for_work_of_torch():
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        a = torch.randn(4096, 4096, device="cuda")
        for _ in range(20):
            a = a @ a * 1e-3
        x = a.reshape(-1)
        ours = tcr.from_dlpack(x)
    z = add(tcr.zeros((x.numel(),), f32).partition(1024), ours, ours).sync()
    side.synchronize()
    assert torch.equal(torch.from_numpy(z.numpy()), (x + x).cpu())


def test_our_memory_in_torch():
    x = tcr.arange(5000, dtype=f32)
    theirs = torch.as_tensor(x.lend(), device="cuda")
    assert theirs.data_ptr() == x._storage.memory.address and torch.equal(theirs.cpu(), torch.arange(5000.0))
    theirs += 1
    with pytest.raises(tcr.SharedError):
        x.numpy()
    torch.cuda.synchronize()
    del theirs
    gc.collect()
    assert (x.numpy() == np.arange(1, 5001)).all()
