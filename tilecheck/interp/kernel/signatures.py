"""Parameters of operations, and whether a call fits them."""

from __future__ import annotations

import ast
from functools import cache

from msgspec import Struct

from tilecheck.interp.kernel.arguments import Arguments

__all__ = ["Signature", "accepts", "parse_signature"]


class Signature(Struct, frozen=True):
    """The parameters of a function.

    positional  parameters that take arguments by position, in order
    named       parameters that take arguments by keyword
    required    parameters without a default
    rest        whether further arguments by position are taken
    """

    positional: tuple[str, ...]
    named: frozenset[str]
    required: frozenset[str]
    rest: bool = False


@cache
def parse_signature(text: str) -> Signature:
    """The signature with the parameters `text`, as in a `def` statement: `x, /, axis=None, *, keepdims=False`."""
    (definition,) = ast.parse(f"def f({text}): ...").body
    assert isinstance(definition, ast.FunctionDef)
    given = definition.args
    only, plain, keywords = ([a.arg for a in group] for group in (given.posonlyargs, given.args, given.kwonlyargs))
    positional = (*only, *plain)
    optional = {*positional[len(positional) - len(given.defaults):]} if given.defaults else set()
    optional |= {name for name, default in zip(keywords, given.kw_defaults, strict=True) if default is not None}
    return Signature(positional, frozenset((*plain, *keywords)),
                     frozenset((*positional, *keywords)) - optional, given.vararg is not None)


def accepts(signature: str, args: Arguments) -> bool:
    """Whether a call with these arguments binds each parameter that has no default, and each argument once."""
    known = parse_signature(signature)
    count = len(args.positional)
    if count > len(known.positional) and not known.rest:
        return False
    bound = frozenset(known.positional[:count])
    given = frozenset(args.keywords)
    return given <= known.named and not bound & given and known.required <= bound | given
