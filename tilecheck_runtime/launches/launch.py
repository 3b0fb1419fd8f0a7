"""The launch of a kernel, as an operation."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from tilecheck_runtime.backends.interface import Backend, Job, Transfer
from tilecheck_runtime.backends.selection.select import backend_of, current
from tilecheck_runtime.contracts.contract import contract_of, enforce
from tilecheck_runtime.contracts.guard import check_guard
from tilecheck_runtime.dialect.entry import Entry
from tilecheck_runtime.dialect.kernel import DialectKernel
from tilecheck_runtime.dialect.plan import Plan
from tilecheck_runtime.errors.locations import Location, current_location
from tilecheck_runtime.errors.ownership import GridError
from tilecheck_runtime.launches.aliasing import check_aliasing
from tilecheck_runtime.launches.arguments import Arguments, bind_arguments, show_argument
from tilecheck_runtime.launches.contract_values import check_contents, contract_numbers
from tilecheck_runtime.launches.flight import Flight, KernelFlight, Passage
from tilecheck_runtime.launches.grids import Grid, check_grid, infer_grid
from tilecheck_runtime.launches.log import LOG
from tilecheck_runtime.launches.operation import Listed, Operation, Recorder
from tilecheck_runtime.launches.plans import output_of
from tilecheck_runtime.launches.reentrancy import refuse_nested_call
from tilecheck_runtime.launches.streams import stream_for
from tilecheck_runtime.launches.variables import bind_variables
from tilecheck_runtime.ownership.handles import Handle, as_strided
from tilecheck_runtime.ownership.state import Use, check, end_handle, release
from tilecheck_runtime.ownership.storage import LOCK, Hold, Mode
from tilecheck_runtime.tensors.partition import Partition, transfer_partition
from tilecheck_runtime.tile_language.kernels import function_of

__all__ = [
    "Launch",
    "OrdinaryLaunch",
    "Ready",
    "Remember",
    "build_launch",
    "check_uses",
    "facts_of",
    "hold_inputs",
    "hold_outputs",
    "replacement_text",
    "result_of",
]

R = TypeVar("R")


Remember: TypeAlias = Callable[["DialectKernel", Sequence[Any], "Ready", Sequence[str], Sequence[Any]], None]
"""Called after the first successful start of a launch that later calls may repeat, with the kernel, the positional
arguments of the call, the launch, and the names and constants of the compiled parameters in order."""


def build_launch(kernel: DialectKernel, args: Sequence[Any], kwargs: Mapping[str, Any],
                 remember: Remember | None = None) -> Launch[Any]:
    """Builds the launch of a kernel with these arguments, to be run later. Its `Mut` arguments are moved into it.

    Raises OwnershipError for arguments that the kernel does not accept, that may not be used now, or that break its
    contract, and for a kernel that does not pass the checker where that is refused; then nothing was moved. Raises
    SignatureError for a kernel that is not in the dialect.
    """
    name = function_of(kernel).__name__
    refuse_nested_call(name)
    contract = contract_of(function_of(kernel))  # slow at first, so the lock is not held
    with LOCK:
        found = bind_arguments(name, kernel.signature, args, kwargs)
        check_aliasing(name, found)
        check_guard(function_of(kernel), contract, _backend_for(found).watches)
        return OrdinaryLaunch(kernel, found, facts_of(kernel, found), args, None if kwargs else remember)


def _backend_for(found: Arguments) -> Backend:
    """The backend that holds the arrays."""
    first = next(iter(found.arrays.values()), None)
    return current() if first is None else backend_of(first._storage.memory.device)


@dataclass(frozen=True)
class _Facts:
    """Facts that follow from the layouts and numbers of arguments alone, computed once for all launches with equal
    ones.

    values  of the type variables
    grid    that follows from the partitions, if there is one
    guards  for each requested grid
    kernel  referenced so that no other kernel gets its identity
    """

    values: Mapping[str, int]
    grid: Grid | None
    guards: dict[Grid, _Specialization]
    kernel: object


@dataclass(frozen=True)
class _Specialization:
    """A grid that the contract allows: the specialized kernel, and the numbers that the contract was checked with."""

    entry: Entry
    numbers: Mapping[str, int]


_KNOWN: Final[dict[tuple[Any, ...], _Facts]] = {}
_MOST: Final = 4096
"""Launches that are remembered before all of them are forgotten."""


def facts_of(kernel: DialectKernel, found: Arguments) -> _Facts:
    """Returns the facts of a launch. Raises ContractError and GridError."""
    layouts = tuple((h._layout.dtype.name, h.shape, h.strides) for h in found.arrays.values())
    outputs = tuple((p.tile, p.schedule, p.blocks, p.prefix) for p in found.outputs.values())
    numbers = tuple(n for n in found.numbers.values() if isinstance(n, int))
    key = (id(kernel), layouts, outputs, numbers, _backend_for(found).device)
    facts = _KNOWN.get(key)
    if facts is None:
        name = function_of(kernel).__name__
        values, grid = bind_variables(name, kernel.signature, found), infer_grid(name, found.outputs)
        facts = _Facts(values, grid, {}, kernel)
        if grid is not None:
            _specialize(kernel, found, facts, grid)
        if len(_KNOWN) >= _MOST:
            _KNOWN.clear()
        _KNOWN[key] = facts
    return facts


def _specialize(kernel: DialectKernel, found: Arguments, facts: _Facts, grid: Grid) -> _Specialization:
    """Checks the contract for a grid and returns the specialized kernel. Raises ContractError."""
    known = facts.guards.get(grid)
    if known is None:
        function, numbers = function_of(kernel), contract_numbers(found, facts.values, grid)
        enforce(function.__name__, contract_of(function), numbers)
        plan = Plan(tuple(facts.values.items()), tuple(output_of(p) for p in found.outputs.values()))
        known = _Specialization(kernel.entry(_backend_for(found).refine_plan(function, plan, numbers)), numbers)
        facts.guards[grid] = known
    return known


class Launch(Operation[R]):
    """A kernel with its arguments. The result is the new state of its `Mut` arguments: one partition, a tuple of
    several in order, or None."""

    if not TYPE_CHECKING:
        __slots__ = ()

    @abstractmethod
    def grid(self, *extents: Any) -> Launch[R]:
        """Requests a grid. Only a launch into prefix partitions, or without outputs, needs one; for other launches it
        must be the grid that follows from the partitions. Raises GridError, and ContractError for a grid that breaks
        the contract."""

    @abstractmethod
    def check_and_prepare(self, place: Location) -> Ready:
        """Checks everything that forbids the launch and prepares it. Raises OwnershipError, and the error of the
        backend for a kernel that it cannot compile; then nothing has changed. The caller holds the lock."""

    @abstractmethod
    def release_arguments(self) -> None:
        """Drops the arguments after another object took them over."""

    def _reopen(self) -> None:
        self._ended = None

    def _record(self, recorder: Recorder, place: Location) -> Any:
        with LOCK:
            ready = self.check_and_prepare(place)
            self.release_arguments()
            return recorder.launch(ready, self.what, place)


class OrdinaryLaunch(Listed[R], Launch[R]):
    """A launch for which every guard is checked."""

    def __init__(self, kernel: DialectKernel, found: Arguments, facts: _Facts, args: Sequence[Any],
                 remember: Remember | None) -> None:
        self._kernel, self._given, self._facts, self._grid = kernel, found, facts, facts.grid
        self._name, self._args, self._remember = function_of(kernel).__name__, args, remember
        place = current_location()
        self._ended = ("not built", place)
        self._taken = tuple(self._take(name, output, place) for name, output in found.outputs.items())
        super().__init__(place)

    @classmethod
    def continue_from(cls, kernel: DialectKernel, found: Arguments, taken: Sequence[Partition],
                      place: Location) -> OrdinaryLaunch[Any]:
        """Continues a cached launch that was built at `place`, with its own partitions in place of the outputs."""
        made = cls.__new__(cls)
        made._kernel, made._given, made._facts = kernel, found, facts_of(kernel, found)
        made._name, made._args, made._remember = function_of(kernel).__name__, (), None
        made._grid, made._taken = made._facts.grid, tuple(taken)
        Listed.__init__(made, place)
        return made

    @property
    def what(self) -> str:
        return f"the launch of `{self._name}`"

    def _take(self, name: str, output: Partition, place: Location) -> Partition:
        """Moves an output into the launch and returns the launch's own partition."""
        end_handle(output, self.what, replacement_text(name, self._name), place)
        return transfer_partition(output, f"{self.what}, which has not run", place)

    def grid(self, *extents: Any) -> Launch[R]:
        self._check_not_run()
        quiet, self._reported = self._reported, True  # an error is raised here, so TC404 is not reported
        with LOCK:
            grid = check_grid(self._name, extents, self._given.outputs)
            _specialize(self._kernel, self._given, self._facts, grid)
            self._grid, self._reported = grid, quiet
        return self

    def check_and_prepare(self, place: Location) -> Ready:
        name, grid = self._name, self._grid
        if grid is None:
            raise self._no_grid(place)
        guarded = _specialize(self._kernel, self._given, self._facts, grid)
        entry = guarded.entry
        uses = (*((n, h, Use.READ) for n, h in self._given.inputs.items()),
                *((n, h, Use.WRITE) for n, h in self._given.accumulators.items()))
        look = self._look(guarded.numbers)
        check_uses(uses)
        if look is not None:
            look()
        placed = {n: as_strided(h) for n, h in self._given.arrays.items()}
        job = Job(entry.function, grid, entry.arguments({**self._given.numbers, **placed}), name, place,
                  self._kernel.hints)
        backend = _backend_for(self._given)
        return Ready(job, backend, backend.prepare(job), uses, self._taken, tuple(self._given.arrays.values()), look)

    def _look(self, numbers: Mapping[str, int]) -> Callable[[], None] | None:
        """Returns a function that checks the contents of arrays, if the contract refers to them."""
        contract = contract_of(function_of(self._kernel))
        if not contract.looks:
            return None
        return partial(check_contents, self._name, contract, self._given, numbers)

    def release_arguments(self) -> None:
        self._given, self._taken, self._args = Arguments({}, {}, {}, {}), (), ()

    def _begin(self, place: Location) -> Flight[R]:
        since = time.perf_counter() if LOG.launches else 0.0
        with LOCK:
            ready = self.check_and_prepare(place)
            assert isinstance(ready.job, Job)
            event = ready.backend.launch(ready.job, stream_for(ready.backend), ready.prepared)
            if LOG.launches:
                self._log_launch(ready, place, since)
            holds = [*hold_inputs(ready, Mode.READING, Mode.WRITING, place, self.what),
                     *hold_outputs(ready, Mode.WRITING, place, self.what)]
            taken, kept = ready.taken, (*ready.given, *ready.taken)
            self._remember_for_repeats(ready)
            self.release_arguments()  # from now on only the flight holds them
            return KernelFlight(Passage(self._name, place, event, holds, kept, lambda: result_of(taken)),
                                ready.backend.ordered)

    def _log_launch(self, ready: Ready, place: Location, since: float) -> None:
        job = ready.job
        assert isinstance(job, Job)
        if LOG.guards:
            for name, handle, use in (*ready.uses, *((n, h, Use.WRITE) for n, h in self._given.outputs.items())):
                LOG.log_guard(self._name, f"`{name}` of shape {handle.shape} may be {use.value}")
            contract = contract_of(function_of(self._kernel))
            for demand in contract.demands:
                LOG.log_guard(self._name, f"meets `{demand.text}`")
            LOG.log_guard(self._name, f"the checker says it is {contract.verdict or 'not known'}")
        LOG.log_launch(self._name, place, "every guard asked", job.grid, getattr(ready.prepared, "symbol", ""),
                       stream_for(ready.backend), since)

    def _remember_for_repeats(self, ready: Ready) -> None:
        """Reports the launch to the launch cache if the next one would check nothing else."""
        remember = self._remember
        if remember is not None and self._grid is not None and self._grid == self._facts.grid and ready.look is None:
            entry = _specialize(self._kernel, self._given, self._facts, self._grid).entry
            remember(self._kernel, self._args, ready, entry.parameters, [value for _, value in entry.constants])

    def _no_grid(self, place: Location) -> GridError:
        name = self._name
        prefixes = [n for n, p in self._given.outputs.items() if p.prefix]
        why = (f"`{prefixes[0]}` is a prefix partition, and any part of it may be written" if prefixes else
               "it has no output that a grid follows from")
        return GridError(f"{self.what} needs a grid: {why}", names=tuple(prefixes), use=place, before=self._place,
                         what="built", fix=f"give the number of blocks: `{name}(...).grid(8)`")


def replacement_text(name: str, kernel: str) -> str:
    """The text that suggests a replacement for an output that was moved into a launch."""
    return f"use what the launch returned: `{name} = {kernel}(...).sync()`"


@dataclass(frozen=True)
class Ready:
    """A launch, or a copy, that passed all checks.

    prepared  by the backend
    uses      parameters, their arguments and how they are used, except the outputs
    taken     its own partitions, which it writes and returns
    given     all handles among the arguments
    look      checks the contents of arrays, if the contract refers to them
    """

    job: Job | Transfer
    backend: Backend
    prepared: object
    uses: tuple[tuple[str, Handle, Use], ...]
    taken: tuple[Partition, ...]
    given: tuple[Handle, ...]
    look: Callable[[], None] | None


def check_uses(uses: Sequence[tuple[str, Handle, Use]]) -> None:
    """Raises the OwnershipError that forbids one of the uses."""
    for parameter, handle, use in uses:
        check(handle, use, partial(show_argument, parameter, handle))


def hold_inputs(ready: Ready, reading: Mode, writing: Mode, place: Location, what: str) -> list[Hold]:
    """Starts to hold the memory that a launch reads in one mode, and the memory that it changes in another."""
    return [handle._storage.hold(reading if use is Use.READ else writing, handle.region, place, what)
            for _, handle, use in ready.uses]


def hold_outputs(ready: Ready, writing: Mode, place: Location, what: str) -> list[Hold]:
    """Starts to hold the outputs of a launch, in place of the holds of its partitions."""
    holds = [own._storage.hold(writing, own.region, place, what) for own in ready.taken]
    for own in ready.taken:
        release(own)
    return holds


def result_of(taken: Sequence[Partition]) -> Any:
    """Returns the new state of the outputs."""
    back = tuple(transfer_partition(p) for p in taken)
    return back[0] if len(back) == 1 else back or None
