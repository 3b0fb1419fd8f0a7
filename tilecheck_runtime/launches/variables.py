"""Binds the type variables of a kernel to the values of a launch."""

from __future__ import annotations

from collections.abc import Iterator

from tilecheck_runtime.dialect.signature import Parameter, Signature
from tilecheck_runtime.errors.locations import current_location
from tilecheck_runtime.errors.ownership import ContractError
from tilecheck_runtime.launches.arguments import Arguments, show_argument

__all__ = ["bind_variables"]

_SOURCE = {"mut": "pieces", "ref": "shape", "shared": "shape"}


def bind_variables(kernel: str, known: Signature, given: Arguments) -> dict[str, int]:
    """Returns values by name. Raises ContractError, naming both shapes, if a literal extent or a bound variable has
    another value."""
    values: dict[str, int] = {}
    first: dict[str, tuple[Parameter, tuple[int, ...]]] = {}
    for parameter, actual in _extents(known, given):
        for declared, extent in zip(parameter.extents, actual, strict=True):
            if isinstance(declared, int) and declared != extent:
                raise _extent_error(kernel, parameter, given, actual, "")
            if isinstance(declared, str):
                if values.setdefault(declared, extent) != extent:
                    other, theirs = first[declared]
                    raise _extent_error(kernel, parameter, given, actual,
                                        f"; {declared} is {values[declared]} by {_kind(other)} {theirs} of "
                                        f"`{other.name}`")
                first.setdefault(declared, (parameter, actual))
    return values


def _kind(parameter: Parameter) -> str:
    return _SOURCE.get(parameter.kind, "the value")


def _extents(known: Signature, given: Arguments) -> Iterator[tuple[Parameter, tuple[int, ...]]]:
    """Yields the extents that each parameter fixes, outputs first, because the others depend on them."""
    for parameter in sorted(known.parameters, key=lambda p: p.kind != "mut"):
        name = parameter.name
        if parameter.kind == "mut":
            yield parameter, given.outputs[name].tile
        elif parameter.kind == "constant":
            yield parameter, (given.numbers[name],)
        elif parameter.kind != "scalar":
            yield parameter, given.arrays[name].shape


def _extent_error(kernel: str, parameter: Parameter, given: Arguments, actual: tuple[int, ...],
                  why: str) -> ContractError:
    name = parameter.name
    if parameter.kind == "constant":
        return ContractError(f"`{name}` of `{kernel}` is {actual[0]}{why}", names=(name,), use=current_location(),
                             fix=f"pass the same value as `{name}`")
    wanted = f"({', '.join(_show_extent(e) for e in parameter.extents)}{',' if len(parameter.extents) == 1 else ''})"
    whose = show_argument(name, given.arrays[name])
    if parameter.kind == "mut":
        return ContractError(f"{whose} is partitioned into pieces of {actual}, where `{kernel}` declares {wanted}{why}",
                             names=(name,), use=current_location(),
                             fix=f"partition it as declared: `.partition{wanted}`")
    return ContractError(f"{whose} has shape {actual}, where `{kernel}` declares {wanted}{why}", names=(name,),
                         use=current_location(), fix="pass a tensor of that shape, or declare the extent as Dyn")


def _show_extent(extent: object) -> str:
    return str(extent) if isinstance(extent, (int, str)) else "Dyn"
