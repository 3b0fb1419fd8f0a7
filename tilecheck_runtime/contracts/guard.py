"""Whether a kernel that does not pass the checker is launched all the same."""

from __future__ import annotations

import os
import warnings
import weakref
from collections.abc import Callable, Mapping
from types import FunctionType, MappingProxyType
from typing import Final

from tilecheck.decorators import declaration_of
from tilecheck_runtime.contracts.checking import ACCEPTED_VERDICTS, Findings
from tilecheck_runtime.contracts.contract import Contract
from tilecheck_runtime.contracts.suppressions import reason_for
from tilecheck_runtime.errors.locations import Location, current_location
from tilecheck_runtime.errors.ownership import LaunchArgumentError, UnprovenError, UnprovenWarning

__all__ = ["VARIABLE", "check_guard", "read_setting"]

VARIABLE: Final = "TILECHECK_GUARD"
"""The environment variable that says what happens: `off`, `warn` or `error`."""

_WARNED: Final[weakref.WeakSet[FunctionType]] = weakref.WeakSet()


def read_setting(default: str) -> str:
    """What the environment says: `off`, `warn` or `error`. Raises LaunchArgumentError for anything else."""
    said = os.environ.get(VARIABLE) or default
    if said not in _ACTS:
        raise LaunchArgumentError(f"{VARIABLE} is {said!r}", use=current_location(),
                                  fix=f"set it to {', '.join(_ACTS)}")
    return said


def check_guard(function: FunctionType, contract: Contract, watched: bool) -> None:
    """Asks before each launch of a kernel. Where launches are watched, what does not pass is a warning, once a kernel,
    unless the environment says otherwise; where they are not, it is refused, whatever the environment says.

    Raises UnprovenError, and LaunchArgumentError for a setting that there is not.
    """
    said, trusted = read_setting("warn"), declaration_of(function).unsafe is not None
    if not watched and not trusted:
        _check_proof(function, contract)
    if contract.findings.errors if contract.findings is not None else not trusted:
        _ACTS[said if watched else "error"](function, contract.findings)


def _check_proof(function: FunctionType, contract: Contract) -> None:
    """Raises UnprovenError where a proof is lacking that no error speaks of."""
    name, findings = function.__name__, contract.findings
    if contract.unread:
        raise UnprovenError(f"the proof of `{name}` assumes `{contract.unread[0]}`, which no launch can know",
                            use=current_location(), fix="declare what it follows from: `@requires(...)`")
    if findings is not None and not findings.errors and _is_silenced(findings):
        raise UnprovenError(f"`{name}` is not proved, and the project's configuration silences what is found on it",
                            use=current_location(), fix='report it again, or take responsibility: `@unsafe("why")`')


def _is_silenced(findings: Findings) -> bool:
    """Whether something is open that neither an error nor a comment with its reason speaks of."""
    open_ = [o for o in findings.report.obligations if o.verdict not in ACCEPTED_VERDICTS]
    return findings.verdict not in ACCEPTED_VERDICTS and (not open_ or any(reason_for(findings,
                                                                                      o) is None for o in open_))


def _ignore(function: FunctionType, findings: Findings | None) -> None:
    """Nobody is told."""


def _warn(function: FunctionType, findings: Findings | None) -> None:
    """Says what the checker found, and nothing of a kernel that it could not look at: whoever watches sees more."""
    if findings is not None and function not in _WARNED:
        _WARNED.add(function)
        place = current_location()
        warnings.warn_explicit(str(_refusal(function, findings)), UnprovenWarning, place.file, place.line)


def _refuse(function: FunctionType, findings: Findings | None) -> None:
    raise _refusal(function, findings)


_ACTS: Final[Mapping[str, Callable[[FunctionType, Findings | None], None]]] = MappingProxyType(
    {"off": _ignore, "warn": _warn, "error": _refuse})


def _refusal(function: FunctionType, findings: Findings | None) -> UnprovenError:
    name = function.__name__
    if findings is None:
        return UnprovenError(f"the checker could not look at `{name}`: its source is in no file, or not as it was "
                             "imported",
                             use=current_location(), fix="write the kernel in a module, with `@kernel` above its `def`")
    first, *more = findings.errors
    rest = f", and {len(more)} more" if more else ""
    return UnprovenError(f"`{name}` does not pass the checker: {first.message}{rest}", use=current_location(),
                         code=first.code,
                         before=Location(first.span.file, first.span.line), what=f"{first.code} stands",
                         fix=first.help or f"see what `tilecheck {first.span.file}` says")
