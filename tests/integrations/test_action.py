"""`action.yml`: what GitHub reads of it, and its steps, run here as a runner would."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CLEAN, RACY
from tests.integrations.conftest import ROOT, environment

yaml = pytest.importorskip("yaml")

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}


def test_the_action_is_composite_and_documents_its_inputs() -> None:
    assert ACTION["runs"]["using"] == "composite"
    assert ACTION["name"] and ACTION["description"]
    assert set(ACTION["inputs"]) == {"paths", "args", "format", "version", "python"}
    assert all(given["description"] and "default" in given for given in ACTION["inputs"].values())
    assert all(step["shell"] == "bash" for step in STEPS.values())
    assert ACTION["inputs"]["format"]["default"] == "github"
    assert ACTION["outputs"]["status"]["value"] == "${{ steps.check.outputs.status }}"
    assert STEPS["Check"]["id"] == "check"


def test_no_input_is_pasted_into_a_script() -> None:
    for step in STEPS.values():
        assert "${{" not in step["run"]
        assert "uses" not in step


def test_every_input_is_used() -> None:
    used = {name for step in STEPS.values() for value in step["env"].values()
            for name in re.findall(r"\$\{\{ inputs\.(\w+) \}\}", value)}
    assert used == set(ACTION["inputs"])


@dataclass(frozen=True)
class Ran:
    status: int
    out: str
    outputs: str


@dataclass(frozen=True)
class Runner:
    """A runner: the folders that it gives an action."""

    action: Path
    temporary: Path
    workspace: Path

    def step(self, name: str, **inputs: str) -> Ran:
        """Run a step with its inputs, as GitHub does."""
        given = {**{key: value["default"] for key, value in ACTION["inputs"].items()}, **inputs}
        step: dict[str, Any] = STEPS[name]
        values = {key: self._evaluate(value, given) for key, value in step["env"].items()}
        script = self.temporary / "step.sh"
        script.write_text(step["run"])
        outputs = self.temporary / "outputs"
        outputs.write_text("")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)], cwd=self.workspace, capture_output=True,
            text=True, check=False, env=environment(
                **values, RUNNER_TEMP=str(self.temporary), GITHUB_OUTPUT=str(outputs), CI="true",
                GITHUB_WORKSPACE=str(self.workspace)))
        return Ran(done.returncode, done.stdout + done.stderr, outputs.read_text())

    def _evaluate(self, value: str, inputs: dict[str, str]) -> str:
        contexts = {**{f"inputs.{key}": text for key, text in inputs.items()}, "github.action_path": str(self.action)}
        return re.sub(r"\$\{\{ ([\w.]+) \}\}", lambda match: contexts[match[1]], value)


@pytest.fixture(scope="module")
def runner(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """A runner with the action installed from this tree."""
    made = Runner(source, tmp_path_factory.mktemp("runner"), tmp_path_factory.mktemp("workspace"))
    (made.workspace / "kernels dir").mkdir()
    (made.workspace / "racy.py").write_text(RACY)
    (made.workspace / "clean.py").write_text(CLEAN)
    installed = made.step("Install tilecheck")
    assert installed.status == 0, installed.out
    return made


@pytest.mark.slow
def test_the_action_annotates_findings_and_fails(runner: Runner) -> None:
    ran = runner.step("Check")
    assert (ran.status, ran.outputs) == (1, "status=1\n")
    assert ran.out.startswith("::error file=racy.py,line=8,endLine=8,col=5,endColumn=27,title=TC101 ")


@pytest.mark.slow
def test_the_installation_has_rule_pages_and_schemas(runner: Runner) -> None:
    installed = {path.name for path in (runner.temporary / "tilecheck").rglob("tilecheck/**/*") if path.is_file()}
    assert {"report-1.json", "baseline-1.json", "overlapping_write.py"} <= installed
    runner.step("Check", args="--format sarif:installed.sarif")
    assert '"markdown": "# TC101' in (runner.workspace / "installed.sarif").read_text()


@pytest.mark.slow
def test_inputs_reach_the_command(runner: Runner) -> None:
    assert runner.step("Check", paths="clean.py").status == 0
    assert runner.step("Check", paths="clean.py racy.py", args="--exit-zero --select TC1").outputs == "status=0\n"
    ran = runner.step("Check", args="--format sarif:report.sarif", format="concise")
    assert ran.out.startswith("racy.py:8:5: TC101") and (runner.workspace / "report.sarif").exists()
    assert runner.step("Check", args="--no-such-option").outputs == "status=2\n"


@pytest.mark.slow
def test_inputs_are_never_run(runner: Runner) -> None:
    for evil in ("$(touch evil)", "`touch evil`", "; touch evil", "&& touch evil", '"; touch evil; "', "*"):
        runner.step("Check", paths=evil, args=evil, format=evil)
    runner.step("Install tilecheck", version='9.9.9"; touch evil; "')
    assert not (runner.workspace / "evil").exists()


@pytest.mark.slow
def test_an_unknown_version_is_an_error(runner: Runner) -> None:
    assert runner.step("Install tilecheck", version="999.0").status != 0


def test_an_old_python_is_reported(tmp_path: Path) -> None:
    old = tmp_path / "old_python"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    ran = Runner(ROOT, tmp_path, tmp_path).step("Install tilecheck", python=str(old))
    assert ran.status == 2 and ran.out.startswith("::error title=tilecheck::Python 3.11 or later is needed")
