"""The launch of a kernel, as an operation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
from tilecheck_runtime.launches.operation import Operation, Recorder
from tilecheck_runtime.launches.plans import output_of
from tilecheck_runtime.launches.streams import stream_for
from tilecheck_runtime.launches.variables import variables
from tilecheck_runtime.ownership.errors import GridError
from tilecheck_runtime.ownership.handles import Handle
from tilecheck_runtime.ownership.places import Place, here
from tilecheck_runtime.ownership.state import Use, check, moved, release
from tilecheck_runtime.ownership.storage import LOCK, Hold, Mode
from tilecheck_runtime.tensors.partition import Partition, returned
from tilecheck_runtime.tensors.reading import strided

__all__ = ["Launch", "Ready", "allowed", "borrowed", "build", "owned", "result_of"]


def build(kernel: Kernel[Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Launch:
    """The launch of a kernel with these arguments, to be run later. Its `Mut` arguments are moved into it.

    Raises OwnershipError when the arguments are not what the kernel takes, when they may not be used now, or when they
    break its contract; then nothing was moved. Raises SignatureError for a kernel that is none of the dialect.
    """
    name = function_of(kernel).__name__
    contract_of(function_of(kernel))  # takes a while when it is first asked for, so others are not kept waiting
    with LOCK:
        found = given(name, kernel.signature, args, kwargs)
        usable(name, found)
        values = variables(name, kernel.signature, found)
        grid = inferred(name, found.outputs)
        if grid is not None:
            _guarded(kernel, _signed(found, values, grid))
        return Launch(kernel, found, values, grid)


@dataclass(frozen=True)
class _Signed:
    """Everything about arguments that guards and specialization depend on; a key of caches."""

    numbers: tuple[tuple[str, int], ...]
    outputs: tuple[Output, ...]
    values: tuple[tuple[str, int], ...]
    device: str


def _signed(found: Given, values: Mapping[str, int], grid: Grid) -> _Signed:
    outputs = (output_of(p) for p in found.outputs.values())
    return _Signed(tuple(scalars(found, values, grid).items()), tuple(outputs), tuple(values.items()),
                   _backend(found).device)


def _backend(found: Given) -> Backend:
    """The backend of the arguments."""
    for handle in found.arrays.values():
        return backend_of(handle._storage.memory.device)
    return current()


@lru_cache(maxsize=4096)
def _guarded(kernel: Kernel[Any], signed: _Signed) -> Entry:
    """The specialized kernel, after its contract was checked: once for arguments of the same shapes and values.

    Raises ContractError.
    """
    function = function_of(kernel)
    enforce(function.__name__, contract_of(function), dict(signed.numbers))
    plan = Plan(signed.values, signed.outputs)
    return kernel.entry(backend_of(signed.device).planned(function, plan, dict(signed.numbers)))


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

    def ready(self, place: Place) -> Ready:
        """What is launched, after everything that forbids it was asked for. Raises OwnershipError, and what the backend
        raises for a kernel that it cannot compile; then nothing has happened. The caller holds the lock."""
        name, grid = self._name, self._grid
        if grid is None:
            raise self._no_grid(place)
        signed = _signed(self._given, self._values, grid)
        entry = _guarded(self._kernel, signed)
        uses = (*((n, h, Use.READ) for n, h in self._given.inputs.items()),
                *((n, h, Use.WRITE) for n, h in self._given.accumulators.items()))
        look = self._look(signed)
        allowed(uses)
        if look is not None:
            look()
        placed = {n: strided(h) for n, h in self._given.arrays.items()}
        job = Job(entry.function, grid, entry.arguments({**self._given.numbers, **placed}), name, place,
                  self._kernel.hints)
        backend = _backend(self._given)
        backend.prepare(job)
        return Ready(job, backend, uses, self._taken, tuple(self._given.arrays.values()), look)

    def _look(self, signed: _Signed) -> Callable[[], None] | None:
        """What looks at the contents of arrays, where the contract speaks of them."""
        contract = contract_of(function_of(self._kernel))
        if not contract.looks:
            return None
        return partial(inspect, self._name, contract, self._given, dict(signed.numbers))

    def begun(self) -> None:
        """What it had is in other hands."""
        self._given, self._taken = Given({}, {}, {}, {}), ()

    def _begin(self, place: Place) -> Flight[Any]:
        with LOCK:
            ready = self.ready(place)
            event = ready.backend.launch(ready.job, stream_for(ready.backend))
            holds = [*borrowed(ready, Mode.READING, Mode.WRITING, place, self.what),
                     *owned(ready, Mode.WRITING, place, self.what)]
            taken, kept = ready.taken, (*ready.given, *ready.taken)
            self.begun()  # from now on the flight alone keeps them
            return KernelFlight(Passage(self._name, place, event, holds, kept, lambda: result_of(taken)),
                                ready.backend.ordered)

    def _record(self, recorder: Recorder, place: Place) -> Any:
        with LOCK:
            ready = self.ready(place)
            self.begun()
            return recorder.launch(ready, self.what, place)

    def _no_grid(self, place: Place) -> GridError:
        name = self._name
        prefixes = [n for n, p in self._given.outputs.items() if p.prefix]
        why = (f"`{prefixes[0]}` is a prefix partition, of which any part may be written" if prefixes else
               "it has no output that a grid follows from")
        return GridError(f"{self.what} needs a grid: {why}", names=tuple(prefixes), use=place, before=self._place,
                         what="built", fix=f"say how many blocks there are: `{name}(...).grid(8)`")


@dataclass(frozen=True)
class Ready:
    """A launch that nothing forbids.

    uses   parameters, what was passed for them and how it is used; but for the outputs
    taken  its own partitions, which it writes and returns
    given  every handle that it was given
    look   looks at the contents of arrays, where the contract speaks of them
    """

    job: Job
    backend: Backend
    uses: tuple[tuple[str, Handle, Use], ...]
    taken: tuple[Partition, ...]
    given: tuple[Handle, ...]
    look: Callable[[], None] | None


def allowed(uses: Sequence[tuple[str, Handle, Use]]) -> None:
    """Raises the OwnershipError that forbids one of the uses."""
    for parameter, handle, use in uses:
        check(handle, use, partial(shown, parameter, handle))


def borrowed(ready: Ready, reading: Mode, writing: Mode, place: Place, what: str) -> list[Hold]:
    """Begins to hold what a launch reads in one mode, and what it changes in another."""
    return [handle._storage.hold(reading if use is Use.READ else writing, handle.region, place, what)
            for _, handle, use in ready.uses]


def owned(ready: Ready, writing: Mode, place: Place, what: str) -> list[Hold]:
    """Begins to hold the outputs of a launch, in place of the holds that its partitions have themselves."""
    holds = [own._storage.hold(writing, own.region, place, what) for own in ready.taken]
    for own in ready.taken:
        release(own)
    return holds


def result_of(taken: Sequence[Partition]) -> Any:
    """What the outputs have become."""
    back = tuple(returned(p) for p in taken)
    return back[0] if len(back) == 1 else back or None
