"""Launches and flights that repeat an earlier launch.

They do what `OrdinaryLaunch` and `KernelFlight` do, with the few checks that a repeated launch needs written out in one
place, because every call and every attribute counts. `CachedLaunch` turns into an ordinary launch when it is asked for
anything but to start, or when a check does not pass.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

from tilecheck_runtime.backends.interface import Event
from tilecheck_runtime.cpu.machine import State
from tilecheck_runtime.errors.locations import NOWHERE, Location, current_location
from tilecheck_runtime.launch_cache.records import ACQUIRE, IDLE, RELEASE, UNDERWAY, LaunchRecord, LaunchState
from tilecheck_runtime.launches.arguments import bind_arguments
from tilecheck_runtime.launches.flight import Flight, already_taken_error
from tilecheck_runtime.launches.launch import Launch, OrdinaryLaunch, Ready
from tilecheck_runtime.launches.log import LOG
from tilecheck_runtime.launches.reentrancy import INSIDE
from tilecheck_runtime.launches.registry import UNLISTED
from tilecheck_runtime.launches.streams import STREAM
from tilecheck_runtime.ownership.storage import BUSY, EPOCH, LOCK, RUNNING, Mode, land
from tilecheck_runtime.tensors.partition import Partition, transfer_hold

__all__ = ["CachedFlight", "CachedLaunch"]

_getframe: Final = sys._getframe
_acquire: Final = ACQUIRE
_release: Final = RELEASE
_requested_stream: Final = STREAM.get
_PARTITIONED: Final = Mode.PARTITIONED
_WRITING: Final = Mode.WRITING


class CachedLaunch(Launch[Any]):
    """A repeated launch that was not started.

    state     everything that belongs to it; None once it ran or an ordinary launch took over
    ordinary  the ordinary launch that took over
    """

    __slots__ = ("__weakref__", "_ended", "_known", "_ordinary", "_state")
    _known: LaunchRecord
    _state: LaunchState | None
    _ordinary: OrdinaryLaunch[Any]

    @property
    def what(self) -> str:
        return self._known.what

    @property
    def _place(self) -> Location:
        state = self._state
        if state is not None:
            return state.place
        return self._ended[1] if self._ended is not None else self._ordinary._place

    @_place.setter
    def _place(self, place: Location) -> None:
        raise AttributeError("where it was built is known already")

    @property
    def _reported(self) -> bool:
        state: LaunchState | None = self._state
        return state.reported if state is not None else getattr(self._replacement(), "_reported", True)

    @_reported.setter
    def _reported(self, quiet: bool) -> None:
        state, ordinary = self._state, self._replacement()
        if state is not None:
            state.reported = quiet
        if ordinary is not None:
            ordinary._reported = quiet

    def _replacement(self) -> OrdinaryLaunch[Any] | None:
        found: OrdinaryLaunch[Any] | None = getattr(self, "_ordinary", None)
        return found

    def start(self, stream: Any = None, step: tuple[str, Location] | None = None) -> Flight[Any]:
        """Starts the launch. `step` describes it in a failure if it is part of another operation."""
        known, what, ended = self._known, step, self._ended
        if what is None:
            if ended is not None or State.recorder is not None or (BUSY.threads and INSIDE.place is not None):
                return super().start(stream)
            frame = _getframe(1)
            code, at, ended, what = known.starts
            if frame.f_code is not code or frame.f_lasti != at:
                ended, what = known.note_start_site(frame)
        try:
            _acquire()
            state = self._state
            if state is not None and (EPOCH.now == state.epoch or known.can_borrow_all(state.args)) and (
                    not BUSY.threads or RUNNING.chain is None) and (step is not None or self._ended is None):
                args, own, common, place = state.args, state.own, state.common, what[1]
                try:
                    if stream is None:
                        stream = _requested_stream()
                    backend = known.backend
                    stream = backend.default if stream is None else backend.stream_of(stream)
                    launched = known.packed.launch(stream, [args[n] for n in known.floats] if known.floats else (),
                                                   what)
                except BaseException:
                    state.reported = True  # the error reports it
                    raise
                EPOCH.now += 1
                state.phase = UNDERWAY
                state.reported = False
                state.launched = launched
                state.place = place
                self._state = None
                self._ended = ended
                if own is not None:
                    own.mode = _WRITING
                    own.what = known.what
                    own.place = place
                if state.further:
                    for _, hold, _ in state.further:
                        hold.mode, hold.what, hold.place = _WRITING, known.what, place
                if common is None:
                    known.borrow(state, place)
                else:
                    common.ended = False
                    common.place = place
                    if not common.listed or known.writes:
                        known.list_holds(state)
                flight = CachedFlight()
                flight._known = known
                flight._launched = launched
                flight._state = state
                flight._taken = None
                flight._error = None
                if LOG.launches:
                    LOG.log_launch(known.name, place, "like one before", known.packed.grid, known.packed.symbol, stream)
                return flight
        finally:
            try:  # noqa: SIM105  # slower
                _release()
            except RuntimeError:
                pass
        return super().start(stream) if step is None else self._ordinary_launch()._begin(step[1])

    def _begin(self, place: Location) -> Flight[Any]:
        return self.start(None, (self._known.name, place))

    def _ordinary_launch(self) -> OrdinaryLaunch[Any]:
        """Returns the ordinary launch that takes over."""
        with LOCK:
            state, known = self._state, self._known
            if state is not None:
                found = bind_arguments(known.name, known.kernel.signature, state.args, {})
                taken = [transfer_hold(p, h) for p, h in zip(found.outputs.values(), state.output_holds(), strict=True)]
                self._ordinary = OrdinaryLaunch.continue_from(known.kernel, found, taken, state.place)
                self._ordinary._ended, self._ordinary._reported = self._ended, state.reported
                self._state = None
                state.reset()
            return self._ordinary

    def grid(self, *extents: Any) -> Launch[Any]:
        self._check_not_run()
        self._ordinary_launch().grid(*extents)
        return self

    def check_and_prepare(self, place: Location) -> Ready:
        return self._ordinary_launch().check_and_prepare(place)

    def release_arguments(self) -> None:
        self._ordinary_launch().release_arguments()

    def _end(self, how: str, place: Location | None = None) -> None:
        super()._end(how, place)
        self._reported = True  # the operation that contains it reports it
        self._propagate_end()

    def _reopen(self) -> None:
        super()._reopen()
        self._propagate_end()

    def _propagate_end(self) -> None:
        """Marks the ordinary launch as ended when this one is."""
        ordinary = self._replacement()
        if ordinary is not None:
            ordinary._ended = self._ended


class CachedFlight(Flight[Any]):
    """A repeated launch under way."""

    __slots__ = ("__weakref__", "_error", "_known", "_launched", "_state", "_taken")
    ordered = True  # only ordered backends have packed launches
    _known: LaunchRecord
    _launched: object
    _state: LaunchState | None

    def _completion_event(self) -> Event:
        return self._known.packed.event(self._launched)

    def has_ended(self, timeout: float | None = None) -> bool:
        return self._completion_event().wait(timeout)

    def when_done(self, call: Callable[[], None]) -> None:
        self._completion_event().when_done(call)

    def take_early(self, place: Location | None = None) -> Any:
        """Releases everything and returns the outputs."""
        try:
            _acquire()
            state = self._state
            if state is None:
                raise already_taken_error(self._taken or NOWHERE)
            self._state = None
            if place is None:
                self._taken = place = state.place
            if state.further or (BUSY.threads and RUNNING.chain is not None):
                return self._return_outputs(state, place)
            state.common.ended = True
            first, own = state.first, state.own
            state.phase = IDLE
            state.args = ()
            state.first = state.own = None
            self._known.spare.append(state)
            if own is None:
                return None
            own.mode = _PARTITIONED
            own.what = "a partition"
            own.place = place
            part = Partition()
            part._core = first._core
            part._hold = own
            part._moved = None
            return part
        finally:
            try:  # noqa: SIM105  # slower
                _release()
            except RuntimeError:
                pass

    def _return_outputs(self, state: LaunchState, place: Location) -> Any:
        """Returns any number of outputs, also within a chain."""
        outputs = [] if state.first is None else [(state.first, state.own)]
        outputs += [(handle, hold) for handle, hold, _ in state.further]
        if BUSY.threads and RUNNING.chain is not None:
            for hold in state.all_holds():
                land(hold)  # held until the chain ends, for all others
            outputs = [(h, h._storage.hold(_PARTITIONED, h.region, place)) for h, _ in outputs]
        if state.common is not None:
            state.common.ended = True
        state.reset()
        self._known.spare.append(state)
        for _, hold in outputs:
            hold.mode, hold.what, hold.place = _PARTITIONED, "a partition", place
        back = tuple([transfer_hold(h, hold) for h, hold in outputs])
        return back[0] if len(back) == 1 else back or None

    def _land(self) -> Any:
        error = self._completion_event().error()
        with LOCK:
            state = self._state
            if error is None or state is None:
                return self.take_early(current_location())
            self._state = None
            for hold in state.all_holds():
                land(hold)
            state.reset()
            raise error

    @property
    def _given_up(self) -> bool:
        return self._state is None or self._state.reported

    @_given_up.setter
    def _given_up(self, given_up: bool) -> None:
        if self._state is not None:
            self._state.reported = given_up

    def _abandon(self) -> None:
        state, self._state = self._state, None
        if state is not None:
            state.abandon()


UNLISTED.update((CachedLaunch, CachedFlight))
