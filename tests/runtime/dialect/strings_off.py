"""A kernel in a module whose annotations are evaluated at once."""

from typing import TypeVar

from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel

B = TypeVar("B", bound=int)


@kernel
def copy(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z))
