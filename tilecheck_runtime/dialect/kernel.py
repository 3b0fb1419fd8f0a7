"""Kernels of the ownership dialect, without what launches them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import FunctionType, MappingProxyType
from typing import Any

from tilecheck_runtime.dialect.entry import Entry, entry
from tilecheck_runtime.dialect.plan import Plan
from tilecheck_runtime.dialect.signature import Signature, signature

__all__ = ["DialectKernel"]


class DialectKernel:
    """A decorated function: its parameters, and its specialization for a plan.

    hints  for the compiler, as `ct.kernel` takes them
    """

    def __init__(self, function: Callable[..., Any], hints: Mapping[str, Any]) -> None:
        self._pyfunc = function
        self.hints: Mapping[str, Any] = MappingProxyType(dict(hints))  # read-only: compiled code depends on them
        wrapper: Any = self
        functools.update_wrapper(wrapper, function)

    @property
    def signature(self) -> Signature:
        """The parameters, from the annotations. Raises SignatureError."""
        return signature(self._pyfunc)

    def entry(self, plan: Plan) -> Entry:
        """The kernel specialized for a plan. Raises SignatureError and PlanError."""
        if not isinstance(self._pyfunc, FunctionType):
            raise TypeError(f"@kernel is for a plain function, not for {self._pyfunc!r}")
        return entry(self._pyfunc, plan)

    def __repr__(self) -> str:
        return f"<kernel {getattr(self._pyfunc, '__qualname__', self._pyfunc)}>"
