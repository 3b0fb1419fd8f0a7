"""Binds the arguments of a launch to parameters, and checks their number and kinds."""

from __future__ import annotations

import numbers
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from tilecheck_runtime.dialect.signature import Parameter, Signature
from tilecheck_runtime.errors.locations import caller_frame, current_location, variable_name
from tilecheck_runtime.errors.ownership import LaunchArgumentError
from tilecheck_runtime.ownership.handles import Handle, label
from tilecheck_runtime.tensors.partition import Partition
from tilecheck_runtime.tensors.shared import SharedTensor
from tilecheck_runtime.tensors.tensor import Tensor

__all__ = ["Arguments", "bind_arguments", "show_argument"]

_INT32: Final = 1 << 31


@dataclass(frozen=True)
class Arguments:
    """Arguments by parameter name, each of the kind that its parameter requires.

    numbers  constants and scalars
    """

    outputs: Mapping[str, Partition]
    inputs: Mapping[str, Tensor | SharedTensor]
    accumulators: Mapping[str, Tensor]
    numbers: Mapping[str, Any]

    @property
    def arrays(self) -> Mapping[str, Handle]:
        """All arguments except numbers."""
        return {**self.outputs, **self.inputs, **self.accumulators}


def show_argument(name: str, handle: Handle) -> str:
    """Formats an argument for messages: by its parameter, and by its variable if that has another name."""
    found = variable_name(caller_frame(), handle)
    return f"`{name}`" if found in (None, name) else f"`{name}` (here `{found}`)"


def bind_arguments(kernel: str, known: Signature, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Arguments:
    """Returns the arguments of a call. Raises LaunchArgumentError, naming the parameter, for a wrong number or kind."""
    values = _match_parameters(kernel, known, args, kwargs)
    sorted_out: dict[str, dict[str, Any]] = {kind: {} for kind in _TAKEN}
    for parameter in known.parameters:
        value = _TAKEN[parameter.kind](kernel, parameter, values[parameter.name])
        sorted_out[parameter.kind][parameter.name] = value
    numbers_ = {**sorted_out["constant"], **sorted_out["scalar"]}
    return Arguments(sorted_out["mut"], sorted_out["ref"], sorted_out["shared"], numbers_)


def _match_parameters(kernel: str, known: Signature, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    names = [p.name for p in known.parameters]
    listed = f"`{kernel}` takes {len(names)} argument{'' if len(names) == 1 else 's'} ({', '.join(names)})"
    if len(args) > len(names):
        raise LaunchArgumentError(f"{listed}, {len(args)} were given", use=current_location(),
                                  fix=f"leave out the last {len(args) - len(names)}")
    values = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names:
            raise LaunchArgumentError(f"{listed} and none named `{name}`", use=current_location(),
                                      fix=f"leave out `{name}=...`")
        if name in values:
            raise LaunchArgumentError(f"`{kernel}` was given `{name}` twice", use=current_location(),
                                      fix=f"leave out `{name}=...`, or the one by position")
        values[name] = value
    missing = [name for name in names if name not in values]
    if missing:
        raise LaunchArgumentError(f"{listed}, {len(values)} were given: {_and(missing)} {_is_or_are(missing)} missing",
                                  names=tuple(missing), use=current_location(), fix=f"pass {_and(missing)} as well")
    return values


def _and(names: Sequence[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)


def _is_or_are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _kind_error(kernel: str, parameter: Parameter, value: Any, wanted: str, fix: str) -> LaunchArgumentError:
    name = parameter.name
    what = f"a {value.kind}" if isinstance(value, Handle) else f"{value!r}" if isinstance(
        value, numbers.Number) else f"a {type(value).__name__}"
    if isinstance(value, Handle) and (found := label(value)).startswith("`"):
        what = f"the {value.kind} {found}"
    return LaunchArgumentError(f"`{name}` of `{kernel}` is {wanted}, not {what}", names=(name,),
                               use=current_location(), fix=fix)


def _check_output(kernel: str, parameter: Parameter, value: Any) -> Partition:
    if not isinstance(value, Partition):
        own = label(value).strip("`") if isinstance(value, Handle) and label(value).startswith("`") else "z"
        tile = ", ".join(str(e) if isinstance(e, int) else "16" for e in parameter.extents)
        fix = (f"divide it into pieces: `{own}.partition({tile})`" if isinstance(value, Handle) else
               f"make a tensor of it and divide that: `tilecheck_runtime.from_numpy(...).partition({tile})`")
        raise _kind_error(kernel, parameter, value, "an output, which takes a partition", fix)
    _check_array(kernel, parameter, value)
    return value


def _check_input(kernel: str, parameter: Parameter, value: Any) -> Tensor | SharedTensor:
    if not isinstance(value, (Tensor, SharedTensor)):
        fix = ("put it together first: `.unpartition()`" if isinstance(value, Partition) else
               "make a tensor of it: `tilecheck_runtime.from_numpy(...)` or `from_dlpack(...)`")
        raise _kind_error(kernel, parameter, value, "an input, which takes a tensor", fix)
    _check_array(kernel, parameter, value)
    return value


def _check_accumulator(kernel: str, parameter: Parameter, value: Any) -> Tensor:
    if not isinstance(value, Tensor):
        fix = {Partition: "put it together first: `.unpartition()`",
               SharedTensor: "take it back into one hand first: `.unshare()`"}
        raise _kind_error(kernel, parameter, value, "an accumulator, which takes a tensor that is not shared",
                          fix.get(type(value), "make a tensor of it: `tilecheck_runtime.from_numpy(...)`"))
    _check_array(kernel, parameter, value)
    return value


def _check_array(kernel: str, parameter: Parameter, handle: Handle) -> None:
    """Raises LaunchArgumentError for another element type or rank than declared."""
    if handle.dtype is not parameter.dtype:
        wanted = getattr(parameter.dtype, "__name__", "?")
        raise LaunchArgumentError(
            f"{show_argument(parameter.name, handle)} of `{kernel}` has elements of type {wanted}; "
            f"these are {handle.dtype.__name__}", names=(parameter.name,), use=current_location(),
            fix=f"convert it: `.astype({wanted})`")
    if handle.ndim != len(parameter.extents):
        raise LaunchArgumentError(
            f"{show_argument(parameter.name, handle)} of `{kernel}` has {len(parameter.extents)} axes; "
            f"this one has {handle.ndim}, its shape is {handle.shape}", names=(parameter.name,), use=current_location(),
            fix="give it the shape that the kernel asks for: `.reshape(...)`")


def _check_constant(kernel: str, parameter: Parameter, value: Any) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise _kind_error(kernel, parameter, value, "a constant, which takes an integer",
                          f"pass a number: `{parameter.name}=16`") from None


def _check_scalar(kernel: str, parameter: Parameter, value: Any) -> Any:
    made = _NUMBERS[parameter.dtype or int](value)
    if made is None:
        wanted = getattr(parameter.dtype, "__name__", "number")
        raise _kind_error(kernel, parameter, value, f"a number of type {wanted}", f"convert it: `{wanted}(...)`")
    if type(made) is int and not -_INT32 <= made < _INT32:
        raise _kind_error(kernel, parameter, value, "an integer of 32 bits",
                          "pass a smaller number, or a tensor of i64")
    return made


def _to_int(value: Any) -> int | None:
    return int(value) if isinstance(value, numbers.Integral) and not _is_bool(value) else None


def _to_float(value: Any) -> float | None:
    return float(value) if isinstance(value, numbers.Real) and not _is_bool(value) else None


def _to_bool(value: Any) -> bool | None:
    return bool(value) if _is_bool(value) else None


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool) or type(value).__name__ == "bool"


_NUMBERS: Final[Mapping[Any, Callable[[Any], Any]]] = MappingProxyType(
    {int: _to_int, float: _to_float, bool: _to_bool})

_TAKEN: Final[Mapping[str, Callable[[str, Parameter, Any], Any]]] = MappingProxyType({
    "mut": _check_output, "ref": _check_input, "shared": _check_accumulator, "constant": _check_constant,
    "scalar": _check_scalar,
})
