"""Launches that differ from one before in nothing that its guards have looked at but the state of their arguments.

What a launch may do depends on two kinds of things: on what never changes (the kernel, what is declared for it, where
arrays lie, their layouts and pieces, constants), and on what is done with the memory meanwhile. The first is looked at
once and kept with the first argument, for as long as there is one; the second is asked at every launch. Whatever is not
plain at a glance is left to the ordinary launch, which then says what is wrong.

This is what a launch costs beyond handing it to the driver, so it is written to be short rather than to be divided.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CodeType, FrameType
from typing import Any, Final, TypeAlias

from tilecheck.decorators import ATTRIBUTE
from tilecheck_runtime.backends.interface import Backend, Event, PackedLaunch
from tilecheck_runtime.cpu.machine import State
from tilecheck_runtime.dialect.kernel import DialectKernel
from tilecheck_runtime.errors.locations import NOWHERE, PASSED_OVER, Location, current_location
from tilecheck_runtime.launch_cache.templates import TEMPLATES, LaunchTemplate, find_template, record_template
from tilecheck_runtime.launches.arguments import bind_arguments
from tilecheck_runtime.launches.flight import Flight, Passage, abandon_flight, already_taken_error
from tilecheck_runtime.launches.launch import Launch, OrdinaryLaunch, Ready, build_launch
from tilecheck_runtime.launches.log import LOG
from tilecheck_runtime.launches.operation import warn_never_run
from tilecheck_runtime.launches.reentrancy import INSIDE
from tilecheck_runtime.launches.registry import UNLISTED
from tilecheck_runtime.launches.streams import STREAM
from tilecheck_runtime.ownership.handles import Handle, Move, Site
from tilecheck_runtime.ownership.regions import Region
from tilecheck_runtime.ownership.state import CONFLICTS, Use
from tilecheck_runtime.ownership.storage import BUSY, EPOCH, LOCK, RUNNING, Hold, Ledger, Mode, land
from tilecheck_runtime.tensors.partition import Partition, transfer_hold
from tilecheck_runtime.tensors.shared import SharedTensor
from tilecheck_runtime.tensors.tensor import Tensor

__all__ = ["LaunchRecord", "launch_or_repeat", "remember_launch"]

_new: Final = object.__new__
_getframe: Final = sys._getframe
_PASSED_OVER: Final = PASSED_OVER
_acquire: Final = LOCK.acquire
_release: Final = LOCK.release
"""A `with` takes twice as long, and there are three in a launch. The lock is taken inside of the `try`, as an interrupt
may come as soon as it is. One that comes while it is waited for leaves nothing to release: that is the RuntimeError
that is passed over. A thread that has the lock already does not wait for it."""
_tuple: Final = tuple.__new__
_NEVER: Final = "", NOWHERE
_asked: Final = STREAM.get
_FurtherOutputs: TypeAlias = Sequence[tuple[Partition, Hold, int]]


_IDLE, _BUILT, _UNDERWAY = range(3)
_HANDLES: Final = frozenset({Partition, Tensor, SharedTensor})
_MOST: Final = 64
"""Launches that are kept for one argument."""
_FEW: Final = 8
"""Holds of one storage, with those that ended, before the latter are looked for and forgotten."""
_ALL: Final = frozenset(Mode)
_TO_READ: Final = CONFLICTS[Use.READ]
_PARTITIONED: Final = Mode.PARTITIONED
_READING: Final = Mode.READING
_WRITING: Final = Mode.WRITING


def launch_or_repeat(kernel: DialectKernel, /, *args: Any, **kwargs: Any) -> Launch[Any]:
    """The launch of a kernel, to be run later, with its outputs moved into it: like one before where there is one and
    nothing may forbid it, else an ordinary one. Raises OwnershipError."""
    known: LaunchRecord | None = None
    others: Iterator[LaunchRecord] | None = None
    if not kwargs:
        try:
            known = args[0]._core.site.last
        except (AttributeError, IndexError):  # no handle
            others = iter(())
    while True:
        if known is not None and kernel is known.kernel and len(args) == known.count and State.recorder is None and (
                not BUSY.threads or INSIDE.place is None) and (
                ATTRIBUTE not in known.attributes if known.declared is None
                else known.attributes.get(ATTRIBUTE) is known.declared) and (
                not known.numbers or known.same(args)):
            frame = _getframe(1)
            code, at, place, moves = known.calls
            if frame.f_code is not code or frame.f_lasti != at:
                place, moves = known.note_call_site(frame)
            try:
                _acquire()
                first: Any = None
                own: Any = None
                further: _FurtherOutputs = ()
                output = known.output
                try:
                    for borrowed in known.borrowed:
                        handle = args[borrowed.position]
                        if handle._core.site is not borrowed.site or (
                                (handle._moved is not None or borrowed.ledger.stamp != borrowed.stamp)
                                and not _can_borrow(borrowed, handle)):
                            plain = False
                            break
                    else:
                        plain = True
                        if output is not None:
                            first = args[output.position]
                            own = first._hold
                            holds = output.ledger.holds
                            plain = first._core.site is output.site and (
                                (own is not None and own.mode is _PARTITIONED and own.chain is None
                                 and len(holds) == 1 and holds[0]() is own and first._moved is None
                                 and not output.viewed and output.ledger.joined is None) or _can_move(output, first))
                            if plain and known.further:
                                further = known.others(args)
                                plain = bool(further)
                except AttributeError:  # no handle
                    plain = False
                if plain:
                    EPOCH.now = epoch = EPOCH.now + 1
                    spare = known.spare
                    trip = spare.pop() if spare else _LaunchState(known)
                    trip.args = args
                    trip.first = first
                    trip.own = own
                    trip.place = place
                    trip.epoch = epoch
                    trip.quiet = False
                    if first is not None:
                        first._moved = moves[0]
                        first._hold = None
                        own.what = known.waiting
                        own.place = place
                    if further:
                        trip.further = further
                        for handle, hold, number in further:
                            handle._moved, handle._hold = moves[number], None
                            hold.what, hold.place = known.waiting, place
                    trip.phase = _BUILT  # not before: an interrupt may come in between
                    made = CachedLaunch()
                    made._known = known
                    made._trip = trip
                    made._ended = None
                    return made
            finally:
                try:  # noqa: SIM105  # slower
                    _release()
                except RuntimeError:
                    pass
        if kwargs:
            break
        if others is None:
            others = _find_candidates(kernel, args, known)
        known = next(others, None)
        if known is None:
            break
    return build_launch(kernel, args, kwargs, remember_launch)


def _find_candidates(kernel: DialectKernel, args: Sequence[Any], last: LaunchRecord | None) -> Iterator[LaunchRecord]:
    """Launches that this one may be like, but for the last with its first argument."""
    site: Site = args[0]._core.site
    if len(site.known) > 1:
        other = site.known.get(_memory_key(kernel, args))
        if other is not None and other is not last:
            site.last = other
            yield other
    if TEMPLATES.get(kernel) is not None:
        found = _instantiate_template(kernel, args, site)
        if found is not None:
            yield found


def _instantiate_template(kernel: DialectKernel, args: Sequence[Any], site: Site) -> LaunchRecord | None:
    """The first launch with some memory that is like one with other memory."""
    pattern = find_template(kernel, args)
    if pattern is None:
        return None
    with LOCK:
        found = _make_record(pattern, kernel, args, pattern.instantiate(args, once=not site.seen))
        if site.seen:
            key = _memory_key(kernel, args)
            if key is not None:
                _store_record(site, key, found)
        site.seen = True
    return found


def _store_record(site: Site, key: tuple[Any, ...], found: LaunchRecord) -> None:
    if len(site.known) >= _MOST:
        site.known.clear()
    site.known[key] = site.last = found


def _memory_key(kernel: DialectKernel, args: Sequence[Any]) -> tuple[Any, ...] | None:
    """All that a launch depends on and that does not change; None where something is passed that may."""
    key: list[Any] = [kernel]
    for value in args:
        kind = type(value)
        if kind in _HANDLES:
            key.append(value._core.site)
        elif kind is float:
            key.append(float)  # code is the same for all of them, and so are guards
        elif kind is int or kind is bool:
            key.append((kind, value))
        else:
            return None
    return tuple(key)


def remember_launch(kernel: DialectKernel, args: Sequence[Any], ready: Ready, parameters: Sequence[str],
                    constants: Sequence[Any]) -> None:
    """Remembers a launch that went well: by what it is like, and with its first argument, once that is launched with a
    second time. `parameters` and `constants` are those of what was compiled, in order. The caller holds the lock."""
    if not args or not isinstance(args[0], Handle):
        return
    pattern = find_template(kernel, args) or record_template(kernel, args, ready, parameters, constants)
    site = args[0]._core.site
    if not site.seen or pattern is None:
        site.seen = True
        return
    key = _memory_key(kernel, args)
    if key is None or key in site.known:
        return
    packed = pattern.instantiate(args, once=False)
    _store_record(site, key, _make_record(pattern, kernel, args, packed))


class _BorrowedArgument:
    """An argument that stays with the caller.

    ledger  of its memory
    mode    in which a launch holds it
    viewed  whether it is a view, of something that may be moved away
    stamp   of the ledger when nothing forbade to read it; never that of what is written, of a view, or of a ledger that
            another one stands in for
    """

    __slots__ = ("ledger", "mode", "position", "site", "stamp", "viewed")

    def __init__(self, position: int, handle: Handle, mode: Mode) -> None:
        self.position, self.mode, self.site = position, mode, handle._core.site
        self.ledger, self.viewed, self.stamp = handle._storage.ledger, handle._parent is not None, -1


class _MovedArgument:
    """An argument that is moved.

    number  among those
    ledger  of its memory
    viewed  whether it is a view
    fix     what to write instead of it once it was moved
    """

    __slots__ = ("fix", "ledger", "number", "position", "site", "viewed")

    def __init__(self, number: int, position: int, handle: Handle, fix: str) -> None:
        self.number, self.position, self.site, self.fix = number, position, handle._core.site, fix
        self.ledger, self.viewed = handle._storage.ledger, handle._parent is not None


def _make_record(pattern: LaunchTemplate, kernel: DialectKernel, args: Sequence[Any],
                 packed: PackedLaunch) -> LaunchRecord:
    """A launch of some memory, of which everything but that is known."""
    found = _new(LaunchRecord)
    found.kernel, found.packed, found.name, found.what = kernel, packed, pattern.name, pattern.what
    found.attributes, found.declared, found.backend = pattern.attributes, pattern.declared, pattern.backend
    found.floats, found.numbers, found.waiting = pattern.floats, pattern.numbers, pattern.waiting
    found.count, found.spare = len(args), []
    found.writes = any(mode is _WRITING for _, mode in pattern.borrowed)
    found.calls, found.starts = (None, -1, NOWHERE, ()), (None, -1, _NEVER, _NEVER)
    outputs = [_MovedArgument(n, at, args[at], fix) for n, (at, fix) in enumerate(pattern.outputs)]
    found.output, found.further = (outputs[0] if outputs else None), tuple(outputs[1:])
    found.borrowed = tuple([_BorrowedArgument(n, args[n], mode) for n, mode in pattern.borrowed])
    return found


def _is_moved(handle: Handle) -> bool:
    """Whether a handle was moved away, or one that it is a view of."""
    found: Handle | None = handle
    while found is not None:
        if found._moved is not None:
            return True
        found = found._parent
    return False


def _can_borrow(borrowed: _BorrowedArgument, handle: Handle) -> bool:
    """Whether it is plain that nothing forbids the use of an argument."""
    if handle._moved is not None or (borrowed.viewed and _is_moved(handle)):
        return False
    ledger = borrowed.ledger
    if ledger.stamp != borrowed.stamp:
        reading = borrowed.mode is _READING
        if not _is_unheld(ledger, handle._hold, _TO_READ if reading else _ALL):
            return False
        if reading and ledger.joined is None and not borrowed.viewed:
            borrowed.stamp = ledger.stamp
    return True


def _can_move(output: _MovedArgument, handle: Handle) -> bool:
    """Whether it is plain that nothing forbids to move an output."""
    hold, ledger = handle._hold, output.ledger
    if hold is None or hold.mode is not _PARTITIONED or hold.chain is not None or (
            handle._moved is not None or (output.viewed and _is_moved(handle))):
        return False
    holds = ledger.holds
    if len(holds) == 1 and holds[0]() is hold and ledger.joined is None:
        return True
    ledger.root().live()
    return _is_unheld(ledger, hold, _ALL)


def _is_unheld(ledger: Ledger, own: Hold | None, conflicts: frozenset[Mode]) -> bool:
    """Whether it is plain that nobody else holds a memory, or part of it, in one of these modes."""
    ledger = ledger.root()
    if len(ledger.holds) > _FEW:
        ledger.live()
    for reference in ledger.holds:
        hold = reference()
        if hold is not None and not hold.ended and hold is not own and hold.mode in conflicts:
            return False
    return True


def _locate_frame(frame: FrameType) -> tuple[CodeType | None, int, Location]:
    """The place of a frame, with its code and instruction; that of a caller, without them, where it is our own."""
    code, at = frame.f_code, frame.f_lasti
    if PASSED_OVER.get(code.co_filename) is False:
        return code, at, _tuple(Location, (code, at))
    return None, -1, current_location()


class LaunchRecord:
    """What is kept of a launch. Nothing of it keeps memory alive, but for one that is launched once.

    output      the first `Mut` argument, which most kernels have; None without one
    further     the others. They take loops, which cost more than what is done in them
    floats      positions of floats
    numbers     positions, types and values of what is no array; of floats the value does not matter
    attributes  of the function, among them what its author declares
    declared    that, as it was
    writes      whether something that stays with the caller is written
    spare       trips that are through
    calls       code and instruction that built one last, that place, and where each output went then
    starts      code and instruction that started one last, how the launch has ended, and what its failure is called
    """

    kernel: DialectKernel
    backend: Backend
    packed: PackedLaunch
    output: _MovedArgument | None
    further: tuple[_MovedArgument, ...]
    borrowed: tuple[_BorrowedArgument, ...]
    floats: tuple[int, ...]
    numbers: tuple[tuple[int, type, Any], ...]
    name: str
    what: str
    waiting: str
    count: int
    attributes: Mapping[str, Any]
    declared: object
    writes: bool
    spare: list[_LaunchState]
    calls: tuple[CodeType | None, int, Location, tuple[Move, ...]]
    starts: tuple[CodeType | None, int, tuple[str, Location], tuple[str, Location]]

    def same(self, args: Sequence[Any]) -> bool:
        """Whether what is no array is as it was."""
        for position, kind, value in self.numbers:
            if type(args[position]) is not kind or (args[position] != value and kind is not float):
                return False
        return True

    def others(self, args: Sequence[Any]) -> _FurtherOutputs:
        """Outputs after the first with their holds and numbers; none where something may forbid to move one."""
        handles = [args[output.position] for output in self.further]
        for output, handle in zip(self.further, handles, strict=True):
            if handle._core.site is not output.site or not _can_move(output, handle):
                return []
        return [(handle, handle._hold, output.number) for output, handle in zip(self.further, handles, strict=True)]

    def note_call_site(self, frame: FrameType) -> tuple[Location, tuple[Move, ...]]:
        """The place of a call, and the moves of outputs there."""
        code, at, place = _locate_frame(frame)
        outputs = () if self.output is None else (self.output, *self.further)
        moves = tuple([Move(place, self.what, output.fix) for output in outputs])
        if code is not None:
            self.calls = code, at, place, moves
        return place, moves

    def note_start_site(self, frame: FrameType) -> tuple[tuple[str, Location], tuple[str, Location]]:
        """How a launch that is started there has ended, and what its failure is called."""
        code, at, place = _locate_frame(frame)
        ended, what = ("run", place), (self.name, place)
        if code is not None:
            self.starts = code, at, ended, what
        return ended, what

    def can_borrow_all(self, args: Sequence[Any]) -> bool:
        """Whether it is plain that nothing forbids the use of what stays with the caller."""
        return all(_can_borrow(borrowed, args[borrowed.position]) for borrowed in self.borrowed)

    def borrow(self, trip: _LaunchState, place: Location) -> None:
        """Begins to hold what stays with the caller."""
        common = trip.common = _BorrowGroup(place)
        trip.borrow_holds = [_BorrowHold(common, borrowed.mode, trip.args[borrowed.position].region,
                                         self.what) for borrowed in self.borrowed]
        self.listed(trip)

    def listed(self, trip: _LaunchState) -> None:
        """Counts holds that begin again where their storage has forgotten them, or where others must hear of it."""
        for hold, borrowed in zip(trip.borrow_holds, self.borrowed, strict=True):
            if not hold.listed:
                borrowed.ledger.root().add(hold)
            elif borrowed.mode is _WRITING:
                borrowed.ledger.root().stamp += 1
        trip.common.listed = True


class _BorrowGroup:
    """What the holds of all that a launch borrows have in common: they begin and end together.

    listed  whether the storages of all of them count them
    """

    __slots__ = ("ended", "listed", "place")

    def __init__(self, place: Location) -> None:
        self.place, self.ended, self.listed = place, False, True


class _BorrowHold(Hold):
    """The hold of something that stays with the caller."""

    __slots__ = ("_common", "_listed")

    def __init__(self, common: _BorrowGroup, mode: Mode, region: Region, what: str) -> None:
        self._common = common
        super().__init__(mode, region, common.place, what)

    @property
    def ended(self) -> bool:
        return self._common.ended

    @ended.setter
    def ended(self, ended: bool) -> None:
        self._common.ended = ended

    @property
    def place(self) -> Location:
        return self._common.place

    @place.setter
    def place(self, place: Location) -> None:
        self._common.place = place

    @property
    def listed(self) -> bool:
        return self._listed

    @listed.setter
    def listed(self, listed: bool) -> None:
        self._listed = listed
        if not listed:
            self._common.listed = False


class _LaunchState:
    """What belongs to a launch from the call of its kernel until its result is taken. The launch has it, then its
    flight: it alone notices that nobody has it any more, and gives everything back then. It is used again when it is
    through.

    name      of the kernel
    what      how messages call the launch
    packed     what is launched
    args      what the kernel was called with; nothing once another launch took over
    first     the first output, as it was passed
    own       the hold that it had
    further   the others, with theirs and their numbers
    borrow_holds  the holds of what stays with the caller, kept for the next one
    common    what these have in common; None where there are none yet
    place     where it was built, then where it was started
    epoch     when nothing forbade it
    phase     how far it has come
    quiet     whether something else was said of it
    launched  what the backend calls it
    """

    __slots__ = (
        "args",
        "borrow_holds",
        "common",
        "epoch",
        "first",
        "further",
        "launched",
        "name",
        "own",
        "packed",
        "phase",
        "place",
        "quiet",
        "what",
    )
    args: Sequence[Any]
    borrow_holds: Sequence[Hold]
    common: Any
    epoch: int
    first: Any
    further: _FurtherOutputs
    launched: object
    own: Any
    phase: int
    place: Location
    quiet: bool

    def __init__(self, known: LaunchRecord) -> None:
        self.name, self.what, self.packed = known.name, known.what, known.packed
        self.borrow_holds, self.common, self.launched = (), None, None
        self.over()

    def over(self) -> None:
        """Nothing belongs to it any more."""
        self.phase, self.args, self.first, self.own, self.further = _IDLE, (), None, None, ()

    def outputs(self) -> list[Hold]:
        """The holds of all outputs."""
        return [*([] if self.own is None else [self.own]), *[hold for _, hold, _ in self.further]]

    def holds(self) -> list[Hold]:
        """All holds of a launch that is under way, which are not used for another one after that."""
        borrow_holds, self.borrow_holds, self.common = self.borrow_holds, (), None
        return [*borrow_holds, *self.outputs()]

    def abandon(self) -> None:
        """Nobody can wait for it any more: everything is held until it is through."""
        event = self.packed.event(self.launched)
        passage = Passage(self.name, self.place, event, self.holds(), self.args, lambda: None)
        self.over()
        abandon_flight(passage)

    def __del__(self) -> None:
        if self.phase == _BUILT:
            for hold in self.outputs():
                hold.release()
            warn_never_run(self.what, self.place, self.quiet)
        elif self.phase == _UNDERWAY:
            if self.quiet:  # it is somebody else's to wait for
                for hold in self.holds():
                    hold.release()
            else:
                self.abandon()


class CachedLaunch(Launch[Any]):
    """Such a launch. An ordinary one takes over when it is asked for anything but to run, or when something may forbid
    that.

    trip      what belongs to it; None once it was run, or another one took over
    ordinary  that one
    """

    __slots__ = ("__weakref__", "_ended", "_known", "_ordinary", "_trip")
    _known: LaunchRecord
    _trip: _LaunchState | None
    _ordinary: OrdinaryLaunch[Any]

    @property
    def what(self) -> str:
        return self._known.what

    @property
    def _place(self) -> Location:
        trip = self._trip
        if trip is not None:
            return trip.place
        return self._ended[1] if self._ended is not None else self._ordinary._place

    @_place.setter
    def _place(self, place: Location) -> None:
        raise AttributeError("where it was built is known already")

    @property
    def _quiet(self) -> bool:
        trip: _LaunchState | None = self._trip
        return trip.quiet if trip is not None else getattr(self._replacement(), "_quiet", True)

    @_quiet.setter
    def _quiet(self, quiet: bool) -> None:
        trip, ordinary = self._trip, self._replacement()
        if trip is not None:
            trip.quiet = quiet
        if ordinary is not None:
            ordinary._quiet = quiet

    def _replacement(self) -> OrdinaryLaunch[Any] | None:
        found: OrdinaryLaunch[Any] | None = getattr(self, "_ordinary", None)
        return found

    def start(self, stream: Any = None, step: tuple[str, Location] | None = None) -> Flight[Any]:
        """`step`: what a failure of it is called, for a part of something that was started."""
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
            trip = self._trip
            if trip is not None and (EPOCH.now == trip.epoch or known.can_borrow_all(trip.args)) and (
                    not BUSY.threads or RUNNING.chain is None) and (step is not None or self._ended is None):
                args, own, common, place = trip.args, trip.own, trip.common, what[1]
                try:
                    if stream is None:
                        stream = _asked()
                    backend = known.backend
                    stream = backend.default if stream is None else backend.stream_of(stream)
                    launched = known.packed.launch(stream, [args[n] for n in known.floats] if known.floats else (),
                                                   what)
                except BaseException:
                    trip.quiet = True  # the error says it
                    raise
                EPOCH.now += 1
                trip.phase = _UNDERWAY
                trip.quiet = False
                trip.launched = launched
                trip.place = place
                self._trip = None
                self._ended = ended
                if own is not None:
                    own.mode = _WRITING
                    own.what = known.what
                    own.place = place
                if trip.further:
                    for _, hold, _ in trip.further:
                        hold.mode, hold.what, hold.place = _WRITING, known.what, place
                if common is None:
                    known.borrow(trip, place)
                else:
                    common.ended = False
                    common.place = place
                    if not common.listed or known.writes:
                        known.listed(trip)
                flight = CachedFlight()
                flight._known = known
                flight._launched = launched
                flight._trip = trip
                flight._taken = None
                flight._error = None
                if LOG.launches:
                    LOG.launched(known.name, place, "like one before", known.packed.grid, known.packed.symbol, stream)
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
        """The ordinary launch that takes over."""
        with LOCK:
            trip, known = self._trip, self._known
            if trip is not None:
                found = bind_arguments(known.name, known.kernel.signature, trip.args, {})
                taken = [transfer_hold(p, h) for p, h in zip(found.outputs.values(), trip.outputs(), strict=True)]
                self._ordinary = OrdinaryLaunch.instead(known.kernel, found, taken, trip.place)
                self._ordinary._ended, self._ordinary._quiet = self._ended, trip.quiet
                self._trip = None
                trip.over()
            return self._ordinary

    def grid(self, *extents: Any) -> Launch[Any]:
        self._check_not_run()
        self._ordinary_launch().grid(*extents)
        return self

    def ready(self, place: Location) -> Ready:
        return self._ordinary_launch().ready(place)

    def release_arguments(self) -> None:
        self._ordinary_launch().release_arguments()

    def _end(self, how: str, place: Location | None = None) -> None:
        super()._end(how, place)
        self._quiet = True  # what it is part of says it, if anything does
        self._propagate_end()

    def _reopen(self) -> None:
        super()._reopen()
        self._propagate_end()

    def _propagate_end(self) -> None:
        """The ordinary one has ended when this one has."""
        ordinary = self._replacement()
        if ordinary is not None:
            ordinary._ended = self._ended


class CachedFlight(Flight[Any]):
    """Such a launch, under way."""

    __slots__ = ("__weakref__", "_error", "_known", "_launched", "_taken", "_trip")
    ordered = True  # only what is has launches that are kept
    _known: LaunchRecord
    _launched: object
    _trip: _LaunchState | None

    def _completion_event(self) -> Event:
        return self._known.packed.event(self._launched)

    def ended(self, timeout: float | None = None) -> bool:
        return self._completion_event().wait(timeout)

    def when_done(self, call: Callable[[], None]) -> None:
        self._completion_event().when_done(call)

    def early(self, place: Location | None = None) -> Any:
        """Gives everything back, and returns what the outputs have become."""
        try:
            _acquire()
            trip = self._trip
            if trip is None:
                raise already_taken_error(self._taken or NOWHERE)
            self._trip = None
            if place is None:
                self._taken = place = trip.place
            if trip.further or (BUSY.threads and RUNNING.chain is not None):
                return self._return_outputs(trip, place)
            trip.common.ended = True
            first, own = trip.first, trip.own
            trip.phase = _IDLE
            trip.args = ()
            trip.first = trip.own = None
            self._known.spare.append(trip)
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

    def _return_outputs(self, trip: _LaunchState, place: Location) -> Any:
        """Several outputs, or whatever number of them within a chain."""
        outputs = [*([] if trip.first is None else [(trip.first, trip.own)]), *[(h, own) for h, own, _ in trip.further]]
        if BUSY.threads and RUNNING.chain is not None:
            for hold in trip.holds():
                land(hold)  # it goes on until the chain is through, for everybody else
            outputs = [(h, h._storage.hold(_PARTITIONED, h.region, place)) for h, _ in outputs]
        if trip.common is not None:
            trip.common.ended = True
        trip.over()
        self._known.spare.append(trip)
        for _, hold in outputs:
            hold.mode, hold.what, hold.place = _PARTITIONED, "a partition", place
        back = tuple([transfer_hold(h, hold) for h, hold in outputs])
        return back[0] if len(back) == 1 else back or None

    def _land(self) -> Any:
        error = self._completion_event().error()
        with LOCK:
            trip = self._trip
            if error is None or trip is None:
                return self.early(current_location())
            self._trip = None
            for hold in trip.holds():
                land(hold)
            trip.over()
            raise error

    @property
    def _given_up(self) -> bool:
        return self._trip is None or self._trip.quiet

    @_given_up.setter
    def _given_up(self, given_up: bool) -> None:
        if self._trip is not None:
            self._trip.quiet = given_up

    def _abandon(self) -> None:
        trip, self._trip = self._trip, None
        if trip is not None:
            trip.abandon()


UNLISTED.update((CachedLaunch, CachedFlight))
