"""`@kernel`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, ParamSpec, overload

from tilecheck_runtime.compile.compiled import Compiled
from tilecheck_runtime.dialect.kernel import DialectKernel
from tilecheck_runtime.launches.bound import BoundLaunch
from tilecheck_runtime.launches.launch import Launch

__all__ = ["Kernel", "kernel"]

P = ParamSpec("P")


class Kernel(DialectKernel, Generic[P]):
    """A kernel of the dialect. Calling it builds a launch, which runs later."""

    def replace_hints(self, **hints: Any) -> Kernel[P]:
        """The same kernel with other hints for the compiler."""
        return Kernel(self._pyfunc, {**self.hints, **hints})

    def compile(self, *args: Any, arch: str | None = None, unchecked: str | None = None, **kwargs: Any) -> Compiled:
        """Compiles the kernel for a launch with these arguments, which are neither moved nor read. A later launch finds
        the machine code in the cache. A text can describe the arguments instead (`compile/signature_syntax.py`).

        arch       such as "sm_90"; by default that of the GPU that holds the arguments
        unchecked  the reason why a kernel that the checker does not accept is correct

        Raises CompileError, and OwnershipError for arguments that a launch would refuse.
        """
        from tilecheck_runtime.api.compile_ahead import compile_for_launch

        return compile_for_launch(self, args, kwargs, arch, unchecked)

    def __call__(self, *args: Any, **kwargs: Any) -> Launch[Any]:
        """Builds the launch of this kernel with host tensors, to be run later. Raises OwnershipError."""
        from tilecheck_runtime.launch_cache.repeat import launch_or_repeat

        setattr(Kernel, "__call__", launch_or_repeat)  # noqa: B010  # later calls go to the cache directly
        return launch_or_repeat(self, *args, **kwargs)

    def bind(self, *args: Any, **kwargs: Any) -> BoundLaunch:
        """Binds arguments to this kernel, to launch it many times. Raises OwnershipError as a call does."""
        from tilecheck_runtime.launches.bound import BoundLaunch
        from tilecheck_runtime.launches.launch import build_launch

        return BoundLaunch(build_launch(self, args, kwargs))


@overload
def kernel(function: Callable[P, Any], /) -> Kernel[P]: ...


@overload
def kernel(function: None = None, /, **hints: Any) -> Callable[[Callable[P, Any]], Kernel[P]]: ...


def kernel(function: Any = None, /, **hints: Any) -> Any:
    """Marks a kernel: `@kernel`, or `@kernel(occupancy=2, num_ctas=1)` with hints for the compiler.

    Never raises, so that one wrong kernel does not prevent its module from being imported. Errors of a kernel are
    reported when it is checked, compiled or launched.
    """
    if function is None:
        return lambda decorated: Kernel(decorated, hints)
    return Kernel(function, hints)
