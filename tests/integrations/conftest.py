"""The input of the integrations: the checker as users install it, in a folder of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git repository with this tree as it is, including uncommitted files."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    names = [os.fsdecode(name) for name in listed.stdout.split(b"\0") if name] or _walk_files()
    folder = tmp_path_factory.mktemp("source")
    for name in names:
        if (ROOT / name).is_file() and not name.startswith("tests/"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "source")
    return folder


@pytest.fixture(scope="session")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree, built by pip. Tests are skipped where pip cannot download the build backend."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip")
    done = run(*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, source, folder=folder)
    if done.returncode and "No matching distribution found" in done.stderr:
        pytest.skip(f"the build backend cannot be downloaded: {done.stderr}")
    assert not done.returncode, done.stderr
    (built,) = folder.glob("*.whl")
    return built


def run(*command: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, env=environment(), stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False)


def _walk_files() -> list[str]:
    """All files, if this tree is not a repository; environments and caches have names that begin with a dot, and byte
    code is in folders of its own."""
    found = (path.relative_to(ROOT) for path in ROOT.rglob("*"))
    return [str(path) for path in found if not any(part.startswith((".", "__pycache__")) for part in path.parts[:-1])]


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, without the settings of this user."""
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=True)
    return done.stdout.strip()


def environment(**more: str) -> dict[str, str]:
    """The environment without what says where this tree is, and with a name for commits."""
    kept = {name: value for name, value in os.environ.items()
            if name not in ("PYTHONPATH", "CI", "TILECHECK_OUTPUT_FORMAT") and not name.startswith(("GIT_", "GITHUB_"))}
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
           for what, value in (("NAME", "Test"), ("EMAIL", "test@example.org"))}
    return {**kept, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", **who, **more}
