"""The parameters that the models of library functions and methods understand.

A call binds its arguments to these names first. A call with another keyword, or with more arguments, has an unknown
result: an argument that no model reads may change extents, layout or aliasing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from tilecheck.interp.host.values import Value

__all__ = ["METHODS", "NUMPY", "PURE", "TORCH", "Signature", "bind_arguments"]


class Signature(Struct, frozen=True):
    """Parameters of a function.

    places    names of the parameters that a model reads, by place
    ignored   keywords that change neither extents nor aliasing, or that the model reads by name
    many      whether any number of arguments by place may follow
    open      whether keywords of any name are allowed
    """

    places: tuple[str, ...] = ()
    ignored: frozenset[str] = frozenset()
    many: bool = False
    open: bool = False


def bind_arguments(
    signature: Signature, args: tuple[Value, ...], named: Mapping[str, Value],
) -> tuple[tuple[Value, ...], dict[str, Value]] | None:
    """The arguments by place and the other keywords; None for a call that the signature does not describe."""
    if len(args) > len(signature.places) and not signature.many:
        return None
    rest = dict(named)
    bound = list(args)
    for name in signature.places[len(args):]:
        if name not in rest:
            break
        bound.append(rest.pop(name))
    if not signature.open and rest.keys() - signature.ignored:
        return None
    return tuple(bound), rest


def _sign(places: str = "", ignored: str = "", many: bool = False, any_keyword: bool = False) -> Signature:
    return Signature(tuple(places.split()), frozenset(ignored.split()), many, any_keyword)


_MADE: Final = "dtype device requires_grad pin_memory memory_format generator"
_LIKE: Final = "dtype device requires_grad pin_memory memory_format"

TORCH: Final[Mapping[str, Signature]] = {
    **{name: _sign("size", _MADE, many=True) for name in ("empty", "zeros", "ones", "rand", "randn")},
    "full": _sign("size fill_value", _MADE),
    **{f"{name}_like": _sign("input", _LIKE) for name in ("empty", "zeros", "ones", "rand", "randn")},
    "full_like": _sign("input fill_value", _LIKE),
    "arange": _sign("start end step", "start end step dtype device requires_grad pin_memory"),
    "tensor": _sign("data", "dtype device requires_grad pin_memory"),
    "numel": _sign("input"), "reshape": _sign("input shape"), "transpose": _sign("input dim0 dim1"),
    "permute": _sign("input dims"), "flatten": _sign("input start_dim end_dim"), "unsqueeze": _sign("input dim"),
    "squeeze": _sign("input dim"), "clone": _sign("input", "memory_format"),
}
"""Functions of torch."""

NUMPY: Final[Mapping[str, Signature]] = {
    **{name: _sign("shape dtype order", "dtype order device") for name in ("empty", "zeros", "ones")},
    "full": _sign("shape fill_value dtype order", "dtype order device"),
    **{name: _sign("", "dtype", many=True) for name in ("rand", "randn")},
    **{f"{name}_like": _sign("a dtype order", "dtype order device") for name in ("empty", "zeros", "ones")},
    "full_like": _sign("a fill_value dtype order", "dtype order device"),
    "arange": _sign("start stop step dtype", "start stop step dtype device"),
    "array": _sign("object dtype", "dtype order ndmin"),
    "reshape": _sign("a shape order", "order"), "transpose": _sign("a axes"), "squeeze": _sign("a axis"),
    "prod": _sign("a"),
}
"""Functions of NumPy and CuPy."""

PURE: Final[Mapping[str, Signature]] = {
    **{name: _sign("x") for name in ("ceil", "floor", "log2", "int", "bool", "len", "abs", "list", "tuple", "id",
                                     "iter", "set", "frozenset", "vars")},
    **{name: _sign("a", "default key", many=True) for name in ("min", "max")},
    "sum": _sign("x"), "prod": _sign("x"), "range": _sign("a b c"), "zip": _sign("", "strict", many=True),
    "pow": _sign("base exp"), "enumerate": _sign("x"), "divmod": _sign("a b"), "getattr": _sign("a b c"),
    "isinstance": _sign("a b"), "sorted": _sign("x", "key reverse"), "reversed": _sign("x"),
    "SimpleNamespace": _sign(any_keyword=True), "dict": _sign(any_keyword=True),
    "partial": _sign("f", many=True, any_keyword=True), "reduce": _sign("f x initial"), "product": _sign("", many=True),
    "cdiv": _sign("a b"), "next_power_of_2": _sign("n"), "replace_hints": _sign("f", many=True, any_keyword=True),
}
"""Builtins and functions of numbers and objects."""

_NOTHING: Final = _sign()
_ANYTHING: Final = _sign(many=True, any_keyword=True)
_CONVERTED: Final = _sign("", "dtype device other non_blocking copy memory_format", many=True)

METHODS: Final[Mapping[str, Signature]] = {
    "size": _sign("dim"), "stride": _sign("dim"),
    **dict.fromkeys(("numel", "nelement", "dim", "ndimension", "t", "element_size", "detach"), _NOTHING),
    "view": _sign("size", "dtype", many=True), "reshape": _sign("shape", "order", many=True),
    **dict.fromkeys(("flatten", "ravel"), _sign("start_dim end_dim", "order")),
    "transpose": _sign("dim0 dim1", many=True), "swapaxes": _sign("axis0 axis1"), "permute": _sign("dims", many=True),
    "unsqueeze": _sign("dim"), "squeeze": _sign("dim", "axis"), "narrow": _sign("dim start length"),
    **dict.fromkeys(("expand", "expand_as"), _ANYTHING),
    "contiguous": _sign("", "memory_format"), "is_contiguous": _NOTHING,
    **dict.fromkeys(("to", "type", "type_as", "cuda", "float", "half", "bfloat16", "int", "long", "bool"), _CONVERTED),
    "clone": _sign("", "memory_format"), "copy": _sign("order", "order"),
    **dict.fromkeys(("sum", "mean"), _sign("dim", "axis dtype keepdim keepdims")),
    **dict.fromkeys(("new_empty", "new_zeros", "new_ones"), _sign("size", _LIKE, many=True)),
    "new_full": _sign("size fill_value", _LIKE),
}
"""Methods of arrays, of torch and NumPy alike. A method that changes elements only, in place, has no entry."""
