"""Launches that differ from one before in nothing that its guards have looked at but the state of their arguments.

What a launch may do depends on two kinds of things: on what never changes (the kernel, what is declared for it, where
arrays lie, their layouts and pieces, constants), and on what is done with the memory meanwhile. The first is looked at
once and kept with the first argument, for as long as there is one; the second is asked at every launch. Whatever is not
plain at a glance is left to the ordinary launch, which then says what is wrong.

This is what a launch costs beyond handing it to the driver, so it is written to be short rather than to be divided.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tilecheck.declare import ATTRIBUTE
from tilecheck_runtime.backends.interface import Again, Backend, Event, Job
from tilecheck_runtime.cpu.execute import function_of
from tilecheck_runtime.cpu.machine import State
from tilecheck_runtime.launches.arguments import given
from tilecheck_runtime.launches.flight import OPEN, Flight, KernelFlight, Passage
from tilecheck_runtime.launches.launch import Launch, Ready, facts_of, instead
from tilecheck_runtime.launches.nesting import INSIDE
from tilecheck_runtime.launches.operation import PENDING
from tilecheck_runtime.launches.streams import stream_for
from tilecheck_runtime.ownership.handles import Handle, Move, Site
from tilecheck_runtime.ownership.places import Place, here
from tilecheck_runtime.ownership.state import CONFLICTS, Use
from tilecheck_runtime.ownership.storage import EPOCH, LOCK, RUNNING, Hold, Ledger, Mode, land
from tilecheck_runtime.tensors.partition import Partition, handed_on
from tilecheck_runtime.tensors.shared import SharedTensor
from tilecheck_runtime.tensors.tensor import Tensor

if TYPE_CHECKING:
    from tilecheck_runtime.dialect.decorator import Kernel

__all__ = ["Familiar", "familiar", "met"]

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


def familiar(kernel: Kernel[Any], args: Sequence[Any]) -> Launch | None:
    """A launch like one before, built; None where it is not, or where something may forbid it."""
    try:
        site: Site = args[0]._core.site
    except (IndexError, AttributeError):
        return None
    last: Familiar | None = site.last
    if last is None:
        return None
    made = last.built(kernel, args)
    if made is None and len(site.known) > 1:
        other = site.known.get(_key(kernel, args))
        if other is not None and other is not last:
            site.last = other
            made = other.built(kernel, args)
    return made


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


def met(kernel: Kernel[Any], args: Sequence[Any], ready: Ready, parameters: Sequence[str]) -> None:
    """Remembers a launch that went well, once its first argument is launched with a second time. `parameters` are those
    of what was compiled, in order. The caller holds the lock."""
    if not args or not isinstance(args[0], Handle):
        return
    site = args[0]._core.site
    if not site.seen:
        site.seen = True
        return
    key = _key(kernel, args)
    if key is None or key in site.known:
        return
    made = _kept(kernel, args, ready, parameters)
    if made is not None:
        if len(site.known) >= _MOST:
            site.known.clear()
        site.known[key] = site.last = made


class _Lent:
    """An argument that stays with the caller.

    ledger  of its memory
    mode    in which a launch holds it
    viewed  whether it is a view, of something that may be moved away
    stamp   of the ledger when nothing forbade to read it; never that of what is written
    """

    __slots__ = ("ledger", "mode", "position", "stamp", "viewed")

    def __init__(self, position: int, handle: Handle, mode: Mode) -> None:
        self.position, self.mode, self.ledger = position, mode, handle._storage.ledger
        self.viewed, self.stamp = handle._parent is not None, -1


def _kept(kernel: Kernel[Any], args: Sequence[Any], ready: Ready, parameters: Sequence[str]) -> Familiar | None:
    known, job = kernel.signature.parameters, ready.job
    assert isinstance(job, Job)
    floats = [n for n, value in enumerate(args) if type(value) is float]
    again = ready.backend.again(job, ready.prepared, [parameters.index(known[n].name) for n in floats])
    if again is None:
        return None
    function = function_of(kernel)
    outputs = [(n, args[n]._storage.ledger, args[n]._parent is not None, instead(p.name, function.__name__))
               for n, p in enumerate(known) if p.kind == "mut"]
    lent = [_Lent(n, args[n], _READING if p.kind == "ref" else _WRITING)
            for n, p in enumerate(known) if p.kind in ("ref", "shared")]
    return Familiar(
        kernel, ready.backend, again, tuple(outputs), tuple(lent), tuple(floats),
        tuple((n, value._core.site) for n, value in enumerate(args) if isinstance(value, Handle)),
        tuple((n, type(value), value) for n, value in enumerate(args) if not isinstance(value, Handle)),
        function.__name__, vars(function), vars(function).get(ATTRIBUTE))


def _moved(handle: Handle) -> bool:
    """Whether a handle was moved away, or one that it is a view of."""
    found: Handle | None = handle
    while found is not None:
        if found._moved is not None:
            return True
        found = found._parent
    return False


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


@dataclass(eq=False)
class Familiar:
    """What is kept of a launch. Nothing of it keeps memory alive.

    outputs     positions of `Mut` arguments, each with the ledger of its memory, whether it is a view, and what to
                write instead of it once it was moved
    floats      positions of floats
    sites       positions of arrays, and what stands for them
    numbers     positions, types and values of the rest; of floats the value does not matter
    attributes  of the function, among them what its author declares
    declared    that, as it was
    spare       holds that launches had which are through
    """

    kernel: Kernel[Any]
    backend: Backend
    again: Again
    outputs: tuple[tuple[int, Ledger, bool, str], ...]
    lent: tuple[_Lent, ...]
    floats: tuple[int, ...]
    sites: tuple[tuple[int, Site], ...]
    numbers: tuple[tuple[int, type, Any], ...]
    name: str
    attributes: Mapping[str, Any]
    declared: object
    spare: list[list[Hold]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.count = len(self.sites) + len(self.numbers)
        self.ordered = self.backend.ordered
        self.what = f"the launch of `{self.name}`"
        self._waiting = f"{self.what}, which has not run"

    def built(self, kernel: Kernel[Any], args: Sequence[Any]) -> Launch | None:
        """Such a launch, with its outputs moved into it; None where the arguments are others, or something may forbid
        it."""
        if kernel is not self.kernel or len(args) != self.count or State.recorder is not None or (
                INSIDE.place is not None or self.attributes.get(ATTRIBUTE) is not self.declared):
            return None
        try:
            for position, site in self.sites:
                if args[position]._core.site is not site:
                    return None
        except AttributeError:
            return None
        for position, kind, value in self.numbers:
            if type(args[position]) is not kind or (args[position] != value and kind is not float):
                return None
        place = here(3)
        own = []
        with LOCK:
            if not self.lendable(args):
                return None
            for position, ledger, viewed, _ in self.outputs:
                handle = args[position]
                hold, holds = handle._hold, ledger.holds
                if hold is None or hold.mode is not _PARTITIONED or hold.chain is not None or (
                        handle._moved is not None or (viewed and _moved(handle))):
                    return None
                if len(holds) != 1 or holds[0]() is not hold:
                    ledger.root().live()
                    if not _quiet(ledger, hold, _ALL):
                        return None
                own.append(hold)
            EPOCH.now = epoch = EPOCH.now + 1
            for n, (position, _, _, fix) in enumerate(self.outputs):
                handle, hold = args[position], own[n]
                handle._moved, handle._hold = Move(place, self.what, fix), None
                hold.what, hold.place = self._waiting, place
            return _FamiliarLaunch(self, args, own, place, epoch)

    def lendable(self, args: Sequence[Any]) -> bool:
        """Whether it is plain that nothing forbids the use of what stays with the caller."""
        for lent in self.lent:
            handle, ledger = args[lent.position], lent.ledger
            if handle._moved is not None or (lent.viewed and _moved(handle)):
                return False
            if ledger.stamp != lent.stamp or ledger.joined is not None:
                reading = lent.mode is _READING
                if not _quiet(ledger, handle._hold, _TO_READ if reading else _ALL):
                    return False
                if reading:
                    lent.stamp = ledger.stamp
        return True

    def borrowed(self, args: Sequence[Any], place: Place) -> list[Hold]:
        """Begins to hold what stays with the caller, by holds that were had for it before where there are some."""
        if not self.spare:
            return [args[lent.position]._storage.hold(lent.mode, args[lent.position].region, place, self.what)
                    for lent in self.lent]
        holds = self.spare.pop()
        for n, lent in enumerate(self.lent):
            hold = holds[n]
            hold.ended, hold.place = False, place
            if not hold.listed:
                lent.ledger.root().add(hold)
            elif lent.mode is _WRITING:
                lent.ledger.root().stamp += 1
        return holds


class _FamiliarLaunch(Launch):
    """Such a launch. It becomes an ordinary one when it is asked for anything but to run."""

    def __init__(self, known: Familiar, args: Sequence[Any], own: list[Hold], place: Place, epoch: int) -> None:
        self._known: Familiar | None = known
        self._kernel, self._name, self._args, self._own = known.kernel, known.name, args, own
        self._place, self._epoch = place, epoch
        PENDING[id(self)] = weakref.ref(self)

    def start(self, stream: Any = None) -> Flight[Any]:
        if INSIDE.place is None and State.recorder is None:
            place = here(1)
            with LOCK:
                if self._ended is None:
                    flight = self._begun(place, stream)
                    if flight is not None:
                        self._ended = "run", place
                        del PENDING[id(self)]
                        return flight
        return super().start(stream)

    def _begin(self, place: Place) -> Flight[Any]:
        with LOCK:
            return self._begun(place, None) or super()._begin(place)

    def _begun(self, place: Place, stream: Any) -> Flight[Any] | None:
        """Starts it; None where something may forbid that. The caller holds the lock."""
        known = self._known
        if known is None or RUNNING.chain is not None:
            return None
        args, own = self._args, self._own
        if EPOCH.now != self._epoch and not known.lendable(args):
            return None
        try:
            chosen = stream_for(known.backend) if stream is None else known.backend.stream_of(stream)
            floats = [args[n] for n in known.floats] if known.floats else ()
            event = known.again.launch(chosen, floats, (known.name, place))
        except BaseException:
            self._quiet = True  # the error says it
            raise
        EPOCH.now += 1
        for hold in own:
            hold.mode, hold.what, hold.place = _WRITING, known.what, place
        self._known, self._args, self._own = None, (), []
        return _FamiliarFlight(known, event, args, own, known.borrowed(args, place), place)

    def _ordinary(self) -> None:
        known, self._known = self._known, None
        if known is None:
            return
        self._given = given(self._name, self._kernel.signature, self._args, {})
        self._facts = facts_of(self._kernel, self._given)
        self._grid = self._facts.grid
        outputs, own, self._own = self._given.outputs.values(), self._own, []
        self._taken = tuple(handed_on(p, hold) for p, hold in zip(outputs, own, strict=True))

    def grid(self, *extents: Any) -> Launch:
        self._unspent()
        with LOCK:
            self._ordinary()
        return super().grid(*extents)

    def ready(self, place: Place) -> Ready:
        self._ordinary()
        return super().ready(place)

    def __del__(self) -> None:
        for hold in self._own:
            hold.release()
        if self._ended is None:
            super().__del__()


class _FamiliarFlight(KernelFlight[Any]):
    """Such a launch, under way."""

    def __init__(self, known: Familiar, event: Event, args: Sequence[Any], own: list[Hold], borrowed: list[Hold],
                 place: Place) -> None:
        self._known, self._event, self._args, self._own, self._borrowed = known, event, args, own, borrowed
        self._place, self.ordered = place, known.ordered
        OPEN[id(self)] = weakref.ref(self)

    def early(self) -> Any:
        self._taken = place = here(1)
        OPEN.pop(id(self), None)
        with LOCK:
            return self._landed(place)

    def _land(self) -> Any:
        error = self._event.error()
        with LOCK:
            if error is not None:
                for hold in (*self._borrowed, *self._own):
                    land(hold)
                self._let_go()
                raise error
            return self._landed(here())

    def _landed(self, place: Place) -> Any:
        """Gives everything back, and returns what the outputs have become."""
        known, args, own, borrowed = self._known, self._args, self._own, self._borrowed
        self._let_go()
        if RUNNING.chain is not None:
            for hold in (*borrowed, *own):
                land(hold)  # it goes on until the chain is through, for everybody else
            own = [args[n]._storage.hold(_PARTITIONED, args[n].region, place) for n, *_ in known.outputs]
        else:
            for hold in borrowed:
                hold.ended = True
            known.spare.append(borrowed)
        made: list[Partition] = []
        for hold in own:
            hold.mode, hold.what, hold.place = _PARTITIONED, "a partition", place
            made.append(handed_on(args[known.outputs[len(made)][0]], hold))
        return made[0] if len(made) == 1 else tuple(made) or None

    def _let_go(self) -> None:
        self._args, self._own, self._borrowed = (), [], []

    def _abandon(self) -> None:
        holds, args = (*self._borrowed, *self._own), self._args
        self._let_go()
        self._passage = Passage(self._known.name, self._place, self._event, holds, args, lambda: None)
        super()._abandon()

    def __del__(self) -> None:
        if self._taken is None:
            super().__del__()
        for hold in self._borrowed:
            hold.release()
        for hold in self._own:
            hold.release()
