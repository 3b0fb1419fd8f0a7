"""`kernel.compile(...)`: what a launch will need, without launching."""

from __future__ import annotations

import pytest

import tilecheck_runtime as tcr
from tests.runtime.compile import kernels, needs
from tilecheck_runtime.api.compile_ahead import compile_for_sketch
from tilecheck_runtime.errors.compilation import ArchitectureError, UnsettledKernelError
from tilecheck_runtime.errors.ownership import ContractError, GridError, LaunchArgumentError


@needs.machine_code
def test_arguments_are_compiled_for_and_not_moved():
    z, x, y = tcr.zeros((1024,), tcr.f32).partition(128), tcr.ones((1024,), tcr.f32), tcr.ones((1024,), tcr.f32)
    made = kernels.add.compile(z, x, y, arch="sm_90")
    assert made.symbol == "add_Kt1_A1f32_1i16t1_p16_A1f32_1i16t1_p16_A1f32_1i16t1_p16_I128"
    assert kernels.add.compile(z, x=x, y=y, arch="sm_90") is made
    assert kernels.add(z, x, y).sync().numpy()[5] == 2
    assert kernels.add.compile("z=[1024]/[128], x=[1024], y=[1024]", arch="sm_90") is made


@needs.machine_code
def test_the_same_input_twice_is_another_variant():
    z, x = tcr.zeros((1024,), tcr.f32).partition(128), tcr.ones((1024,), tcr.f32)
    assert "g0" in kernels.add.compile(z, x, x, arch="sm_90").symbol


@needs.machine_code
def test_numbers_of_any_value_share_their_code():
    z, x = tcr.zeros((1024,), tcr.f32).partition(128), tcr.ones((1024,), tcr.f32)
    assert kernels.axpy.compile(z, x, 1.0, arch="sm_90").key == kernels.axpy.compile(z, x, 2.0, arch="sm_90").key


@needs.machine_code
def test_a_kernel_that_is_not_proved_takes_a_reason():
    sketch = "z=f32[64], rows=i32[64], T=16"
    with pytest.raises(UnsettledKernelError):
        compile_for_sketch(kernels.scattered, sketch, "sm_90")
    made = compile_for_sketch(kernels.scattered, sketch, "sm_90", unchecked="looked at")
    assert made.compiled.cubin and made.verification.reasons == ("looked at",)


def test_arguments_that_a_launch_refuses_are_refused():
    z, x = tcr.zeros((1024,), tcr.f32).partition(128), tcr.ones((1024,), tcr.f32)
    with pytest.raises(LaunchArgumentError, match="`y` is missing"):
        kernels.add.compile(z, x, arch="sm_90")
    with pytest.raises(ContractError, match=r"z.shape\[0\] <= y.shape\[0\]"):
        kernels.add.compile(z, x, tcr.ones((100,), tcr.f32), arch="sm_90")
    with pytest.raises(UnsettledKernelError, match="TC104"):
        kernels.writes_its_input.compile(z, x, arch="sm_90")


def test_a_launch_without_a_grid_of_its_own_is_described_in_text():
    z, x = tcr.zeros((1024,), tcr.f32).partition_prefix(128), tcr.ones((1024,), tcr.f32)
    with pytest.raises(GridError, match=r"needs a grid\n(?s:.)*describe them in a text instead"):
        kernels.axpy.compile(z, x, 1.0, arch="sm_90")


@needs.machine_code
def test_without_a_gpu_its_architecture_must_be_named():
    z, x, y = tcr.zeros((1024,), tcr.f32).partition(128), tcr.ones((1024,), tcr.f32), tcr.ones((1024,), tcr.f32)
    with pytest.raises(ArchitectureError, match=r'the arguments are on none\n.*compile\(..., arch="sm_90"\)'):
        kernels.add.compile(z, x, y)
