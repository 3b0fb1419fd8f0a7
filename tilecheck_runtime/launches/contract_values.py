"""Values of a launch that contracts refer to: extents, strides, numbers, and the contents of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tilecheck.contracts.checking import Scalars
from tilecheck.symbolic import evaluate as value_of
from tilecheck_runtime.backends.selection.select import backend_of
from tilecheck_runtime.contracts.annotations import DECIDABLE, find_contradiction
from tilecheck_runtime.contracts.contract import Contract, contradiction
from tilecheck_runtime.contracts.names import contract_name
from tilecheck_runtime.launches.arguments import Arguments
from tilecheck_runtime.ownership.handles import Handle, as_strided

__all__ = ["check_contents", "contract_numbers"]


def contract_numbers(given: Arguments, variables: Mapping[str, int], grid: tuple[int, int, int] | None) -> dict[str,
                                                                                                                int]:
    """Returns everything that contracts can refer to, by its name there."""
    values = {contract_name(name, {*given.arrays, *given.numbers}): n for name, n in variables.items()}
    values.update({name: n for name, n in given.numbers.items() if isinstance(n, int)})
    if grid is not None:
        values.update({f"grid[{axis}]": n for axis, n in enumerate(grid)})
    for name, handle in given.arrays.items():
        values.update({f"{name}.shape[{axis}]": n for axis, n in enumerate(handle.shape)})
        values.update({f"{name}.strides[{axis}]": n for axis, n in enumerate(handle.strides)})
    return values


def check_contents(kernel: str, contract: Contract, given: Arguments, values: Mapping[str, int]) -> None:
    """Raises ContractError for the first clause on the contents of arrays that they contradict. Reads the data, so it
    runs at every launch."""
    for demand in contract.demands:
        annotation = demand.annotation
        if annotation is None or annotation.name not in DECIDABLE:
            continue
        arrays = {n: _download(given.arrays[n]) for n in map(str, annotation.arrays) if n in given.arrays}
        terms = [value_of(t, Scalars(values)) for t in annotation.terms]
        how = find_contradiction(annotation, arrays, terms)
        if how is not None:
            raise contradiction(kernel, demand, f"here {how}", "pass data for which it holds")


def _download(handle: Handle) -> Any:
    return backend_of(handle._storage.memory.device).download(as_strided(handle))
