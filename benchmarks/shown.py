"""Memory of tensors as other libraries take it, and results as they are written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tilecheck_runtime.tools.bench import Comparison

__all__ = ["TOLERANCE", "against_by_hand", "comparison_facts", "torch_view"]

TOLERANCE = 0.005
"""The allowed relative difference of two kernels with the same schedule."""


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


def against_by_hand(what: str, result: Mapping[str, Any]) -> tuple[str, bool]:
    """The requirement on our kernel, the second of a comparison: it takes at most half a percent longer than the
    hand-written one, by the upper end of the interval. It may take less time, for example without bounds checks that
    are proved unnecessary; the line notes this."""
    ratio, (low, high) = result["ratio"], result["interval"]
    how = ("as fast" if result["within_half_a_percent"] else f"{100 * (1 - ratio):.1f} % faster" if high < 1 else
           f"{100 * (ratio - 1):.1f} % slower" if low > 1 else "neither faster nor slower for certain")
    code = {True: "the same machine code", False: "other machine code", None: "machine code not compared"}
    return (f"{what}, against the same by hand: {ratio:.4f} ({low:.4f} to {high:.4f}) of its time, {how}, "
            f"{code[result.get('same_machine_code')]}; upper end <= {1 + TOLERANCE}"), high <= 1 + TOLERANCE


def comparison_facts(comparison: Comparison, same_machine_code: bool | None = None) -> dict[str, Any]:
    """A comparison, whether its interval says that both are equally fast, and whether their code is the same."""
    return {"ratio": comparison.ratio, "interval": comparison.interval, "same_machine_code": same_machine_code,
            "within_half_a_percent":
            comparison.within(TOLERANCE), "first_us": comparison.first.median, "second_us": comparison.second.median,
            "first": comparison.first.samples, "second": comparison.second.samples}
