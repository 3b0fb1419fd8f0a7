"""A rule: its code and name, the severity of its findings, and the functions that produce them.

Each rule has one module, `tilecheck.rules.GROUP.NAME`. The docstring of the module is the page of the rule, and the
constant `RULE` of the module is its `Rule`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from tilecheck.diagnostics import Diagnostic, Severity
    from tilecheck.interp.kernel.access import KernelModel
    from tilecheck.interp.ownership.event import Event
    from tilecheck.obligations.kernel_view import KernelView
    from tilecheck.obligations.obligation import DecidedObligation

__all__ = ["MypyCode", "Rule"]

MypyCode: TypeAlias = Literal[
    "tile-race", "tile-ownership", "tile-bounds", "tile-padding", "tile-unused", "tile-alias", "tile-moved",
    "tile-in-flight", "tile-never-run", "tile-launch", "tile-shape", "tile-dtype", "tile-language", "tile-opt-out"]
"""The error codes that mypy shows for findings. A rule never moves to another code."""


class Rule(Struct, frozen=True, kw_only=True):
    """A rule.

    code         `TC` and three digits; the first one is the series
    name         the pattern that it finds, in words joined by `-`; reads well after "allow"
    summary      one sentence fragment for lists
    severity     of its findings, unless a finding is milder
    residual     whether a milder finding means that nothing was decided; `--strict` and `@deny_residual` raise such
                 findings to errors
    unnecessary  whether its findings are about code that has no effect, which editors fade
    mypy         the error code under which mypy shows its findings
    fixes        modules of `tilecheck.repair.fixers` whose function `fixes` repairs a finding, the best first

    Three functions produce findings; a rule has those that it needs.

    obligation   the finding for an obligation that is not discharged and has the code of this rule
    kernel       the findings about a kernel and its seen launches
    event        the finding for an ownership error in host code
    """

    code: str
    name: str
    summary: str
    severity: Severity
    mypy: MypyCode
    residual: bool = False
    unnecessary: bool = False
    fixes: tuple[str, ...] = ()
    obligation: Callable[[DecidedObligation, KernelModel], Diagnostic] | None = None
    kernel: Callable[[KernelView], Iterable[Diagnostic]] | None = None
    event: Callable[[Event], Diagnostic] | None = None
