"""Reads the parameters of a dialect kernel from its annotations."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType
from typing import Any, Final, Literal, TypeAlias, TypeVar, get_args, get_origin

from tilecheck_runtime.dialect.dtypes import DType
from tilecheck_runtime.dialect.types import Dyn, Mut, Ref, Shared, SystemShared

__all__ = ["Extent", "Kind", "Parameter", "Signature", "SignatureError", "signature"]

Kind: TypeAlias = Literal["mut", "ref", "shared", "constant", "scalar"]
Extent: TypeAlias = int | str | type[Dyn]
"""A literal extent, the name of a type variable, or `Dyn`."""

MOST_AXES: Final = 5
_ARRAYS: Final[Mapping[type, Kind]] = {Mut: "mut", Ref: "ref", Shared: "shared", SystemShared: "shared"}
_SCALARS: Final = (int, float, bool)


class SignatureError(TypeError):
    """A kernel with parameters outside of the dialect. Names the parameter and a replacement."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel.

    dtype    of the elements; of the value for a scalar; None for a constant
    extents  of the piece for `mut`, of the array for `ref` and `shared`; the type variable for a constant
    scope    of the atomics of `shared`: "device" or "system"
    """

    name: str
    kind: Kind
    dtype: type[DType] | type[int] | type[float] | None
    extents: tuple[Extent, ...] = ()
    scope: str = "device"


@dataclass(frozen=True)
class Signature:
    """The parameters of a kernel, in order."""

    parameters: tuple[Parameter, ...]

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the type variables, in the order of their first appearance."""
        extents = (e for p in self.parameters for e in p.extents if isinstance(e, str))
        return tuple(dict.fromkeys(extents))

    @property
    def outputs(self) -> tuple[Parameter, ...]:
        return tuple(p for p in self.parameters if p.kind == "mut")


@lru_cache(maxsize=1024)
def signature(function: Callable[..., Any]) -> Signature:
    """Returns the parameters of a kernel.

    Raises SignatureError, with the parameter and the fix, for an annotation that is missing, cannot be resolved, or is
    not `Mut`, `Ref`, `Shared`, a type variable or a scalar type.
    """
    found = inspect.signature(function).parameters.values()
    return Signature(tuple(_parameter(p, _resolve_annotation(function, p)) for p in found))


def _resolve_annotation(function: Callable[..., Any], parameter: inspect.Parameter) -> Any:
    name, annotation = parameter.name, parameter.annotation
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        raise SignatureError(f"parameter '{name}': a kernel has a fixed number of parameters; write them out")
    if annotation is parameter.empty:
        raise SignatureError(f"parameter '{name}' has no annotation: write Mut[f32, B] for an output, "
                             "Ref[f32, Dyn] for an input, int or float for a number")
    holder = FunctionType((lambda: None).__code__, getattr(function, "__globals__", {}))
    holder.__annotations__ = {name: annotation}
    try:
        return typing.get_type_hints(holder, localns=_closure_values(function), include_extras=True)[name]
    except NameError as error:
        raise SignatureError(f"parameter '{name}': the annotation {annotation!r} uses a name that its module does not "
                             f"define ({error}); define type variables at module level, and import types outside "
                             "of `if TYPE_CHECKING`") from error
    except (TypeError, SyntaxError, AttributeError) as error:
        raise SignatureError(f"parameter '{name}': the annotation {annotation!r} cannot be read ({error})") from error


def _closure_values(function: Callable[..., Any]) -> dict[str, Any]:
    """Variables of enclosing functions that the kernel uses."""
    names = getattr(getattr(function, "__code__", None), "co_freevars", ())
    cells = getattr(function, "__closure__", None) or ()
    return {n: c.cell_contents for n, c in zip(names, cells, strict=True) if _has_value(c)}


def _has_value(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018  (raises when the variable has no value yet)
    except ValueError:
        return False
    return True


def _parameter(parameter: inspect.Parameter, annotation: Any) -> Parameter:
    name = parameter.name
    if isinstance(annotation, TypeVar):
        return Parameter(name, "constant", None, (annotation.__name__,))
    if annotation in _SCALARS:
        return Parameter(name, "scalar", annotation)
    kind = _ARRAYS.get(get_origin(annotation) or annotation)
    if kind is None:
        raise SignatureError(f"parameter '{name}': {_show_annotation(annotation)} is not a parameter type of a "
                             "kernel: write Mut[f32, B] for an output, Ref[f32, Dyn] for an input, Shared[f32, Dyn] "
                             "for an accumulator, int, float or bool for a number, a type variable for a constant")
    dtype, *extents = get_args(annotation) or (None,)
    if not (isinstance(dtype, type) and issubclass(dtype, DType)) or not extents:
        raise SignatureError(f"parameter '{name}': {_show_annotation(annotation)} must name an element type and the "
                             f"extent of each axis, as in {kind.capitalize()}[f32, B]")
    if len(extents) > MOST_AXES:
        raise SignatureError(f"parameter '{name}' has {len(extents)} axes; arrays have at most {MOST_AXES}: merge some")
    scope = "system" if get_origin(annotation) is SystemShared else "device"
    return Parameter(name, kind, dtype, tuple(_extent(name, kind, e) for e in extents), scope)


def _extent(name: str, kind: Kind, extent: Any) -> Extent:
    if isinstance(extent, TypeVar):
        return extent.__name__
    if extent is Dyn and kind != "mut":
        return Dyn
    literal = get_args(extent) if get_origin(extent) is Literal else ()
    if len(literal) == 1 and type(literal[0]) is int and literal[0] > 0:
        return literal[0]
    if extent is Dyn:
        raise SignatureError(f"parameter '{name}': a piece has a fixed extent; write a type variable instead of Dyn, "
                             "whose value comes from the partition")
    fixed = f"Literal[{extent}]" if type(extent) is int and extent > 0 else "Literal[n] with n > 0"
    raise SignatureError(f"parameter '{name}': {_show_annotation(extent)} is not an extent; write a type "
                         f"variable, or {fixed}" + ("" if kind == "mut" else ", or Dyn"))


def _show_annotation(annotation: Any) -> str:
    """An annotation approximately as its author wrote it."""
    text = str(annotation)
    if isinstance(annotation, type) and not get_args(annotation):
        home = annotation.__module__
        public = "cuda.tile" if home.startswith("cuda.tile.") else home
        text = annotation.__qualname__ if public == "builtins" else f"{public}.{annotation.__qualname__}"
    return text.replace("tilecheck_runtime.dialect.types.", "").replace("tilecheck_runtime.dialect.dtypes.", "")
