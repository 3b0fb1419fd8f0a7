"""A way to write a small tree of files and open it as a project."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from tilecheck.project.project import Project


@pytest.fixture
def project(tmp_path: Path) -> Callable[..., Project]:
    """Write files, given by their paths and texts, and open them; `given` are the ones to be checked."""

    def build(files: dict[str, str], *, roots: bool = True, given: list[str] | None = None) -> Project:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text), encoding="utf-8")
        return Project([tmp_path / name for name in given or files], [tmp_path] if roots else [])

    return build
