"""The entry to the launch cache: builds the launch of a kernel, from a record of an equal launch if there is one.

Records are stored with the first argument of a launch, by everything that they depend on. A record is created when a
call occurs for the second time with the same memory, or immediately from a template (`templates.py`) if only the memory
differs from an earlier launch. `launch_or_repeat` determines the cost of a launch beyond the driver, so it avoids
calls.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final

from tilecheck.decorators import ATTRIBUTE
from tilecheck_runtime.cpu.machine import State
from tilecheck_runtime.dialect.kernel import DialectKernel
from tilecheck_runtime.launch_cache.cached_launch import CachedLaunch
from tilecheck_runtime.launch_cache.records import (
    ACQUIRE,
    BUILT,
    RELEASE,
    FurtherOutputs,
    LaunchRecord,
    LaunchState,
    can_borrow,
    can_move,
    make_record,
)
from tilecheck_runtime.launch_cache.templates import TEMPLATES, find_template, record_template
from tilecheck_runtime.launches.launch import Launch, Ready, build_launch
from tilecheck_runtime.launches.reentrancy import INSIDE
from tilecheck_runtime.ownership.handles import Handle, Site
from tilecheck_runtime.ownership.storage import BUSY, EPOCH, LOCK, Mode
from tilecheck_runtime.tensors.partition import Partition
from tilecheck_runtime.tensors.shared import SharedTensor
from tilecheck_runtime.tensors.tensor import Tensor

__all__ = ["launch_or_repeat", "remember_launch"]

_getframe: Final = sys._getframe
_acquire: Final = ACQUIRE
_release: Final = RELEASE

_HANDLES: Final = frozenset({Partition, Tensor, SharedTensor})
_MOST: Final = 64
"""Records that are stored with one argument."""
_PARTITIONED: Final = Mode.PARTITIONED


def launch_or_repeat(kernel: DialectKernel, /, *args: Any, **kwargs: Any) -> Launch[Any]:
    """Builds the launch of a kernel, to be run later, and moves its outputs into it. Repeats an earlier launch if there
    is an equal one and its arguments are free; otherwise builds an ordinary launch. Raises OwnershipError."""
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
                not known.numbers or known.has_equal_numbers(args)):
            frame = _getframe(1)
            code, at, place, moves = known.calls
            if frame.f_code is not code or frame.f_lasti != at:
                place, moves = known.note_call_site(frame)
            try:
                _acquire()
                first: Any = None
                own: Any = None
                further: FurtherOutputs = ()
                output = known.output
                try:
                    for borrowed in known.borrowed:
                        handle = args[borrowed.position]
                        if handle._core.site is not borrowed.site or (
                                (handle._moved is not None or borrowed.ledger.stamp != borrowed.stamp)
                                and not can_borrow(borrowed, handle)):
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
                                 and not output.viewed and output.ledger.joined is None) or can_move(output, first))
                            if plain and known.further:
                                further = known.take_further(args)
                                plain = bool(further)
                except AttributeError:  # no handle
                    plain = False
                if plain:
                    EPOCH.now = epoch = EPOCH.now + 1
                    spare = known.spare
                    state = spare.pop() if spare else LaunchState(known)
                    state.args = args
                    state.first = first
                    state.own = own
                    state.place = place
                    state.epoch = epoch
                    state.reported = False
                    if first is not None:
                        first._moved = moves[0]
                        first._hold = None
                        own.what = known.waiting
                        own.place = place
                    if further:
                        state.further = further
                        for handle, hold, number in further:
                            handle._moved, handle._hold = moves[number], None
                            hold.what, hold.place = known.waiting, place
                    state.phase = BUILT  # last, because an interrupt may arrive before
                    made = CachedLaunch()
                    made._known = known
                    made._state = state
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
    """Yields the records that may match a call, except the last one of its first argument."""
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
    """Creates a record from a template, for a call with other memory."""
    pattern = find_template(kernel, args)
    if pattern is None:
        return None
    with LOCK:
        found = make_record(pattern, kernel, args, pattern.instantiate(args, once=not site.seen))
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
    """Returns everything constant that a launch depends on, its memory included; None if an argument can change."""
    key: list[Any] = [kernel]
    for value in args:
        kind = type(value)
        if kind in _HANDLES:
            key.append(value._core.site)
        elif kind is float:
            key.append(float)  # code and guards do not depend on the value
        elif kind is int or kind is bool:
            key.append((kind, value))
        else:
            return None
    return tuple(key)


def remember_launch(kernel: DialectKernel, args: Sequence[Any], ready: Ready, parameters: Sequence[str],
                    constants: Sequence[Any]) -> None:
    """Records a successful launch: as a template, and with its first argument once that argument is launched a second
    time. `parameters` and `constants` are those of the compiled kernel, in order. The caller holds the lock."""
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
    _store_record(site, key, make_record(pattern, kernel, args, packed))
