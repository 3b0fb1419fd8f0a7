"""The messages between a check and the process that imports a file and compiles its kernels.

The process is `python -m tilecheck_runtime.seen_launches`. It reads one `Request`, and writes one line for each answer.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

__all__ = [
    "Answer", "Asked", "FaultFound", "KernelName", "NumberType", "Passed", "PassedKind", "Refused", "Request", "SiteOf",
    "Where",
]

PassedKind: TypeAlias = Literal["array", "list", "tuple", "number", "unknown"]
NumberType: TypeAlias = Literal["bool", "int", "float"]


class Where(Struct, frozen=True):
    """A location in a file. Lines count from 1, columns from 0. The path is absolute."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


class KernelName(Struct, frozen=True):
    """The definition of a kernel: its file, as an absolute path, its qualified name, and the line of its name."""

    file: str
    qualname: str
    line: int


class Passed(Struct, frozen=True):
    """An argument of a launch, as the host analysis sees it.

    dtype    the name of the element type of an array; None if it is not known
    rank     of an array; None if it is not known
    shape    its extents, and `strides`, in elements; None in place of an unknown number
    number   the value of a number; None if it is not known
    type     the type of a number; None if it is not known
    storage  the name of the memory of an array: arrays with equal names share it
    items    the items of a list
    """

    kind: PassedKind
    dtype: str | None = None
    rank: int | None = None
    shape: tuple[int | None, ...] = ()
    strides: tuple[int | None, ...] = ()
    number: int | float | None = None
    type: NumberType | None = None
    storage: str | None = None
    items: tuple[Passed, ...] = ()


class Asked(Struct, frozen=True):
    """A specialization: a kernel and the arguments of a seen launch.

    number     identifies the answer
    kernel     None if the analysis does not know which kernel is launched
    launch     the call that names the kernel; None of a dialect kernel without a seen launch
    arguments  in the order of the parameters
    variables  the values of the type variables of a dialect kernel
    grid       None in place of an extent that is not known
    prove      whether to prove the launch as well
    """

    number: int
    kernel: KernelName | None
    launch: Where | None
    arguments: tuple[Passed, ...] = ()
    variables: tuple[tuple[str, int], ...] = ()
    grid: tuple[int | None, ...] = ()
    prove: bool = False


class Request(Struct, frozen=True):
    """A file to import, and the specializations that are reached from there. `roots` are folders of modules."""

    file: str
    roots: tuple[str, ...]
    asked: tuple[Asked, ...]


class Refused(Struct, frozen=True):
    """The error of the front end for a kernel.

    kind     the class of its error
    places   where it stops, and the calls around it, innermost first
    sampled  whether arguments were sampled; then it says the same of all samples
    """

    kind: str
    words: str
    places: tuple[Where, ...]
    sampled: bool = False


class SiteOf(Struct, frozen=True):
    """An access in the source. `mode` is `read`, `write` or `atomic`."""

    file: str
    line: int
    mode: str


class FaultFound(Struct, frozen=True):
    """A fault of a launch that happens for all data. `kind` is `race` or `outside`."""

    kind: str
    array: str
    element: int | None
    blocks: tuple[tuple[int, ...], ...]
    sites: tuple[SiteOf, ...]


class Answer(Struct, frozen=True):
    """The answer on one specialization; with number -1 on the import of the file.

    state    `imported`, `failed`: of the import; `started`: the specialization is being compiled
    why      the reason, where it is skipped or undecided
    name     the name of the kernel
    verdict  on the launch: `proved`, `refuted`, `undecided`; None if it was not asked for
    """

    number: int
    state: Literal["imported", "failed", "started", "compiled", "refused", "skipped"]
    why: str = ""
    name: str = ""
    refused: Refused | None = None
    verdict: Literal["proved", "refuted", "undecided"] | None = None
    fault: FaultFound | None = None
