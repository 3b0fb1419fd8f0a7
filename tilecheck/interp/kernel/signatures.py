"""Parameters of operations, and whether a call fits them."""

from __future__ import annotations

import ast
from collections.abc import Collection
from functools import lru_cache

from msgspec import Struct

from tilecheck.interp.kernel.arguments import Arguments

__all__ = ["Signature", "accepts", "find_misfit", "parse_signature"]


class Signature(Struct, frozen=True):
    """The parameters of a function.

    text        the parameters as an author writes them, without defaults
    positional  the parameters that take positional arguments, in order
    keywords    the names that keywords may have
    required    the parameters without a default
    many        whether any number of positional arguments is taken
    """

    text: str
    positional: tuple[str, ...]
    keywords: frozenset[str]
    required: frozenset[str]
    many: bool = False


@lru_cache(maxsize=512)
def parse_signature(text: str) -> Signature:
    """The signature with the parameters `text`, as in a `def` statement: `x, /, axis=None, *, keepdims=False`."""
    (definition,) = ast.parse(f"def f({text}): ...").body
    assert isinstance(definition, ast.FunctionDef)
    given = definition.args
    only, plain, named = ([a.arg for a in group] for group in (given.posonlyargs, given.args, given.kwonlyargs))
    positional = (*only, *plain)
    optional = {*positional[len(positional) - len(given.defaults):]} if given.defaults else set()
    optional |= {name for name, default in zip(named, given.kw_defaults, strict=True) if default is not None}
    given.defaults, given.kw_defaults = [], [None] * len(named)
    return Signature(ast.unparse(given), positional, frozenset((*plain, *named)),
                     frozenset((*positional, *named)) - optional, given.vararg is not None)


def find_misfit(signature: Signature, count: int, names: Collection[str]) -> str | None:
    """The mismatch between a signature and so many positional arguments and keywords of these names, or None."""
    if count > len(signature.positional) and not signature.many:
        return f"takes at most {len(signature.positional)} positional arguments, and {count} are passed"
    for name in names:
        if name not in signature.keywords:
            known = name in signature.positional
            return f"takes `{name}` by position only" if known else f"takes no keyword `{name}`"
    given = {*signature.positional[:count], *names}
    for name in signature.positional[:count]:
        if name in names:
            return f"gets `{name}` twice"
    if signature.required <= given:
        return None
    missing = next(name for name in (*signature.positional, *sorted(signature.keywords))
                   if name in signature.required and name not in given)
    return f"needs an argument for `{missing}`"


def accepts(signature: str, args: Arguments) -> bool:
    """Whether a call with these arguments binds each parameter that has no default, and each argument once."""
    return find_misfit(parse_signature(signature), len(args.positional), args.keywords) is None
