"""Errors in host code as plain data. The rules turn them into text."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from tilecheck.syntax.tree import Span

__all__ = ["Code", "Event"]

Code: TypeAlias = Literal["TC104", "TC401", "TC402", "TC403", "TC404", "TC405", "TC406", "TC407", "TC408"]


class Event(Struct, frozen=True):
    """
    kind     which of the things that the rule finds
    subject  the tensor, operation or flight, as the author wrote it
    use      the operation on it: "read", "partitioned", "moved", "written"
    what     where it went, or what holds it: "a partition", "the launch of `add`"
    before   where that was
    other    a second name, or the text of values
    fix      the line that makes it right
    sure     whether it happens on the path; otherwise it may (code outside of the function may have released it)
    kernel   name of the kernel that is launched
    needs    kernels with the position of a parameter: the event is real if a kernel writes its parameter; empty: always
    severity of the finding, where it is milder than its rule's
    """

    code: Code
    kind: str
    span: Span
    subject: str = ""
    use: str = ""
    what: str = ""
    before: Span | None = None
    other: str = ""
    fix: str = ""
    sure: bool = True
    kernel: str = ""
    definition: Span | None = None
    needs: tuple[tuple[tuple[str, str], int], ...] = ()
    severity: Literal["error", "warning"] = "error"
