"""Arrays of other libraries as arguments."""

from __future__ import annotations

from typing import Any

import cuda.tile as ct
import ml_dtypes
import numpy as np
import pytest

from tests.runtime.kernels import run
from tilecheck_runtime.cpu.execution.execute import sanitize
from tilecheck_runtime.errors.language import TileError


def double_tile(x, y, T: ct.Constant[int]):
    ct.store(y, (0,), ct.load(x, (0,), (T,)) * 2)


class Interface:
    """An array known by its memory only."""

    def __init__(self, data: Any) -> None:
        self.data = data
        self.__array_interface__ = data.__array_interface__


class Exchange:
    """An array known by DLPack only."""

    def __init__(self, data: Any) -> None:
        self.data = data

    def __dlpack__(self, **options: Any) -> Any:
        return self.data.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.data.__dlpack_device__()


@pytest.mark.parametrize("wrap", [Interface, Exchange])
def test_arrays_of_others_share_their_memory(wrap):
    x, y = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    assert run(double_tile, wrap(x), wrap(y), 4).clean
    assert (y == 2 * x).all()


class Tensor:
    """As much of a torch tensor as is needed: NumPy does not know its element type."""

    device = "cpu"
    dtype = "torch.bfloat16"

    def __init__(self, data: Any) -> None:
        self._data = data

    def detach(self) -> Tensor:
        return self

    def view(self, dtype: Any) -> Tensor:
        assert dtype == "int16"
        return Tensor(self._data.view(np.int16))

    def numpy(self) -> Any:
        return self._data


Tensor.__module__ = "torch"


def test_tensors_of_types_that_numpy_lacks(monkeypatch: pytest.MonkeyPatch):
    import sys
    from types import ModuleType

    torch = ModuleType("torch")
    vars(torch)["int16"] = "int16"
    monkeypatch.setitem(sys.modules, "torch", torch)
    x, y = (np.array(v).astype(ml_dtypes.bfloat16) for v in ([1, 2, 3, 4], [0, 0, 0, 0]))
    assert run(double_tile, Tensor(x), Tensor(y), 4).clean
    assert y.astype(float).tolist() == [2, 4, 6, 8]


def test_tensors_elsewhere_are_refused():
    tensor = Tensor(np.zeros(4, np.float32))
    tensor.device = "cuda:0"
    with pytest.raises(TypeError, match="cuda:0"):
        run(double_tile, tensor, tensor, 4)


def test_torch_when_it_is_there():
    torch = pytest.importorskip("torch")
    for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.int64):
        x, y = torch.arange(4).to(dtype), torch.zeros(4, dtype=dtype)
        assert run(double_tile, x, y, 4).clean
        assert y.tolist() == [0, 2, 4, 6]


def copy_tile(x, o, T: ct.Constant[int]):
    ct.store(o, (ct.bid(0),), ct.load(x, (ct.bid(0),), (T,)))


def _frozen(count: int) -> np.ndarray:
    made = np.zeros(count, np.float32)
    made.flags.writeable = False
    return made


def loop_forever(x):
    return loop_forever(x)


def calls_endless(x, o, T: ct.Constant[int]):
    loop_forever(x)


def use_misspelt_name(x, o, T: ct.Constant[int]):
    ct.lod(x, (0,), (T,))


X = np.zeros(8, np.float32)
REFUSED = [
    (copy_tile, (2,), (X.astype(">f4"), X, 4), "argument 'x': arrays of >f4 are not supported"),
    (copy_tile, (2,), (X, X.astype(object), 4), "argument 'o': arrays of object are not supported"),
    (copy_tile, (2,), (X, X.copy(), np.int32(4)), "argument 'T' is a NumPy scalar: pass `T.item()`"),
    (
        copy_tile,
        (2,),
        (None, X, 4),
        "argument 'x' is of type NoneType; kernels take arrays, numbers, tuples and lists of arrays",
    ),
    (
        copy_tile,
        (8 / 4,),
        (X, X.copy(), 4),
        "the grid must be a tuple of integers, not (2.0,): divide with `//` or `ct.cdiv`",
    ),
    (
        copy_tile,
        (2,),
        (X, _frozen(8), 4),
        "`o` cannot be written on the host, and the kernel writes it in block 0 "
        "of `copy_tile`, whose grid is (2, 1, 1)",
    ),
    (
        calls_endless,
        (1,),
        (X, X.copy(), 4),
        "a helper calls itself without end in block 0 of `calls_endless`, whose grid is (1, 1, 1)",
    ),
    (use_misspelt_name, (1,), (X, X.copy(), 4), "ct.lod is not known to the CPU: did you mean ct.load?"),
]


@pytest.mark.parametrize(("body", "grid", "arguments", "message"), REFUSED)
def test_refused_arguments_are_named(body, grid, arguments, message):
    with pytest.raises((TypeError, TileError)) as caught:
        sanitize(body, grid, arguments, seed=None)
    assert str(caught.value) == message


def test_inputs_may_be_read_only_arrays():
    assert sanitize(ct.kernel(copy_tile), (2,), (_frozen(8), np.zeros(8, np.float32), 4)).clean
