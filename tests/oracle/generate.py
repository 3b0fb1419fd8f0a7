"""Random kernels as source text, with the launches to try them on."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from tests.oracle.builder import ArrayParam, Builder, Chooser, Scalar, Seeded
from tests.oracle.composites import (
    early_return,
    even_and_odd,
    exclusive_flags,
    halves,
    list_of_arrays,
    mixed_atomics,
    only_one_block,
    rows_in_whole_tiles,
    rows_of_input,
    spin_lock,
    two_arrays,
    two_phases,
)
from tests.oracle.data import own_segment, padded_parts, row_of_index, ticket, walk_of_segment
from tests.oracle.lanes import LANES
from tests.oracle.tiles import TILES
from tests.oracle.uses import compose_kernel

ROOM: Final = {1: 256, 2: 64, 3: 32, 4: 24}
SMALL: Final = (1, 2, 3, 4, 6)
TIED: Final = 0.7
"""Share of launches that keep the ties of a kernel."""
Subject: TypeAlias = Literal["races", "bounds", "padding"]
HEADER: Final = "import cuda.tile as ct\n\nInt = ct.Constant[int]\n\n\n"


@dataclass(frozen=True)
class Generated:
    """A kernel named `kernel` and what its launches may look like.

    meant     conditions over launch scalars that the author would call obvious (`grid[0]`, parameters, shapes)
    axes      grid axes the kernel reads
    features  constructs used
    slips     faults planted; a fault need not be one (the kernel may still be right)
    ties      scalars and what an author would launch with: many launches are drawn so
    subject   what the kernel was made to try
    """

    text: str
    scalars: tuple[Scalar, ...]
    arrays: tuple[ArrayParam, ...]
    meant: tuple[str, ...]
    axes: tuple[int, ...]
    features: tuple[str, ...]
    slips: tuple[str, ...]
    ties: tuple[tuple[str, str], ...] = ()
    subject: Subject = "races"


@dataclass(frozen=True)
class Assignment:
    """A concrete launch: scalars by name (`n`, `c.shape[0]`, `grid[0]`), from which everything follows."""

    grid: tuple[int, int, int]
    scalars: Mapping[str, int]

    @property
    def key(self) -> int:
        """The seed of the data of this launch."""
        return sum(self.scalars.values()) % 1000

    def shape(self, array: str, rank: int) -> tuple[int, ...]:
        return tuple(self.scalars[f"{array}.shape[{axis}]"] for axis in range(rank))


WHOLE: Final[tuple[Callable[[Builder], None], ...]] = (
    *(compose_kernel for _ in range(30)), even_and_odd, even_and_odd, even_and_odd, halves, halves, exclusive_flags,
    exclusive_flags, two_arrays, two_arrays, two_phases, only_one_block, early_return, mixed_atomics, spin_lock,
    list_of_arrays, rows_of_input, rows_of_input, row_of_index, row_of_index, own_segment, own_segment,
    walk_of_segment, ticket, ticket, rows_in_whole_tiles, rows_in_whole_tiles, padded_parts,
)


_MAKERS: Final[Mapping[Subject, tuple[Callable[[Builder], None], ...]]] = {
    "races": WHOLE, "bounds": TILES, "padding": LANES,
}


def build(choose: Chooser, subject: Subject = "races") -> Generated:
    """A kernel from a source of decisions."""
    b = Builder(choose, slips=choose.pick((0, 1, 1, 1, 1, 2) if subject == "races" else (0, 0, 1, 1, 1, 2)))
    make = b.pick(*_MAKERS[subject])
    b.feature(make.__name__)
    make(b)
    b.close_to(1)
    scalars = sorted(b.scalars.values(), key=lambda s: s.name)
    arrays = sorted(b.arrays.values(), key=lambda a: a.name)
    parameters = [a.parameter for a in arrays if not a.name.endswith("[1]")]
    parameters += [f"{s.name}: {s.annotation}" for s in scalars]
    helpers = "".join(f"{text}\n\n" for text in b.helpers.values())
    body = "\n".join(b.lines)
    header = HEADER if not b.declared else HEADER.replace("\n\nInt", "\nfrom tilecheck import requires\n\nInt", 1)
    declared = "".join(f'@requires("{clause}")\n' for clause in b.declared)
    text = f"{header}{helpers}{declared}@ct.kernel\ndef kernel({', '.join(parameters)}):\n{body}\n"
    return Generated(text, tuple(scalars), tuple(arrays), tuple(b.meant), tuple(sorted(b.axes)), tuple(b.features),
                     tuple(b.slipped), tuple(b.ties), subject)


def from_seed(seed: int, subject: Subject = "races") -> Generated:
    return build(Seeded(seed), subject)


class _Scope:
    """`grid` and arrays as the `meant` language sees them."""

    def __init__(self, shape: Sequence[int]) -> None:
        self.shape = shape


_MEANT: Final = {"__builtins__": {"max": max, "min": min}, "cdiv": lambda a, b: -(-a // b)}


def is_meant(kernel: Generated, launch: Assignment) -> bool:
    """Whether a launch respects what the author had in mind."""
    names = _names(kernel, launch.scalars)
    return all(eval(condition, dict(_MEANT), names) for condition in kernel.meant)


def _names(kernel: Generated, scalars: Mapping[str, int]) -> dict[str, Any]:
    names: dict[str, Any] = {s.name: scalars[s.name] for s in kernel.scalars}
    for a in kernel.arrays:
        names[a.name] = _Scope([scalars[f"{a.name}.shape[{axis}]"] for axis in range(a.rank)])
    names["grid"] = tuple(scalars[f"grid[{axis}]"] for axis in range(3))
    return names


def several_blocks(kernel: Generated, launch: Assignment) -> bool:
    """Whether every axis that the kernel reads has several blocks."""
    return all(launch.grid[axis] > 1 for axis in kernel.axes)


def _draw(kernel: Generated, rng: random.Random) -> Assignment:
    extents = (1, 2, 2, 3, 3, 4, 5) if len(kernel.axes) < 2 else (1, 2, 2, 3)
    grid = tuple(rng.choice(extents) if axis in kernel.axes else 1 for axis in range(3))
    scalars = {s.name: rng.choice(s.values) for s in kernel.scalars}
    for a in kernel.arrays:
        roomy = not a.read_shape and rng.random() < 0.75
        for axis in range(a.rank):
            extent = ROOM[a.rank] if roomy else rng.choice(SMALL if a.read_shape else (3, 4, 8, 16))
            scalars[f"{a.name}.shape[{axis}]"] = extent
    scalars.update({f"grid[{axis}]": grid[axis] for axis in range(3)})
    if kernel.ties and rng.random() < TIED:
        for target, expr in kernel.ties:
            scalars[target] = int(eval(expr, dict(_MEANT), _names(kernel, scalars)))
        return Assignment(_grid(scalars), scalars)
    return Assignment((grid[0], grid[1], grid[2]), scalars)


def _grid(scalars: Mapping[str, int]) -> tuple[int, int, int]:
    return scalars["grid[0]"], scalars["grid[1]"], scalars["grid[2]"]


def assignments(kernel: Generated, count: int, seed: int = 0) -> Iterator[Assignment]:
    """Distinct launches, half of them meant by the author where such are found."""
    rng = random.Random(f"{seed}:{kernel.text}")
    seen: set[tuple[tuple[str, int], ...]] = set()
    given = wanted = 0
    for _ in range(count * 12):
        launch = _draw(kernel, rng)
        key = tuple(sorted(launch.scalars.items()))
        good = is_meant(kernel, launch) and several_blocks(kernel, launch)
        if key in seen or (not good and given - wanted >= count // 3):
            continue
        seen.add(key)
        given, wanted = given + 1, wanted + good
        yield launch
        if given >= count:
            return
