"""Compiled kernels of a device: made and loaded when they are first launched, one for each set of assumptions."""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType
from typing import Any, Final, cast

from tilecheck_runtime.backends.cuda.driver import Driver
from tilecheck_runtime.backends.cuda.packing import Packing
from tilecheck_runtime.backends.interface import Job
from tilecheck_runtime.compile.build import build
from tilecheck_runtime.compile.facts import signature_of
from tilecheck_runtime.compile.options import Options
from tilecheck_runtime.compile.refine import refined
from tilecheck_runtime.compile.settled import require_settled
from tilecheck_runtime.cpu.execute import AUTHORED
from tilecheck_runtime.dialect.plan import Plan

__all__ = ["Loaded", "Loader"]


class Loaded:
    """A kernel on a device.

    function  of the driver
    packing   of its arguments
    """

    def __init__(self, function: Any, packing: Packing) -> None:
        self.function, self.packing = function, packing


class Loader:
    """The kernels of a device."""

    def __init__(self, driver: Driver, ordinal: int) -> None:
        self._driver, self._ordinal = driver, ordinal
        self.arch: Final = driver.arch(ordinal)
        self._loaded: dict[Any, Loaded] = {}

    def planned(self, function: FunctionType, plan: Plan, numbers: Mapping[str, int]) -> Plan:
        """The plan without what this launch does not need. Raises CompileError where there are no tools."""
        return refined(function, plan, numbers)

    def loaded(self, job: Job) -> Loaded:
        """The kernel of a job, compiled for what its arguments allow. Raises CompileError, also
        for a kernel that the checker did not settle."""
        function = cast(FunctionType, job.function)
        signature = signature_of(function, job.arguments)
        options = Options.of(job.hints, self.arch)
        key = (function, signature, options)
        found = self._loaded.get(key)
        if found is None:
            require_settled(getattr(function, AUTHORED, function))
            compiled = build(function, signature, self.arch, options)
            self._driver.enter(self._ordinal)
            library = self._driver.load(compiled.cubin)
            found = Loaded(self._driver.function(library, compiled.symbol), Packing(compiled.parameters))
            self._loaded[key] = found
        return found
