"""Tensors of torch, on either device, read and written where they are."""

from __future__ import annotations

from typing import Any, TypeVar

import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel

B = TypeVar("B", bound=int)


@kernel
def add(z: Mut[f32, B], x: Ref[f32, Dyn], y: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z) + y.load_like(z))


def added(x: Any, y: Any) -> Any:
    """x + y as a new tensor of torch."""
    import torch

    out = torch.empty_like(x)
    add(tcr.from_dlpack(out).partition(256), tcr.from_dlpack(x), tcr.from_dlpack(y)).sync()
    return out


def main() -> None:
    try:
        import torch
    except ImportError:
        raise SystemExit("this example needs PyTorch: pip install torch") from None

    device = "cuda" if torch.cuda.is_available() else "cpu"
    x, y = torch.randn(1000, device=device), torch.randn(1000, device=device)
    assert torch.equal(added(x, y), x + y)
    try:
        add(tcr.from_dlpack(x[:600]).partition(256), tcr.from_dlpack(x[400:]), tcr.from_dlpack(y))
    except tcr.AliasedError as error:
        print(error.summary)


if __name__ == "__main__":
    main()
