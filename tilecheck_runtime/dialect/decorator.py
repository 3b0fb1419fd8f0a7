"""`@kernel`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import FunctionType, MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, overload

from tilecheck_runtime.dialect.entry import Entry, entry
from tilecheck_runtime.dialect.plan import Plan
from tilecheck_runtime.dialect.signature import Signature, signature

if TYPE_CHECKING:
    from tilecheck_runtime.compile.build import Compiled
    from tilecheck_runtime.launches.bound import BoundLaunch
    from tilecheck_runtime.launches.launch import Launch

__all__ = ["Kernel", "kernel"]

P = ParamSpec("P")


class Kernel(Generic[P]):
    """A kernel of the dialect. Calling it builds a launch, which runs later.

    hints  for the compiler, as `ct.kernel` takes them
    """

    def __init__(self, function: Callable[P, Any], hints: Mapping[str, Any]) -> None:
        self._pyfunc = function
        self.hints: Mapping[str, Any] = MappingProxyType(dict(hints))  # code that is known was made for them
        functools.update_wrapper(self, function)

    @property
    def signature(self) -> Signature:
        """What the annotations say. Raises SignatureError."""
        return signature(self._pyfunc)

    def entry(self, plan: Plan) -> Entry:
        """The kernel specialized for a plan. Raises SignatureError and PlanError."""
        if not isinstance(self._pyfunc, FunctionType):
            raise TypeError(f"@kernel is for a plain function, not for {self._pyfunc!r}")
        return entry(self._pyfunc, plan)

    def replace_hints(self, **hints: Any) -> Kernel[P]:
        """The same kernel with other hints for the compiler."""
        return Kernel(self._pyfunc, {**self.hints, **hints})

    def compile(self, *args: Any, arch: str | None = None, unchecked: str | None = None, **kwargs: Any) -> Compiled:
        """Compiles the kernel for a launch with these arguments, which are neither moved nor read: the launch itself
        then finds it in the cache. In place of the arguments a text may describe them (`compile/sketch.py`).

        arch       such as "sm_90"; that of the GPU which the arguments are on, where it is left out
        unchecked  why a kernel that the checker does not accept is right

        Raises CompileError, and OwnershipError for arguments that a launch would refuse.
        """
        from tilecheck_runtime.compile.warm import compiled

        return compiled(self, args, kwargs, arch, unchecked)

    def __call__(self, *args: Any, **kwargs: Any) -> Launch[Any]:
        """The launch of this kernel with host tensors, to be run later. Raises OwnershipError."""
        from tilecheck_runtime.launches.familiar import called

        setattr(Kernel, "__call__", called)  # noqa: B010  # from now on no call and no import in between
        return called(self, *args, **kwargs)

    def bind(self, *args: Any, **kwargs: Any) -> BoundLaunch:
        """This kernel with its arguments, ready to be launched many times. Raises OwnershipError as a call does."""
        from tilecheck_runtime.launches.bound import BoundLaunch
        from tilecheck_runtime.launches.launch import build

        return BoundLaunch(build(self, args, kwargs))

    def __repr__(self) -> str:
        return f"<kernel {getattr(self._pyfunc, '__qualname__', self._pyfunc)}>"


@overload
def kernel(function: Callable[P, Any], /) -> Kernel[P]: ...


@overload
def kernel(function: None = None, /, **hints: Any) -> Callable[[Callable[P, Any]], Kernel[P]]: ...


def kernel(function: Any = None, /, **hints: Any) -> Any:
    """Marks a kernel: `@kernel`, or `@kernel(occupancy=2, num_ctas=1)` with hints for the compiler.

    Never raises: what is wrong with a kernel is said when it is checked, compiled or launched, so that one bad kernel
    does not take its module along.
    """
    if function is None:
        return lambda decorated: Kernel(decorated, hints)
    return Kernel(function, hints)
