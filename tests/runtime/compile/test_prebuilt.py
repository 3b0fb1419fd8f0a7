"""Kernels that were built ahead of time: the entries that a launch uses, and those that it rejects."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import tilecheck_runtime as tcr
from tests.runtime.compile import kernels, needs
from tests.runtime.gpu import ahead
from tilecheck import __version__
from tilecheck_runtime.api.compile_ahead import compile_for_sketch
from tilecheck_runtime.compile import build as building
from tilecheck_runtime.compile import prebuilt
from tilecheck_runtime.compile.artifact import manifest_entry
from tilecheck_runtime.compile.fingerprint import portable
from tilecheck_runtime.compile.manifest import write_manifest
from tilecheck_runtime.compile.options import Options
from tilecheck_runtime.compile.specialize import specialize_for_sketch

ADD = "z=[1024]/[128], x=[1024], y=[1024]"
pytestmark = needs.machine_code


@pytest.fixture(autouse=True)
def _forgotten():
    yield
    prebuilt.forget()


@pytest.fixture
def folder(tmp_path):
    made = compile_for_sketch(kernels.add, ADD, "sm_90")
    tmp_path.chmod(0o700)
    write_manifest(tmp_path / "cubins", [(manifest_entry("kernels.py::add", ADD, made), made.compiled.cubin)])
    (tmp_path / "cubins").chmod(0o700)
    return tmp_path / "cubins"


def find_entry(sketch=ADD, kernel=kernels.add, arch="sm_90", options=None):
    """Returns the entry for a launch."""
    found = specialize_for_sketch(kernel, sketch)
    return prebuilt.code_of(found.function, found.signature, arch, options or Options.of(kernel.hints, arch))


def test_a_launch_uses_the_prebuilt_cubin(folder, monkeypatch):
    assert find_entry() is None, "nothing was loaded"
    assert tcr.load(folder, compile=False) == ("kernels.py::add",)
    monkeypatch.setattr(building, "assemble", lambda *a: pytest.fail("compiled"))
    code = find_entry()
    assert code.symbol.startswith("add_K") and len(code.parameters) == 9 and code.cubin[:4] == b"\x7fELF"


@pytest.mark.parametrize("other, says", [
    ({"sketch": ADD.replace("y=[1024]", "y=[1024]@4")}, "for other pieces, constants, alignment"),
    ({"sketch": ADD.replace("1024", "1000")}, "other source, or for a launch with other schedules or bounds"),
    ({"sketch": ADD.replace("[128]", "[64]")}, "for other pieces"),
    ({"arch": "sm_80"}, "was built for sm_90, and this device is sm_80"),
    ({"options": Options(occupancy=4)}, "extents, strides or hints"),
    ({"sketch": "x=f32[64], z=f32[64], T=16", "kernel": kernels.copy, "options": Options()}, "has a kernel `copy`"),
])
def test_missing_prebuilt_kernels_are_compiled_or_refused(folder, other, says):
    tcr.load(folder)
    assert find_entry(**other) is None
    tcr.load(folder, compile=False)
    with pytest.raises(tcr.MissingVariantError, match=says):
        find_entry(**other)


def test_a_cubin_of_changed_source_is_refused(folder, monkeypatch):
    tcr.load(folder, compile=False)
    find_entry()
    function = specialize_for_sketch(kernels.add, ADD).function
    inner = function.__globals__["_t_kernel"]
    before = portable(function)
    monkeypatch.setattr(inner, "__code__", inner.__code__.replace(co_consts=(*inner.__code__.co_consts, 7)))
    assert portable(function) != before
    with pytest.raises(tcr.MissingVariantError, match="other source"):
        find_entry()


def test_a_cubin_that_is_not_the_one_that_was_built(folder):
    file, = folder.glob("*.cubin")
    file.write_bytes(file.read_bytes()[:-1] + b"\0\1")
    with pytest.raises(tcr.CompileError, match="is not the cubin that was built"):
        tcr.load(folder)


def test_a_cubin_of_other_assumptions_under_a_manifest_that_lies(folder):
    """Someone put another cubin and its digest there: the symbol says what it assumes."""
    aligned = compile_for_sketch(kernels.add, ADD.replace("y=[1024]", "y=[1024]@4"), "sm_90")
    entry = manifest_entry("kernels.py::add", ADD, aligned)
    document = json.loads((folder / "manifest.json").read_text())
    right = document["kernels"][0]
    document["kernels"] = [{**entry, "signature": right["signature"], "source": right["source"]}]
    (folder / entry["file"]).write_bytes(aligned.compiled.cubin)
    (folder / "manifest.json").write_text(json.dumps(document))
    tcr.load(folder, compile=False)
    with pytest.raises(tcr.SymbolMismatchError, match="compiled under other assumptions on `y`"):
        find_entry()


@pytest.mark.parametrize("key, value", [("tilecheck", "0.0"), ("python", "2.7")])
def test_prebuilt_kernels_of_other_versions_are_refused(folder, key, value):
    document = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**document, key: value}))
    with pytest.raises(tcr.ToolVersionError, match=f"{value}.* and this is tilecheck {__version__}"):
        tcr.load(folder)


def test_a_folder_that_others_can_write(folder):
    folder.chmod(0o777)
    with pytest.raises(tcr.CacheFolderError, match="can be written by others"):
        tcr.load(folder)


def test_an_invalid_folder_is_refused(tmp_path):
    with pytest.raises(tcr.CompileError, match="cannot be read"):
        tcr.load(tmp_path)


def test_lines_and_places_make_no_difference(tmp_path):
    """The file may lie elsewhere, and have other lines, where it is launched."""
    code = ("import sys; sys.path.insert(0, sys.argv[1]); import portable_kernels as k\n"
            "from tilecheck_runtime.compile.fingerprint import fingerprint, portable\n"
            "print(portable(k.f), fingerprint(k.f))")
    seen = []
    for name, top in (("a", ""), ("b", "\n\n")):
        place = tmp_path / name
        place.mkdir()
        (place / "portable_kernels.py").write_text(f"{top}T = 4\n\n\ndef g(x):\n    return x + T\n\n\ndef f(x):\n"
                                                   "    return g(x)\n")
        done = subprocess.run([sys.executable, "-c", code, str(place)], capture_output=True, text=True, check=True)
        seen.append(done.stdout.split())
    assert seen[0][0] == seen[1][0] and seen[0][1] != seen[1][1]


def test_a_program_without_any_tool(tmp_path):
    made = compile_for_sketch(ahead.plus, ADD, "sm_90")
    write_manifest(tmp_path / "cubins", [(manifest_entry("ahead.py::plus", ADD, made), made.compiled.cubin)])
    for place in (tmp_path, tmp_path / "cubins"):
        place.chmod(0o700)
    done = subprocess.run([sys.executable, "-m", "tests.runtime.compile.without_tools", str(tmp_path / "cubins")],
                          capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        "ahead.py::plus", "ran (8, 1, 1)", "ran (8, 1, 1)",
        "refused: `plus` was built from other source, or for a launch with other schedules or bounds", "guarded",
    ], done.stdout + done.stderr
