"""Tile IR of kernels: what a signature and hints do to it. Needs no compiler and no GPU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runtime.compile import kernels, needs
from tests.runtime.compile.arrays import array
from tests.runtime.compile.making import FAR, entry_of, make_bytecode, make_copy
from tilecheck_runtime.compile.options import Options
from tilecheck_runtime.errors.compilation import FrontEndError

pytestmark = needs.bytecode
ROOT = Path(__file__).parents[3]
LINES = Path(kernels.__file__).read_text().splitlines()


def test_the_symbol_encodes_the_assumptions():
    assert make_copy()[1] == "copy_Kt1_A1f32_1i16t1_p16_A1f32_1i16t1_p16_I64"
    assert make_copy(array((65,), at=(1 << 20) + 4))[1] == "copy_Kt1_A1f32_1t1_A1f32_1i16t1_p16_I64"


def test_overlapping_arguments_are_marked():
    assert make_copy(array((64,)), array((64,)))[1] == "copy_Kt1_A1f32_1i16t1_p16g0_A1f32_1i16t1_p16g0_I64"
    assert make_copy(array((64,), strides=(0,)))[1] == "copy_Kt1_A1f32_1i16v4l0_p16i_A1f32_1i16t1_p16_I64"


def test_an_extent_of_one_takes_the_convention_that_launches_take():
    assert make_copy(array((1,)))[1] == "copy_Kt2_A1f32_1s1t1_p16_A1f32_1i16t1_p16_I64"


def test_hints_reach_the_bytecode():
    plain = make_copy()[0]
    assert len({plain, make_copy(occupancy=2)[0], make_copy(num_ctas=2)[0], make_copy(num_worker_warps=4)[0]}) == 4
    assert make_copy()[0] == plain


def test_an_access_proved_inside_has_neither_check_nor_padding():
    """The compiler fails on an unchecked access that is padded."""
    checked, free = entry_of(kernels.add), entry_of(kernels.add, "zxy")
    arguments = free.arguments({n: array((1024,), at=FAR << k) for k, n in enumerate("zxy")})
    assert make_bytecode(free.function, arguments)[0] != make_bytecode(checked.function, arguments)[0]
    text = linecache_text(free)
    assert "UNDETERMINED" in text and "ZERO" not in text
    assert "ZERO" in linecache_text(checked)


def linecache_text(entry):
    import linecache

    return "".join(linecache.getlines(entry.function.__code__.co_filename))


def test_every_dialect_kernel_compiles_as_specialized_by_launches():
    from tests.runtime.dialect import tileir

    entry = entry_of(kernels.gemm, "zxy", BK=64)
    values = {"z": array((1024, 1024)), "x": array((1024, 512), "float16", at=FAR),
              "y": array((512, 1024), "float16", at=FAR << 1)}
    _, symbol = make_bytecode(entry.function, entry.arguments(values), Options(occupancy=1, num_ctas=2))
    assert symbol.startswith("gemm_Kt1_A2f32_1v4l0_2t1_3i16_p16_A2f16_1v8l0_2t1_3i16_p16_")
    assert symbol.endswith("_I128_I128_I64")
    assert tileir.export_bytecode(entry.function, tileir.parameters(entry, kernels.gemm.signature))


SCRIPT = """
import hashlib
from tests.runtime.compile import kernels
from tests.runtime.compile.making import entry_of, FAR, make_bytecode, make_copy
from tests.runtime.compile.arrays import array

{before}
def shown(kernel, **constants):
    entry = entry_of(kernel, "z", **constants)
    values = {"z": array((1024,)), "x": array((1024,), at=FAR), "a": 1.0}
    if constants:
        values = {"z": array((1024, 1024)), "x": array((1024, 512), "float16", at=FAR),
                  "y": array((512, 1024), "float16", at=FAR << 1)}
    data, symbol = make_bytecode(entry.function, entry.arguments(values))
    print(hashlib.sha256(data).hexdigest(), symbol)

print(hashlib.sha256(make_copy()[0]).hexdigest())
shown(kernels.axpy)
shown(kernels.gemm, BK=64)
"""


def run_script(before, seed=0):
    """Returns the output of a new process for some kernels, line by line."""
    return subprocess.run([sys.executable, "-c", SCRIPT.replace("{before}", before)], check=True, capture_output=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": str(seed)},
                          text=True).stdout.splitlines()


def test_bytecode_is_the_same_in_every_process():
    """Or compiled kernels would not be found again."""
    assert run_script("") == run_script("for n in (32, 16): entry_of(kernels.gemm, BK=n)", seed=1)


@pytest.mark.parametrize("before", ["kernels.FACTOR = 3.0", "kernels.scale_tile = kernels.halve_tile"])
def test_a_changed_helper_or_global_makes_another_kernel(before):
    """Or a kernel would be found that was compiled of other source."""
    mine, other = run_script(""), run_script(before)
    assert mine[0] == other[0] and mine[2] == other[2]
    assert mine[1] != other[1]


def test_errors_of_cuda_tile_name_the_source_line():
    entry = entry_of(kernels.stores_wide)
    arguments = entry.arguments({"z": array((1024,), "float16"), "x": array((1024,), at=FAR)})
    line = LINES.index("    z.store(ct.astype(x.load_like(z), ct.float32))") + 1
    with pytest.raises(FrontEndError, match="`stores_wide` cannot be compiled for sm_90: ") as caught:
        make_bytecode(entry.function, arguments)
    assert f"--> {kernels.__file__}:{line}\n" in str(caught.value)
    assert str(caught.value).count("-->") == 1 and "mutable.py" not in str(caught.value)
