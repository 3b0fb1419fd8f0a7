"""Records of launches that later calls can repeat, and the state of the launches that do.

A record holds everything about a launch that cannot change: the kernel, the layouts of its arguments, their memory, and
the packed arguments. Whether a launch is allowed also depends on the state of that memory; `can_borrow` and `can_move`
check it with a few comparisons. Both answer False where a full check is necessary, which the ordinary launch does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import CodeType, FrameType
from typing import Any, Final, TypeAlias

from tilecheck_runtime.backends.interface import Backend, PackedLaunch
from tilecheck_runtime.dialect.kernel import DialectKernel
from tilecheck_runtime.errors.locations import NOWHERE, PASSED_OVER, Location, current_location
from tilecheck_runtime.launch_cache.templates import LaunchTemplate
from tilecheck_runtime.launches.flight import Passage, abandon_flight
from tilecheck_runtime.launches.operation import warn_never_run
from tilecheck_runtime.ownership.handles import Handle, Move
from tilecheck_runtime.ownership.regions import Region
from tilecheck_runtime.ownership.state import CONFLICTS, Use
from tilecheck_runtime.ownership.storage import LOCK, Hold, Ledger, Mode
from tilecheck_runtime.tensors.partition import Partition

__all__ = [
    "ACQUIRE", "BUILT", "IDLE", "RELEASE", "UNDERWAY", "BorrowedArgument", "FurtherOutputs", "LaunchRecord",
    "LaunchState", "MovedArgument", "can_borrow", "can_move", "make_record",
]

_new: Final = object.__new__
_tuple: Final = tuple.__new__
_NEVER: Final = "", NOWHERE
FurtherOutputs: TypeAlias = Sequence[tuple[Partition, Hold, int]]
"""Outputs after the first: the partition, its hold, and its number among the outputs."""

ACQUIRE: Final = LOCK.acquire
RELEASE: Final = LOCK.release
"""A `with` statement takes twice as long, and a launch takes the lock three times. `ACQUIRE` is called inside the `try`
because an interrupt can arrive as soon as the lock is held. An interrupt that arrives while `ACQUIRE` waits leaves
nothing to release: `RELEASE` then raises the RuntimeError that callers ignore. A thread that holds the lock never
waits."""

IDLE, BUILT, UNDERWAY = range(3)
"""Phases of a `LaunchState`."""
_FEW: Final = 8
"""Holds of one storage, ended ones included, above which the ended ones are removed."""
_ALL: Final = frozenset(Mode)
_TO_READ: Final = CONFLICTS[Use.READ]
_PARTITIONED: Final = Mode.PARTITIONED
_READING: Final = Mode.READING
_WRITING: Final = Mode.WRITING


class BorrowedArgument:
    """An argument that stays with the caller.

    ledger  of its memory
    mode    in which a launch holds it
    viewed  whether it is a view of a handle that may be moved
    stamp   of the ledger when reading was last allowed; unused for written arguments, for views, and for ledgers that
            were joined to another one
    """

    __slots__ = ("ledger", "mode", "position", "site", "stamp", "viewed")

    def __init__(self, position: int, handle: Handle, mode: Mode) -> None:
        self.position, self.mode, self.site = position, mode, handle._core.site
        self.ledger, self.viewed, self.stamp = handle._storage.ledger, handle._parent is not None, -1


class MovedArgument:
    """An argument that is moved into the launch.

    number  among the moved arguments
    ledger  of its memory
    viewed  whether it is a view
    fix     the text that suggests a replacement after the move
    """

    __slots__ = ("fix", "ledger", "number", "position", "site", "viewed")

    def __init__(self, number: int, position: int, handle: Handle, fix: str) -> None:
        self.number, self.position, self.site, self.fix = number, position, handle._core.site, fix
        self.ledger, self.viewed = handle._storage.ledger, handle._parent is not None


def make_record(pattern: LaunchTemplate, kernel: DialectKernel, args: Sequence[Any],
                 packed: PackedLaunch) -> LaunchRecord:
    """Creates the record of a launch on the memory of `args`."""
    found = _new(LaunchRecord)
    found.kernel, found.packed, found.name, found.what = kernel, packed, pattern.name, pattern.what
    found.attributes, found.declared, found.backend = pattern.attributes, pattern.declared, pattern.backend
    found.floats, found.numbers, found.waiting = pattern.floats, pattern.numbers, pattern.waiting
    found.count, found.spare = len(args), []
    found.writes = any(mode is _WRITING for _, mode in pattern.borrowed)
    found.calls, found.starts = (None, -1, NOWHERE, ()), (None, -1, _NEVER, _NEVER)
    outputs = [MovedArgument(n, at, args[at], fix) for n, (at, fix) in enumerate(pattern.outputs)]
    found.output, found.further = (outputs[0] if outputs else None), tuple(outputs[1:])
    found.borrowed = tuple([BorrowedArgument(n, args[n], mode) for n, mode in pattern.borrowed])
    return found


def _is_moved(handle: Handle) -> bool:
    """Returns whether a handle, or one that it is a view of, was moved."""
    found: Handle | None = handle
    while found is not None:
        if found._moved is not None:
            return True
        found = found._parent
    return False


def can_borrow(borrowed: BorrowedArgument, handle: Handle) -> bool:
    """Returns True if the argument is certainly free to use; False if only a full check can tell."""
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


def can_move(output: MovedArgument, handle: Handle) -> bool:
    """Returns True if the output is certainly free to be moved; False if only a full check can tell."""
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
    """Returns True if certainly no other hold on the memory has one of these modes."""
    ledger = ledger.root()
    if len(ledger.holds) > _FEW:
        ledger.live()
    for reference in ledger.holds:
        hold = reference()
        if hold is not None and not hold.ended and hold is not own and hold.mode in conflicts:
            return False
    return True


def _locate_frame(frame: FrameType) -> tuple[CodeType | None, int, Location]:
    """Returns the location of a frame with its code and instruction; for a frame of the runtime the location of its
    caller, without them."""
    code, at = frame.f_code, frame.f_lasti
    if PASSED_OVER.get(code.co_filename) is False:
        return code, at, _tuple(Location, (code, at))
    return None, -1, current_location()


class LaunchRecord:
    """The constant part of a launch. It keeps no memory alive, unless it is launched only once.

    output      the first `Mut` argument, which most kernels have; None without one
    further     the other `Mut` arguments, in a tuple of their own because a loop costs more than its body
    floats      positions of floats
    numbers     positions, types and values of all numbers; the value of a float does not matter
    attributes  of the function; its author's declarations are among them
    declared    these declarations at the time of the record
    writes      whether an argument that stays with the caller is written
    spare       states that can be reused
    calls       code and instruction of the last call, its location, and the moves of the outputs there
    starts      code and instruction of the last start, how a launch ended there, and how its failure is described
    """

    kernel: DialectKernel
    backend: Backend
    packed: PackedLaunch
    output: MovedArgument | None
    further: tuple[MovedArgument, ...]
    borrowed: tuple[BorrowedArgument, ...]
    floats: tuple[int, ...]
    numbers: tuple[tuple[int, type, Any], ...]
    name: str
    what: str
    waiting: str
    count: int
    attributes: Mapping[str, Any]
    declared: object
    writes: bool
    spare: list[LaunchState]
    calls: tuple[CodeType | None, int, Location, tuple[Move, ...]]
    starts: tuple[CodeType | None, int, tuple[str, Location], tuple[str, Location]]

    def has_equal_numbers(self, args: Sequence[Any]) -> bool:
        """Returns whether all numbers have the recorded types and values."""
        for position, kind, value in self.numbers:
            if type(args[position]) is not kind or (args[position] != value and kind is not float):
                return False
        return True

    def take_further(self, args: Sequence[Any]) -> FurtherOutputs:
        """Returns the outputs after the first with their holds and numbers; an empty list if one of them may not be
        free."""
        handles = [args[output.position] for output in self.further]
        for output, handle in zip(self.further, handles, strict=True):
            if handle._core.site is not output.site or not can_move(output, handle):
                return []
        return [(handle, handle._hold, output.number) for output, handle in zip(self.further, handles, strict=True)]

    def note_call_site(self, frame: FrameType) -> tuple[Location, tuple[Move, ...]]:
        """Returns the location of a call and the moves of the outputs there, and records them."""
        code, at, place = _locate_frame(frame)
        outputs = () if self.output is None else (self.output, *self.further)
        moves = tuple([Move(place, self.what, output.fix) for output in outputs])
        if code is not None:
            self.calls = code, at, place, moves
        return place, moves

    def note_start_site(self, frame: FrameType) -> tuple[tuple[str, Location], tuple[str, Location]]:
        """Returns how a launch that is started in a frame ended and how its failure is described, and records both."""
        code, at, place = _locate_frame(frame)
        ended, what = ("run", place), (self.name, place)
        if code is not None:
            self.starts = code, at, ended, what
        return ended, what

    def can_borrow_all(self, args: Sequence[Any]) -> bool:
        """Returns True if all arguments that stay with the caller are certainly free to use."""
        return all(can_borrow(borrowed, args[borrowed.position]) for borrowed in self.borrowed)

    def borrow(self, state: LaunchState, place: Location) -> None:
        """Starts to hold the arguments that stay with the caller."""
        common = state.common = _BorrowGroup(place)
        state.borrow_holds = [_BorrowHold(common, borrowed.mode, state.args[borrowed.position].region,
                                         self.what) for borrowed in self.borrowed]
        self.list_holds(state)

    def list_holds(self, state: LaunchState) -> None:
        """Adds reused holds to ledgers that dropped them, and marks ledgers of written memory as changed."""
        for hold, borrowed in zip(state.borrow_holds, self.borrowed, strict=True):
            if not hold.listed:
                borrowed.ledger.root().add(hold)
            elif borrowed.mode is _WRITING:
                borrowed.ledger.root().stamp += 1
        state.common.listed = True


class _BorrowGroup:
    """The common state of the holds of one launch: they start and end together.

    listed  whether all ledgers contain them
    """

    __slots__ = ("ended", "listed", "place")

    def __init__(self, place: Location) -> None:
        self.place, self.ended, self.listed = place, False, True


class _BorrowHold(Hold):
    """The hold of an argument that stays with the caller."""

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


class LaunchState:
    """The state of a launch from the call of its kernel until its result is taken. The launch owns it, then its flight:
    only the state notices when it is dropped, and releases everything then. It is reused afterwards.

    name          of the kernel
    what          description of the launch for messages
    packed        the packed launch
    args          of the call; empty once another launch took over
    first         the first output, as it was passed
    own           the hold that it had
    further       the other outputs, with their holds and numbers
    borrow_holds  holds of arguments that stay with the caller, reused by the next launch
    common        their common state; None before the first use
    place         of the call, then of the start
    epoch         at which all arguments were free
    phase         IDLE, BUILT or UNDERWAY
    reported      whether a message about it was reported, or another object is responsible for it
    launched      the handle of the backend
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
        "reported",
        "what",
    )
    args: Sequence[Any]
    borrow_holds: Sequence[Hold]
    common: Any
    epoch: int
    first: Any
    further: FurtherOutputs
    launched: object
    own: Any
    phase: int
    place: Location
    reported: bool

    def __init__(self, known: LaunchRecord) -> None:
        self.name, self.what, self.packed = known.name, known.what, known.packed
        self.borrow_holds, self.common, self.launched = (), None, None
        self.reset()

    def reset(self) -> None:
        """Drops everything that belongs to the launch."""
        self.phase, self.args, self.first, self.own, self.further = IDLE, (), None, None, ()

    def output_holds(self) -> list[Hold]:
        """Returns the holds of all outputs."""
        return [*([] if self.own is None else [self.own]), *[hold for _, hold, _ in self.further]]

    def all_holds(self) -> list[Hold]:
        """Returns the holds of a launch under way. The next launch does not reuse them."""
        borrow_holds, self.borrow_holds, self.common = self.borrow_holds, (), None
        return [*borrow_holds, *self.output_holds()]

    def abandon(self) -> None:
        """Keeps everything held until the launch ends, because no code can wait for it any more."""
        event = self.packed.event(self.launched)
        passage = Passage(self.name, self.place, event, self.all_holds(), self.args, lambda: None)
        self.reset()
        abandon_flight(passage)

    def __del__(self) -> None:
        if self.phase == BUILT:
            for hold in self.output_holds():
                hold.release()
            warn_never_run(self.what, self.place, self.reported)
        elif self.phase == UNDERWAY:
            if self.reported:  # another object waits for it
                for hold in self.all_holds():
                    hold.release()
            else:
                self.abandon()
