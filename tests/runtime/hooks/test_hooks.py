"""Scripts and tests under the sanitizer, with the real `cuda.tile` and with the stand-in."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from click.testing import CliRunner

from tests.patience import PATIENCE
from tilecheck_runtime.hooks.run import command, run_script

ROOT = Path(__file__).parents[3]
SCRIPT = '''
import sys
import numpy as np
import cuda.tile as ct

@ct.kernel(occupancy=2)
def copy(a, c, T: ct.Constant[int], wrong: ct.Constant[bool]):
    i = ct.bid(0)
    t = ct.load(a, (i,), (T,))
    ct.store(c, (0 if wrong else i,), t)

a, c = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
kernel = copy.replace_hints(occupancy=4)
ct.launch(0, (2, 1), kernel, (a, c, 4, len(sys.argv) > 1))
print("copied", (a == c).all(), ct.cdiv(7, 2))
'''
RACE_LINE = 10


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT, encoding="utf-8")
    return path


def test_a_right_script_is_clean(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    failed, report = run_script(str(script), ())
    assert not failed and report.clean and report.launches == 1
    assert capsys.readouterr().out == "copied True 4\n"


def test_a_race_in_a_script_is_reported(script: Path) -> None:
    result = CliRunner().invoke(command, [str(script), "wrong"], standalone_mode=False)
    assert result.return_value == 1
    assert "error[TC101]: two blocks write element [0] of 'c'" in result.stderr
    assert f"script.py:{RACE_LINE}:" in result.stderr and "Found 1 error in 1 launch." in result.stderr


@pytest.mark.parametrize(("form", "text"), [("concise", "TC101"), ("json", '"code": "TC101"')])
def test_reports_have_other_formats(script: Path, form: str, text: str) -> None:
    result = CliRunner().invoke(command, ["--format", form, "--exit-zero", str(script), "x"], standalone_mode=False)
    assert result.return_value == 0 and text in result.stderr


def test_the_status_of_a_failing_script_is_passed_on(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("raise ValueError('no')\n", encoding="utf-8")
    result = CliRunner().invoke(command, [str(tmp_path / "bad.py")], standalone_mode=False)
    assert result.return_value == 2 and "ValueError: no" in result.stderr


def _python(code: str, *arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=cwd,
                          env=environment, timeout=PATIENCE, check=False)


def test_without_the_real_package(script: Path) -> None:
    code = ("import sys; sys.modules['cuda.tile'] = None\n"
            "from tilecheck_runtime.hooks.run import run_script\n"
            "failed, report = run_script(sys.argv[1], ('wrong',))\n"
            "assert not failed and report.codes() == {'TC101'}, report\n"
            f"assert report.events[0].line == {RACE_LINE}\n"
            "assert sys.modules.get('cuda.tile') is None")
    done = _python(code, str(script))
    assert done.returncode == 0, done.stderr


def test_annotations_of_the_stand_in(tmp_path: Path) -> None:
    text = '''
from __future__ import annotations
import numpy as np
import cuda.tile as ct
from cuda.tile.tune import exhaustive_search
from cuda.tile import PaddingMode, float32, load

Int = ct.Constant[int]

@ct.function
def helper(x):
    return x + 1

@ct.kernel
def fill(c, n: ct.ScalarInt64, big: ct.IndexedWithInt64[ct.Array], T: Int):
    t = load(c, (ct.bid(0),), (T,), padding_mode=PaddingMode.ZERO)
    ct.store(c, (ct.bid(0),), helper(t) + ct.astype(n // (1 << 40), float32))

c = np.zeros(6, np.float32)
result = exhaustive_search([2, 4], None, lambda T: (ct.cdiv(6, T),), fill, lambda T: (c, 1 << 40, c.copy(), T),
                           quiet=True)
assert result.best.config == 2 and (c == 4).all(), c
try:
    fill(c)
except TypeError:
    pass
else:
    raise AssertionError("kernels are not called")
'''
    (tmp_path / "script.py").write_text(text, encoding="utf-8")
    code = ("import sys; sys.modules['cuda.tile'] = None\n"
            "from tilecheck_runtime.hooks.run import run_script\n"
            "failed, report = run_script(sys.argv[1], ())\n"
            "assert not failed and report.clean and report.launches == 2")
    done = _python(code, str(tmp_path / "script.py"))
    assert done.returncode == 0, done.stderr


TESTS = '''
import numpy as np
import cuda.tile as ct
from cuda.tile import launch

@ct.kernel
def store(c, wrong: ct.Constant[bool]):
    ct.store(c, (0 if wrong else ct.bid(0),), ct.full((4,), 1, ct.int32))

def test_right():
    launch(None, (2,), store, (np.zeros(8, np.int32), False))

def test_wrong():
    launch(None, (2,), store, (np.zeros(8, np.int32), True))

def test_nothing():
    pass
'''


def test_pytest_plugin(tmp_path: Path) -> None:
    (tmp_path / "test_kernels.py").write_text(TESTS, encoding="utf-8")
    code = "import sys, pytest; sys.exit(pytest.main(sys.argv[1:]))"
    known = any(e.value == "tilecheck.pytest_plugin" for e in importlib.metadata.entry_points(group="pytest11"))
    plugin = () if known else ("-p", "tilecheck.pytest_plugin")
    done = _python(code, *plugin, "--tilecheck", "-p", "no:cacheprovider", "test_kernels.py", cwd=tmp_path)
    assert "1 failed, 2 passed" in done.stdout, done.stdout + done.stderr
    assert "error[TC101]: two blocks write element [0] of 'c'" in done.stdout
    (tmp_path / "test_plain.py").write_text("def test_nothing():\n    pass\n", encoding="utf-8")
    done = _python(code, *plugin, "-p", "no:cacheprovider", "test_plain.py", cwd=tmp_path)
    assert "1 passed" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("package", ["numpy", "ml_dtypes"])
def test_a_missing_extra_is_named(package: str) -> None:
    done = _python(f"import sys; sys.modules[{package!r}] = None\nimport tilecheck_runtime")
    assert done.returncode == 1 and "pip install 'tilecheck[cpu]'" in done.stderr and package in done.stderr


def test_the_checker_does_not_import_the_runtime() -> None:
    code = ("import sys\nfrom tilecheck import api, cli, pytest_plugin\n"
            "assert not [m for m in sys.modules if m.startswith(('tilecheck_runtime', 'numpy'))]")
    assert _python(code).returncode == 0


def test_entry_points_name_existing_objects() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for group in ("tilecheck.commands", "pytest11"):
        for target in project["entry-points"][group].values():
            assert importlib.metadata.EntryPoint("x", target, group).load() is not None


def test_a_command_that_cannot_be_imported_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    from tilecheck.cli import app as cli

    missing = importlib.metadata.EntryPoint("run", "a_package_that_is_not_there.run:command", cli.PLUGIN_GROUP)
    monkeypatch.setattr(cli, "_plugins", lambda: (missing,))
    shown = CliRunner().invoke(cli.cli, ["--help"])
    assert shown.exit_code == 0 and "(not available)" in shown.output
    unknown = "numpy is not installed: pip install 'tilecheck[cpu]', or 'tilecheck[gpu]' to compile for GPUs too"
    monkeypatch.setattr(importlib.metadata.EntryPoint, "load", lambda _: (_ for _ in ()).throw(ImportError(unknown)))
    shown = CliRunner().invoke(cli.cli, ["--help"])
    assert shown.exit_code == 0 and "(not available without pip install 'tilecheck[cpu]')" in shown.output
    assert cli.main(["run", "script.py", "--seed", "1"]) == 2


def test_a_launch_outside_any_session_warns() -> None:
    from tests.cases.raw_bad import everyone_writes_tile_zero
    from tilecheck_runtime.cpu.execution.execute import FindingWarning, launch

    a = np.zeros(8, np.float32)
    with pytest.warns(FindingWarning, match="TC101"):
        launch(None, (2,), everyone_writes_tile_zero, (a, a.copy(), 4))


def test_a_module_retains_the_launch_that_it_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Afterwards each module has the function that it had: that of the package, or that of the CPU."""
    from tilecheck_runtime.cpu.execution.execute import launch
    from tilecheck_runtime.hooks.install import cpu_launches

    ct = pytest.importorskip("cuda.tile")
    theirs, ours = ModuleType("theirs"), ModuleType("ours")
    theirs.launch, ours.launch = ct.launch, launch  # type: ignore[attr-defined]
    original = ct.launch
    for module in (theirs, ours):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    with cpu_launches(), cpu_launches():
        assert theirs.launch is launch and ours.launch is launch
    assert theirs.launch is original and ours.launch is launch and ct.launch is original


PHASES = '''
import numpy as np
import pytest
import cuda.tile as ct

@ct.kernel
def racy(c):
    ct.store(c, (0,), ct.full((4,), ct.bid(0), ct.int32))

def launched():
    c = np.zeros(4, np.int32)
    ct.launch(None, (2,), racy, (c,))
    return c

@pytest.fixture
def made():
    return launched()

@pytest.fixture
def ended():
    yield
    launched()

def test_before(made):
    pass

def test_wrong_values():
    assert (launched() == 7).all()

@pytest.mark.xfail(strict=True)
def test_known():
    launched()

def test_after(ended):
    pass
'''


def test_every_phase_of_a_test_is_watched(tmp_path: Path) -> None:
    (tmp_path / "test_phases.py").write_text(PHASES, encoding="utf-8")
    code = "import sys, pytest; sys.exit(pytest.main(sys.argv[1:]))"
    known = any(e.value == "tilecheck.pytest_plugin" for e in importlib.metadata.entry_points(group="pytest11"))
    plugin = () if known else ("-p", "tilecheck.pytest_plugin")
    done = _python(code, *plugin, "--tilecheck", "-p", "no:cacheprovider", "test_phases.py", cwd=tmp_path)
    assert "1 failed, 1 passed, 1 xfailed, 2 errors" in done.stdout, done.stdout + done.stderr
    assert "Captured tilecheck call" in done.stdout and "ERROR at setup of test_before" in done.stdout


REPLAYED = '''
import numpy as np
import cuda.tile as ct

@ct.kernel
def twice(c):
    ct.store(c, (0,), ct.full((4,), 1, ct.int32))
    ct.store(c, (0,), ct.full((4,), 2, ct.int32))

ct.launch(None, (2,), twice, (np.zeros(4, np.int32),))
'''


def test_the_command_replays(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(REPLAYED, encoding="utf-8")
    once, twice = (CliRunner().invoke(command, [*options, str(path)], standalone_mode=False).stderr
                   for options in ((), ("--replay",)))
    assert "Found 2 errors in 1 launch." in once and "Found 3 errors in 1 launch." in twice


ENDINGS = {
    "import sys; sys.exit('nothing to do')": (2, "nothing to do\n"),
    "import sys; sys.exit(0)": (0, ""),
    "import sys; sys.exit(3)": (2, ""),
    "raise KeyboardInterrupt": (2, "KeyboardInterrupt\n"),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_findings_are_printed_however_a_script_ends(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "script.py"
    path.write_text(f"{REPLAYED}\n{ending}\n", encoding="utf-8")
    status, said = ENDINGS[ending]
    result = CliRunner().invoke(command, ["--exit-zero", str(path)], standalone_mode=False)
    assert result.return_value == status and said in result.stderr
    assert "Found 2 errors in 1 launch." in result.stderr and "runpy" not in result.stderr


FAILING = '''
import numpy as np
import cuda.tile as ct

@ct.kernel
def fails(c):
    ct.store(c, (ct.bid(0),), ct.full((4,), 1, ct.int32))
    ct.assert_(ct.bid(0) == 0)

ct.launch(None, (2,), fails, (np.zeros(8, np.int32),))
'''


def test_a_kernel_that_fails_says_in_which_block(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(FAILING, encoding="utf-8")
    result = CliRunner().invoke(command, ["--in-order", str(path)], standalone_mode=False)
    assert result.return_value == 2
    assert "in block 1 of `fails`, whose grid is (2, 1, 1)" in result.stderr
