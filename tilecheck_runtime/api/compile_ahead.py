"""Kernels compiled ahead of their launches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from tilecheck_runtime.backends.selection.select import backend_of
from tilecheck_runtime.compile.artifact import Made
from tilecheck_runtime.compile.build import build
from tilecheck_runtime.compile.compiled import Compiled
from tilecheck_runtime.compile.options import Options
from tilecheck_runtime.compile.specialize import Specialized, of_launch, of_sketch
from tilecheck_runtime.compile.verification_gate import Settlement, require_settled
from tilecheck_runtime.contracts.contract import contract_of, enforce
from tilecheck_runtime.dialect.kernel import DialectKernel
from tilecheck_runtime.dialect.plan import Plan
from tilecheck_runtime.errors.compilation import ArchitectureError
from tilecheck_runtime.errors.locations import here
from tilecheck_runtime.errors.ownership import GridError
from tilecheck_runtime.launches.aliasing import usable
from tilecheck_runtime.launches.arguments import Given, given
from tilecheck_runtime.launches.contract_values import scalars
from tilecheck_runtime.launches.grids import inferred
from tilecheck_runtime.launches.plans import output_of
from tilecheck_runtime.launches.variables import variables
from tilecheck_runtime.ownership.handles import strided
from tilecheck_runtime.ownership.storage import LOCK
from tilecheck_runtime.tile_language.kernels import function_of

__all__ = ["compiled", "hints_of", "made_for"]


def compiled(kernel: DialectKernel, args: Sequence[Any], kwargs: Mapping[str, Any], arch: str | None,
             unchecked: str | None) -> Compiled:
    """`Kernel.compile`."""
    settlement = _settlement(kernel, unchecked)
    if len(args) == 1 and isinstance(args[0], str) and not kwargs:
        return _made(kernel, of_sketch(kernel, args[0]), _chosen(arch, None), settlement).compiled
    with LOCK:
        name = function_of(kernel).__name__
        found = given(name, kernel.signature, args, kwargs)
        usable(name, found)
        specialized = _of_arguments(kernel, name, found)
    return _made(kernel, specialized, _chosen(arch, found), settlement).compiled


def made_for(kernel: Any, sketch: str, arch: str, unchecked: str | None = None, sanitize: Any = None) -> Made:
    """A kernel of the dialect or of cuTile, compiled for arguments that a text describes. Raises CompileError, and
    ContractError for arguments that a launch would refuse."""
    settlement = _settlement(kernel, unchecked)
    return _made(kernel, of_sketch(kernel, sketch), arch, settlement, sanitize)


def hints_of(kernel: Any) -> dict[str, Any]:
    """The hints of a kernel of the dialect or of cuTile."""
    if isinstance(kernel, DialectKernel):
        return dict(kernel.hints)
    options = getattr(kernel, "_compiler_options", None)
    return {} if options is None else {f.name: getattr(options, f.name) for f in fields(options)}


def _settlement(kernel: Any, unchecked: str | None) -> Settlement:
    return require_settled(function_of(kernel)) if unchecked is None else Settlement("opt-out", (unchecked,))


def _made(kernel: Any, specialized: Specialized, arch: str, settlement: Settlement, sanitize: Any = None) -> Made:
    options = Options.of({**hints_of(kernel), **({"sanitize": sanitize} if sanitize else {})}, arch)
    return Made(build(specialized.function, specialized.signature, arch, options), specialized, settlement)


def _of_arguments(kernel: DialectKernel, name: str, found: Given) -> Specialized:
    values = variables(name, kernel.signature, found)
    grid = inferred(name, found.outputs)
    if grid is None:
        raise GridError(f"a launch of `{name}` with these arguments needs a grid", use=here(),
                        fix="describe them in a text instead, or leave compiling to the launch")
    numbers = scalars(found, values, grid)
    enforce(name, contract_of(function_of(kernel)), numbers)
    plan = Plan(tuple(values.items()), tuple(output_of(p) for p in found.outputs.values()))
    placed = {n: strided(h) for n, h in found.arrays.items()}
    return of_launch(kernel, plan, numbers, {**found.numbers, **placed}, grid)


def _chosen(arch: str | None, found: Given | None) -> str:
    """The architecture asked for, else that of the device that the arguments are on."""
    if arch is not None:
        return arch
    arrays = [] if found is None else list(found.arrays.values())
    known = backend_of(arrays[0]._storage.memory.device).arch if arrays else None
    if known is not None:
        return known
    raise ArchitectureError("it is not said which GPU to compile for, and the arguments are on none",
                            fix='name its architecture: `.compile(..., arch="sm_90")`')
