"""The launch of a kernel, as an operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from tilecheck_runtime.backends.interface import Backend, Job
from tilecheck_runtime.backends.select import backend_of, current
from tilecheck_runtime.cpu.execute import function_of
from tilecheck_runtime.dialect.decorator import Kernel
from tilecheck_runtime.dialect.entry import Entry
from tilecheck_runtime.dialect.plan import Output, Plan
from tilecheck_runtime.launches.aliasing import usable
from tilecheck_runtime.launches.arguments import Given, given, shown
from tilecheck_runtime.launches.contract import contract_of, enforce, inspect, scalars
from tilecheck_runtime.launches.flight import Flight, KernelFlight, Passage
from tilecheck_runtime.launches.grids import Grid, asked, inferred
from tilecheck_runtime.launches.guard import guarded
from tilecheck_runtime.launches.nesting import refuse_call
from tilecheck_runtime.launches.operation import Operation
from tilecheck_runtime.launches.plans import output_of
from tilecheck_runtime.launches.variables import variables
from tilecheck_runtime.ownership.errors import GridError
from tilecheck_runtime.ownership.handles import Handle
from tilecheck_runtime.ownership.places import Place, here
from tilecheck_runtime.ownership.state import Use, check, moved
from tilecheck_runtime.ownership.storage import LOCK, Hold, Mode
from tilecheck_runtime.tensors.partition import Partition, returned
from tilecheck_runtime.tensors.reading import strided

__all__ = ["Launch", "build"]


def build(kernel: Kernel[Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Launch:
    """The launch of a kernel with these arguments, to be run later. Its `Mut` arguments are moved into it.

    Raises OwnershipError when the arguments are not what the kernel takes, when they may not be used now, when they
    break its contract, or when the kernel does not pass the checker and that is refused; then nothing was moved.
    Raises SignatureError for a kernel that is none of the dialect.
    """
    name = function_of(kernel).__name__
    refuse_call(name)
    contract = contract_of(function_of(kernel))  # takes a while at first, so others are not kept waiting
    with LOCK:
        found = given(name, kernel.signature, args, kwargs)
        usable(name, found)
        guarded(function_of(kernel), contract, _backend(found).watches)
        values = variables(name, kernel.signature, found)
        grid = inferred(name, found.outputs)
        if grid is not None:
            _guarded(kernel, _signed(found, values, grid))
        return Launch(kernel, found, values, grid)


def _backend(found: Given) -> Backend:
    """Where the arrays lie."""
    first = next(iter(found.arrays.values()), None)
    return current() if first is None else backend_of(first._storage.memory.device)


@dataclass(frozen=True)
class _Signed:
    """Everything about arguments that guards and specialization depend on; a key of caches."""

    numbers: tuple[tuple[str, int], ...]
    outputs: tuple[Output, ...]
    values: tuple[tuple[str, int], ...]


def _signed(found: Given, values: Mapping[str, int], grid: Grid) -> _Signed:
    outputs = (output_of(p) for p in found.outputs.values())
    return _Signed(tuple(scalars(found, values, grid).items()), tuple(outputs), tuple(values.items()))


@lru_cache(maxsize=4096)
def _guarded(kernel: Kernel[Any], signed: _Signed) -> Entry:
    """The specialized kernel, after its contract was checked: once for arguments of the same shapes and values.

    Raises ContractError.
    """
    function = function_of(kernel)
    enforce(function.__name__, contract_of(function), dict(signed.numbers))
    return kernel.entry(Plan(signed.values, signed.outputs))


class Launch(Operation[Any]):
    """A kernel with its arguments. The result is what its `Mut` arguments have become: one partition, a tuple of
    several in order, None without any."""

    def __init__(self, kernel: Kernel[Any], found: Given, values: Mapping[str, int], grid: Grid | None) -> None:
        self._kernel, self._given, self._values, self._grid = kernel, found, values, grid
        self._name = function_of(kernel).__name__
        self._ended = ("not built", here())
        self._taken = tuple(self._take(name, output) for name, output in found.outputs.items())
        super().__init__()

    @property
    def what(self) -> str:
        return f"the launch of `{self._name}`"

    def _take(self, name: str, output: Partition) -> Partition:
        """A partition of the launch's own, in place of the one that was passed."""
        moved(output, self.what, f"use what the launch returned: `{name} = {self._name}(...).sync()`")
        return returned(output, f"{self.what}, which has not run")

    def grid(self, *extents: Any) -> Launch:
        """Asks for a grid. Only a launch into prefix partitions, or without outputs, needs one; for any other it must
        be the one that follows from the partitions. Raises GridError, and ContractError for a grid that breaks the
        contract."""
        self._unspent()
        quiet, self._quiet = self._quiet, True  # what is refused here is said by the error, not by TC404
        with LOCK:
            grid = asked(self._name, extents, self._given.outputs)
            _guarded(self._kernel, _signed(self._given, self._values, grid))
            self._grid, self._quiet = grid, quiet
        return self

    def _reopen(self) -> None:
        self._ended = None

    def _begin(self, place: Place) -> Flight[Any]:
        name = self._name
        with LOCK:
            grid = self._grid
            if grid is None:
                raise self._no_grid(place)
            job_entry = _guarded(self._kernel, _signed(self._given, self._values, grid))
            arrays: dict[str, Handle] = {**self._given.inputs, **self._given.accumulators}
            for parameter, handle in arrays.items():
                written = parameter in self._given.accumulators
                check(handle, Use.WRITE if written else Use.READ, partial(shown, parameter, handle))
            inspect(name, contract_of(function_of(self._kernel)), self._given, scalars(self._given, self._values, grid))
            holds = [self._hold(handle, Mode.READING, place) for handle in self._given.inputs.values()]
            holds += [self._hold(handle, Mode.WRITING, place)
                      for handle in (*self._taken, *self._given.accumulators.values())]
            for own in self._taken:
                if own._hold is not None:
                    own._hold.release()
                    own._hold = None
            placed = {n: strided(h) for n, h in {**self._given.outputs, **arrays}.items()}
            backend = _backend(self._given)
            job = Job(job_entry.function, grid, job_entry.arguments({**self._given.numbers, **placed}), name,
                      place, self._kernel.hints)
            event = backend.launch(job, backend.default)
            taken, kept = self._taken, (*self._given.arrays.values(), *self._taken)
            self._given, self._taken = Given({}, {}, {}, {}), ()  # from now on the flight alone keeps them
            return KernelFlight(Passage(name, place, event, holds, kept, lambda: _result(taken)))

    def _hold(self, handle: Handle, mode: Mode, place: Place) -> Hold:
        return handle._storage.hold(mode, handle.region, place, self.what)

    def _no_grid(self, place: Place) -> GridError:
        name = self._name
        prefixes = [n for n, p in self._given.outputs.items() if p.prefix]
        why = (f"`{prefixes[0]}` is a prefix partition, of which any part may be written" if prefixes else
               "it has no output that a grid follows from")
        return GridError(f"{self.what} needs a grid: {why}", names=tuple(prefixes), use=place, before=self._place,
                         what="built", fix=f"say how many blocks there are: `{name}(...).grid(8)`")


def _result(taken: Sequence[Partition]) -> Any:
    """What the outputs have become."""
    back = tuple(returned(p) for p in taken)
    return back[0] if len(back) == 1 else back or None
