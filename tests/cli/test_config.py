"""Settings: where they come from and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilecheck.config import Config, ConfigError, load_config


def write(folder: Path, text: str) -> Path:
    path = folder / "pyproject.toml"
    path.write_text(text)
    return path


def test_the_nearest_table_counts_and_its_folder_is_the_root(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    write(tmp_path, '[tool.tilecheck]\nstrict = true\ncontracts = ["c.toml"]\ncache-dir = "kept"\n')
    write(tmp_path / "a", "[tool.other]\nx = 1\n")
    config = load_config([inner / "k.py"])
    assert config.strict
    assert config.root == tmp_path
    assert config.contracts == (tmp_path / "c.toml",)
    assert config.cache_folder == tmp_path / "kept"


def test_every_key_is_read(tmp_path: Path) -> None:
    write(
        tmp_path,
        """[tool.tilecheck]
select = ["TC1", "grid-mismatch"]
ignore = ["TC102"]
exclude = ["gen/"]
jobs = 3
respect-gitignore = false
[tool.tilecheck.per-file-ignores]
"tests/*.py" = ["TC101"]
""",
    )
    config = load_config([tmp_path])
    assert config.select == ("TC1", "grid-mismatch")
    assert config.exclude == ("gen/",)
    assert config.workers == 3
    assert not config.respect_gitignore
    assert config.per_file_ignores == (("tests/*.py", ("TC101",)),)
    assert [c for c in ("TC101", "TC102", "TC405", "TC401") if c in config.selection] == ["TC101", "TC405"]


def test_no_file_means_the_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_config([tmp_path]) == Config(root=tmp_path)
    write(tmp_path, "[tool.tilecheck]\nstrict = true\n")
    assert load_config([tmp_path], isolated=True) == Config(root=tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.tilecheck]\nselct = []\n", "unknown key 'selct' in [tool.tilecheck]; did you mean 'select'?"),
        ("[tool.tilecheck]\nzzz = 1\n", "unknown key 'zzz' in [tool.tilecheck]"),
        ("[tool.tilecheck]\nstrict = 1\n", "strict must be true or false"),
        ('[tool.tilecheck]\nselect = "TC101"\n', "select must be a list of strings"),
        ("[tool.tilecheck]\njobs = -1\n", "jobs must be a whole number"),
        ('[tool.tilecheck]\nignore = ["TC999"]\n', "ignore: unknown rule selector 'TC999'"),
        ("[tool]\ntilecheck = 3\n", "tool.tilecheck must be a table"),
        ("[tool.tilecheck\n", "pyproject.toml: "),
    ],
)
def test_wrong_settings_are_reported_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_config([tmp_path])
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_named_file_must_exist_and_hold_the_table(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        load_config([], tmp_path / "none.toml")
    with pytest.raises(ConfigError, match="there is no"):
        load_config([], write(tmp_path, "[tool.other]\n"))


@pytest.mark.parametrize("place", ["../elsewhere", "/tmp", "linked/kept", "a/../../b"])
def test_the_configuration_of_a_project_writes_in_its_folder_only(tmp_path: Path, place: str) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "linked").symlink_to(tmp_path)
    write(project, f'[tool.tilecheck]\ncache-dir = "{place}"\n')
    with pytest.raises(ConfigError, match="cache-dir must be a folder in this folder"):
        load_config([project])
