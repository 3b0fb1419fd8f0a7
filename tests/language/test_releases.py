"""The rules on the language are for known releases: of a newer one, and under a condition, nothing is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilecheck.api import check_source
from tilecheck.config import Config, ConfigError, load_config
from tilecheck.ops.releases import is_newer

KERNEL = """\
import cuda.tile as ct
{above}
{definition}
"""
PLAIN = "@ct.kernel\ndef k(x):\n    ct.store(x, 0, ct.newest(ct.load(x, 0, 16)))\n"


def list_codes(above: str = "", definition: str = PLAIN, config: Config | None = None) -> list[str]:
    text = KERNEL.format(above=above, definition=definition)
    report = check_source(text, "k.py", config or Config(use_cache=False, jobs=1))
    assert not report.failures
    return [d.code for d in report.diagnostics if d.code.startswith("TC6")]


def test_releases_are_ordered_by_their_numbers() -> None:
    assert is_newer("1.8") and is_newer("1.10") and is_newer("2.0.1")
    assert not is_newer("1.7") and not is_newer("1.7.3") and not is_newer("1.6")


def test_a_name_of_a_newer_release_is_not_refused() -> None:
    assert list_codes() == ["TC601"]
    assert list_codes(config=Config(use_cache=False, jobs=1, cuda_tile="1.7")) == ["TC601"]
    assert list_codes(config=Config(use_cache=False, jobs=1, cuda_tile="1.8")) == []


@pytest.mark.parametrize(("text", "release"), [
    ('[project]\ndependencies = ["cuda-tile>=1.8"]\n[tool.tilecheck]\n', "1.8"),
    ('[project]\ndependencies = ["numpy", "cuda_tile ~= 1.9.2 ; sys_platform"]\n[tool.tilecheck]\n', "1.9"),
    ('[project.optional-dependencies]\ngpu = ["cuda-tile[tileiras]==1.7.0"]\n[tool.tilecheck]\n', "1.7"),
    ('[project]\ndependencies = ["cuda-tile"]\n[tool.tilecheck]\ncuda-tile = "2.0"\n', "2.0"),
    ('[project]\ndependencies = ["cuda-tile", "cuda-tile-stubs>=3.1"]\n[tool.tilecheck]\n', ""),
])
def test_the_release_is_that_of_the_project(text: str, release: str, tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(text)
    assert load_config((tmp_path,)).cuda_tile == release


def test_a_release_is_a_text(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.tilecheck]\ncuda-tile = 1.8\n")
    with pytest.raises(ConfigError, match="a release"):
        load_config((tmp_path,))


INDENTED = "".join(f"    {line}\n" for line in PLAIN.splitlines())


@pytest.mark.parametrize(("above", "definition"), [
    ('if hasattr(ct, "newest"):', INDENTED),
    ("try:", f"{INDENTED}except AttributeError:\n    pass\n"),
    ("try:\n    from cuda.tile import newest\nexcept ImportError:\n    newest = None",
     PLAIN.replace("ct.newest", "newest")),
    ('if hasattr(ct, "newest"):\n    def helper(t):\n        return ct.newest(t)\n',
     PLAIN.replace("ct.newest", "helper")),
    ("", PLAIN.replace("ct.newest", "ct._newest")),
])
def test_a_name_under_a_condition_is_not_refused(above: str, definition: str) -> None:
    assert list_codes(above, definition) == []


def test_a_name_of_a_plain_import_is_refused() -> None:
    assert list_codes("from cuda.tile import newest", PLAIN.replace("ct.newest", "newest")) == ["TC601"]
