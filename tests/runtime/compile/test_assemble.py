"""Compilers that fail: one error, with kernel and line, and what they were given."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.runtime.compile import fake, kernels, needs
from tests.runtime.compile.test_toolchain import forgotten
from tilecheck_runtime.compile.assemble import TIMEOUT, assemble
from tilecheck_runtime.compile.options import Options
from tilecheck_runtime.compile.toolchain import OVERRIDE, find_toolchain
from tilecheck_runtime.errors.compilation import AssemblerError

__all__ = ["forgotten"]

pytestmark = [needs.bytecode, pytest.mark.skipif(os.name != "posix", reason="the fake compiler is a shell script")]

FILE = kernels.__file__
DEFINITION = Path(FILE).read_text().splitlines().index("def copy(x, z, T: ct.Constant[int]):") + 1


@pytest.fixture
def compiler(tmp_path, monkeypatch):
    def make(does):
        monkeypatch.setenv(OVERRIDE, fake.tileiras(tmp_path, does))
        return lambda: assemble(kernels.copy._pyfunc, b"bytecode", "sm_90", Options(opt_level=2), find_toolchain())
    return make


def test_the_compiler_gets_its_options_and_no_environment(compiler, monkeypatch, tmp_path):
    monkeypatch.setenv("CUDA_HOME", "/old")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/old")
    run = compiler('/bin/cat "$1" > "$3"; echo " $4 $5 $6 $7 home=$CUDA_HOME lib=$LD_LIBRARY_PATH path=$PATH" >> "$3"')
    assert run().decode() == f"bytecode --gpu-name sm_90 -O2 --lineinfo home= lib= path={tmp_path}/bin\n"


FAILURES = {
    "crash": ("kill -SEGV $$", r"tileiras 13.4 crashed \(SIGSEGV\) on `copy` for sm_90"),
    "status": ("echo 'error: failed to compile Tile IR program' >&2; exit 5",
               r"failed \(exit status 5\) on `copy`(?s:.)*= note: failed to compile Tile IR program\n"),
    "nothing": ("exit 0", r"failed \(exit status 0\)"),
}


@pytest.mark.parametrize("case", FAILURES)
def test_a_failure_names_kernel_and_line_and_keeps_the_bytecode(compiler, case):
    does, message = FAILURES[case]
    with pytest.raises(AssemblerError, match=message) as caught:
        compiler(does)()
    text = str(caught.value)
    assert f"--> {FILE}:{DEFINITION}\n" in text
    assert Path(caught.value.bytecode).read_bytes() == b"bytecode"
    assert f"its input is stored in {caught.value.bytecode}\n" in text
    command = f"tileiras {caught.value.bytecode} -o kernel.cubin --gpu-name sm_90 -O2 --lineinfo"
    assert f"to see it again: {command}\n" in text
    assert text.count("= note: ") == (3 if case == "status" else 2)
    assert "= help: take smaller tiles or other hints, and report" in text


@pytest.mark.parametrize("form", ['loc("{file}":52:7): error: too many registers',
                                  'loc(fused<#di>["{file}":52:7]): error: too many registers'])
def test_a_line_that_the_compiler_names_is_shown(compiler, form):
    with pytest.raises(AssemblerError, match="= note: too many registers") as caught:
        compiler(f"echo '{form.format(file=FILE)}' >&2; exit 1")()
    assert f"--> {FILE}:52\n" in str(caught.value)


def test_a_line_of_the_library_is_not_shown(compiler):
    from tilecheck_runtime.dialect.device import mutable

    with pytest.raises(AssemblerError) as caught:
        compiler(f"""echo 'loc("{mutable.__file__}":38:7): error: no' >&2; exit 1""")()
    assert f"--> {FILE}:{DEFINITION}\n" in str(caught.value)


def test_a_compiler_that_takes_too_long_is_stopped(compiler, monkeypatch):
    monkeypatch.setenv(TIMEOUT, "0.2")
    with pytest.raises(AssemblerError, match=rf"took longer than 0.2 seconds(?s:.)*smaller tiles, or .* {TIMEOUT}"):
        compiler("exec /bin/sleep 30")()
