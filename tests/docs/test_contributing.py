"""The recipes of CONTRIBUTING are diffs of changes that the repository contains, and its programs run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def _added_lines() -> list[tuple[str, str]]:
    added = []
    for diff in re.findall(r"```diff\n(.*?)```", PAGE, re.DOTALL):
        file = ""
        for line in diff.splitlines():
            if line.startswith("+++ b/"):
                file = line.removeprefix("+++ b/")
                added.append((file, ""))
            elif line.startswith("+"):
                added.append((file, line[1:]))
    return added


@pytest.mark.parametrize(("file", "line"), _added_lines())
def test_the_file_contains_the_line(file: str, line: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    assert not line or line in text.splitlines()


def test_folders_of_the_map_exist() -> None:
    for folder in re.findall(r"^\| [^|]+ \| `([\w/]+/)[A-Z./a-z]*` \|$", PAGE, re.MULTILINE):
        assert (ROOT / folder.split("GROUP")[0]).is_dir(), folder


def test_the_trace_of_a_kernel_runs() -> None:
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120,
                          check=True)
    assert len(done.stdout.splitlines()) > 10
