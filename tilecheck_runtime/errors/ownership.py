"""Errors of ownership and of launches. Every error has a code, the names involved, both locations, and a fix."""

from __future__ import annotations

from tilecheck_runtime.errors.locations import NOWHERE, Location

__all__ = [
    "AliasedError", "CaptureError", "ContractError", "DuplicateError", "ForeignMemoryError", "ForkedError",
    "GraphLifetimeError", "GridError", "InFlightError", "LaunchArgumentError", "LostFlightWarning", "MovedError",
    "NestedLaunchError", "NeverRunWarning", "OwnershipError", "ReadOnlyError", "RefutedError", "SharedError",
    "StreamError", "UnprovenError", "UnprovenWarning", "format_message",
]


def format_message(code: str, summary: str, before: Location | None, what: str, use: Location, fix: str) -> str:
    """Formats a message: `before` is the location where `what` happened, `use` where it matters now."""
    lines = [f"{code} {summary}", f"  --> {use}"]
    if before is not None and before is not NOWHERE:
        lines.append(f"  = note: {what} at {before}")
    if fix:
        lines.append(f"  = help: {fix}")
    return "\n".join(lines)


class OwnershipError(Exception):
    """A use of a tensor, or a launch, that ownership does not allow.

    code     of the rule
    summary  one sentence, without location
    names    of the tensors involved
    use      the current location in the program
    before   where the tensor was moved, launched or shared; None if there was no such event
    fix      the line or the change that corrects it
    """

    code: str = "TC402"

    def __init__(self, summary: str, *, names: tuple[str, ...] = (), use: Location = NOWHERE,
                 before: Location | None = None,
                 what: str = "it happened", fix: str = "") -> None:
        self.summary, self.names, self.use, self.before, self.fix = summary, names, use, before, fix
        super().__init__(format_message(self.code, summary, before, what, use, fix))


class MovedError(OwnershipError):
    """A tensor, partition or operation is used after it was moved."""

    code = "TC402"


class InFlightError(OwnershipError):
    """Memory is used while a launch that has not been waited for writes it, or written while one reads it."""

    code = "TC403"


class AliasedError(OwnershipError):
    """One launch gets memory that it writes through two arguments."""

    code = "TC401"


class SharedError(OwnershipError):
    """Exclusive use of memory that other handles may read."""

    code = "TC104"


class ReadOnlyError(SharedError):
    """Mutable use of memory that may only be read."""

    code = "TC104"


class ContractError(OwnershipError):
    """The shapes or values of a launch break the contract of its kernel."""

    code = "TC405"


class GridError(ContractError):
    """A grid that does not match the partitions, or partitions that do not agree on a grid."""

    code = "TC405"


class LaunchArgumentError(OwnershipError, TypeError):
    """A wrong number or kind of arguments."""

    code = "TC408"


class ForeignMemoryError(OwnershipError, ValueError):
    """Memory of another library that cannot be adopted in its layout."""

    code = "TC408"


class GraphLifetimeError(OwnershipError):
    """Memory that a captured graph uses is taken away, or a graph is replayed without memory that it needs."""

    code = "TC406"


class CaptureError(OwnershipError, RuntimeError):
    """An operation that a graph cannot contain, during a capture."""

    code = "TC406"


class StreamError(OwnershipError, RuntimeError):
    """Two streams use the same memory with no order between them, in strict mode."""

    code = "TC407"


class DuplicateError(OwnershipError, TypeError):
    """`copy` or `pickle` would duplicate a tensor, partition, operation or flight."""

    code = "TC402"


class ForkedError(OwnershipError, RuntimeError):
    """A child process waits for a flight of its parent that was under way at the fork."""

    code = "TC403"


class NestedLaunchError(OwnershipError, RuntimeError):
    """A launch inside an operation that runs in the same thread: the two have no order."""

    code = "TC407"


class RefutedError(OwnershipError):
    """A launch of a kernel that the checker refuted. `code` is that of the finding."""

    def __init__(self, code: str, summary: str, *, use: Location, fix: str) -> None:
        vars(self)["code"] = code
        super().__init__(summary, use=use, fix=fix)


class UnprovenError(OwnershipError):
    """A kernel does not pass the checker; `code` is that of its first finding."""

    code = "TC101"

    def __init__(self, summary: str, *, use: Location, fix: str, code: str = "TC101", before: Location | None = None,
                 what: str = "it stands") -> None:
        vars(self)["code"] = code
        super().__init__(summary, use=use, before=before, what=what, fix=fix)


class UnprovenWarning(UserWarning):
    """A kernel that does not pass the checker is launched under the sanitizer."""


class NeverRunWarning(UserWarning):
    """TC404: an operation was built and dropped."""


class LostFlightWarning(UserWarning):
    """A flight failed and no code waited for it."""


for _kind in [kind for name, kind in list(globals().items()) if name in __all__ and isinstance(kind, type)]:
    _kind.__module__ = "tilecheck_runtime"  # where it is public, which is what tracebacks show
