"""The modes of mypy: its report is that of the files as they are now, for any state of its cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mypy.plugin import Plugin
from mypy.version import __version__ as mypy_version

from tests.mypy_plugin.runner import Run, environment, mypy, parse_run, run_daemon, write_config
from tests.stubs.checkers import TYPINGS
from tilecheck import __version__
from tilecheck.mypy_plugin import plugin

OLD = tuple(map(int, mypy_version.split(".")[:2])) < (2, 4)

HELPER = "def place(i, j):\n    return i\n"
BROKEN = "def place(i, j):\n    return i // 2  # two blocks, one place\n"
KERNEL = """\
import cuda.tile as ct
from helper import place


@ct.kernel
def copy(x, z, T: ct.Constant[int]):
    ct.store(z, (place(ct.bid(0), 1),), ct.load(x, (ct.bid(0),), (T,)))
"""
HOST = """\
import cuda.tile as ct
from kernels import copy


def run(stream, x, z):
    ct.launch(stream, (4,), copy, (x, z, 16))
"""
IN_PLACE = HOST.replace("(x, z, 16))", "(x, x, 16))  # in place")
SUM = """\
import cuda.tile as ct


@ct.kernel
def total(x, z, T: ct.Constant[int]):
    s = ct.zeros((1,), ct.float32)
    for j in range(ct.cdiv(x.shape[1], T)):
        s = s + ct.sum(ct.load(x, (ct.bid(0), j), (1, T)), axis=1)
    ct.store(z, (ct.bid(0),), s)
"""
WHOLE = """\
import cuda.tile as ct
from sums import total


def run(stream, x, z):
    assert x.shape[1] == 64
    ct.launch(stream, (x.shape[0],), total, (x, z, 64))
"""
RACE = ("kernels.py", 7, "TC101")
ALIAS = ("host.py", 6, "TC401")
PADDING = ("sums.py", 8, "TC301")

MODES = {
    "one process": (),
    "the parser in Python": ("--no-native-parser",),
    "two processes": ("-n2",),
    "one database": ("--sqlite-cache",),
}

EVERY_MODE = pytest.mark.parametrize("mode", [
    pytest.param(mode, marks=() if mode in ("one process", "two processes") else pytest.mark.nightly)
    for mode in MODES])

Write = Callable[..., None]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes files, by name without the suffix."""
    write_config(tmp_path)

    def write(**files: str) -> None:
        for name, text in files.items():
            path = tmp_path / f"{name.replace('__', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    return write


@EVERY_MODE
def test_the_body_of_a_helper_is_edited(mode: str, tmp_path: Path, write: Write):
    write(helper=HELPER, kernels=KERNEL, host=HOST)
    options = MODES[mode]
    assert mypy(tmp_path, *options).findings == set()
    assert mypy(tmp_path, *options).findings == set()
    write(helper=BROKEN)
    assert mypy(tmp_path, *options).findings == {RACE}
    assert mypy(tmp_path, *options).findings == {RACE}
    write(helper=HELPER)
    assert mypy(tmp_path, *options).findings == set()


@EVERY_MODE
def test_a_kernel_is_checked_again_when_a_launch_changes(mode: str, tmp_path: Path, write: Write):
    options = MODES[mode]
    write(sums=SUM, host=WHOLE)
    assert mypy(tmp_path, *options).findings == set()
    write(host=WHOLE.replace("    assert x.shape[1] == 64\n", ""))
    assert PADDING[0] in {file for file, _, _ in mypy(tmp_path, *options).findings} or (
        "host.py" in {file for file, _, _ in mypy(tmp_path, *options).findings})
    write(host="")
    assert mypy(tmp_path, *options).findings == {PADDING}
    write(host=WHOLE)
    assert mypy(tmp_path, *options).findings == set()


def test_a_new_file_counts_at_once(tmp_path: Path, write: Write):
    write(sums=SUM)
    assert mypy(tmp_path).findings == {PADDING}
    write(host=WHOLE)
    assert mypy(tmp_path).findings == set()
    (tmp_path / "host.py").unlink()
    assert mypy(tmp_path).findings == {PADDING}


def test_a_new_file_that_is_not_named_does_not_count(tmp_path: Path, write: Write):
    write(sums=SUM)
    assert mypy(tmp_path, targets=["sums.py"]).findings == {PADDING}
    write(host=WHOLE)
    for _ in range(3):
        run = mypy(tmp_path, targets=["sums.py"])
        assert run.findings == {PADDING}, run.output


def test_a_changed_set_of_files_asks_for_another_run(tmp_path: Path, write: Write):
    write(sums=SUM, host=WHOLE)
    assert mypy(tmp_path, targets=["sums.py", "host.py"]).findings == set()
    run = mypy(tmp_path, targets=["sums.py"])
    assert run.findings == {PADDING} or "findings depend on it in sums.py; run mypy again" in run.output
    assert mypy(tmp_path, targets=["sums.py"]).findings == {PADDING}
    assert "run mypy again" not in mypy(tmp_path, targets=["sums.py"]).output


def test_settings_count_at_once(tmp_path: Path, write: Write):
    write(helper=BROKEN, kernels=KERNEL, host=IN_PLACE)
    settings = tmp_path / "pyproject.toml"
    assert mypy(tmp_path).findings == {RACE, ALIAS}
    settings.write_text('[tool.tilecheck]\nignore = ["TC101"]\n')
    assert mypy(tmp_path).findings == {ALIAS}
    settings.write_text('[tool.tilecheck]\nselect = ["TC1"]\n')
    assert mypy(tmp_path).findings == {RACE}
    settings.write_text('[tool.tilecheck.per-file-ignores]\n"kernels.py" = ["TC101"]\n')
    assert mypy(tmp_path).findings == {ALIAS}
    settings.write_text('[tool.tilecheck]\nexclude = ["kernels.py"]\n')
    assert mypy(tmp_path).findings == set()
    settings.unlink()
    assert mypy(tmp_path).findings == {RACE, ALIAS}


def test_contracts_in_other_files_count(tmp_path: Path, write: Write):
    write(sums=SUM)
    (tmp_path / "pyproject.toml").write_text('[tool.tilecheck]\ncontracts = ["contracts.toml"]\n')
    overlay = tmp_path / "contracts.toml"
    overlay.write_text('[contracts]\n"sums.py::total" = ["x.shape[1] % T == 0"]\n')
    assert mypy(tmp_path).findings == set()
    overlay.write_text("")
    assert mypy(tmp_path).findings == {PADDING}


def test_wrong_settings_are_reported_once(tmp_path: Path, write: Write):
    write(helper=BROKEN, kernels=KERNEL, host=HOST)
    (tmp_path / "pyproject.toml").write_text('[tool.tilecheck]\nselct = ["TC1"]\n')
    run = mypy(tmp_path)
    (message,) = [m for m in run.messages if m.code == "tile-failure"]
    assert "unknown key 'selct'" in message.text and "did you mean 'select'" in message.text


def test_an_invalid_clause_is_reported_at_its_line(tmp_path: Path, write: Write):
    write(sums="from tilecheck import requires\n" + SUM.replace("@ct.kernel", '@requires("T <=")\n@ct.kernel'))
    run = mypy(tmp_path)
    assert [(m.line, m.code) for m in run.messages if m.code == "tile-failure"] == [(5, "tile-failure")]


def test_a_namespace_package(tmp_path: Path, write: Write):
    write(src__space__helper=BROKEN, src__space__kernels=KERNEL.replace("from helper", "from space.helper"),
          src__space__deep__host=IN_PLACE.replace("from kernels", "from space.kernels"))
    run = mypy(tmp_path, "--namespace-packages", "--explicit-package-bases", targets=["src"])
    write_config(tmp_path, "namespace_packages = True\nexplicit_package_bases = True")
    (tmp_path / "mypy.ini").write_text(
        (tmp_path / "mypy.ini").read_text().replace("mypy_path = ", f"mypy_path = {tmp_path / 'src'}:"))
    run = mypy(tmp_path, targets=["src"])
    assert run.findings == {("src/space/kernels.py", *RACE[1:]), ("src/space/deep/host.py", *ALIAS[1:])}
    assert mypy(tmp_path, targets=["src"]).findings == run.findings
    assert mypy(tmp_path, "-p", "space", targets=[]).findings == run.findings


def test_a_package_by_its_name(tmp_path: Path, write: Write):
    write(pack____init__="", pack__helper=BROKEN, pack__kernels=KERNEL.replace("from helper", "from pack.helper"))
    assert mypy(tmp_path, "-p", "pack", targets=[]).findings == {("pack/kernels.py", *RACE[1:])}
    assert mypy(tmp_path, "-m", "pack.kernels", targets=[]).findings == {("pack/kernels.py", *RACE[1:])}


def test_a_substitute_file_is_read_instead(tmp_path: Path, write: Write):
    write(helper=HELPER, kernels=KERNEL, host=HOST)
    (tmp_path / "typed.tmp").write_text(BROKEN)
    assert mypy(tmp_path).findings == set()
    assert mypy(tmp_path, "--shadow-file", "helper.py", "typed.tmp").findings == {RACE}
    assert mypy(tmp_path).findings == set()


def test_codes_can_be_disabled(tmp_path: Path, write: Write):
    write(helper=BROKEN, kernels=KERNEL, host=IN_PLACE)
    assert mypy(tmp_path, "--disable-error-code", "tile-race").findings == {ALIAS}
    assert mypy(tmp_path, "--disable-error-code", "tile-race", "-n2").findings == {ALIAS}
    write_config(tmp_path, "disable_error_code = tile-alias")
    assert mypy(tmp_path).findings == {RACE}


@pytest.mark.parametrize("section", ["follow_untyped_imports = True", "ignore_missing_imports = True"])
def test_without_our_stubs(section: str, tmp_path: Path, write: Write):
    write(helper=BROKEN, kernels=KERNEL, host=IN_PLACE)
    config = tmp_path / "mypy.ini"
    text = config.read_text().replace(f"{TYPINGS}:", "")
    config.write_text(f"{text}\n[mypy-cuda.*]\n{section}\n")
    assert mypy(tmp_path).findings == {RACE, ALIAS}


def test_without_cuda_tile(tmp_path: Path, write: Write):
    write(helper=BROKEN, kernels=KERNEL.replace("@ct.kernel", "@ct.kernel(occupancy=2)"), host=IN_PLACE)
    assert mypy(tmp_path, "--no-site-packages").findings == {RACE, ALIAS}


def test_without_a_cache(tmp_path: Path, write: Write):
    write(helper=BROKEN, kernels=KERNEL, host=IN_PLACE)
    assert mypy(tmp_path, "--cache-dir", os.devnull).findings == {RACE, ALIAS}
    assert mypy(tmp_path, "--no-incremental").findings == {RACE, ALIAS}


def test_a_module_of_imports_alone(tmp_path: Path, write: Write):
    """Nothing in it is anything that mypy would ask about, nor is it checked."""
    write(helper=BROKEN, kernels=KERNEL,
          host=IN_PLACE.replace("import cuda.tile as ct", "from cuda import tile as ct"))
    for options in MODES.values():
        assert mypy(tmp_path, *options).findings == {RACE, ALIAS}


@EVERY_MODE
def test_a_module_that_must_be_checked_again_because_of_another(mode: str, tmp_path: Path, write: Write):
    """mypy finds that out late, and not from us: a stub has changed, and nothing that findings depend on."""
    options = MODES[mode]
    write(helper=BROKEN, kernels=KERNEL, host="from sizes import size\n" + IN_PLACE.replace("16", "size()"))
    stub = tmp_path / "sizes.pyi"
    stub.write_text("def size() -> int: ...\n")
    found = mypy(tmp_path, *options).findings
    assert found == {RACE, (ALIAS[0], ALIAS[1] + 1, ALIAS[2])}
    stub.write_text("def size() -> float: ...  # after all\n")
    assert mypy(tmp_path, *options).findings == found
    assert mypy(tmp_path, *options).findings == found


def test_module_level_code_is_checked(tmp_path: Path, write: Write):
    write(helper=HELPER, kernels=KERNEL, host="import cuda.tile as ct\nimport torch\n"
          "from kernels import copy\n\nx = torch.zeros(64)\nct.launch(None, (4,), copy, (x, x, 16))\n")
    for options in MODES.values():
        assert mypy(tmp_path, *options).findings == {ALIAS}


def test_notes_show_the_origin_of_a_finding(tmp_path: Path, write: Write):
    write(helper=BROKEN, kernels=KERNEL)
    texts = [(m.kind, m.line, m.text) for m in mypy(tmp_path).messages]
    assert texts[0] == ("error", 7, "TC101 blocks 0 and 1 both write z[0]")
    assert texts[1][2].startswith("witness: grid (2, 1, 1), T = ")
    assert [text for kind, line, text in texts if kind == "note" and line == 7 and text.startswith("help: ")]
    done = mypy(tmp_path, "--output", "json")
    first = json.loads(done.output.splitlines()[0])
    assert (first["code"], first["column"], first["severity"]) == ("tile-race", 4, "error")
    assert "witness: grid (2, 1, 1)" in first["hint"]


def test_colours_and_source_are_those_of_mypy(tmp_path: Path, write: Write):
    write(helper=BROKEN, kernels=KERNEL)
    lines = mypy(tmp_path, "--pretty").output.splitlines()
    assert lines[1].strip().startswith("ct.store(z,") and lines[2].strip().startswith("^~~")


@pytest.mark.skipif(OLD, reason="before mypy 2.4 modules with findings are checked in every run")
def test_an_unchanged_run_does_not_load_the_checker(tmp_path: Path, write: Write):
    write(helper=BROKEN, kernels=KERNEL, host=HOST)

    def is_loaded() -> bool:
        done = subprocess.run([sys.executable, "-X", "importtime", "-m", "mypy", "."], cwd=tmp_path, env=environment(),
                              capture_output=True, text=True, check=False)
        assert "tilecheck.mypy_plugin.dispatch" in done.stderr
        assert RACE in parse_run(done).findings
        return "tilecheck.pipeline.run" in done.stderr

    assert is_loaded()
    assert not is_loaded()
    write(host=HOST + "# something else\n")
    assert is_loaded()
    assert not is_loaded()


@EVERY_MODE
def test_shapes_are_revealed(mode: str, tmp_path: Path, write: Write):
    write(shapes="import cuda.tile as ct\n\n\n@ct.kernel\n"
          "def k(x: ct.Array, z: ct.Array, T: ct.Constant[int]) -> None:\n"
          "    for i in range(2):\n        if i:\n            reveal_type(ct.load(x, (i,), (T,)))\n"
          "    ct.store(z, (ct.bid(0),), ct.zeros((T,), ct.int32))\n")
    for _ in range(2):
        assert [(m.line, m.revealed) for m in mypy(tmp_path, *MODES[mode]).messages if m.revealed] == [
            (8, "Tile[dtype, T]")]  # `x.dtype`


def test_a_version_that_is_not_known_is_a_note(capsys: pytest.CaptureFixture[str]):
    for version in ("3.0.0", "1.19.1", "unknown"):
        assert plugin(version) is Plugin
        assert capsys.readouterr().err == (
            f"note: the mypy plugin of tilecheck {__version__} does not know mypy {version}, so mypy does not check "
            "kernels; run `tilecheck` itself, or install mypy>=2,<3\n")
    for version in ("2.0.0", "2.5.0+dev.1234"):
        assert issubclass(plugin(version), Plugin)
        assert plugin(version) is not Plugin
    assert capsys.readouterr().err == ""


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Callable[..., Run]]:
    write_config(tmp_path)
    with run_daemon(tmp_path) as check:
        yield check


def test_the_daemon(daemon: Callable[..., Run], tmp_path: Path, write: Write):
    write(helper=HELPER, kernels=KERNEL, host=HOST, other="x = 1\n")
    assert daemon().findings == set()
    write(helper=BROKEN)
    assert daemon().findings == {RACE}
    assert daemon().findings == {RACE}
    write(other="x = 1  # something else\n")
    assert daemon().findings == {RACE}
    write(host=IN_PLACE)
    assert daemon().findings == {RACE, ALIAS}
    write(helper=HELPER)
    assert daemon().findings == {ALIAS}
    write(sums=SUM)
    assert daemon().findings == {ALIAS, PADDING}
    write(host2=WHOLE)
    assert daemon().findings == {ALIAS}
    (tmp_path / "host2.py").unlink()
    assert daemon().findings == {ALIAS, PADDING}
    write(host=HOST)
    (tmp_path / "sums.py").unlink()
    assert daemon().findings == set()


def test_strict_options_refuse_no_marker_of_the_daemon(tmp_path: Path, write: Write):
    write_config(tmp_path, "disallow_any_explicit = True\ndisallow_untyped_defs = True")
    write(other="x = 1\n")
    with run_daemon(tmp_path) as check:
        assert check().messages == ()


def test_mypy_finds_the_plugin_again_in_a_process_that_has_loaded_it() -> None:
    """mypy takes it from the package by name: a module of that name would take its place once it is imported."""
    plugin("2.4.1")
    from tilecheck import mypy_plugin

    assert mypy_plugin.plugin is plugin
