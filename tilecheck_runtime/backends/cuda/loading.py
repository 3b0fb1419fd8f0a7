"""Compiled kernels of a device: built and loaded at their first launch, once for each set of assumptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from types import FunctionType
from typing import Any, Final, cast

from tilecheck_runtime.backends.cuda.driver import Driver
from tilecheck_runtime.backends.cuda.packing import Packing
from tilecheck_runtime.backends.interface import Job, Memory
from tilecheck_runtime.compile.build import build
from tilecheck_runtime.compile.facts import address, signature_of
from tilecheck_runtime.compile.options import Options
from tilecheck_runtime.compile.prebuilt import code_of
from tilecheck_runtime.compile.refine import refine_plan
from tilecheck_runtime.compile.verification_gate import require_verified
from tilecheck_runtime.dialect.plan import Plan
from tilecheck_runtime.ownership.memory import Strided
from tilecheck_runtime.tile_language.kernels import AUTHORED

__all__ = ["Loaded", "Loader"]

_MOST: Final = 4096
"""Launches that are remembered before all of them are forgotten."""
_ALIGNED: Final = 256
"""Bytes. No generated code assumes a larger alignment."""


class Loaded:
    """A kernel on a device.

    function  of the driver
    packing   of its arguments
    symbol    of the function; it encodes the assumptions of the code
    """

    def __init__(self, function: Any, packing: Packing, symbol: str = "") -> None:
        self.function, self.packing, self.symbol = function, packing, symbol


class Loader:
    """The kernels of a device."""

    def __init__(self, driver: Driver, ordinal: int) -> None:
        self._driver, self._ordinal = driver, ordinal
        self.arch: Final = driver.arch(ordinal)
        self._loaded: dict[Any, Loaded] = {}
        self._launched: dict[Any, Loaded] = {}

    def refine_plan(self, function: FunctionType, plan: Plan, numbers: Mapping[str, int]) -> Plan:
        """Removes from a plan what this launch does not need. Raises CompileError if there are no tools."""
        return refine_plan(function, plan, numbers)

    def load_kernel(self, job: Job) -> Loaded:
        """Returns the kernel of a job, compiled for its arguments. Raises CompileError, also for a kernel that the
        checker neither proved nor found a contract for."""
        key = job.function, tuple(map(_argument_key,
                                      job.arguments)), _shared_memory(job.arguments), tuple(job.hints.items())
        found = self._launched.get(key)
        if found is None:
            if len(self._launched) >= _MOST:
                self._launched.clear()
            found = self._launched[key] = self._compile_and_load(job)
        return found

    def _compile_and_load(self, job: Job) -> Loaded:
        function = cast(FunctionType, job.function)
        signature = signature_of(function, job.arguments)
        options = Options.of(job.hints, self.arch)
        key = (function, signature, options)
        found = self._loaded.get(key)
        if found is None:
            require_verified(getattr(function, AUTHORED, function))
            compiled = code_of(function, signature, self.arch, options) or build(
                function, signature, self.arch, options)
            self._driver.enter(self._ordinal)
            library = self._driver.load(compiled.cubin)
            code = self._driver.function(library, compiled.symbol)
            found = Loaded(code, Packing(compiled.parameters), compiled.symbol)
            self._loaded[key] = found
        return found


def _argument_key(argument: Any) -> Any:
    """Returns everything that code can depend on for one argument, except which memory it shares with others."""
    if isinstance(argument, Strided):
        return argument.dtype.name, address(argument) % _ALIGNED, argument.shape, argument.strides
    return type(argument), None if type(argument) is float else argument  # constants are integers


def _shared_memory(arguments: Sequence[Any]) -> tuple[tuple[int, int, int], ...]:
    """Returns pairs of arrays in one allocation, which may share memory, with their distance in bytes."""
    arrays = [(n, a) for n, a in enumerate(arguments) if isinstance(a, Strided)]
    return tuple((n, k, address(b) - address(a)) for (n, a), (k, b) in combinations(arrays, 2)
                 if _may_share(a.memory, b.memory))


def _may_share(one: Memory, other: Memory) -> bool:
    return one is other or (one.address < other.address + other.nbytes and other.address < one.address + one.nbytes)
