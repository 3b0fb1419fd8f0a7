"""`--fix`, `--diff` and their relatives: the files that they write, the output, and exit statuses."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Run, run  # noqa: F401
from tests.repair.apply.test_run import PADDED, SUM
from tests.repair.helpers import kernel, propose_useless

TEXT = kernel(SUM, "x, o, T: Int")
FIXED = kernel(PADDED, "x, o, T: Int")
RACE = kernel("i, j = ct.bid(0), ct.bid(1)\nt = ct.load(x, (i, j), (T, T))\nct.store(o, (i, 0), t)", "x, o, T: Int")


@pytest.fixture
def file(run: Run) -> Path:  # noqa: F811
    """A file with one safe fix, in a project of its own."""
    path = Path("sums.py")
    path.write_text(TEXT)
    return path


def test_fix_changes_the_file_and_reports_the_rest(run: Run, file: Path) -> None:  # noqa: F811
    result = run("--fix", "sums.py")
    assert (result.status, file.read_text()) == (0, FIXED)
    assert result.err == "fixed 1 finding in 1 file\n"
    assert result.out.startswith("No findings in 1 file")
    again = run("--fix", "sums.py")
    assert (again.status, again.err) == (0, "")


def test_the_remaining_findings_decide_the_exit_status(run: Run, file: Path) -> None:  # noqa: F811
    file.write_text(TEXT + RACE.partition("@ct.kernel")[0].join(["", ""]) + "\n\n@ct.kernel" +
                    RACE.partition("@ct.kernel")[2].replace("def k(", "def race("))
    result = run("--fix", "sums.py")
    assert result.status == 1 and "error[TC101]" in result.out
    assert "1 more finding may be fixed with --unsafe-fixes" in result.err
    result = run("--fix", "--unsafe-fixes", "sums.py")
    assert result.status == 0 and "(i, j), t)" in file.read_text()


def test_diff_writes_nothing_and_can_be_applied(run: Run, file: Path) -> None:  # noqa: F811
    result = run("--diff", "sums.py")
    assert (result.status, file.read_text()) == (1, TEXT)
    assert result.err == "would fix 1 finding in 1 file\n"
    assert result.out.startswith("--- sums.py\n+++ sums.py\n@@ ")
    subprocess.run(["git", "apply", "-p0"], input=result.out.encode(), check=True)
    assert file.read_text() == FIXED
    assert run("--diff", "sums.py").status == 0
    assert run("--diff", "sums.py").out == ""


def test_diff_goes_before_fix(run: Run, file: Path) -> None:  # noqa: F811
    assert run("--diff", "--fix", "sums.py").status == 1
    assert file.read_text() == TEXT


def test_a_diff_of_a_file_without_a_last_newline_says_so(run: Run, file: Path) -> None:  # noqa: F811
    file.write_text(TEXT.rstrip("\n").replace("(1, T))", "(1, T))"))
    out = run("--diff", "sums.py").out
    assert "\\ No newline at end of file\n" in out
    subprocess.run(["git", "apply", "-p0"], input=out.encode(), check=True)
    assert file.read_text() == FIXED.rstrip("\n")


def test_fix_only_reports_nothing(run: Run, file: Path) -> None:  # noqa: F811
    Path("sums.py").write_text(TEXT)
    Path("racy.py").write_text(RACE)
    result = run("--fix-only", ".")
    assert (result.status, result.out, file.read_text()) == (0, "", FIXED)


def test_exit_non_zero_on_fix(run: Run, file: Path) -> None:  # noqa: F811
    for options in (["--fix"], ["--fix-only"]):
        file.write_text(TEXT)
        assert run(*options, "--exit-non-zero-on-fix", "sums.py").status == 1
        assert file.read_text() == FIXED
        assert run(*options, "--exit-non-zero-on-fix", "sums.py").status == 0


def test_show_fixes_lists_them(run: Run, file: Path) -> None:  # noqa: F811
    result = run("--fix", "--show-fixes", "sums.py")
    assert result.err == ("fixed 1 finding in 1 file\nsums.py:\n"
                          "    1 x TC301 (undefined-padding): load with padding_mode=ZERO\n")


def test_unfixed_findings_are_reported_with_the_reason(
    run: Run, file: Path, monkeypatch: pytest.MonkeyPatch,  # noqa: F811
) -> None:
    monkeypatch.setattr("tilecheck.repair.apply.run.fixes_for", propose_useless)
    file.write_text(kernel("i = ct.bid(0)\nct.store(c, (i // 2,), ct.load(a, (i,), (T,)))", "a, c, T: Int"))
    before = file.read_text()
    result = run("--fix", "--unsafe-fixes", "sums.py")
    assert result.status == 1 and file.read_text() == before
    assert result.err == "not fixed: sums.py:9:5: TC101: divide by 3: it would not remove the finding\n"


def test_without_fix_nothing_is_changed(run: Run, file: Path) -> None:  # noqa: F811
    assert run("--unsafe-fixes", "--show-fixes", "sums.py").status == 0
    assert file.read_text() == TEXT


def test_standard_input_is_fixed_to_standard_output(run: Run) -> None:  # noqa: F811
    result = run("--fix", "-", stdin=TEXT.replace("\n", "\r\n"))
    assert (result.status, result.out) == (0, FIXED.replace("\n", "\r\n"))
    assert "No findings" in result.err
    result = run("--fix", "--stdin-filename", "x.py", "-", stdin=RACE)
    assert (result.status, result.out) == (1, RACE)
    assert "x.py:10:5" in result.err
    assert run("--diff", "-", stdin=TEXT).out.startswith("--- <stdin>\n")


def test_json_goes_undisturbed_to_standard_output(run: Run, file: Path) -> None:  # noqa: F811
    import json

    result = run("--fix", "--show-fixes", "--format", "json", "sums.py")
    assert json.loads(result.out)["diagnostics"] == []


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o755])
def test_the_mode_of_a_file_stays(run: Run, file: Path, mode: int) -> None:  # noqa: F811
    file.chmod(mode)
    run("--fix", "sums.py")
    assert file.stat().st_mode & 0o777 == mode
    assert sorted(path.name for path in Path().glob(".tilecheck-*")) == []


def test_a_link_stays_a_link(run: Run, file: Path) -> None:  # noqa: F811
    Path("link.py").symlink_to("sums.py")
    run("--fix", "link.py")
    assert Path("link.py").is_symlink() and file.read_text() == FIXED


def test_a_link_in_a_folder_that_leads_out_of_it_is_not_followed(run: Run, tmp_path: Path) -> None:  # noqa: F811
    outside = tmp_path / "outside.py"
    outside.write_text(TEXT)
    Path("in").mkdir()
    Path("in/link.py").symlink_to(outside)
    run("--fix", "in")
    assert outside.read_text() == TEXT
    run("--fix", "in/link.py")  # one that is named is meant
    assert outside.read_text() == FIXED


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everything")
def test_a_file_that_cannot_be_written_is_status_2(run: Run, file: Path) -> None:  # noqa: F811
    file.chmod(0o444)
    result = run("--fix", "sums.py")
    assert (result.status, file.read_text()) == (2, TEXT)


def test_a_file_that_changes_meanwhile_is_not_written(run: Run, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    import tilecheck.cli.commands.fix as command

    def interfere(*arguments: object) -> object:
        file.write_text("# by someone else\n")
        return write(*arguments)  # type: ignore[arg-type]

    write = command.write_all
    monkeypatch.setattr(command, "write_all", interfere)
    result = run("--fix", "sums.py")
    assert result.status == 2 and "has changed while it was being fixed" in result.err
    assert file.read_text() == "# by someone else\n"


def test_several_paths_cannot_be_combined_with_standard_input(run: Run) -> None:  # noqa: F811
    assert run("--fix", "-", "racy.py").status == 2


def test_unneeded_bounds_checks_are_dropped_only_on_request(run: Run, file: Path) -> None:  # noqa: F811
    body = "i = ct.bid(0)\nct.store(c, (i,), ct.load(a, (i,), (T,)))"
    text = kernel(body, "a, c, T: Int").replace("as ct\n", "as ct\nfrom tilecheck import requires\n", 1).replace(
        "@ct.kernel", '@requires("grid[0] * T <= c.shape[0]")\n@ct.kernel')
    file.write_text(text)
    run("--fix", "--unsafe-fixes", "sums.py")
    assert file.read_text() == text
    run("--fix", "--drop-bounds-checks", "sums.py")
    # nothing says that `a` is as long as `c`
    assert file.read_text() == text.replace("(T,)))", "(T,)), check_bounds=False)")
