"""Decides whether a kernel that does not pass the checker may be launched."""

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
"""Environment variable that selects the action: `off`, `warn` or `error`."""

_WARNED: Final[weakref.WeakSet[FunctionType]] = weakref.WeakSet()


def read_setting(default: str) -> str:
    """Returns the setting in the environment: `off`, `warn` or `error`. Raises LaunchArgumentError for other values."""
    said = os.environ.get(VARIABLE) or default
    if said not in _ACTS:
        raise LaunchArgumentError(f"{VARIABLE} is {said!r}", use=current_location(),
                                  fix=f"set it to {', '.join(_ACTS)}")
    return said


def check_guard(function: FunctionType, contract: Contract, watched: bool) -> None:
    """Checks a kernel before each launch. Where launches are watched, a kernel that does not pass causes one warning,
    unless the environment selects another action. Elsewhere it is refused, regardless of the environment.

    Raises UnprovenError, and LaunchArgumentError for an invalid setting.
    """
    said, trusted = read_setting("warn"), declaration_of(function).unsafe is not None
    if not watched and not trusted:
        _check_proof(function, contract)
    if contract.findings.errors if contract.findings is not None else not trusted:
        _ACTS[said if watched else "error"](function, contract.findings)


def _check_proof(function: FunctionType, contract: Contract) -> None:
    """Raises UnprovenError for a missing proof that no error reports."""
    name, findings = function.__name__, contract.findings
    if contract.unread:
        raise UnprovenError(f"the proof of `{name}` assumes `{contract.unread[0]}`, which no launch can know",
                            use=current_location(), fix="declare what it follows from: `@requires(...)`")
    if findings is not None and not findings.errors and _is_silenced(findings):
        raise UnprovenError(f"`{name}` is not proved, and the project's configuration silences its findings",
                            use=current_location(), fix='report it again, or take responsibility: `@unsafe("why")`')


def _is_silenced(findings: Findings) -> bool:
    """Returns whether an obligation is open that neither an error nor a suppression with its reason covers."""
    open_ = [o for o in findings.report.obligations if o.verdict not in ACCEPTED_VERDICTS]
    return findings.verdict not in ACCEPTED_VERDICTS and (not open_ or any(reason_for(findings,
                                                                                      o) is None for o in open_))


def _ignore(function: FunctionType, findings: Findings | None) -> None:
    """Does nothing."""


def _warn(function: FunctionType, findings: Findings | None) -> None:
    """Warns about the findings of the checker, but not about a kernel that it could not analyze: the sanitizer sees
    more."""
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
