"""Memory of tensors as other libraries take it, and results as they are written."""

from __future__ import annotations

from typing import Any

from tilecheck_runtime.tools.bench import Comparison

__all__ = ["TOLERANCE", "told", "torch_view"]

TOLERANCE = 0.005
"""What two kernels with the same schedule may differ by."""


class _Shown:
    """Our memory as `ct.launch` takes it."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle
        layout, memory = handle._layout, handle._storage.memory
        size = layout.itemsize
        self.__cuda_array_interface__ = {
            "shape": layout.shape, "strides": tuple(s * size for s in layout.strides), "version": 3,
            "typestr": f"<{'f' if layout.dtype.name == 'float32' else 'V'}{size}",
            "data": (memory.address + layout.offset, False),
        }


def torch_view(handle: Any) -> Any:
    """Our memory as a tensor of torch."""
    import torch

    shown = _Shown(handle)
    layout = handle._layout
    if layout.dtype.name == "float32":
        return torch.as_tensor(shown, device="cuda")
    shown.__cuda_array_interface__["typestr"] = "<i2"
    return torch.as_tensor(shown, device="cuda").view(torch.bfloat16)


def told(comparison: Comparison) -> dict[str, Any]:
    """A comparison, and whether its interval says that both are equally fast."""
    return {"ratio": comparison.ratio, "interval": comparison.interval, "within_half_a_percent":
            comparison.within(TOLERANCE), "first_us": comparison.first.median, "second_us": comparison.second.median,
            "first": comparison.first.samples, "second": comparison.second.samples}
