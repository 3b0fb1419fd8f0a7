"""Specializes a kernel for the arguments of a launch, real or described, to the function and the signature to
compile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final

from tilecheck_runtime.compile.constraints import Signature
from tilecheck_runtime.compile.facts import signature_of
from tilecheck_runtime.compile.parameters import declared_parameters
from tilecheck_runtime.compile.refine import refine_plan
from tilecheck_runtime.compile.signature_syntax import Number, SketchedArray, parse_sketch
from tilecheck_runtime.contracts.contract import contract_of, enforce
from tilecheck_runtime.cpu.dtypes import DTYPES, DType
from tilecheck_runtime.dialect import dtypes as dialect_dtypes
from tilecheck_runtime.dialect.grid import grid as grid_of
from tilecheck_runtime.dialect.kernel import DialectKernel
from tilecheck_runtime.dialect.plan import Output, Plan, PlanError
from tilecheck_runtime.dialect.schedules import Single
from tilecheck_runtime.dialect.signature import Parameter
from tilecheck_runtime.errors.compilation import SketchError
from tilecheck_runtime.ownership.memory import Strided
from tilecheck_runtime.tile_language.kernels import function_of

__all__ = ["Specialized", "specialize_for_launch", "specialize_for_sketch"]

Grid = tuple[int, int, int]


@dataclass(frozen=True)
class Specialized:
    """The input of the compiler for a launch.

    function   plain: takes arrays, numbers and constants
    signature  facts about its arguments
    grid       of the launch; None for a kernel of cuTile, where it does not follow from the arguments
    inside     names of arrays that are accessed without bounds checks
    """

    function: FunctionType
    signature: Signature
    grid: Grid | None
    inside: frozenset[str]


def specialize_for_launch(kernel: DialectKernel, plan: Plan, numbers: Mapping[str, int], values: Mapping[str, Any],
                          grid: Grid) -> Specialized:
    """Specializes for a launch that passed its guards: its plan, its numbers as contracts name them, and its arguments
    by name."""
    entry = kernel.entry(refine_plan(function_of(kernel), plan, numbers))
    return Specialized(entry.function, signature_of(entry.function, entry.arguments(values)), grid, entry.plan.inside)


def specialize_for_sketch(kernel: Any, text: str) -> Specialized:
    """Specializes for arguments that a text describes.

    Raises SketchError, and ContractError if a launch with such arguments would be refused.
    """
    given = parse_sketch(text)
    if isinstance(kernel, DialectKernel):
        return _specialize_dialect(kernel, given)
    return _specialize_raw(function_of(kernel), given)


# --- kernels of the dialect ------------------------------------------------------------------------------------------

def _specialize_dialect(kernel: DialectKernel, given: Mapping[str, SketchedArray | Number]) -> Specialized:
    function, known = function_of(kernel), kernel.signature
    variables = {n: v for n, v in given.items() if n in known.variables and isinstance(v, int)}
    _check_complete(function.__name__,
                    [p.name for p in known.parameters if p.name in given or not _is_inferable(p, variables)],
                    given, known.variables)
    arrays: dict[str, SketchedArray] = {}
    values: dict[str, int] = dict(variables)
    scalars: dict[str, Number] = {}
    for parameter in known.parameters:
        found = given.get(parameter.name)
        if parameter.kind == "constant":
            variable = str(parameter.extents[0])
            values[variable] = scalars[parameter.name] = _check_integer(parameter.name, found, values.get(variable))
        elif parameter.kind == "scalar":
            scalars[parameter.name] = _check_number(parameter, found)
        else:
            arrays[parameter.name] = _check_array(parameter, found)
    for parameter in sorted(known.parameters, key=lambda p: p.kind != "mut"):
        if parameter.name in arrays:
            _bind_variables(parameter, arrays[parameter.name], values)
    outputs = tuple(_make_output(p, arrays[p.name], values) for p in known.outputs)
    shapes = {p.name: arrays[p.name].shape for p in known.outputs}
    try:
        grid = grid_of(dict(zip(shapes, outputs, strict=True)), shapes)
    except PlanError as error:
        raise SketchError(str(error), fix="change the extents or the pieces") from None
    numbers = _contract_numbers(values, scalars, arrays, grid)
    enforce(function.__name__, contract_of(function), numbers)
    placed = _place_arrays({p.name: (arrays[p.name], DTYPES[getattr(p.dtype, "name", "")]) for p in known.parameters
                            if p.name in arrays})
    plan = Plan(tuple(values.items()), outputs)
    return specialize_for_launch(kernel, plan, numbers, {**scalars, **placed}, grid)


def _is_inferable(parameter: Parameter, variables: Mapping[str, int]) -> bool:
    return parameter.kind == "constant" and parameter.extents[0] in variables


def _check_complete(kernel: str, names: Sequence[str], given: Mapping[str, object], others: Sequence[str] = ()) -> None:
    missing = [n for n in names if n not in given]
    if missing:
        raise SketchError(f"`{kernel}` takes {', '.join(names)}; {' and '.join(f'`{n}`' for n in missing)} "
                          f"{'is' if len(missing) == 1 else 'are'} missing", fix=f"add `{missing[0]}=...`")
    unknown = [n for n in given if n not in names and n not in others]
    if unknown:
        raise SketchError(f"`{kernel}` takes {', '.join(names)}, and none named `{unknown[0]}`",
                          fix=f"leave out `{unknown[0]}=...`")


def _check_integer(name: str, found: object, known: int | None) -> int:
    value = known if found is None else found
    if type(value) is not int:
        raise SketchError(f"`{name}` is a constant, which takes an integer", fix=f"write `{name}=64`, for instance")
    if known is not None and value != known:
        raise SketchError(f"`{name}` is {value}, and its type variable {known}", fix="leave one of them out")
    return value


def _check_number(parameter: Parameter, found: object) -> Number:
    kind = parameter.dtype
    if isinstance(found, (bool, int, float)) and (type(found) is kind or (kind is float and type(found) is int)):
        return float(found) if kind is float else found
    raise SketchError(f"`{parameter.name}` is a number of type {getattr(kind, '__name__', kind)}",
                      fix=f"write `{parameter.name}={_SAMPLES.get(kind, '1')}`")


_SAMPLES: Final[Mapping[object, str]] = {float: "1.0", bool: "True"}


def _check_array(parameter: Parameter, found: object) -> SketchedArray:
    name, rank = parameter.name, len(parameter.extents)
    if not isinstance(found, SketchedArray):
        raise SketchError(f"`{name}` is an array with {rank} extents",
                          fix=f"write `{name}=[{', '.join(['64'] * rank)}]`")
    if len(found.shape) != rank:
        raise SketchError(f"`{name}` has {rank} axes, not {len(found.shape)}", fix="give an extent for each axis")
    wanted = getattr(parameter.dtype, "name", "")
    if found.dtype is not None and _dtype(name, found.dtype).name != wanted:
        raise SketchError(f"`{name}` has elements of type {getattr(parameter.dtype, '__name__', wanted)}, not "
                          f"{found.dtype}", fix="leave the type out: the kernel declares it")
    if parameter.kind != "mut" and (found.tile is not None or found.schedule is not None):
        raise SketchError(f"`{name}` is not an output, and only outputs are divided into pieces",
                          fix="leave the pieces out")
    return found


def _bind_variables(parameter: Parameter, found: SketchedArray, values: dict[str, int]) -> None:
    """Binds type variables to the extents of an argument."""
    actual = found.tile if parameter.kind == "mut" else found.shape
    if actual is None:
        return
    for declared_, extent in zip(parameter.extents, actual, strict=True):
        expected = values.setdefault(declared_, extent) if isinstance(declared_, str) else declared_
        if isinstance(expected, int) and expected != extent:
            what = "pieces" if parameter.kind == "mut" else "extents"
            wanted = f"{declared_} = {expected}" if isinstance(declared_, str) else str(expected)
            raise SketchError(f"`{parameter.name}` has {what} {actual}, where `{wanted}` stands for {extent}",
                              fix=f"give {expected} there, or change the other argument that says so")


def _make_output(parameter: Parameter, found: SketchedArray, values: Mapping[str, int]) -> Output:
    missing = [e for e in parameter.extents if isinstance(e, str) and e not in values]
    if missing:
        raise SketchError(f"it is not specified how `{parameter.name}` is divided: {missing[0]} has no value",
                          fix=f"write its pieces, as in `{parameter.name}=[1024]/[128]`, or `{missing[0]}=128`")
    tile = tuple(values[e] if isinstance(e, str) else int(e) for e in parameter.extents if not isinstance(e, type))
    whole = tuple(-(-n // t) == 1 for n, t in zip(found.shape, tile, strict=True))
    return Output(tile, found.schedule or Single(), found.blocks, whole)


def _contract_numbers(values: Mapping[str, int], scalars: Mapping[str, Number], arrays: Mapping[str, SketchedArray],
                      grid: Grid) -> dict[str, int]:
    """Returns everything that contracts can refer to, by its name there."""
    numbers = {**values, **{n: v for n, v in scalars.items() if isinstance(v, int)}}
    numbers |= {f"grid[{axis}]": n for axis, n in enumerate(grid)}
    for name, array in arrays.items():
        numbers |= {f"{name}.shape[{axis}]": n for axis, n in enumerate(array.shape)}
        numbers |= {f"{name}.strides[{axis}]": n for axis, n in enumerate(array.strides)}
    return numbers


# --- kernels of cuTile -----------------------------------------------------------------------------------------------

def _specialize_raw(function: FunctionType, given: Mapping[str, SketchedArray | Number]) -> Specialized:
    known = declared_parameters(function)
    _check_complete(function.__name__, [d.name for d in known], given)
    arrays = {n: v for n, v in given.items() if isinstance(v, SketchedArray)}
    for name, found in arrays.items():
        if found.dtype is None:
            raise SketchError(f"`{name}` has no element type", fix=f"write `{name}=f32[...]`, for instance")
        if found.tile is not None:
            raise SketchError(f"`{name}` is divided into pieces, which a kernel of cuTile does by itself",
                              fix="leave the pieces out")
    placed = _place_arrays({n: (a, _dtype(n, a.dtype or "")) for n, a in arrays.items()})
    values = {**given, **placed}
    arguments = [values[d.name] for d in known]
    return Specialized(function, signature_of(function, arguments), None, frozenset())


# --- arrays that are nowhere -----------------------------------------------------------------------------------------

@dataclass(frozen=True)
class _Nowhere:
    """Memory that does not exist."""

    address: int
    nbytes: int
    device: str = "nowhere"


_FIRST: Final = 1 << 32
_APART: Final = 256
"""Alignment in bytes of addresses, before they are shifted to a lower alignment."""


ALIGNED: Final = 16
"""Alignment in bytes from which on code does not improve."""


def _place_arrays(arrays: Mapping[str, tuple[SketchedArray, DType]]) -> dict[str, Strided]:
    """Returns arrays at consecutive addresses, each with exactly the requested alignment."""
    at, made = _FIRST, {}
    for name, (array, dtype) in arrays.items():
        size = dtype.storage.itemsize
        last = sum((n - 1) * s for n, s in zip(array.shape, array.strides, strict=True) if n > 0)
        start = at + (array.alignment if array.alignment < ALIGNED else 0)
        made[name] = Strided(_Nowhere(start, (last + 1) * size), dtype, array.shape, array.strides)
        at = start + (last + 1) * size
        at += -at % _APART
    return made


def _dtype(name: str, written: str) -> DType:
    kind = getattr(dialect_dtypes, written, None)
    found = DTYPES.get(getattr(kind, "name", written))
    if found is None or found.storage is None:
        raise SketchError(f"`{name}` has elements of type `{written}`, which there is not",
                          fix="write one of the dialect's, such as f32 or bf16")
    return found
