"""The stubs as they are installed: in the wheel, and next to the packages that share the namespace `cuda`."""

from __future__ import annotations

import subprocess
import sys
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cases.expectations import FOLDER
from tests.stubs.checkers import CHECKERS, ROOT, STUBS, Message, available

pytestmark = pytest.mark.slow

USE = """\
import cuda.bindings.driver as driver
import cuda.tile as ct
from cuda import tile
from cuda.bindings import nvrtc, runtime
from cuda.core import Device
from cuda.tile import compilation, tune
from cuda.tile.compilation import KernelSignature

reveal_type(ct.bid(0))
reveal_type(tile.zeros((16,), tile.float32).dtype)
reveal_type(tune.TuningResult.summary)
reveal_type(compilation.KernelSignature.with_symbol)
print(driver.cuInit, nvrtc, runtime, Device, KernelSignature)
"""
REVEALED = ["int", "type[float32]"]
TOGETHER = ("cuda-tile", "cuda-bindings", "cuda-core")


def _run(*command: str | Path, cwd: Path = ROOT) -> None:
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr[-2000:]}")


@pytest.fixture(scope="module")
def python(tmp_path_factory) -> Path:
    """An interpreter with the other packages, and without the stubs."""
    folder = tmp_path_factory.mktemp("together")
    venv.create(folder, with_pip=True)
    found = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    try:
        _run(found, "-m", "pip", "install", "-q", *TOGETHER)
    except RuntimeError as error:
        pytest.skip(f"not to be had here: {error}")
    return found


def test_the_wheel_has_only_the_stubs_in_their_package(wheel):
    names = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("cuda")}
    assert names == {f"cuda-stubs/{path.relative_to(STUBS).as_posix()}" for path in STUBS.rglob("*") if path.is_file()}
    assert not names & {"cuda-stubs/__init__.pyi", "cuda-stubs/py.typed"}


def _check_files(name: str, folder: Path, python: Path, files: dict[str, str]) -> list[Message]:
    folder.mkdir(exist_ok=True)
    for file, text in files.items():
        (folder / file).write_text(text, encoding="utf-8")
    for file, text in {"mypy.ini": "[mypy]\nstrict = True\n", "pyrightconfig.json": "{}",
                       "pyrefly.toml": f'python-interpreter-path = "{python}"\n'}.items():
        (folder / file).write_text(text, encoding="utf-8")
    return list(CHECKERS[name](folder, list(files), str(python)))


def _errors(said: list[Message]) -> set[tuple[int, str]]:
    return {(m.line, m.text) for m in said if m.kind == "error" and not m.revealed and "reveal_type" not in m.text}


@dataclass(frozen=True)
class Steps:
    """The messages of each installed type checker about `USE`, by its name.

    before  without us
    after   with us
    again   after the other distribution was installed once more; None where there is none
    """

    before: dict[str, list[Message]]
    after: dict[str, list[Message]]
    again: dict[str, list[Message]] | None


@pytest.fixture(scope="module", params=[(), ("cuda-stubs==0.0.2",)],
                ids=["alone", "with the distribution cuda-stubs"])
def steps(request, wheel, python, tmp_path_factory) -> Steps:
    others = request.param

    def check_step(step: str) -> dict[str, list[Message]]:
        folder = tmp_path_factory.mktemp(step)
        return {
            name: _check_files(name, folder / name, python, {"use.py": USE}) for name in CHECKERS if available(name)
        }

    _run(python, "-m", "pip", "uninstall", "-qy", "tilecheck", "cuda-stubs")
    if others:
        try:
            _run(python, "-m", "pip", "install", "-q", "--no-deps", *others)
        except RuntimeError as error:
            pytest.skip(f"not to be had here: {error}")
    before = check_step("before")
    _run(python, "-m", "pip", "install", "-q", "--no-deps", wheel)
    after = check_step("after")
    if not others:
        return Steps(before, after, None)
    _run(python, "-m", "pip", "install", "-q", "--no-deps", "--force-reinstall", *others)
    return Steps(before, after, check_step("again"))


@pytest.mark.parametrize("name", list(CHECKERS))
def test_the_stubs_work_beside_other_packages(name, steps):
    """Everything of `cuda.tile` is found, and of the other packages no more is missing than without us."""
    if name not in steps.after:
        pytest.skip(f"{name} is not installed")
    said = steps.after[name]
    assert _errors(said) <= _errors(steps.before[name])
    assert not [text for _, text in _errors(said) if "cuda.tile" in text or '"tile"' in text]
    assert [m.revealed for m in said if m.revealed][:2] == REVEALED
    if steps.again is not None:  # the other order of installation, which is the same files
        assert _errors(steps.again[name]) == _errors(said)


def test_dialect_cases_check_with_the_installed_stubs(wheel, python, tmp_path):
    _run(python, "-m", "pip", "install", "-q", "--no-deps", "--force-reinstall", wheel)
    text = (FOLDER / "dialect.py").read_text(encoding="utf-8")
    said = _check_files("mypy", tmp_path / "cases", python, {"dialect.py": text})
    marked = {n for n, line in enumerate(text.splitlines(), 1) if "# expect:" in line and line.endswith("mypy")}
    assert len(marked) == 5
    assert {m.line for m in said if m.kind == "error" and m.file == "dialect.py"} == marked
