"""`--format FORMAT[:FILE]`, `-o`, the environment, and colour."""

from __future__ import annotations

import ast
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run, run  # noqa: F401
from tilecheck.report.formats import FORMATS
from tilecheck.report.outputs import Output, OutputError, outputs
from tilecheck.report.style import wants_colour

FIRST = {
    "text": "error[TC101]", "concise": "racy.py:8:5: TC101", "json": "{", "github": "::error ", "gitlab": "[",
    "junit": "<?xml", "sarif": "{",
}


@pytest.mark.parametrize("form", FORMATS)
def test_every_form_is_printed_or_written(run: Run, form: str) -> None:  # noqa: F811
    printed = run("racy.py", "--format", form)
    assert printed.status == 1 and printed.out.startswith(FIRST[form]) and printed.out.endswith("\n")
    for arguments in (["--format", form, "-o", "out"], ["--format", f"{form}:out"], ["--output-format", f"{form}:out"]):
        Path("out").unlink(missing_ok=True)
        written = run("racy.py", *arguments)
        assert (written.status, written.out) == (1, "")
        assert Path("out").read_text(encoding="utf-8") == printed.out


def test_several_forms_at_once(run: Run) -> None:  # noqa: F811
    result = run("racy.py", "--format", "github", "--format", "sarif:r.sarif,json:r.json", "--format", "junit:r.xml")
    assert result.out.startswith("::error ") and result.status == 1
    assert json.loads(Path("r.sarif").read_text())["version"] == "2.1.0"
    assert json.loads(Path("r.json").read_text())["files"] == 1
    assert Path("r.xml").read_text().startswith("<?xml")


def test_the_environment_says_the_form_and_the_option_wins(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setenv("TILECHECK_OUTPUT_FORMAT", "concise")
    assert run("racy.py").out.startswith("racy.py:8:5: TC101")
    assert run("racy.py", "--format", "json").out.startswith("{")
    monkeypatch.setenv("TILECHECK_OUTPUT_FORMAT", "github sarif:e.sarif")
    assert run("racy.py").out.startswith("::error ")
    assert Path("e.sarif").exists()
    monkeypatch.setenv("TILECHECK_OUTPUT_FORMAT", "nonsense")
    assert run("racy.py").status == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--format", "sarf"], "there is no format 'sarf'; did you mean 'sarif'?"),
        (["--format", "sarif:"], "a file must follow the colon"),
        (["--format", "text", "--format", "json"], "two reports would go to standard output"),
        (["--format", "text,json", "-o", "x"], "two reports would go to one file"),
        (["--format", "json:x,sarif:x"], "two reports would go to one file"),
        (["--format", "sarif:no/such/folder"], "no/such/folder: No such file or directory"),
    ],
)
def test_an_unwritable_report_is_an_error_in_one_line(run: Run, arguments: list[str], message: str) -> None:  # noqa: F811
    result = run("racy.py", *arguments)
    assert result.status == 2 and message in result.err and result.err.count("\n") == 1


def test_an_unknown_format_is_reported_before_the_check(run: Run) -> None:  # noqa: F811
    assert run("no-such-file.py", "--format", "xml").err.startswith("error: there is no format 'xml'")


def test_values_are_read_as_forms_and_files() -> None:
    assert outputs([], Path("o")) == (Output("text", Path("o")),)
    assert outputs(["github", "sarif:C:\\x.sarif"], None) == (
        Output("github", None), Output("sarif", Path("C:\\x.sarif"))
    )
    with pytest.raises(OutputError):
        outputs(["text,text"], None)


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("variables", "terminal", "elsewhere"),
    [
        ({}, True, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"NO_COLOR": ""}, True, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
        ({"TERM": "dumb"}, False, False),
    ],
)
def test_colour(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], terminal: bool, elsewhere: bool) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert wants_colour(_Terminal()) is terminal
    assert wants_colour(io.StringIO()) is elsewhere


def test_only_the_text_on_standard_output_is_coloured(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1;31m" in run("racy.py").out
    run("racy.py", "-o", "plain.txt")
    assert "\x1b" not in Path("plain.txt").read_text()
    for form in sorted(FORMATS.keys() - {"text"}):
        assert "\x1b" not in run("racy.py", "--format", form).out


def test_a_plain_check_loads_no_other_format() -> None:
    """Nor the modules for baselines, suppressions and revisions: all of them take a while to load."""
    code = (
        "import sys; from tilecheck.cli.app import main; main(['examples/vector_add.py', '-q', '--no-cache']);"
        "print(sorted(sys.modules))"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    loaded = set(ast.literal_eval(done.stdout.splitlines()[-1]))
    assert "tilecheck.report.text" in loaded
    others = {f"tilecheck.report.{name}" for name in (*FORMATS, "outputs", "fingerprint") if name != "text"}
    assert loaded.isdisjoint(others)
    assert not {m for m in loaded if m.startswith(("tilecheck.baseline", "tilecheck.commands", "xml"))}
