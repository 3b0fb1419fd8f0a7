"""The checker as a library."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import CLEAN, RACY
from tilecheck.api import check_kernel, check_paths, check_source
from tilecheck.config import Config


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return Config(root=tmp_path, use_cache=False)


def test_source_is_checked_as_text_and_as_bytes(config: Config) -> None:
    for source in (RACY, RACY.encode()):
        report = check_source(source, "racy.py", config)
        assert [(d.code, d.span.file, d.span.line) for d in report.diagnostics] == [("TC101", "racy.py", 8)]
        (found,) = report.diagnostics
        assert found.witness is not None and found.witness.first.block != found.witness.second.block


def test_one_kernel_of_a_file_can_be_checked(tmp_path: Path, config: Config) -> None:
    path = tmp_path / "both.py"
    path.write_text(RACY + "\n\n" + CLEAN.replace("import cuda.tile as ct\n", ""))
    assert [d.code for d in check_kernel(path, "racy", config).diagnostics] == ["TC101"]
    clean = check_kernel(path, "clean", config)
    assert clean.diagnostics == () and [k.name for k in clean.kernels] == ["clean"]


def test_paths_may_be_folders_and_are_cached_on_request_only(tmp_path: Path, config: Config) -> None:
    (tmp_path / "racy.py").write_text(RACY)
    assert [d.code for d in check_paths([tmp_path], config).diagnostics] == ["TC101"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["racy.py"]
