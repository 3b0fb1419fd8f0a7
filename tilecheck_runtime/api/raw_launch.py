"""`launch(stream, grid, kernel, args)`: takes the arguments of `ct.launch`, and applies guards. Arrays on a GPU run
there, others on the CPU under the sanitizer."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from types import FunctionType
from typing import Any, Final

from tilecheck.decorators import declaration_of
from tilecheck.symbolic import UNKNOWN_ARRAY
from tilecheck_runtime.api.launch_proof import prove_from_representation
from tilecheck_runtime.backends.cuda.driver import driver
from tilecheck_runtime.backends.cuda.stream import handle_of
from tilecheck_runtime.contracts.checking import findings_of
from tilecheck_runtime.contracts.contract import contract_of, enforce
from tilecheck_runtime.contracts.guard import read_setting
from tilecheck_runtime.cpu.execution.arguments import parameters
from tilecheck_runtime.cpu.execution.execute import launch_on_cpu
from tilecheck_runtime.errors.locations import current_location
from tilecheck_runtime.errors.ownership import (
    AliasedError,
    CaptureError,
    GridError,
    LaunchArgumentError,
    OwnershipError,
    ReadOnlyError,
    RefutedError,
)
from tilecheck_runtime.launch_cache.raw_launches import has_passed, launch_key, remember_launch, repeats_last_launch
from tilecheck_runtime.launches.log import LOG
from tilecheck_runtime.ownership.regions import has_distinct_elements, overlap
from tilecheck_runtime.tensors.device_arrays import DeviceArray, device_array
from tilecheck_runtime.tile_language.kernels import function_of

__all__ = ["GuardWarning", "check_launch", "launch"]

_GRID: Final = (1 << 24) - 1
_INT32: Final = 1 << 31


class GuardWarning(UserWarning):
    """A launch that its guards would have refused."""


def launch(stream: Any, grid: Any, kernel: Any, kernel_args: Any, /, *,
           programmatic_dependent_launch: bool = False) -> None:
    """Launches a kernel like `ct.launch`, after its guards passed. Guards check for arguments that share memory and are
    written, for memory that is read-only or cannot be used in its layout, the grid, and the contract of the kernel.
    Arrays on the CPU run under the sanitizer.

    TILECHECK_GUARD=warn makes guards warn instead of refuse; `off` skips them.

    Raises OwnershipError; then nothing was launched.
    """
    since = time.perf_counter() if LOG.launches else 0.0
    how = "like one before"
    if not repeats_last_launch(kernel, grid, kernel_args, _device_of_address):
        key = launch_key(kernel, grid, kernel_args, _device_of_address)
        if key is None or not has_passed(key):
            how = "every guard asked"
            given = list(_device_arrays(kernel, kernel_args))
            if not given:
                launch_on_cpu(stream, grid, kernel, kernel_args)
                return
            if not _passes_guards(kernel, grid, kernel_args, given, stream):
                how, key = "without a guard that let it through", None
        if key is not None:
            remember_launch(key, kernel, grid, kernel_args)
    handle = stream if type(stream) is int else getattr(stream, "handle", stream)
    if programmatic_dependent_launch:
        _import_cuda_tile().launch(handle, grid, kernel, kernel_args, programmatic_dependent_launch=True)
    else:
        _import_cuda_tile().launch(handle, grid, kernel, kernel_args)
    if LOG.launches:
        LOG.log_launch(function_of(kernel).__name__, current_location(), how, (*grid, 1, 1)[:3], "", stream, since)


def _passes_guards(kernel: Any, grid: Any, values: Sequence[Any], given: Sequence[_NamedArray], stream: Any) -> bool:
    """Returns whether all guards pass. If one does not, raises OwnershipError or warns."""
    mode = read_setting("error")  # no sanitizer watches the launch
    if mode == "off":
        return False
    try:
        check_launch(kernel, grid, values, given)
        _check_capture(kernel, values, stream)
    except OwnershipError as error:
        if mode != "warn":
            raise
        warnings.warn(str(error), GuardWarning, stacklevel=3)
        return False
    return True


@cache
def _import_cuda_tile() -> Any:
    import cuda.tile

    return cuda.tile


def _device_of_address(address: int) -> int | None:
    return driver().device_of(address)


@dataclass(frozen=True)
class _NamedArray:
    """An array with the name of its parameter; an element of a list or tuple as "xs[1]"."""

    name: str
    array: DeviceArray

    @property
    def parameter(self) -> str:
        return self.name.partition("[")[0]


def _device_arrays(kernel: Any, values: Sequence[Any]) -> Iterator[_NamedArray]:
    """Yields the arrays on a GPU, by parameter. Surplus arguments are ignored."""
    for name, value in zip(_parameter_names(function_of(kernel)), values, strict=False):
        yield from _name_arrays(name, value)


@lru_cache(maxsize=1024)
def _parameter_names(function: FunctionType) -> tuple[str, ...]:
    return tuple(p.name for p in parameters(function))


_PASSED: Final[set[tuple[Any, ...]]] = set()
"""Launches that passed all guards that do not depend on addresses."""
_MOST: Final = 4096


def check_launch(kernel: Any, grid: Any, values: Sequence[Any], given: Sequence[_NamedArray]) -> None:
    """Raises the OwnershipError that forbids a launch. `given` are its arrays."""
    function = function_of(kernel)
    name, known = function.__name__, _parameter_names(function)
    if len(values) != len(known):
        raise LaunchArgumentError(f"`{name}` takes {len(known)} arguments ({', '.join(known)}), {len(values)} were "
                                  "given", use=current_location(), fix="pass an argument for each parameter")
    extents, written = _check_grid(name, grid), _written_parameters(function)
    numbers = _contract_numbers(known, values, given, extents)
    floats = {name: v for name, v in zip(known, values, strict=True) if isinstance(v, float)}
    like = (function, declaration_of(function), tuple(numbers.items()), tuple(map(type, values)), tuple(floats.items()),
            tuple((n.name, n.array.ordinal, n.array.dtype.name, n.array.strides, n.array.readonly) for n in given))
    if like not in _PASSED:
        for one in given:
            _check_array(name, one, written)
        _check_one_device(name, given)
        _check_not_refuted(function)
        enforce(name, contract_of(function), numbers, complete=False, floats=floats)
        _check_representation(kernel, values, given, extents)
        if len(_PASSED) >= _MOST:
            _PASSED.clear()
        _PASSED.add(like)
    _check_disjoint(name, given, written)


def _check_capture(kernel: Any, values: Sequence[Any], stream: Any) -> None:
    """Raises CaptureError for a list of arrays during a capture: the host copies its addresses to the device, and a
    replay would not repeat that."""
    lists = [name for name, v in zip(_parameter_names(function_of(kernel)), values, strict=True) if isinstance(v, list)]
    if lists and driver().is_capturing(handle_of(stream)):
        name = function_of(kernel).__name__
        raise CaptureError(f"`{lists[0]}` of `{name}` is a list of arrays, whose addresses a graph would not copy to "
                           "the device again", use=current_location(), names=(lists[0],),
                           fix="pass the arrays as parameters of their own, or launch it outside of the graph")


def _name_arrays(name: str, value: Any) -> Iterator[_NamedArray]:
    if isinstance(value, (tuple, list)):
        for place, item in enumerate(value):
            yield from _name_arrays(f"{name}[{place}]", item)
    else:
        found = device_array(value, _device_of_address)
        if found is not None:
            yield _NamedArray(name, found)


def _check_grid(kernel: str, grid: Any) -> tuple[int, int, int]:
    if not isinstance(grid, tuple) or not 1 <= len(grid) <= 3 or not all(hasattr(n, "__index__") for n in grid):
        raise GridError(f"the grid of `{kernel}` is {grid!r}; it is a tuple of one to three integers",
                        use=current_location(),
                        fix="write `(blocks, 1, 1)`")
    first, second, third = (*(n.__index__() for n in grid), 1, 1)[:3]
    for axis, n in enumerate((first, second, third)):
        if not 1 <= n <= _GRID:
            raise GridError(f"the grid of `{kernel}` has {n} blocks along axis {axis}: from 1 to {_GRID} are possible",
                            use=current_location(),
                            fix="let a block do more: loop over `range(ct.bid(0), n, ct.num_blocks(0))`")
    return first, second, third


@lru_cache(maxsize=1024)
def _written_parameters(function: FunctionType) -> frozenset[str] | None:
    """Parameters that a kernel writes; None if the checker cannot analyze it."""
    found = findings_of(function)
    if found is None:
        return None
    arrays = {o.array for o in found.report.obligations if o.kind == "disjoint"}
    # an array of a list is `xs[*]`, and the array may be unknown
    return None if UNKNOWN_ARRAY.text in arrays else frozenset(a.partition("[")[0] for a in arrays)


def _check_array(kernel: str, one: _NamedArray, written: frozenset[str] | None) -> None:
    array, name = one.array, one.name
    size = int(array.dtype.storage.itemsize)
    steps = [(axis, s) for axis, (n, s) in enumerate(zip(array.shape, array.strides, strict=True)) if n > 1]
    writes = written is not None and one.parameter in written
    for axis, step in steps:
        if step < 0:
            raise _array_error(kernel, name, f"has stride {step} bytes on axis {axis}, which is negative: compiled "
                               "kernels assume that none is", "pass a copy: `.contiguous()`")
        if step % size:
            raise _array_error(kernel, name, f"has stride {step} bytes on axis {axis}, which is not a multiple of its "
                               f"{size}-byte elements", "pass a copy: `.contiguous()`")
    if any(n >= _INT32 for n in (*array.shape, *(s // size for _, s in steps))):
        raise _array_error(kernel, name,
                           f"has shape {array.shape} and strides of {array.strides} bytes, and kernels count "
                           "in 32 bits", "launch it over parts")
    if writes and array.readonly:
        raise ReadOnlyError(f"`{name}` of `{kernel}` is read-only, and the kernel writes it", names=(name,),
                            use=current_location(), fix="pass memory that can be written: a copy")
    if writes and not has_distinct_elements(array.region):
        raise ReadOnlyError(f"`{name}` of `{kernel}` is written, and with strides of {array.strides} bytes several of "
                            "its elements lie at one address", names=(name,), use=current_location(),
                            fix="pass a copy: `.contiguous()`")


def _array_error(kernel: str, name: str, what: str, fix: str) -> LaunchArgumentError:
    return LaunchArgumentError(f"`{name}` of `{kernel}` {what}", names=(name,), use=current_location(), fix=fix)


def _check_one_device(kernel: str, given: Sequence[_NamedArray]) -> None:
    for one in given[1:]:
        if one.array.ordinal != given[0].array.ordinal:
            raise _array_error(kernel, one.name, f"lies on cuda:{one.array.ordinal}, and `{given[0].name}` on "
                               f"cuda:{given[0].array.ordinal}", "bring all arguments to one device")


def _check_disjoint(kernel: str, given: Sequence[_NamedArray], written: frozenset[str] | None) -> None:
    """Raises AliasedError for arguments that share memory if one of them is written: the compiler assumes that they are
    disjoint."""
    for a, b in combinations(given, 2):
        if written is not None and a.parameter not in written and b.parameter not in written:
            continue
        if overlap(a.array.region, b.array.region):
            first, second = (a, b) if written is None or a.parameter in written else (b, a)
            how = "writes" if written is not None else "may write"
            raise AliasedError(f"`{first.name}` and `{second.name}` of `{kernel}` share memory, and the kernel {how} "
                               f"`{first.name}`", names=(first.name, second.name), use=current_location(),
                               fix=f"pass a copy as `{second.name}`: `.clone()`, or `.copy()`")


def _check_not_refuted(function: FunctionType) -> None:
    """Raises RefutedError for a refuted kernel, unless its author takes responsibility."""
    found = findings_of(function)
    if found is None or found.report.verdict != "refuted" or declaration_of(function).unsafe is not None:
        return
    said = next((d for d in found.diagnostics if d.severity == "error"), None)
    code, why = ("TC101", "the checker refuses it") if said is None else (said.code, said.message)
    raise RefutedError(code, f"`{function.__name__}` is not launched: {why}", use=current_location(),
                       fix="run `tilecheck` on its file to see how it goes wrong; `@unsafe(\"why\")` on the kernel "
                       "launches it anyway")


_MOST_BLOCKS: Final = 1024
"""Blocks of a launch that is executed by the representation of its kernel before it runs."""


def _check_representation(
    kernel: Any, values: Sequence[Any], given: Sequence[_NamedArray], grid: tuple[int, int, int],
) -> None:
    """Raises RefutedError for a launch that goes wrong for all data, of a kernel that the checker does not decide.

    Such a kernel comes from a factory, from `exec` or from code that the checker cannot follow.
    """
    function = function_of(kernel)
    found = findings_of(function)
    if (found is not None and found.report.verdict != "unproven") or declaration_of(function).unsafe is not None:
        return
    arrays = {one.name: one.array for one in given}
    fault = prove_from_representation(kernel, parameters(function), values, arrays, grid, _MOST_BLOCKS).fault_for_all
    if fault is not None:
        raise RefutedError("TC201" if fault.kind == "outside" else "TC101",
                           f"`{function.__name__}` is not launched: {fault.describe()}", use=current_location(),
                           fix="let each block write elements of its own, inside the array; `@unsafe(\"why\")` on the "
                           "kernel launches it anyway")


def _contract_numbers(known: Sequence[str], values: Sequence[Any], given: Sequence[_NamedArray],
                      grid: tuple[int, int, int]) -> Mapping[str, int]:
    """Returns everything that contracts can refer to, by its name there."""
    found = {name: v for name, v in zip(known, values, strict=True) if isinstance(v, int)}
    found.update({f"grid[{axis}]": n for axis, n in enumerate(grid)})
    for one in given:
        size = int(one.array.dtype.storage.itemsize)
        found.update({f"{one.name}.shape[{axis}]": n for axis, n in enumerate(one.array.shape)})
        found.update({f"{one.name}.strides[{axis}]": s // size for axis, s in enumerate(one.array.strides)})
    return found
