"""Launches that differ from one before in nothing that its guards have looked at but the state of their arguments.

What a launch may do depends on two kinds of things: on what never changes (the kernel, what is declared for it, where
arrays lie, their layouts and pieces, constants), and on what is done with the memory meanwhile. The first is looked at
once and kept with the first argument, for as long as there is one; the second is asked at every launch. Whatever is not
plain at a glance is left to the ordinary launch, which then says what is wrong.

This is what a launch costs beyond handing it to the driver, so it is written to be short rather than to be divided.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from tilecheck.declare import ATTRIBUTE
from tilecheck_runtime.backends.interface import Again, Backend, Event
from tilecheck_runtime.cpu.machine import State
from tilecheck_runtime.launches.arguments import given
from tilecheck_runtime.launches.flight import Flight, KernelFlight, Passage
from tilecheck_runtime.launches.launch import Launch, Ready, facts_of
from tilecheck_runtime.launches.living import UNLISTED
from tilecheck_runtime.launches.log import LOG
from tilecheck_runtime.launches.nesting import INSIDE
from tilecheck_runtime.launches.patterns import PATTERNS, Pattern, observed, pattern_of
from tilecheck_runtime.launches.streams import STREAM
from tilecheck_runtime.ownership.handles import Handle, Move, Site
from tilecheck_runtime.ownership.places import NOWHERE, PASSED_OVER, Place, here
from tilecheck_runtime.ownership.state import CONFLICTS, Use
from tilecheck_runtime.ownership.storage import BUSY, EPOCH, LOCK, RUNNING, Hold, Ledger, Mode, land
from tilecheck_runtime.tensors.partition import Partition, handed_on
from tilecheck_runtime.tensors.shared import SharedTensor
from tilecheck_runtime.tensors.tensor import Tensor

if TYPE_CHECKING:
    from tilecheck_runtime.dialect.decorator import Kernel

__all__ = ["Familiar", "familiar", "met"]

_new: Final = object.__new__
_getframe: Final = sys._getframe
_PASSED_OVER: Final = PASSED_OVER
_acquire: Final = LOCK.acquire  # a `with` takes twice as long, and there are three in a launch
_release: Final = LOCK.release
_tuple: Final = tuple.__new__
_NEVER: Final = "", NOWHERE
_asked: Final = STREAM.get
_Others: TypeAlias = Sequence[tuple[Partition, Hold, int]]


def _all(first: Hold | None, further: _Others) -> list[Hold]:
    """The holds of all outputs."""
    return [*([] if first is None else [first]), *[hold for _, hold, _ in further]]
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


def familiar(kernel: Kernel[Any], args: Sequence[Any]) -> Launch[Any] | None:
    """A launch like one before, built; None where it is not, or where something may forbid it."""
    try:
        site: Site = args[0]._core.site
    except (IndexError, AttributeError):
        return None
    last: Familiar | None = site.last
    made = None if last is None else last.built(kernel, args)
    if made is None and len(site.known) > 1:
        other = site.known.get(_key(kernel, args))
        if other is not None and other is not last:
            site.last = other
            made = other.built(kernel, args)
    if made is None:
        alike = PATTERNS.get(kernel)
        if alike is not None:
            found = _by_pattern(kernel, args, site)
            made = None if found is None else found.built(kernel, args)
    return made


def _by_pattern(kernel: Kernel[Any], args: Sequence[Any], site: Site) -> Familiar | None:
    """The first launch with some memory that is like one with other memory."""
    pattern = pattern_of(kernel, args)
    if pattern is None:
        return None
    with LOCK:
        found = _of(pattern, kernel, args, pattern.again(args, once=not site.seen))
        if site.seen:
            key = _key(kernel, args)
            if key is not None:
                _put(site, key, found)
        site.seen = True
    return found


def _put(site: Site, key: tuple[Any, ...], found: Familiar) -> None:
    if len(site.known) >= _MOST:
        site.known.clear()
    site.known[key] = site.last = found


def _key(kernel: Kernel[Any], args: Sequence[Any]) -> tuple[Any, ...] | None:
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


def met(kernel: Kernel[Any], args: Sequence[Any], ready: Ready, parameters: Sequence[str],
        constants: Sequence[Any]) -> None:
    """Remembers a launch that went well: by what it is like, and with its first argument, once that is launched with a
    second time. `parameters` and `constants` are those of what was compiled, in order. The caller holds the lock."""
    if not args or not isinstance(args[0], Handle):
        return
    pattern = pattern_of(kernel, args) or observed(kernel, args, ready, parameters, constants)
    site = args[0]._core.site
    if not site.seen or pattern is None:
        site.seen = True
        return
    key = _key(kernel, args)
    if key is None or key in site.known:
        return
    again = pattern.again(args, once=False)
    _put(site, key, _of(pattern, kernel, args, again))


class _Lent:
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


class _Output:
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


def _of(pattern: Pattern, kernel: Kernel[Any], args: Sequence[Any], again: Again) -> Familiar:
    """A launch of some memory, of which everything but that is known."""
    found = _new(Familiar)
    found.kernel, found.again, found.name, found.what = kernel, again, pattern.name, pattern.what
    found.attributes, found.declared, found.backend = pattern.attributes, pattern.declared, pattern.backend
    found.floats, found.numbers, found.waiting = pattern.floats, pattern.numbers, pattern.waiting
    found.count, found.spare = len(args), []
    found.writes = any(mode is _WRITING for _, mode in pattern.lent)
    found.calls, found.starts = (None, -1, NOWHERE, ()), (None, -1, _NEVER, _NEVER)
    outputs = [_Output(n, at, args[at], fix) for n, (at, fix) in enumerate(pattern.outputs)]
    found.output, found.further = (outputs[0] if outputs else None), tuple(outputs[1:])
    found.lent = tuple([_Lent(n, args[n], mode) for n, mode in pattern.lent])
    return found


def _moved(handle: Handle) -> bool:
    """Whether a handle was moved away, or one that it is a view of."""
    found: Handle | None = handle
    while found is not None:
        if found._moved is not None:
            return True
        found = found._parent
    return False


def _lendable(lent: _Lent, handle: Handle) -> bool:
    """Whether it is plain that nothing forbids the use of an argument."""
    if handle._moved is not None or (lent.viewed and _moved(handle)):
        return False
    ledger = lent.ledger
    if ledger.stamp != lent.stamp:
        reading = lent.mode is _READING
        if not _quiet(ledger, handle._hold, _TO_READ if reading else _ALL):
            return False
        if reading and ledger.joined is None and not lent.viewed:
            lent.stamp = ledger.stamp
    return True


def _movable(output: _Output, handle: Handle) -> bool:
    """Whether it is plain that nothing forbids to move an output."""
    hold, ledger = handle._hold, output.ledger
    if hold is None or hold.mode is not _PARTITIONED or hold.chain is not None or (
            handle._moved is not None or (output.viewed and _moved(handle))):
        return False
    holds = ledger.holds
    if len(holds) == 1 and holds[0]() is hold and ledger.joined is None:
        return True
    ledger.root().live()
    return _quiet(ledger, hold, _ALL)


def _quiet(ledger: Ledger, own: Hold | None, conflicts: frozenset[Mode]) -> bool:
    """Whether it is plain that nobody else holds a memory, or part of it, in one of these modes."""
    ledger = ledger.root()
    if len(ledger.holds) > _FEW:
        ledger.live()
    for reference in ledger.holds:
        hold = reference()
        if hold is not None and not hold.ended and hold is not own and hold.mode in conflicts:
            return False
    return True


def _placed(frame: FrameType) -> tuple[CodeType | None, int, Place]:
    """The place of a frame, with its code and instruction; that of a caller, without them, where it is our own."""
    code, at = frame.f_code, frame.f_lasti
    if PASSED_OVER.get(code.co_filename) is False:
        return code, at, _tuple(Place, (code, at))
    return None, -1, here()


class Familiar:
    """What is kept of a launch. Nothing of it keeps memory alive, but for one that is launched once.

    output      the first `Mut` argument, which most kernels have; None without one
    further     the others. They take loops, which cost more than what is done in them
    floats      positions of floats
    numbers     positions, types and values of what is no array; of floats the value does not matter
    attributes  of the function, among them what its author declares
    declared    that, as it was
    writes      whether something that stays with the caller is written
    spare       holds that launches had which are through
    calls       code and instruction that built one last, that place, and where each output went then
    starts      code and instruction that started one last, how the launch has ended, and what its failure is called
    """

    kernel: Kernel[Any]
    backend: Backend
    again: Again
    output: _Output | None
    further: tuple[_Output, ...]
    lent: tuple[_Lent, ...]
    floats: tuple[int, ...]
    numbers: tuple[tuple[int, type, Any], ...]
    name: str
    what: str
    waiting: str
    count: int
    attributes: Mapping[str, Any]
    declared: object
    writes: bool
    spare: list[Sequence[Hold]]
    calls: tuple[CodeType | None, int, Place, tuple[Move, ...]]
    starts: tuple[CodeType | None, int, tuple[str, Place], tuple[str, Place]]

    def built(self, kernel: Kernel[Any], args: Sequence[Any]) -> Launch[Any] | None:
        """Such a launch, with its outputs moved into it; None where the arguments are others, or something may forbid
        it."""
        if kernel is not self.kernel or len(args) != self.count or State.recorder is not None or (
                BUSY.threads and INSIDE.place is not None) or self.attributes.get(ATTRIBUTE) is not self.declared:
            return None
        if self.numbers:
            for position, kind, value in self.numbers:
                if type(args[position]) is not kind or (args[position] != value and kind is not float):
                    return None
        frame = _getframe(2)
        code, at, place, moves = self.calls
        if frame.f_code is not code or frame.f_lasti != at:
            place, moves = self._called_from(frame)
        _acquire()
        try:
            output = self.output
            first: Any = None
            own: Any = None
            further: _Others = ()
            try:
                for lent in self.lent:
                    handle = args[lent.position]
                    if handle._core.site is not lent.site or (
                            (handle._moved is not None or lent.ledger.stamp != lent.stamp)
                            and not _lendable(lent, handle)):
                        return None
                if output is not None:
                    first = args[output.position]
                    own = first._hold
                    holds = output.ledger.holds
                    plain = own is not None and own.mode is _PARTITIONED and own.chain is None and (
                        len(holds) == 1 and holds[0]() is own and first._moved is None and not output.viewed
                        and output.ledger.joined is None)
                    if first._core.site is not output.site or not (plain or _movable(output, first)):
                        return None
                    if self.further:
                        further = self._others(args)
                        if not further:
                            return None
            except AttributeError:  # no handle
                return None
            EPOCH.now = epoch = EPOCH.now + 1
            made = _new(_FamiliarLaunch)
            made._known = self
            made._args = args
            made._first = first
            made._own = own
            made._further = further
            made._place = place
            made._epoch = epoch
            made._ended = None
            if first is not None:
                first._moved, first._hold = moves[0], None
                own.what, own.place = self.waiting, place
            for handle, hold, number in further:
                handle._moved, handle._hold = moves[number], None
                hold.what, hold.place = self.waiting, place
            return made
        finally:
            _release()

    def _others(self, args: Sequence[Any]) -> _Others:
        """Outputs after the first with their holds and numbers; none where something may forbid to move one."""
        handles = [args[output.position] for output in self.further]
        for output, handle in zip(self.further, handles, strict=True):
            if handle._core.site is not output.site or not _movable(output, handle):
                return []
        return [(handle, handle._hold, output.number) for output, handle in zip(self.further, handles, strict=True)]

    def _called_from(self, frame: FrameType) -> tuple[Place, tuple[Move, ...]]:
        """The place of a call, and the moves of outputs there."""
        code, at, place = _placed(frame)
        outputs = () if self.output is None else (self.output, *self.further)
        moves = tuple([Move(place, self.what, output.fix) for output in outputs])
        if code is not None:
            self.calls = code, at, place, moves
        return place, moves

    def started_from(self, frame: FrameType) -> tuple[tuple[str, Place], tuple[str, Place]]:
        """How a launch that is started there has ended, and what its failure is called."""
        code, at, place = _placed(frame)
        ended, what = ("run", place), (self.name, place)
        if code is not None:
            self.starts = code, at, ended, what
        return ended, what

    def lendable(self, args: Sequence[Any]) -> bool:
        """Whether it is plain that nothing forbids the use of what stays with the caller."""
        return all(_lendable(lent, args[lent.position]) for lent in self.lent)

    def listed(self, holds: Sequence[Hold]) -> None:
        """Counts holds that begin again where their storage has forgotten them, or where others must hear of it."""
        for hold, lent in zip(holds, self.lent, strict=True):
            if not hold.listed:
                lent.ledger.root().add(hold)
            elif lent.mode is _WRITING:
                lent.ledger.root().stamp += 1


class _FamiliarLaunch(Launch[Any]):
    """Such a launch. It becomes an ordinary one when it is asked for anything but to run.

    args     what the kernel was called with; nothing once it has become ordinary, or was run
    first    the first output, as it was passed
    own      the hold that it had
    further  the others, with theirs and their numbers
    """

    __slots__ = ("_args", "_ended", "_epoch", "_first", "_further", "_known", "_own", "_place")
    _known: Familiar
    _epoch: int
    _first: Partition | None
    _own: Hold | None
    _further: _Others
    _args: Sequence[Any]

    @property
    def what(self) -> str:
        return self._known.what

    def start(self, stream: Any = None) -> Flight[Any]:
        if State.recorder is None and (not BUSY.threads or INSIDE.place is None):
            frame, known = _getframe(1), self._known
            code, at, ended, what = known.starts
            if frame.f_code is not code or frame.f_lasti != at:
                ended, what = known.started_from(frame)
            _acquire()
            try:
                if self._ended is None:
                    flight = self._begun(what, stream)
                    if flight is not None:
                        self._ended = ended
                        return flight
            finally:
                _release()
        return super().start(stream)

    def _begin(self, place: Place) -> Flight[Any]:
        with LOCK:
            return self._begun((self._known.name, place), None) or super()._begin(place)

    def _begun(self, what: tuple[str, Place], stream: Any) -> Flight[Any] | None:
        """Starts it; None where something may forbid that. The caller holds the lock."""
        known, args, own, further = self._known, self._args, self._own, self._further
        if not args or (BUSY.threads and RUNNING.chain is not None) or (
                EPOCH.now != self._epoch and not known.lendable(args)):
            return None
        try:
            if stream is None:
                stream = _asked()
            backend = known.backend
            stream = backend.default if stream is None else backend.stream_of(stream)
            launched = known.again.launch(stream, [args[n] for n in known.floats] if known.floats else (), what)
        except BaseException:
            self._quiet = True  # the error says it
            raise
        EPOCH.now += 1
        place, text = what[1], known.what
        if own is not None:
            own.mode, own.what, own.place = _WRITING, text, place
        for _, hold, _ in further:
            hold.mode, hold.what, hold.place = _WRITING, text, place
        if known.spare:
            borrowed = known.spare.pop()
            for hold in borrowed:
                hold.ended, hold.place = False, place
                if not hold.listed:
                    known.listed(borrowed)
            if known.writes:
                known.listed(borrowed)
        else:
            borrowed = [handle._storage.hold(lent.mode, handle.region, place, text)
                        for lent in known.lent for handle in (args[lent.position],)]
        flight = _new(_FamiliarFlight)
        flight._known = known
        flight._launched = launched
        flight._args = args
        flight._first = self._first
        flight._own = own
        flight._further = further
        flight._borrowed = borrowed
        flight._place = place
        flight._taken = None
        self._args = self._further = ()
        self._first = self._own = None
        if LOG.launches:
            LOG.launched(known.name, place, "like one before", known.again.grid, known.again.symbol, stream)
        return flight

    def _ordinary(self) -> None:
        if not self._args:
            return
        known, args, own = self._known, self._args, _all(self._own, self._further)
        self._kernel, self._name = known.kernel, known.name
        self._given = given(self._name, self._kernel.signature, args, {})
        self._facts = facts_of(self._kernel, self._given)
        self._grid = self._facts.grid
        outputs = self._given.outputs.values()
        self._taken = tuple(handed_on(p, hold) for p, hold in zip(outputs, own, strict=True))
        self._args = self._further = ()
        self._first = self._own = None

    def grid(self, *extents: Any) -> Launch[Any]:
        self._unspent()
        with LOCK:
            self._ordinary()
        return super().grid(*extents)

    def ready(self, place: Place) -> Ready:
        self._ordinary()
        return super().ready(place)

    def __del__(self) -> None:
        if self._ended is None:
            for hold in _all(self._own, self._further):
                hold.release()
            super().__del__()


class _FamiliarFlight(KernelFlight[Any]):
    """Such a launch, under way."""

    __slots__ = ("_args", "_borrowed", "_first", "_further", "_known", "_launched", "_own", "_place", "_taken")
    ordered = True  # only what is has launches that are kept
    _known: Familiar
    _launched: object
    _args: Sequence[Any]
    _first: Partition | None
    _own: Hold | None
    _further: _Others
    _borrowed: Sequence[Hold]
    _place: Place

    def _behind(self) -> Event:
        return self._known.again.event(self._launched)

    def early(self, place: Place | None = None) -> Any:
        """Gives everything back, and returns what the outputs have become."""
        _acquire()
        try:
            if place is None:
                self._taken = place = self._place
            first, own, further, borrowed = self._first, self._own, self._further, self._borrowed
            if BUSY.threads and RUNNING.chain is not None:
                for hold in self._holds():
                    land(hold)  # it goes on until the chain is through, for everybody else
                own = None if first is None else first._storage.hold(_PARTITIONED, first.region, place)
                further = [(h, h._storage.hold(_PARTITIONED, h.region, place), n) for h, _, n in further]
            else:
                for hold in borrowed:
                    hold.ended = True
                self._known.spare.append(borrowed)
            self._args = self._further = ()
            self._borrowed = ()
            self._first = self._own = None
            if first is None or own is None:
                return None
            own.mode, own.what, own.place = _PARTITIONED, "a partition", place
            part = _new(Partition)
            part._core, part._hold, part._moved = first._core, own, None
            if not further:
                return part
            for _, hold, _ in further:
                hold.mode, hold.what, hold.place = _PARTITIONED, "a partition", place
            return part, *[handed_on(h, hold) for h, hold, _ in further]
        finally:
            _release()

    def _land(self) -> Any:
        error = self._behind().error()
        with LOCK:
            if error is not None:
                for hold in self._holds():
                    land(hold)
                self._let_go()
                raise error
            return self.early(here())

    def _holds(self) -> list[Hold]:
        return [*self._borrowed, *_all(self._own, self._further)]

    def _let_go(self) -> None:
        self._args = self._further = ()
        self._borrowed = ()
        self._first = self._own = None

    def _abandon(self) -> None:
        holds, args = self._holds(), self._args
        self._let_go()
        self._passage = Passage(self._known.name, self._place, self._behind(), holds, args, lambda: None)
        super()._abandon()

    def __del__(self) -> None:
        if self._args:  # its result was not taken
            if self._taken is None:
                super().__del__()
            for hold in self._holds():
                hold.release()


UNLISTED.update((_FamiliarLaunch, _FamiliarFlight))
