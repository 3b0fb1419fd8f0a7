"""Replays a witness: runs the kernel on the launch that the witness describes and looks for its collision."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from tests.oracle.log import Log, collisions_at
from tests.oracle.memory import Array, array
from tests.oracle.run import run
from tests.oracle.values import DTYPES

ROOM: Final[Mapping[int, int]] = {1: 4096, 3: 24, 4: 24, 5: 24}
"""Extents that a witness leaves open, by the rank of the array: so large that no access of its launch is outside."""
_ELEMENT: Final = re.compile(r"(.+)\[([-\d, ]+)\]$")


class Side(Protocol):
    @property
    def block(self) -> tuple[int, int, int]: ...


class WitnessLike(Protocol):
    """The part of a witness of the checker that replay needs."""

    @property
    def grid(self) -> tuple[int, int, int]: ...
    @property
    def scalars(self) -> tuple[tuple[str, int], ...]: ...
    @property
    def first(self) -> Side: ...
    @property
    def second(self) -> Side: ...
    @property
    def element(self) -> tuple[int, ...]: ...
    @property
    def data(self) -> tuple[tuple[str, int], ...]: ...


@dataclass(frozen=True)
class Parameter:
    """A parameter to make an argument for. `rank` is None for scalars; list parameters give one for each element."""

    name: str
    rank: int | None = None
    element: str = "float32"
    default: Any = 2
    fill: Any = 0
    boolean: bool = False


@dataclass(frozen=True)
class Replay:
    """The run, and why the witness fails (empty when it does not)."""

    log: Log
    fault: str


def _extents(parameter: Parameter, scalars: Mapping[str, int], room: int) -> list[int]:
    return [scalars.get(f"{parameter.name}.shape[{axis}]", room) for axis in range(parameter.rank or 0)]


def _strides(parameter: Parameter, scalars: Mapping[str, int], shape: Sequence[int]) -> list[int] | None:
    given = [scalars.get(f"{parameter.name}.strides[{axis}]") for axis in range(len(shape))]
    if all(s is None for s in given):
        return None
    dense = [math.prod(shape[axis + 1:]) for axis in range(len(shape))]
    return [d if s is None else s for s, d in zip(given, dense, strict=True)]


def _fill(target: Array, data: Iterable[tuple[str, int]], name: str) -> None:
    for text, value in data:
        match = _ELEMENT.match(text)
        if match and match[1] == name:
            index = [int(i) for i in match[2].split(",")]
            place = sum(i * s for i, s in zip(index, target.strides, strict=False))
            if 0 <= place < target.storage.data.size:
                target.storage.data[place] = value


def arguments_of(parameters: Sequence[Parameter], witness: WitnessLike, room: int) -> dict[str, Any]:
    scalars = {symbol.key: value for symbol, value in witness.scalars}
    values: dict[str, Any] = {}
    for p in parameters:
        if p.rank is None:
            value = scalars.get(p.name, p.default)
            values[p.name] = bool(value) if p.boolean else value
            continue
        shape = _extents(p, scalars, ROOM.get(p.rank, room))
        made = array(p.name, shape, DTYPES[p.element], p.fill, _strides(p, scalars, shape))
        _fill(made, witness.data, p.name)
        if "[" in p.name:
            values.setdefault(p.name.partition("[")[0], []).append(made)
        else:
            values[p.name] = made
    return values


def replay(kernel: Any, parameters: Sequence[Parameter], witness: WitnessLike, arrays: Iterable[str],
           lines: Iterable[int], room: int = 256) -> Replay:
    """Whether two accesses of the given lines (any, when none are given) collide as the witness says."""
    values = arguments_of(parameters, witness, room)
    log = run(kernel, witness.grid, values)
    if log.error is not None:
        return Replay(log, f"the launch of the witness fails: {type(log.error).__name__}: {log.error}")
    blocks = frozenset((tuple(witness.first.block), tuple(witness.second.block)))
    wanted = set(lines)
    seen: list[str] = []
    for name in arrays:
        for target in _targets(values, name, witness.element):
            # an element of an array of a list: the position in the list comes first
            element = witness.element[1:] if name.endswith("[*]") else witness.element
            if len(element) == len(target.shape):
                if not all(0 <= i < n for i, n in zip(element, target.shape, strict=True)):
                    seen.append(f"element {element} outside {name} of shape {target.shape}")
                    continue
                place = sum(i * s for i, s in zip(element, target.strides, strict=True))
            else:
                place = element[0]
            for kind, a, b in collisions_at(log, target.storage.name, place, blocks):
                touched = {line for r in (a, b) for first, last in r.lines for line in range(first, last + 1)}
                if not wanted or wanted <= touched:
                    return Replay(log, "")
                seen.append(f"{kind} at lines {a.line} and {b.line}")
    why = "; ".join(seen) or "no collision of these blocks at that element"
    extra = f" (undefined: {log.undefined[0]})" if log.undefined else ""
    return Replay(log, f"the witness does not reproduce: {why}{extra}")


def replay_stray(kernel: Any, parameters: Sequence[Parameter], witness: WitnessLike, arrays: Iterable[str], line: int,
                 room: int = 256) -> Replay:
    """Whether the block of the witness accesses one of the arrays outside, in a statement of the line."""
    log = run(kernel, witness.grid, arguments_of(parameters, witness, room))
    wanted = {name.partition("[")[0] for name in arrays}
    blocks = {tuple(witness.first.block), tuple(witness.second.block)}
    for o in log.outside:
        at = any(first <= line <= last for first, last in o.lines)
        if at and o.block in blocks and (not wanted or o.array.partition("[")[0] in wanted):
            return Replay(log, "")
    seen = "; ".join(f"line {o.line} in block {o.block}: {o.what}" for o in list(log.outside)[:3])
    return Replay(log, f"the witness does not reproduce: {seen or _describe_end(log)}")


def replay_observation(kernel: Any, parameters: Sequence[Parameter], witness: WitnessLike, lines: Iterable[int],
                       room: int = 256) -> Replay:
    """Whether the block of the witness observes an undefined lane; the load and the observation are on the lines."""
    log = run(kernel, witness.grid, arguments_of(parameters, witness, room))
    wanted = set(lines)
    blocks = {tuple(witness.first.block), tuple(witness.second.block)}
    for o in log.observed:
        touched = [{line for first, last in part for line in range(first, last + 1)} for part in (o.source, o.lines)]
        if o.block in blocks and any(wanted & t for t in touched):
            return Replay(log, "")
    seen = "; ".join(f"load at {o.load}, line {o.line} in block {o.block}" for o in list(log.observed)[:3])
    return Replay(log, f"the witness does not reproduce: {seen or _describe_end(log)}")


def _describe_end(log: Log) -> str:
    if log.error is not None:
        return f"the launch of the witness fails: {type(log.error).__name__}: {log.error}"
    return log.undefined[0] if log.undefined else "nothing goes wrong"


def _targets(values: Mapping[str, Any], name: str, element: Sequence[int]) -> list[Array]:
    base, _, index = name.partition("[")
    found = values.get(base)
    if isinstance(found, Array):
        return [found]
    if isinstance(found, list):
        place = str(element[0]) if index == "*]" else index.rstrip("]")
        return [found[int(place)]] if place.isdigit() and int(place) < len(found) else list(found)
    return []
