"""Launches that are prepared once and run many times, with their guards."""

from __future__ import annotations

from typing import Any

from tilecheck_runtime.backends.interface import Event, Job
from tilecheck_runtime.errors.locations import current_location
from tilecheck_runtime.errors.ownership import MovedError
from tilecheck_runtime.launches.flight import in_chain
from tilecheck_runtime.launches.launch import Launch, check_uses, hold_inputs, result_of
from tilecheck_runtime.launches.log import LOG
from tilecheck_runtime.launches.reentrancy import refuse_nested
from tilecheck_runtime.launches.streams import stream_for, use_stream
from tilecheck_runtime.ownership.state import release
from tilecheck_runtime.ownership.storage import EPOCH, LOCK, Chain, Hold, Mode
from tilecheck_runtime.ownership.unique import Unique

__all__ = ["BoundLaunch"]


class BoundLaunch(Unique):
    """A kernel with its arguments, packed once. Calling it starts a launch; memory that it uses is in flight until
    `wait`.

    Guards that can change are checked before each launch: whether an input was moved, or is written by work in flight.
    This costs one comparison while nothing in the program was held or moved since the last launch.
    """

    _instead = "bind another one: `kernel.bind(...)`"

    def __init__(self, launch: Launch[Any]) -> None:
        launch._end("bound")
        self.what, self._place = f"the bound {launch.what.removeprefix('the ')}", current_location()
        with LOCK:
            ready = self._ready = launch.check_and_prepare(self._place)
            self._repeated = ready.backend.prepare_jobs([ready.job], f"`{ready.job.kernel}` bound at {self._place}")
            launch.release_arguments()
        self._chain = Chain()
        self._holds: list[Hold] = []
        self._epoch = -1
        self._stream, self._asked = ready.backend.default, None
        self._event: Event | None = None
        self._closed: str | None = None

    def _describe(self) -> str:
        return self.what

    def __call__(self, stream: Any = None) -> None:
        """Starts one launch, on the given stream. Raises OwnershipError; then nothing was started."""
        with LOCK:
            if self._epoch != EPOCH.now or (stream is not None and stream is not self._asked):
                self._check_guards(stream)
            self._event = self._repeated.launch(self._stream)
            if LOG.launches:
                self._log_launch()

    def _log_launch(self) -> None:
        job = self._ready.job
        assert isinstance(job, Job)
        LOG.log_launch(job.kernel, current_location(), f"bound at {self._place}", job.grid,
                       getattr(self._ready.prepared, "symbol", ""), self._stream)

    def wait(self) -> None:
        """Waits for all launches that were started, and makes their memory usable again. Raises the error of a failed
        launch."""
        event = self._event
        while event is not None:
            event.wait()
            with LOCK:
                last = self._event is event  # otherwise another thread started it again
                if last:
                    self._land()
            error = event.error()
            if error is not None:
                raise error
            event = None if last else self._event

    def done(self) -> bool:
        """Returns whether all launches that were started have ended."""
        return self._event is None or self._event.done()

    def release(self) -> Any:
        """Waits, and returns the outputs as a launch does. The bound launch cannot be started afterwards."""
        self._open()
        self.wait()
        with LOCK:
            self._closed = f"released at {current_location()}"
            for own in self._ready.taken:
                release(own)
            return result_of(self._ready.taken)

    def _open(self) -> None:
        if self._closed is not None:
            raise MovedError(f"{self.what} was already {self._closed}", use=current_location(), before=self._place,
                             what="bound",
                             fix="bind the kernel again with the result of `.release()`")

    def _check_guards(self, stream: Any) -> None:
        """Checks everything that may have changed since the last launch, and holds the memory that the launch uses."""
        self._open()
        refuse_nested(self.what)
        with use_stream(stream):
            wanted = stream_for(self._ready.backend) if stream is not None else self._stream
        with in_chain(self._chain, current_location()):  # its own holds do not conflict
            check_uses(self._ready.uses)
            if self._ready.look is not None:
                self._ready.look()
        if not self._holds:
            self._holds = hold_inputs(self._ready, Mode.READING, Mode.WRITING, current_location(), self.what)
            for hold in self._holds:
                hold.chain = self._chain
        self._stream, self._epoch = wanted, EPOCH.now if self._ready.look is None else -1
        self._asked = stream if stream is not None else self._asked

    def _land(self) -> None:
        for hold in self._holds:
            hold.release()
        self._holds, self._event, self._epoch = [], None, -1
        self._repeated.release_memory()

    def __del__(self) -> None:
        event = getattr(self, "_event", None)
        if event is not None:
            holds, kept = self._holds, (self._ready, self._repeated)
            event.call_later(lambda: _release_all(holds, kept))


def _release_all(holds: list[Hold], kept: object) -> None:
    for hold in holds:
        hold.release()
