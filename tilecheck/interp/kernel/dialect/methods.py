"""Methods of the dialect's values with their parameters. A call that does not fit them is an unknown call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from tilecheck.interp.kernel.arguments import Arguments
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.values import Value

__all__ = ["Method", "takes"]


class Method(Struct, frozen=True):
    """A method.

    run       what it does, given the owner and the arguments
    names     of its parameters, in order
    optional  how many of them, from the end, may be left out
    rest      whether any number of arguments may follow
    """

    run: Callable[[Machine, Any, Arguments], Value]
    names: tuple[str, ...] = ()
    optional: int = 0
    rest: bool = False

    def fits(self, args: Arguments) -> bool:
        """Whether a call gives what the method takes, and nothing else."""
        given = self.names[:len(args.positional)]
        needed = self.names[:len(self.names) - self.optional]
        named = args.keywords.keys()
        return (
            args.complete and (self.rest or len(args.positional) <= len(self.names))
            and named <= set(self.names[len(given):]) and set(needed) <= {*given, *named})


def takes(run: Callable[..., Value], names: str = "", optional: int = 0, rest: bool = False) -> Method:
    """A method whose parameters are the words of `names`."""
    return Method(run, tuple(names.split()), optional, rest)
