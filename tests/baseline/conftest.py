"""A project folder for the tests here, and git in it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run, run  # noqa: F401

Git = Callable[..., str]


@pytest.fixture
def git(run: Run, monkeypatch: pytest.MonkeyPatch) -> Git:  # noqa: F811
    """Run git in the project folder, which becomes a repository. All that is there is committed."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", "/dev/null")
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.delenv(name, raising=False)
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Test")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "test@example.org")

    def call(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=True)
        return done.stdout

    call("init", "-q", "-b", "main")
    commit(call)
    return call


def commit(git: Git) -> None:
    """Commit all that is in the folder."""
    if not Path(".gitignore").exists():
        Path(".gitignore").write_text(".tilecheck_cache/\n")
    git("add", "-A")
    git("commit", "-q", "-m", "work")
