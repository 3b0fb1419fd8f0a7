"""The hooks, run by the real pre-commit from a repository with this tree."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.conftest import CLEAN, RACY
from tests.integrations.conftest import ROOT, environment, git

yaml = pytest.importorskip("yaml")

HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}

FIXABLE = """\
import cuda.tile as ct
from tilecheck import requires


@requires("T >= 1")
@ct.kernel
def clean(a, c, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(a, (i,), (T,)))  # tilecheck: allow[TC101] it was not
"""


def test_one_hook_checks_and_one_fixes() -> None:
    assert set(HOOKS) == {"tilecheck", "tilecheck-fix"}
    for hook in HOOKS.values():
        assert {"name", "description", "entry", "language"} <= set(hook)
        assert hook["language"] == "python" and hook["require_serial"] is True
    assert "--fix" in HOOKS["tilecheck-fix"]["entry"].split() and "--fix" not in HOOKS["tilecheck"]["entry"].split()


@dataclass(frozen=True)
class Repository:
    """A repository whose commits are checked."""

    folder: Path
    cache: Path

    def hook(self, name: str, *arguments: str) -> tuple[int, str]:
        """Run a hook on all files that are staged or committed."""
        git(self.folder, "add", "-A")
        command = [sys.executable, "-m", "pre_commit", "run", name, "--all-files", "--color", "never", *arguments]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False,
                              env=environment(PRE_COMMIT_HOME=str(self.cache)))
        return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def repository(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Hooks are installed as usual: pre-commit clones the repository and installs it in an environment."""
    pytest.importorskip("pre_commit")
    made = Repository(tmp_path_factory.mktemp("repository"), tmp_path_factory.mktemp("cache"))
    git(made.folder, "init", "-q", "-b", "main")
    hooks = [{"id": name} for name in HOOKS]
    config = {"repos": [{"repo": f"file://{source}", "rev": git(source, "rev-parse", "HEAD"), "hooks": hooks}]}
    (made.folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    (made.folder / "pyproject.toml").write_text('[tool.tilecheck]\nexclude = ["vendored/"]\n')
    return made


@pytest.mark.slow
def test_a_race_stops_the_commit_and_a_clean_file_does_not(repository: Repository) -> None:
    (repository.folder / "kernel.py").write_text(RACY)
    status, out = repository.hook("tilecheck")
    assert status == 1, out
    assert "error[TC101]" in out and "kernel.py:8:5" in out and "exit code: 1" in out
    (repository.folder / "kernel.py").write_text(CLEAN)
    status, out = repository.hook("tilecheck")
    assert status == 0 and "Passed" in out, out


@pytest.mark.slow
def test_files_that_are_excluded_are_not_checked_although_pre_commit_names_them(repository: Repository) -> None:
    (repository.folder / "vendored").mkdir()
    (repository.folder / "vendored" / "racy.py").write_text(RACY)
    status, out = repository.hook("tilecheck")
    assert status == 0, out


@pytest.mark.slow
def test_the_hook_that_fixes_changes_the_file_and_stops_the_commit_once(repository: Repository) -> None:
    (repository.folder / "kernel.py").write_text(FIXABLE)
    status, out = repository.hook("tilecheck-fix")
    assert status == 1 and "files were modified by this hook" in out, out
    assert "allow[" not in (repository.folder / "kernel.py").read_text()
    status, out = repository.hook("tilecheck-fix")
    assert status == 0, out
