"""`tilecheck build` and `tilecheck cache`."""

from __future__ import annotations

import json
import os
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from tests.runtime.compile import kernels, needs
from tilecheck.cli import app as cli
from tilecheck_runtime.compile import manifest
from tilecheck_runtime.compile.toolchain import OVERRIDE
from tilecheck_runtime.errors.compilation import CompileError

FILE = kernels.__file__
ADD = "z=[1024]/[128], x=[1024], y=[1024]"


@pytest.fixture
def run(monkeypatch, capfd, tmp_path):
    """A command line: status, output, errors."""
    known = [EntryPoint(name, f"tilecheck_runtime.commands.{name}:command", cli.PLUGIN_GROUP)
             for name in ("build", "cache")]
    monkeypatch.setattr(cli, "_plugins", lambda: known)
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        status = cli.main([str(a) for a in arguments])
        out, err = capfd.readouterr()
        return status, out, err
    return call


@needs.machine_code
def test_cubins_and_a_manifest_are_written(run, tmp_path):
    (tmp_path / "build").mkdir()  # a folder of that name changes nothing
    status, out, err = run("build", f"{FILE}::add", "--arch", "sm_80,sm_90", "--arch", "sm_120", "--sig", ADD)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) == 4 and lines[-1] == "cubins/manifest.json: 3 kernels"
    assert lines[1].startswith("add.sm_90.") and lines[1].endswith(
        "proved under its contract, no bounds checks on x, y, z")
    document = json.loads((tmp_path / "cubins" / "manifest.json").read_text())
    assert [k["arch"] for k in document["kernels"]] == ["sm_120", "sm_80", "sm_90"]
    entry = document["kernels"][2]
    assert entry["symbol"] == "add_Kt1_A1f32_1i16t1_p16_A1f32_1i16t1_p16_A1f32_1i16t1_p16_I128"
    assert (entry["grid"], entry["unchecked"], entry["arguments"]) == ([8, 1, 1], ["x", "y", "z"], ADD)
    assert entry["settled"] == {"how": "contract", "reasons": []}
    assert "every tile of `x` lies inside, as for these arguments" in entry["assumptions"]
    assert len(entry["parameters"]) == 9 and len(document["tools"]) >= 5


@needs.machine_code
def test_later_builds_join_the_manifest(run, tmp_path):
    run("build", f"{FILE}::add", "--arch", "sm_90", "--sig", ADD)
    status, _, _ = run("build", f"{FILE}::copy", "--arch", "sm_90", "--sig", "x=f32[64], z=f32[64], T=16",
                         "--sig", "x=f32[65], z=f32[65], T=16")
    assert status == 0
    found = manifest.read_manifest(tmp_path / "cubins")
    assert [e["kernel"].rpartition("::")[2] for e, _ in found] == ["add", "copy", "copy"]
    assert all(len(cubin) == e["bytes"] for e, cubin in found)
    assert "cached" in run("build", f"{FILE}::add", "--arch", "sm_90", "--sig", ADD)[1]
    assert len(manifest.read_manifest(tmp_path / "cubins")) == 3


@needs.machine_code
def test_a_changed_or_missing_cubin_is_reported(run, tmp_path):
    run("build", f"{FILE}::add", "--arch", "sm_90", "--sig", ADD)
    cubin = next((tmp_path / "cubins").glob("*.cubin"))
    cubin.write_bytes(cubin.read_bytes() + b"!")
    with pytest.raises(CompileError, match=r"\.cubin is not the cubin that was built"):
        manifest.read_manifest(tmp_path / "cubins")
    cubin.unlink()
    with pytest.raises(CompileError, match=r"\.cubin is missing"):
        manifest.read_manifest(tmp_path / "cubins")
    with pytest.raises(CompileError, match=r"manifest.json cannot be read(?s:.)*build the kernels anew"):
        manifest.read_manifest(tmp_path)


@needs.machine_code
def test_kernels_that_cannot_be_compiled_are_reported_and_others_built(run):
    status, out, err = run("build", f"{FILE}::add", "--arch", "sm_75,sm_90", "--sig", ADD)
    assert status == 1 and "add.sm_90" in out
    assert err == ("error: GPUs of sm_75 do not run kernels in Tile IR\n"
                   "  = help: they run on sm_80 (Ampere) and later\n")


@needs.machine_code
def test_a_suppression_is_named(run):
    target = f"{FILE}::scattered"
    sketch = "z=f32[64], rows=i32[64], T=16"
    status, out, err = run("build", target, "--arch", "sm_90", "--sig", sketch)
    assert status == 1 and "`scattered` is not compiled: it is not proved" in err and not out
    status, out, _ = run("build", target, "--arch", "sm_90", "--sig", sketch, "--unchecked", "looked at")
    assert status == 0 and ", not checked\n" in out


def test_arguments_that_a_launch_refuses_are_refused(run, monkeypatch):
    status, _, err = run("build", f"{FILE}::writes_its_input", "--arch", "sm_90", "--sig", "z=[64]/[8], x=[64]")
    assert status == 1 and "TC104 line" in err
    status, _, err = run("build", f"{FILE}::add", "--arch", "sm_90", "--sig", "z=[64]/[8], x=[60], y=[64]")
    assert status == 1 and "z.shape[0] <= x.shape[0]" in err


@pytest.mark.skipif(os.name != "posix", reason="the path is one of POSIX")
@needs.bytecode
def test_a_missing_compiler_is_reported(run, monkeypatch):
    monkeypatch.setenv(OVERRIDE, "/nonexistent/tileiras")
    status, _, err = run("build", f"{FILE}::add", "--arch", "sm_90", "--sig", ADD)
    assert status == 1 and f"error: {OVERRIDE} names `/nonexistent/tileiras`, which is not a program\n" in err


@pytest.mark.parametrize(("target", "message"), [
    ("kernels.py", "kernels.py: write the file and the kernel, as in `kernels.py::add`"),
    ("nothing.py::add", "nothing.py: there is no such file"),
    (f"{FILE}::nothing", "kernels.py has no kernel `nothing`; it has add, axpy, copy, "),
    (f"{FILE}::scaled", "has no kernel `scaled`"),
    ("broken.py::add", "broken.py cannot be imported: ZeroDivisionError: division by zero"),
])
def test_a_missing_kernel_is_an_error(run, tmp_path, target, message):
    (tmp_path / "broken.py").write_text("1 / 0\n")
    status, _, err = run("build", target, "--arch", "sm_90", "--sig", ADD)
    assert status == 2 and message in err


def test_a_kernel_that_needs_a_missing_package_is_reported(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cuda.tile", None)
    (tmp_path / "raw.py").write_text("import cuda.tile as ct\n")
    status, _, err = run("build", "raw.py::add", "--arch", "sm_90", "--sig", ADD)
    assert (status, err.count("\n")) == (2, 1)
    assert "raw.py cannot be imported: cuda-tile is not installed: pip install 'tilecheck[gpu]'" in err


def test_an_empty_cache(run, cache_folder):
    assert run("cache", "info") == (
        0, f"{cache_folder}: 0 kernels, 0 bytes, of at most 1.0 GiB (TILECHECK_KERNEL_CACHE_SIZE)\n", "")
    assert run("cache", "clear") == (0, f"{cache_folder}: removed 0 kernels, 0 bytes\n", "")
    assert not Path(cache_folder).exists()


@needs.machine_code
def test_a_cache_with_kernels(run, cache_folder):
    run("build", f"{FILE}::add", "--arch", "sm_90", "--sig", ADD)
    told = json.loads(run("cache", "info", "--format", "json")[1])
    assert (told["folder"], told["kernels"], told["limit"]) == (str(cache_folder), 1, 1 << 30)
    assert told["bytes"] > 10_000
    assert run("cache", "clear")[1] == f"{cache_folder}: removed 1 kernel, {told['bytes'] / 1024:.1f} KiB\n"
    assert json.loads(run("cache", "info", "--format", "json")[1])["kernels"] == 0


def test_a_cache_that_is_off_or_has_no_size(run, monkeypatch):
    monkeypatch.setenv("TILECHECK_KERNEL_CACHE", "off")
    assert run("cache", "info")[1] == "compiled kernels are not cached: TILECHECK_KERNEL_CACHE disables the cache\n"
    assert run("cache", "info", "--format", "json")[1] == "null\n"
    assert "are not cached" in run("cache", "clear")[1]
    monkeypatch.setenv("TILECHECK_KERNEL_CACHE", "here")
    monkeypatch.setenv("TILECHECK_KERNEL_CACHE_SIZE", "much")
    assert run("cache", "info")[0] == 2
