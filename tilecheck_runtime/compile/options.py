"""Hints and flags of the compiler."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, Literal

from tilecheck_runtime.errors.compilation import HintError

__all__ = ["Options"]


@dataclass(frozen=True)
class Options:
    """Hints and flags.

    num_ctas          thread blocks per tile block; None leaves it to the compiler
    occupancy         tile blocks per multiprocessor to aim for; None likewise
    opt_level         0 to 3
    num_worker_warps  None likewise
    lineinfo          whether machine code contains source lines and its PTX
    sanitize          "memcheck" adds the checks that compute-sanitizer reads
    """

    num_ctas: int | None = None
    occupancy: int | None = None
    opt_level: int = 3
    num_worker_warps: int | None = None
    lineinfo: bool = True
    sanitize: Literal["memcheck"] | None = None

    @classmethod
    def of(cls, hints: Mapping[str, Any], arch: str) -> Options:
        """Returns the options of `@kernel(...)` or `replace_hints(...)` for an architecture: a hint may be
        `ct.ByTarget(...)`.

        Raises HintError, naming the hint.
        """
        values = {name: _for_target(value, arch, _DEFAULTS.get(name)) for name, value in hints.items()}
        for name, value in values.items():
            _validate(name, value)
        return cls(**values)

    @property
    def hints(self) -> dict[str, Any]:
        """The options that are part of the bytecode."""
        return {name: getattr(self, name) for name in _HINTS}

    @property
    def flags(self) -> tuple[str, ...]:
        """The options that are passed to `tileiras`."""
        return (f"-O{self.opt_level}", *(["--lineinfo"] if self.lineinfo else []),
                *([f"--sanitize={self.sanitize}"] if self.sanitize else []))


_DEFAULTS: Final = {field.name: field.default for field in fields(Options)}
_HINTS: Final = ("num_ctas", "occupancy", "opt_level", "num_worker_warps")
_RANGES: Final[Mapping[str, tuple[str, frozenset[object]]]] = {
    "num_ctas": ("a power of two from 1 to 16", frozenset({None, 1, 2, 4, 8, 16})),
    "occupancy": ("from 1 to 32", frozenset({None, *range(1, 33)})),
    "opt_level": ("from 0 to 3", frozenset(range(4))),
    "num_worker_warps": ("a power of two from 1 to 32", frozenset({None, 1, 2, 4, 8, 16, 32})),
    "lineinfo": ("True or False", frozenset({True, False})),
    "sanitize": ("'memcheck' or None", frozenset({None, "memcheck"})),
}


def _for_target(value: Any, arch: str, default: Any) -> Any:
    """Selects the value of a `ct.ByTarget` for one architecture; other values apply to all architectures."""
    by_target = getattr(value, "_by_target", None)
    if by_target is None:
        return value
    if arch in by_target:
        return by_target[arch]
    found = getattr(value, "_default", None)
    return found if found is None or isinstance(found, int) else default


def _validate(name: str, value: Any) -> None:
    if name not in _RANGES:
        raise HintError(f"the compiler has no hint `{name}`", fix=f"use one of {', '.join(_RANGES)}")
    told, allowed = _RANGES[name]
    wrong = not isinstance(value, Hashable) or value not in allowed
    if wrong or isinstance(value, bool) != (name == "lineinfo"):
        sample = min((n for n in allowed if n is not None), key=str)
        raise HintError(f"the hint `{name}` is {told}, not {value!r}",
                        fix=f"write @kernel({name}={sample!r}), or leave it out")
