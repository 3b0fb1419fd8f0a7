"""`tilecheck migrate`: what it prints, writes, and exits with."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.docs.markdown import ROOT
from tilecheck_runtime.commands.migrate import command

ADD = str(ROOT / "examples" / "vector_add.py") + "::vector_add"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments), standalone_mode=False, catch_exceptions=True)


def test_the_kernel_goes_to_standard_output_and_the_log_to_standard_error() -> None:
    result = run(ADD)
    assert result.return_value == 0
    assert result.stdout.startswith('"""`vector_add` of vector_add.py in the ownership dialect."""\n')
    assert result.stderr == ("vector_add: proved, type-checked, and the same as the original in 6 sample launches; "
                             "launch it with out.partition(T), from which the grid follows\n")


def test_a_file_is_written_once(tmp_path: Path) -> None:
    out = tmp_path / "new.py"
    assert run(ADD, "-o", str(out)).return_value == 0
    text = out.read_text()
    assert "@kernel\ndef vector_add(" in text
    assert "is there already" in str(run(ADD, "-o", str(out)).exception)
    assert out.read_text() == text


def test_a_refusal_is_status_1_and_writes_nothing(tmp_path: Path) -> None:
    out = tmp_path / "new.py"
    result = run(str(ROOT / "examples" / "head_permutation.py") + "::permute_heads_racy", "-o", str(out))
    assert (result.return_value, result.stdout) == (1, "")
    assert result.stderr.startswith("not migrated: ")
    assert "head_permutation.py:23: the kernel has a finding: TC101" in result.stderr
    assert not out.exists()


@pytest.mark.parametrize(("arguments", "why"), [
    (["x.py"], "write the file and the kernel"), (["no/such.py::k"], "there is no such file"),
    ([f"{ADD}s"], "vector_add.py has no kernel `vector_adds`; it has vector_add"),
    ([ADD, "--type", "x"], "write the array and its element type"), ([ADD, "--type", "x=f17"], "types are"),
])
def test_a_wrong_command_line_is_reported(arguments: list[str], why: str) -> None:
    result = run(*arguments)
    assert result.exception is not None and why in str(result.exception)


def test_the_command_is_registered() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    entries = project["project"]["entry-points"]["tilecheck.commands"]
    assert entries["migrate"] == "tilecheck_runtime.commands.migrate:command"
