"""Machine code: for every architecture, verified against its symbol and its parameters, and found again."""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cases import dialect as cases
from tests.runtime.compile import kernels, needs
from tests.runtime.compile.arrays import array
from tests.runtime.compile.making import FAR, entry_of
from tilecheck_runtime.api.compile_ahead import compile_for_sketch
from tilecheck_runtime.compile import build as building
from tilecheck_runtime.compile import elf
from tilecheck_runtime.compile.build import build
from tilecheck_runtime.compile.compiled import Compiled
from tilecheck_runtime.compile.debug import DUMP, LOG
from tilecheck_runtime.compile.disassemble import ptx, tileir
from tilecheck_runtime.compile.facts import signature_of
from tilecheck_runtime.compile.options import Options
from tilecheck_runtime.compile.symbol import verify, verify_symbol
from tilecheck_runtime.compile.toolchain import find_toolchain
from tilecheck_runtime.errors.compilation import ArchitectureError, AssemblerError, SymbolMismatchError
from tilecheck_runtime.kernel_cache.folder import VARIABLE
from tilecheck_runtime.kernel_cache.record import Record, decode, encode

pytestmark = needs.machine_code

ROOT = Path(__file__).parents[3]
COPY = kernels.copy._pyfunc
ARGUMENTS = (array((64,)), array((64,), at=FAR), 64)
SIGNATURE = signature_of(COPY, ARGUMENTS)
ALL = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_120")


@pytest.fixture(autouse=True)
def forgotten(monkeypatch):
    """Forgets the kernels that this process has compiled."""
    monkeypatch.setattr(building, "_KNOWN", {})


def build_copy(**options) -> Compiled:
    return build(COPY, SIGNATURE, "sm_90", Options(**options))


def entries(folder):
    return sorted(folder.glob("v1/[0-9a-f][0-9a-f]/*"))


def test_a_kernel_becomes_a_cubin_with_its_symbol_and_parameters():
    made = build_copy()
    assert made.symbol == "copy_Kt1_A1f32_1i16t1_p16_A1f32_1i16t1_p16_I64" and not made.cached
    assert elf.read(made.cubin).kernels == (made.symbol,)
    assert made.holds(ARGUMENTS) and made.pack(ARGUMENTS) == (1 << 20, 64, 1, FAR, 64, 1)
    worse = (array((65,)), array((64,), at=FAR), 64)
    assert not made.holds(worse)
    assert made.broken(worse) == ("the extent of `x` along axis 0, 65, is not a multiple of 16",)
    assert "`x` shares no memory with another array" in made.assumptions


def test_parameters_of_every_kind_lie_where_the_cubin_has_them():
    """`verify` compares them; here each kind is part of one."""
    entry = entry_of(kernels.axpy)
    arguments = entry.arguments({"z": array((1024,)), "x": array((1024,), at=FAR), "a": 1.0})
    made = build(entry.function, signature_of(entry.function, arguments), "sm_80")
    assert [s.type for s in made.parameters][-1] == "float32"
    wide = (array((1 << 33,)), array((1 << 33,), at=1 << 50), 64)
    assert build(kernels.long._pyfunc, signature_of(kernels.long._pyfunc, wide), "sm_90").parameters[1].size == 8
    fixed = (array((48, 8)), True, 1.5)
    assert build(kernels.fixed._pyfunc, signature_of(kernels.fixed._pyfunc, fixed), "sm_90").parameters[-2].size == 1


def test_the_same_question_is_answered_once_in_a_process():
    assert build_copy() is build_copy()
    assert build_copy() is not build_copy(occupancy=2)


def test_another_process_finds_it(cache_folder):
    first = build_copy()
    building._KNOWN.clear()
    again = build_copy()
    assert (again.cached, again.cubin, again.key) == (True, first.cubin, first.key)
    code = ("from tests.runtime.compile.test_build import *\n"
            "made = build(COPY, SIGNATURE, 'sm_90', Options())\nprint(made.cached, made.key)")
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert out == f"True {first.key}\n"
    assert len(entries(cache_folder)) == 1


def test_the_key_depends_on_the_code():
    keys = {build(COPY, SIGNATURE, arch, options).key for arch in ("sm_80", "sm_90") for options in (
        Options(), Options(occupancy=2), Options(opt_level=1), Options(lineinfo=False), Options(sanitize="memcheck"))}
    other = signature_of(COPY, (array((65,)), array((64,), at=FAR), 64))
    keys.add(build(COPY, other, "sm_90").key)
    assert len(keys) == 11


def test_a_disabled_cache_stores_nothing(cache_folder, monkeypatch):
    monkeypatch.setenv(VARIABLE, "off")
    assert not build_copy().cached and not cache_folder.exists()


def test_a_cubin_of_other_assumptions_is_not_taken_from_the_cache(cache_folder):
    """The entry contains the code of another variant, with a correct digest."""
    good = build_copy()
    other = build(COPY, signature_of(COPY, (array((65,)), array((64,), at=FAR), 64)), "sm_90")
    path = next(p for p in entries(cache_folder) if p.name == good.key)
    for cubin, symbol in ((other.cubin, other.symbol), (other.cubin, good.symbol), (b"\x7fELF no cubin", good.symbol)):
        path.write_bytes(encode(Record(good.key, {"symbol": symbol}, cubin)))
        building._KNOWN.clear()
        made = build_copy()
        assert not made.cached and made.symbol == good.symbol
        assert decode(path.read_bytes(), good.key).cubin == made.cubin


def test_a_cubin_is_compared_with_the_assumptions_of_a_launch():
    made = build_copy()
    verify(made.cubin, made.symbol, made.signature)
    x, z, constant = made.signature.parameters
    for changed in (replace(x, alignment=1), replace(x, shape_divisors=(1,)), replace(x, self_overlap=True)):
        with pytest.raises(SymbolMismatchError, match=r"under other assumptions on `x`\n(?s:.)*the code assumes"):
            verify(made.cubin, made.symbol, replace(made.signature, parameters=(changed, z, constant)))
    with pytest.raises(SymbolMismatchError, match="compiled for 3 parameters, this launch has 2"):
        verify_symbol(made.symbol, replace(made.signature, parameters=(x, z), names=("x", "z")))
    with pytest.raises(SymbolMismatchError, match=r"the cubin has the kernel copy_.*, not `other`"):
        verify(made.cubin, "other", made.signature)
    with pytest.raises(SymbolMismatchError, match="does not say what the code assumes"):
        verify_symbol("copy", made.signature)
    for damaged in (b"", made.cubin[:200], b"\x7fELF" + bytes(60), made.cubin[:5000]):
        with pytest.raises(SymbolMismatchError, match="this is not a cubin"):
            verify(damaged, made.symbol, made.signature)


def test_threads_that_ask_for_the_same_compile_it_once(monkeypatch):
    calls, made = [], []
    real = building.assemble
    monkeypatch.setattr(building, "assemble", lambda *given: (calls.append(1), real(*given))[1])
    threads = [threading.Thread(target=lambda: made.append(build_copy())) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1 and len(set(map(id, made))) == 1


def test_a_failed_compilation_is_retried(monkeypatch):
    def fails(*_):
        raise RuntimeError("no memory")

    with monkeypatch.context() as broken:
        broken.setattr(building, "assemble", fails)
        with pytest.raises(RuntimeError, match="no memory"):
            build_copy()
    assert build_copy().cubin


@pytest.mark.parametrize("name", ["CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH", "NVVM_HOME"])
def test_another_cuda_in_the_environment_changes_nothing(monkeypatch, tmp_path, name):
    """Its older code generator would be used, and the compilation would fail without a reason."""
    before = build_copy()
    stale = tmp_path / "stale"
    (stale / "lib64").mkdir(parents=True)
    (stale / "nvvm" / "bin").mkdir(parents=True)
    for path in (stale / "lib64" / "libnvvm.so.4", stale / "libnvvm.so.4", stale / "nvvm" / "bin" / "cicc"):
        path.write_text("not a library")
    monkeypatch.setenv(name, str(stale))
    monkeypatch.setenv(VARIABLE, str(tmp_path / "another"))
    building._KNOWN.clear()
    made = build_copy()
    assert not made.cached and made.cubin == before.cubin


def test_an_architecture_of_the_future_is_refused_with_the_remedy():
    with pytest.raises(ArchitectureError, match=r"does not generate code for sm_199\n(?s:.)*update it"):
        build(COPY, SIGNATURE, "sm_199")


def test_hints_reach_the_compiler():
    made = compile_for_sketch(kernels.gemm, "z=[256, 256]/[128, 128], x=[256, 64], y=[64, 256], bk=64",
                              "sm_90").compiled
    assert (made.options.occupancy, made.num_ctas) == (1, 2)
    assert ".reqnctapercluster 2" in ptx(made.cubin)
    assert "num_cta_in_cga = 2" in tileir(made.bytecode, find_toolchain())
    assert "occupancy = 1" in tileir(made.bytecode, find_toolchain())


def test_accesses_proved_inside_have_no_bounds_checks():
    inside = compile_for_sketch(kernels.add, "z=[1024]/[128], x=[1024], y=[1024]", "sm_90")
    beyond = compile_for_sketch(kernels.add, "z=[1008]/[128], x=[1008], y=[1008]", "sm_90")
    assert inside.specialized.inside == {"x", "y", "z"} and not beyond.specialized.inside
    text = tileir(inside.compiled.bytecode, find_toolchain())
    assert "padding_value" not in text and text.count("inbounds") >= 3
    assert "padding_value = zero" in tileir(beyond.compiled.bytecode, find_toolchain())
    assert ptx(inside.compiled.cubin).count("setp") < ptx(beyond.compiled.cubin).count("setp")


def test_limits_of_the_compiler_are_reported_with_the_remedy():
    """An access without bounds check that is padded; entries of the dialect have none."""
    try:
        compile_for_sketch(kernels.unchecked_and_padded, "x=f32[64], z=f32[64], T=16", "sm_90",
                           unchecked="to see what happens")
    except AssemblerError as error:
        assert "failed (exit status 5) on `unchecked_and_padded` for sm_90\n" in str(error)
        assert "= note: failed to compile Tile IR program\n" in str(error)
        assert "= help: leave out `padding_mode` where `check_bounds=False` is given: " in str(error)
        assert Path(error.bytecode).stat().st_size > 100
    else:
        assert find_toolchain().version > (13, 4), "13.4 could not"


def test_logs_and_dumps(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv(LOG, "compile")
    monkeypatch.setenv(DUMP, str(tmp_path / "dumps"))
    made = build_copy()
    assert "tilecheck: compiled `copy` for sm_90 in " in capfd.readouterr().err
    files = {p.suffix: p for p in (tmp_path / "dumps").iterdir()}
    assert set(files) == {".tileirbc", ".tileir", ".ptx", ".cubin"}
    assert files[".cubin"].read_bytes() == made.cubin and files[".tileirbc"].read_bytes() == made.bytecode
    assert files[".ptx"].read_text().startswith(".version") and "entry @copy_K" in files[".tileir"].read_text()
    building._KNOWN.clear()
    build_copy()
    assert "tilecheck: from the cache `copy`" in capfd.readouterr().err


def test_instrumented_code_is_other_code():
    assert build_copy(sanitize="memcheck").cubin != build_copy().cubin


EXAMPLES = {
    "add": (cases.add, "z=[1000]/[128], x=[1024], y=[1024]@4"),
    "gemm": (cases.gemm, "z=[1000, 1024]/[128, 64], x=[1000, 500], y=[500, 1024], bk=32"),
    "persistent": (cases.gemm, "z=[1024, 1024]/[128, 128] by Grouped(8) on 64, x=[1024, 512], y=[512, 1024], bk=64"),
    "walk": (cases.gemm, "z=[1024, 1024]/[64, 64] by Walk(1) on 16, x=[1024, 512], y=[512, 1024], bk=64"),
    "rms_norm": (cases.rms_norm, "z=[64, 1000]/[1, 1024], x=[64, 1000], w=[1000], eps=1e-5"),
    "rows": (cases.gathers_rows, "z=[64, 512]/[1, 512], x=[100, 512], rows=[64]"),
    "two": (cases.two_outputs, "a=[1000]/[128], b=[1000]/[128], x=[1000]"),
    "ctas": (kernels.gemm, "z=[1024, 1024]/[128, 128], x=[1024, 512], y=[512, 1024], bk=64"),
    "cutile": (kernels.copy, "x=f32[1000], z=f32[1000], T=128"),
}


@pytest.mark.slow
@pytest.mark.parametrize("arch", ALL)
@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_for_every_architecture(example, arch):
    kernel, sketch = EXAMPLES[example]
    assert compile_for_sketch(kernel, sketch, arch).compiled.cubin
