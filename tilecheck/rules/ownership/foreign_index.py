"""TC105 foreign-index: a piece selected by something that its partition did not mint."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tilecheck.diagnostics import Diagnostic
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.dialect.ownership import Fault
from tilecheck.obligations.obligation import Settled

__all__ = ["diagnose"]

CODE = "TC105"


def diagnose(s: Settled, model: KernelModel) -> Diagnostic:
    fault = s.fault
    assert fault is not None
    message, help_ = _WORDS[fault.how](fault)
    return Diagnostic(CODE, "error", message, fault.span, model.name, (), help_)


def _names(names: tuple[str, ...]) -> str:
    quoted = [f"`{n}`" for n in dict.fromkeys(names)]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def _own(z: str) -> str:
    return f"use a cell that `{z}` itself mints: `for cell in {z}.cells():`, or `{z}.store(t)` for the only piece"


def _made(f: Fault) -> tuple[str, str]:
    return f"`{f.array}` is indexed by numbers, and only a cell that `{f.array}` minted selects a piece", _own(f.array)


def _computed(f: Fault) -> tuple[str, str]:
    return (f"`{f.array}` is indexed by the result of arithmetic: what is computed from a cell is no cell",
            _own(f.array))


def _foreign(f: Fault) -> tuple[str, str]:
    other, *alike = f.words
    return (f"the cell of `{other}` selects a piece of `{f.array}`, whose pieces are others",
            f"walk both together, `for cell in {f.array}.cells({other}):`, or use a cell of `{f.array}`" if alike else
            _own(f.array))


def _coordinates(f: Fault) -> tuple[str, str]:
    other = f.words[0]
    return (f"`{f.array}.coords` is asked for a cell of `{other}`, whose pieces are others",
            f"`{other}.coords(cell)`")


def _numbered(f: Fault) -> tuple[str, str]:
    return (f"`{f.array}.coords` is asked for a number, and only a cell has coordinates",
            f"ask for those of a cell that `{f.array}` minted: `for cell in {f.array}.cells():`")


def _joined(f: Fault) -> tuple[str, str]:
    return (f"what indexes `{f.array}` is a cell of {_names(f.words)}, depending on a condition: where the ways meet "
            "nobody knows whose", f"store in each branch, through the cell that `{f.array}` minted there")


_LOST: Final = {
    "changed in a loop": "a loop puts another value in its place",
    "one of several values": "it is one of several values",
}


def _lost(f: Fault) -> tuple[str, str]:
    why = _LOST.get(f.words[0], "nothing is known of where it comes from")
    return f"what indexes `{f.array}` is not known to be a cell of it: {why}", _own(f.array)


def _either(f: Fault) -> tuple[str, str]:
    return (f"this is one of the outputs {_names(f.words)}, depending on a condition: neither its tile nor its place "
            "is known when the kernel is compiled", "store to each output in its own branch")


def _raw(f: Fault) -> tuple[str, str]:
    return (f"`ct.{f.words[0]}` writes to the whole array behind `{f.array}`, past the pieces that blocks own",
            f'write through `{f.array}`, or take responsibility: @unsafe("why no two blocks meet")')


_WORDS: Final[Mapping[str, Callable[[Fault], tuple[str, str]]]] = {
    "made": _made, "computed": _computed, "foreign": _foreign, "coordinates": _coordinates, "numbered": _numbered,
    "joined": _joined, "lost": _lost, "either": _either,
    "raw": _raw,
}
