"""Compiles kernels ahead of their launches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from tilecheck_runtime.backends.selection.select import backend_of
from tilecheck_runtime.compile.artifact import Artifact
from tilecheck_runtime.compile.build import build
from tilecheck_runtime.compile.compiled import Compiled
from tilecheck_runtime.compile.options import Options
from tilecheck_runtime.compile.specialize import Specialized, specialize_for_launch, specialize_for_sketch
from tilecheck_runtime.compile.verification_gate import Verification, require_verified
from tilecheck_runtime.contracts.contract import contract_of, enforce
from tilecheck_runtime.dialect.kernel import DialectKernel
from tilecheck_runtime.dialect.plan import Plan
from tilecheck_runtime.errors.compilation import ArchitectureError
from tilecheck_runtime.errors.locations import current_location
from tilecheck_runtime.errors.ownership import GridError
from tilecheck_runtime.launches.aliasing import check_aliasing
from tilecheck_runtime.launches.arguments import Arguments, bind_arguments
from tilecheck_runtime.launches.contract_values import contract_numbers
from tilecheck_runtime.launches.grids import infer_grid
from tilecheck_runtime.launches.plans import output_of
from tilecheck_runtime.launches.variables import bind_variables
from tilecheck_runtime.ownership.handles import as_strided
from tilecheck_runtime.ownership.storage import LOCK
from tilecheck_runtime.tile_language.kernels import function_of

__all__ = ["compile_for_launch", "compile_for_sketch", "hints_of"]


def compile_for_launch(kernel: DialectKernel, args: Sequence[Any], kwargs: Mapping[str, Any], arch: str | None,
                       unchecked: str | None) -> Compiled:
    """Implements `Kernel.compile`."""
    verification = _verify_kernel(kernel, unchecked)
    if len(args) == 1 and isinstance(args[0], str) and not kwargs:
        return _compile_specialized(kernel, specialize_for_sketch(kernel, args[0]), _choose_architecture(arch, None),
                                    verification).compiled
    with LOCK:
        name = function_of(kernel).__name__
        found = bind_arguments(name, kernel.signature, args, kwargs)
        check_aliasing(name, found)
        specialized = _specialize_for_arguments(kernel, name, found)
    return _compile_specialized(kernel, specialized, _choose_architecture(arch, found), verification).compiled


def compile_for_sketch(kernel: Any, sketch: str, arch: str, unchecked: str | None = None,
                       sanitize: Any = None) -> Artifact:
    """Compiles a kernel of the dialect or of cuTile for arguments that a text describes. Raises CompileError, and
    ContractError for arguments that a launch would refuse."""
    verification = _verify_kernel(kernel, unchecked)
    return _compile_specialized(kernel, specialize_for_sketch(kernel, sketch), arch, verification, sanitize)


def hints_of(kernel: Any) -> dict[str, Any]:
    """The hints of a kernel of the dialect or of cuTile."""
    if isinstance(kernel, DialectKernel):
        return dict(kernel.hints)
    options = getattr(kernel, "_compiler_options", None)
    return {} if options is None else {f.name: getattr(options, f.name) for f in fields(options)}


def _verify_kernel(kernel: Any, unchecked: str | None) -> Verification:
    return require_verified(function_of(kernel)) if unchecked is None else Verification("opt-out", (unchecked,))


def _compile_specialized(kernel: Any, specialized: Specialized, arch: str, verification: Verification,
                         sanitize: Any = None) -> Artifact:
    options = Options.of({**hints_of(kernel), **({"sanitize": sanitize} if sanitize else {})}, arch)
    return Artifact(build(specialized.function, specialized.signature, arch, options), specialized, verification)


def _specialize_for_arguments(kernel: DialectKernel, name: str, found: Arguments) -> Specialized:
    values = bind_variables(name, kernel.signature, found)
    grid = infer_grid(name, found.outputs)
    if grid is None:
        raise GridError(f"a launch of `{name}` with these arguments needs a grid", use=current_location(),
                        fix="describe them in a text instead, or leave compiling to the launch")
    numbers = contract_numbers(found, values, grid)
    enforce(name, contract_of(function_of(kernel)), numbers)
    plan = Plan(tuple(values.items()), tuple(output_of(p) for p in found.outputs.values()))
    placed = {n: as_strided(h) for n, h in found.arrays.items()}
    return specialize_for_launch(kernel, plan, numbers, {**found.numbers, **placed}, grid)


def _choose_architecture(arch: str | None, found: Arguments | None) -> str:
    """Returns the requested architecture, else that of the device that holds the arguments."""
    if arch is not None:
        return arch
    arrays = [] if found is None else list(found.arrays.values())
    known = backend_of(arrays[0]._storage.memory.device).arch if arrays else None
    if known is not None:
        return known
    raise ArchitectureError("the GPU to compile for is not specified, and the arguments are not on a GPU",
                            fix='name its architecture: `.compile(..., arch="sm_90")`')
