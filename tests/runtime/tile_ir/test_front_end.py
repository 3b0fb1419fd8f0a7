"""The internals of cuda.tile that the second model uses, for each supported release."""

from __future__ import annotations

import inspect

import pytest

from tilecheck.ops.releases import KNOWN_RELEASES
from tilecheck_runtime.tile_ir import evaluate
from tilecheck_runtime.tile_ir.front_end import is_available

compiler = pytest.importorskip("cuda.tile._compile", reason="the representation comes from the package cuda-tile")


def test_the_package_has_a_front_end() -> None:
    assert is_available()


def test_the_installed_release_is_a_known_one() -> None:
    from importlib.metadata import version

    assert version("cuda-tile").rpartition(".")[0] in KNOWN_RELEASES


def test_the_compiler_returns_the_representation() -> None:
    parameters = inspect.signature(compiler.compile_tile).parameters
    assert {"return_final_ir", "return_cubin", "bytecode_version", "sm_arch"} <= set(parameters)


def test_each_operation_of_the_representation_has_a_rule() -> None:
    from cuda.tile._ir import arithmetic_ops, cast_ops, control_flow_ops, core_ops, ops
    from cuda.tile._ir.ir import Operation

    modules = (arithmetic_ops, cast_ops, control_flow_ops, core_ops, ops)
    known = {name for module in modules for name, found in vars(module).items()
             if inspect.isclass(found) and issubclass(found, Operation) and found.__module__ == module.__name__}
    assert known - set(evaluate._RULES) <= {"Operation", "ReinterpretPointer", "AddrSpaceCast", "ForeignPointerCast"}
    assert set(evaluate._RULES) <= known
