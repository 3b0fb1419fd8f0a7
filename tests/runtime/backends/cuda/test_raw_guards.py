"""Guards of raw launches, on arrays that only say that they lie on a GPU."""

from __future__ import annotations

from types import SimpleNamespace

import cuda.tile as ct
import numpy as np
import pytest

import tilecheck_runtime as tcr
from examples.head_permutation import permute_heads, permute_heads_racy
from examples.vector_add import vector_add
from tests.runtime.launches.refusals import check_refused
from tilecheck_runtime import requires, unsafe
from tilecheck_runtime.api import raw_launch as raw
from tilecheck_runtime.contracts.guard import VARIABLE


class OnGPU:
    """Says what an array on a GPU says of itself."""

    def __init__(self, shape, address=0x10000, kind=np.float32, strides=None, readonly=False):
        self.__cuda_array_interface__ = {"shape": shape, "strides": strides, "typestr": np.dtype(kind).str,
                                         "data": (address, readonly), "version": 3}


@pytest.fixture
def devices(monkeypatch):
    """The device of each address."""
    found = {}
    monkeypatch.setattr(raw, "_device_of_address", lambda address: found.get(address, 0))
    return found


@pytest.fixture
def launched(monkeypatch, devices):
    """The calls that reach `ct.launch`."""
    calls = []
    monkeypatch.setattr(ct, "launch", lambda *a, **k: calls.append((a, k)), raising=False)
    return calls


def three(n=64, **of_out):
    return OnGPU((n,), 0x10000), OnGPU((n,), 0x20000), OnGPU((n,), of_out.pop("at", 0x30000), **of_out)


def test_a_right_launch_passes(launched):
    x, y, out = three()
    tcr.launch(7, (4, 1, 1), vector_add, (x, y, out, 16))
    ((stream, grid, kernel, arguments), options), = launched
    assert (stream, grid, kernel, arguments, options) == (7, (4, 1, 1), vector_add, (x, y, out, 16), {})
    x = OnGPU((64,), 0x10000)
    tcr.launch(7, (4,), vector_add, (x, x, out, 16), programmatic_dependent_launch=True)  # two inputs may be one
    assert launched[1][1] == {"programmatic_dependent_launch": True}


def test_written_memory_has_one_user(launched):
    x, y, out = three(at=0x10000 + 63 * 4)
    error = check_refused(tcr.AliasedError, lambda: tcr.launch(7, (4, 1, 1), vector_add, (x, y, out, 16)))
    assert error.summary == "`out` and `x` of `vector_add` share memory, and the kernel writes `out`"
    assert "clone" in error.fix and not launched


def test_overlap_in_name_only_passes(launched):
    """Odd and even elements share no byte."""
    odd, even = OnGPU((32,), 0x10004, strides=(8,)), OnGPU((32,), 0x10000, strides=(8,))
    tcr.launch(7, (2, 1, 1), vector_add, (even, even, odd, 16))
    assert len(launched) == 1


@pytest.mark.parametrize(("out", "kind", "says"), [
    ({"readonly": True}, tcr.ReadOnlyError, "`out` of `vector_add` is read-only, and the kernel writes it"),
    ({"strides": (0,)}, tcr.ReadOnlyError, "several of its elements lie at one address"),
    ({"strides": (-4,), "at": 0x30400}, tcr.LaunchArgumentError, "has stride -4 bytes on axis 0, which is negative"),
    ({"strides": (6,)}, tcr.LaunchArgumentError, "which is not a multiple of its 4-byte elements"),
    ({"strides": (1 << 33,)}, tcr.LaunchArgumentError, "kernels count in 32 bits"),
])
def test_memory_with_an_unsupported_layout_is_refused(launched, out, kind, says):
    x, y, out = three(**out)
    error = check_refused(kind, lambda: tcr.launch(7, (4, 1, 1), vector_add, (x, y, out, 16)))
    assert says in error.summary and not launched


def test_inputs_may_be_read_only(launched):
    _, y, out = three()
    tcr.launch(7, (4, 1, 1), vector_add, (OnGPU((64,), 0x10000, readonly=True), y, out, 16))
    assert launched


@pytest.mark.parametrize(("grid", "says"), [
    ((5, 1, 1), "`vector_add` needs `grid[0] <= cdiv(x.shape[0], T)`"),
    ((4, 2, 1), "`vector_add` needs `grid[1] == 1`"),
])
def test_a_grid_that_breaks_the_contract(launched, grid, says):
    error = check_refused(tcr.ContractError, lambda: tcr.launch(7, grid, vector_add, (*three(), 16)))
    assert says in error.summary and not launched


@pytest.mark.parametrize(("grid", "says"), [
    ([4, 1, 1], "it is a tuple"), ((1, 1, 1, 1), "it is a tuple"), ((0,), "has 0 blocks along axis 0"),
    ((1, 1 << 24), "has 16777216 blocks along axis 1"), ((1.5,), "it is a tuple"),
])
def test_an_invalid_grid_is_refused(launched, grid, says):
    error = check_refused(tcr.GridError, lambda: tcr.launch(7, grid, vector_add, (*three(), 16)))
    assert says in error.summary and not launched


def test_too_few_arguments(launched):
    error = check_refused(tcr.LaunchArgumentError, lambda: tcr.launch(7, (4,), vector_add, three()))
    assert error.summary == "`vector_add` takes 4 arguments (x, y, out, T), 3 were given"


def test_two_devices(launched, devices):
    devices[0x20000] = 1
    error = check_refused(tcr.LaunchArgumentError, lambda: tcr.launch(7, (4,), vector_add, (*three(), 16)))
    assert error.summary == "`y` of `vector_add` lies on cuda:1, and `x` on cuda:0"


def heads(count=4):
    return OnGPU((2, count, 64, 32), 0x100000), OnGPU((2, 64, count, 32), 0x900000)


def test_a_kernel_that_was_refuted(launched):
    error = check_refused(tcr.RefutedError,
                    lambda: tcr.launch(7, (8, 4, 1), permute_heads_racy, (*heads(), 4, 32, 32)))
    assert error.code == "TC101" and "`permute_heads_racy`" in error.summary and not launched
    tcr.launch(7, (8, 1, 1), permute_heads, (*heads(), 4, 32, 32))
    assert len(launched) == 1


@unsafe("the blocks of one place are one block here")
@ct.kernel
def racy_but_mine(z, n: ct.Constant[int]):
    ct.store(z, (0,), ct.full((n,), ct.bid(0), ct.float32))


@requires("z.shape[0] % n == 0")
@ct.kernel
def declared(z, n: ct.Constant[int]):
    ct.store(z, (ct.bid(0),), ct.full((n,), 1.0, ct.float32))


def test_a_suppression_and_a_declaration_are_honoured(launched):
    tcr.launch(7, (2,), racy_but_mine, (OnGPU((16,)), 16))
    assert len(launched) == 1
    error = check_refused(tcr.ContractError, lambda: tcr.launch(7, (2,), declared, (OnGPU((40,)), 16)))
    assert "declares `z.shape[0] % n == 0`" in error.summary


@ct.kernel
def sums(xs, out, n: ct.Constant[int]):
    i = ct.bid(0)
    total = ct.zeros((n,), ct.float32)
    for k in range(len(xs)):
        total = total + ct.load(xs[k], (i,), (n,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, (i,), total)


def test_lists_of_arrays(launched, monkeypatch):
    x, y, out = three()
    monkeypatch.setattr(raw, "driver", lambda: SimpleNamespace(is_capturing=lambda handle: handle == 9))
    arguments = ([x, y], out, 16)
    tcr.launch(7, (4,), unsafe("the checker does not see lists")(sums), arguments)
    error = check_refused(tcr.CaptureError, lambda: tcr.launch(9, (4,), sums, arguments))
    assert error.summary.startswith("`xs` of `sums` is a list of arrays")
    error = check_refused(tcr.AliasedError, lambda: tcr.launch(7, (4,), sums, ([x, out], out, 16)))
    assert "`xs[1]`" in error.summary and len(launched) == 1


def test_modes(launched, monkeypatch):
    bad = (5, 1, 1), vector_add, (*three(), 16)
    monkeypatch.setenv(VARIABLE, "warn")
    with pytest.warns(tcr.GuardWarning, match="TC405"):
        tcr.launch(7, *bad)
    with pytest.warns(tcr.GuardWarning, match="TC405"):
        tcr.launch(7, *bad)
    monkeypatch.setenv(VARIABLE, "off")
    tcr.launch(7, *bad)
    assert len(launched) == 3
    for same in ("", "error"):
        monkeypatch.setenv(VARIABLE, same)
        check_refused(tcr.ContractError, lambda: tcr.launch(7, *bad))
    monkeypatch.setenv(VARIABLE, "yes")
    error = check_refused(tcr.LaunchArgumentError, lambda: tcr.launch(7, *bad))
    assert error.summary == "TILECHECK_GUARD is 'yes'" and error.fix == "set it to off, warn, error"
    assert len(launched) == 3


def test_arrays_of_the_host_run_on_the_cpu(launched):
    x, out = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    tcr.launch(None, (2,), vector_add, (x, x, out, 4))
    assert (out == 2 * x).all() and not launched


def _make_divided(steps):
    """A kernel whose number of blocks for a tile is known when it is compiled."""
    @ct.kernel
    def divided(x, out, T: ct.Constant[int]):
        i = ct.bid(0)
        step = ct.static_eval(max(steps.values()))
        ct.store(out, (i // step,), ct.load(x, (i,), (T,)))

    return divided


def test_a_kernel_of_a_factory_is_refuted_by_its_representation(launched):
    pytest.importorskip("cuda.tile._compile", reason="the representation comes from the package cuda-tile")
    x, _, out = three()
    tcr.launch(7, (4,), _make_divided({"a": 1}), (x, out, 16))
    assert len(launched) == 1
    error = check_refused(tcr.RefutedError, lambda: tcr.launch(7, (4,), _make_divided({"a": 2}), (x, out, 16)))
    assert "blocks (0, 0, 0) and (1, 0, 0) access element 0 of `out`" in str(error)
    assert len(launched) == 1


@ct.kernel
def halved(out, p):
    i = ct.bid(0)
    if p > 0 and p < 1:
        i = i // 2
    ct.scatter(out, i, 1.0)


@ct.kernel
def spread(out, p):
    ct.scatter(out, ct.bid(0) * ct.astype(p, ct.int64), 1.0)


@pytest.mark.parametrize("value", [0.5, True, 2.0, float("nan")])
def test_a_number_that_is_not_an_integer(launched, value):
    tcr.launch(7, (4,), halved, (OnGPU((64,)), 1))
    error = check_refused(tcr.ContractError, lambda: tcr.launch(7, (4,), halved, (OnGPU((64,)), value)))
    assert error.summary == f"`halved` needs `integer(p)`; here `p` is {value!r}" and len(launched) == 1


def test_a_clause_on_a_number_holds_for_the_integers_beside_a_fraction(launched):
    tcr.launch(7, (4,), spread, (OnGPU((64,)), 2.5))
    error = check_refused(tcr.ContractError, lambda: tcr.launch(7, (4,), spread, (OnGPU((64,)), 0.5)))
    assert "`spread` needs `p >= 1`" in error.summary and len(launched) == 1


@ct.kernel
def fill_all(outs, n: ct.Constant[int]):
    for k in range(len(outs)):
        ct.store(outs[k], (ct.bid(0),), ct.full((n,), 1.0, ct.float32))


def test_the_arrays_of_a_written_list_share_no_memory(launched, monkeypatch):
    monkeypatch.setattr(raw, "driver", lambda: SimpleNamespace(is_capturing=lambda stream: False))
    first, second = OnGPU((64,), 0x10000), OnGPU((64,), 0x20000)
    tcr.launch(7, (4,), fill_all, ([first, second], 16))
    for other in (first, OnGPU((64,), 0x10000 + 63 * 4)):
        error = check_refused(tcr.AliasedError, lambda other=other: tcr.launch(
            7, (4,), fill_all, ([first, second, other], 16)))
        assert "`outs[0]` and `outs[2]` of `fill_all` share memory" in error.summary
    assert len(launched) == 1
