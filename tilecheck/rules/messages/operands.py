"""Words that messages about operands of operations share: shapes, types, and the lines that they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.dtypes import ElementType, Partial, Weak
from tilecheck.interp.kernel.source_names import spell_term
from tilecheck.interp.kernel.tile_types.uses import Misfit, MisfitCode, Operand, Use
from tilecheck.obligations.kernel_view import KernelView
from tilecheck.obligations.operand_types import FaultyLaunch
from tilecheck.rules.messages.provenance import shape_text
from tilecheck.syntax.tree import Span

__all__ = [
    "Words",
    "axes",
    "dims",
    "entries",
    "line",
    "name_dtype",
    "op",
    "shapes",
    "stored_to",
    "type_findings",
]

Words: TypeAlias = Callable[[Use, Misfit, str], tuple[str, str]]
"""The message and the help for a misfit. The last argument is the file of the kernel: a line of another file is named
with its file."""


def type_findings(view: KernelView, code: MisfitCode, words: Mapping[str, Words]) -> Iterator[Diagnostic]:
    """An error for each operation that a rule rejects. `words` are those of each kind of misfit."""
    for fault in view.type_faults:
        if fault.misfit.code == code:
            message, help_ = words[fault.misfit.how](fault.use, fault.misfit, view.model.file)
            launch = fault.launch
            notes = () if launch is None else (Note(f"in this launch {_describe_arguments(launch)}", launch.span),)
            yield Diagnostic(code, "error", message, fault.use.span, view.model.name, notes, help_)


def _describe_arguments(launch: FaultyLaunch) -> str:
    """`T = 48, n = 3 and `a` has 2 axes`"""
    parts = [f"{name} = {n}" for name, n in launch.values]
    parts += [f"`{name}` holds {dtype} elements" for name, dtype in launch.dtypes]
    if launch.rank is not None:
        parts.append(f"`{launch.rank[0]}` has {axes(str(launch.rank[1]))}")
    return " and ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)


def line(made: Span | None, file: str) -> str:
    """` from line 9`, or ` from helpers.py:9`; empty where it is not known."""
    if made is None:
        return ""
    return f" from line {made.line}" if made.file == file else f" from {made.file}:{made.line}"


def dims(use: Use, f: Misfit, file: str, operands: tuple[Operand, ...] | None = None) -> str:
    """`dim 1: BK from line 9, BN from line 12`"""
    first, second = operands or (use.operands[-2], use.operands[-1])
    a, b = f.terms
    return f"dim {f.axis}: {spell_term(a)}{line(first.made, file)}, {spell_term(b)}{line(second.made, file)}"


def shapes(*operands: Operand) -> str:
    """`(BM, BK) and (BK, BN)`"""
    return " and ".join("?" if o.shape is None else shape_text(o.shape) for o in operands)


def axes(n: str) -> str:
    """`1 axis`, `2 axes`"""
    return f"{n} {'axis' if n == '1' else 'axes'}"


def entries(n: str) -> str:
    """`1 entry`, `2 entries`"""
    return f"{n} {'entry' if n == '1' else 'entries'}"


def op(use: Use) -> str:
    """The operation, in quotes."""
    return f"`{use.op}`"


_CONSTANTS: Final[Mapping[Weak, str]] = {
    Weak.INT: "an integer", Weak.FLOAT: "a float", Weak.BOOL: "a boolean"}


def name_dtype(dtype: ElementType) -> str:
    """An element type, or the kind of a Python number that has none."""
    return _CONSTANTS[dtype] if isinstance(dtype, Weak) else "?" if isinstance(dtype, Partial) else str(dtype)


def stored_to(use: Use) -> str:
    """` to `c``, if the array is known."""
    return f" to `{use.array}`" if use.array else ""
