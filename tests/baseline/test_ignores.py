"""`--add-ignore REASON`: suppressions for all findings, and no other change."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest

from tests.baseline.conftest import Git
from tests.cli.conftest import CLEAN, RACY, Run
from tests.cli.test_check import codes
from tilecheck.baseline.ignores import IgnoreError, check_reason

KERNEL = "@ct.kernel\ndef racy"
STORE = "ct.store(c, (i, 0), t)"
ALLOW = "  # tilecheck: allow[TC101] known"

TWO_CODES = """\
import cuda.tile as ct


@ct.kernel
def both(a, n, c, T: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    offsets = ct.arange(T, dtype=ct.int32)
    ct.scatter(c, offsets // 2, ct.gather(a, offsets, check_bounds=False), check_bounds=False)
"""

LAUNCH = """\
import cuda.tile as ct

from clean import clean


def main(stream, x, y):
    ct.launch(
        stream, (4, 1, 1), clean,
        (x, y),
    )
"""

CASES: dict[str, tuple[str, str]] = {
    "a plain statement": (RACY, RACY.replace(STORE, STORE + ALLOW)),
    "several lines": (
        RACY.replace(STORE, "ct.store(\n        c,\n        (i, 0),\n        t,\n    )"),
        RACY.replace(STORE, f"ct.store(\n        c,\n        (i, 0),\n        t,\n    ){ALLOW}")),
    "a line that goes on": (
        RACY.replace(STORE, "ct.store(c, \\\n        (i, 0), t)"),
        RACY.replace(STORE, f"ct.store(c, \\\n        (i, 0), t){ALLOW}")),
    "two statements on a line": (RACY.replace(STORE, f"x = 1; {STORE}"), RACY.replace(STORE, f"x = 1; {STORE}{ALLOW}")),
    "under a one-line if": (
        RACY.replace(STORE, f"if i == i: {STORE}"), RACY.replace(STORE, f"if i == i: {STORE}{ALLOW}")),
    "after a comment": (
        RACY.replace(STORE, f"{STORE}  # noqa: E501"), RACY.replace(STORE, f"{STORE}  # noqa: E501{ALLOW}")),
    "with blanks at the end": (RACY.replace(STORE, f"{STORE}   "), RACY.replace(STORE, STORE + ALLOW)),
    "at the end of a file without a line end": (RACY.rstrip("\n"), RACY.replace(STORE, STORE + ALLOW).rstrip("\n")),
    "a comment inside a call that has an opt-out": (
        RACY.replace(STORE, "ct.store(  # tilecheck: allow[TC102] old\n        c, (i, 0), t)"),
        RACY.replace(STORE, "ct.store(  # tilecheck: allow[TC102, TC101] old; known\n        c, (i, 0), t)")),
    "an opt-out of another rule": (
        RACY.replace(STORE, f"{STORE}  # note  # tilecheck: allow[TC102] old  # more"),
        RACY.replace(STORE, f"{STORE}  # note  # tilecheck: allow[TC102, TC101] old; known  # more")),
    "an opt-out of another rule with the same reason": (
        RACY.replace(STORE, f"{STORE}  # tilecheck: allow[TC102] is known"),
        RACY.replace(STORE, f"{STORE}  # tilecheck: allow[TC102, TC101] is known")),
    "an opt-out in the line above": (
        RACY.replace(STORE, f"# tilecheck: allow[TC102] old\n    {STORE}"),
        RACY.replace(STORE, f"# tilecheck: allow[TC102, TC101] old; known\n    {STORE}")),
    "an opt-out without a reason": (
        RACY.replace(STORE, f"{STORE}  # tilecheck: allow[TC101]"),
        RACY.replace(STORE, f"{STORE}  # tilecheck: allow[TC101] known")),
    "an opt-out of the whole kernel stays of its rule": (
        RACY.replace(KERNEL, f"# tilecheck: allow[TC102] old\n{KERNEL}"),
        RACY.replace(KERNEL, f"# tilecheck: allow[TC102] old\n{KERNEL}").replace(STORE, STORE + ALLOW)),
    "a text that looks like an opt-out": (
        RACY.replace(STORE, f'{STORE}; s = "# tilecheck: allow[TC102] x"'),
        RACY.replace(STORE, f'{STORE}; s = "# tilecheck: allow[TC102] x"{ALLOW}')),
    "a text of several lines": (
        RACY.replace(STORE, f'{STORE}; s = """\n  a\n"""'), RACY.replace(STORE, f'{STORE}; s = """\n  a\n"""{ALLOW}')),
    "form feeds": (
        RACY.replace("    i, j", "\f    i, j"),
        RACY.replace("    i, j", "\f    i, j").replace(STORE, STORE + ALLOW)),
    "a form feed before an opt-out": (
        RACY.replace(f"    {STORE}", f"\f    {STORE}  # tilecheck: allow[TC102] old"),
        RACY.replace(f"    {STORE}", f"\f    {STORE}  # tilecheck: allow[TC102, TC101] old; known")),
}


@pytest.mark.parametrize("name", CASES)
def test_a_suppression_is_added_at_the_end_of_the_statement(run: Run, name: str) -> None:
    before, after = CASES[name]
    Path("k.py").write_bytes(before.encode())
    run("k.py", "--add-ignore", "known")
    assert Path("k.py").read_bytes().decode() == after
    left = codes(run("k.py", "--format", "concise").out)
    idle = ["TC901"] if "allow[TC102" in after and '"# tile' not in after else []
    assert left == idle  # what suppressed nothing before suppresses nothing now


ENCODINGS: dict[str, tuple[str, bytes, bytes]] = {
    "CRLF": (RACY.replace("\n", "\r\n"), STORE.encode(), (STORE + ALLOW).encode()),
    "CR": (RACY.replace("\n", "\r"), STORE.encode(), (STORE + ALLOW).encode()),
    "mixed line ends": (RACY.replace("\n", "\r\n", 3), STORE.encode(), (STORE + ALLOW).encode()),
    "tabs": (RACY.replace("    ", "\t"), STORE.encode(), (STORE + ALLOW).encode()),
    "a byte order mark": ("\ufeff" + RACY, STORE.encode(), (STORE + ALLOW).encode()),
    "wide characters": (RACY.replace(STORE, f'{STORE}; s = "\u4e2d\u6587 \U0001f600"'), '\U0001f600"'.encode(),
                        f'\U0001f600"{ALLOW}'.encode()),
}


@pytest.mark.parametrize("name", ENCODINGS)
def test_the_rest_of_the_file_stays_byte_for_byte(run: Run, name: str) -> None:
    text, old, new = ENCODINGS[name]
    data = text.encode()
    Path("k.py").write_bytes(data)
    assert run("k.py", "--add-ignore", "known").status == 0
    assert data.count(old) == 1
    assert Path("k.py").read_bytes() == data.replace(old, new)
    assert codes(run("k.py", "--format", "concise").out) == []


def test_other_encodings_are_preserved_and_unencodable_reasons_refused(run: Run) -> None:
    data = f"# -*- coding: latin-1 -*-\n# caf\u00e9\n{RACY}".encode("latin-1")
    Path("k.py").write_bytes(data)
    result = run("k.py", "--add-ignore", "\u4e2d")
    assert Path("k.py").read_bytes() == data
    printed = result.err.replace("iso-8859-1", "latin-1")
    assert "k.py: not written: the reason has characters that its encoding, latin-1, does not have" in printed
    assert result.status == 1
    assert run("k.py", "--add-ignore", "d\u00e9j\u00e0").status == 0
    assert Path("k.py").read_bytes() == data.replace(
        STORE.encode(), f"{STORE}  # tilecheck: allow[TC101] d\u00e9j\u00e0".encode("latin-1"))


def test_several_rules_on_a_statement_share_one_suppression(run: Run) -> None:
    Path("k.py").write_text(TWO_CODES)
    found = codes(run("k.py", "--format", "concise").out)
    assert len(set(found)) > 1
    assert run("k.py", "--add-ignore", "known").status == 0
    assert f"# tilecheck: allow[{', '.join(sorted(set(found)))}] known\n" in Path("k.py").read_text()
    assert codes(run("k.py", "--format", "concise").out) == []


def test_findings_on_definitions_and_launches_get_suppressions(run: Run) -> None:
    Path("launch.py").write_text(LAUNCH)
    assert codes(run("launch.py", "clean.py", "--format", "concise").out) == ["TC408"]
    assert run("launch.py", "clean.py", "--add-ignore", "known").status == 0
    assert Path("launch.py").read_text() == LAUNCH.rstrip("\n") + "  # tilecheck: allow[TC408] known\n"


DECORATED = """\
from __future__ import annotations
from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel


@kernel(
    occupancy=2,
)
def scale(
    z: Mut[f32, 16],
    x,
) -> None:
    z.store(z.load())
"""


def test_a_definition_gets_it_after_its_head(run: Run) -> None:
    Path("k.py").write_text(DECORATED)
    found = codes(run("k.py", "--format", "concise").out)
    assert "TC110" in found
    run("k.py", "--add-ignore", "known")
    assert ") -> None:  # tilecheck: allow[TC110] known\n" in Path("k.py").read_text()
    assert codes(run("k.py", "--format", "concise").out) == []


def test_all_of_a_folder_is_clean_afterwards(run: Run) -> None:
    Path("launch.py").write_text(LAUNCH)
    Path("two.py").write_text(TWO_CODES)
    before = {path: path.read_text() for path in Path().glob("*.py")}
    result = run(".", "--add-ignore", "  inherited\n code ", "--strict", "--fail-level", "warning")
    assert result.status == 0 and result.err.endswith(" written to 4 files\n")
    assert run(".", "--strict", "--fail-level", "warning").status == 0
    for path, text in before.items():
        assert ast.dump(ast.parse(path.read_text())) == ast.dump(ast.parse(text))
    after = {path: path.read_text() for path in before}
    assert run(".", "--add-ignore", "again", "--strict").err == "suppressions for 0 findings written to 0 files\n"
    assert {path: path.read_text() for path in before} == after
    assert after[Path("clean.py")] == before[Path("clean.py")]


def test_only_reported_findings_get_a_suppression(run: Run, git: Git) -> None:
    run(".", "--select", "TC102", "--add-ignore", "known")
    assert Path("racy.py").read_text() == RACY
    run(".", "--baseline", "known.json", "--update-baseline")
    Path("new.py").write_text(RACY)
    run(".", "--baseline", "known.json", "--add-ignore", "known")
    assert Path("racy.py").read_text() == RACY and ALLOW in Path("new.py").read_text()
    Path("newer.py").write_text(RACY)
    run(".", "--since", "HEAD", "--add-ignore", "known")
    assert Path("racy.py").read_text() == RACY and ALLOW in Path("newer.py").read_text()


def test_a_helper_that_is_not_checked_is_not_written(run: Run) -> None:
    Path("helper.py").write_text("import cuda.tile as ct\n\n\ndef put(c, i, t):\n    ct.store(c, (i, 0), t)\n")
    text = RACY.replace("as ct\n", "as ct\nfrom helper import put\n")
    Path("user.py").write_text(text.replace(STORE, "put(c, i, t)"))
    before = Path("helper.py").read_text()
    result = run("user.py", "--add-ignore", "known")
    assert "helper.py: not written, since it is not among the checked files" in result.err
    assert (result.status, Path("helper.py").read_text()) == (1, before)
    assert run("user.py", "helper.py", "--add-ignore", "known").status == 0


def test_modes_and_links_are_preserved(run: Run) -> None:
    Path("racy.py").chmod(0o750)
    Path("link.py").symlink_to("racy.py")
    assert run("link.py", "--add-ignore", "known").status == 0
    assert Path("link.py").is_symlink() and ALLOW in Path("racy.py").read_text()
    assert os.stat("racy.py").st_mode & 0o777 == 0o750
    assert not [name for name in os.listdir() if name.startswith(".racy")]


def test_a_link_that_leads_out_is_not_followed(run: Run, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text(RACY)
    Path("link.py").symlink_to(outside)
    result = run("link.py", "--add-ignore", "known")
    assert "link.py: not written, since it is a link to a file in another folder" in result.err
    assert (result.status, outside.read_text(), Path("link.py").is_symlink()) == (1, RACY, True)


@pytest.mark.parametrize("reason", ["", "  ", "a # b", "a\x1bb", "\u200b"])
def test_an_empty_reason_is_refused(run: Run, reason: str) -> None:
    with pytest.raises(IgnoreError):
        check_reason(reason)
    result = run("racy.py", "--add-ignore", reason)
    assert result.status == 2 and result.err.startswith("error: --add-ignore: ") and result.err.count("\n") == 1
    assert Path("racy.py").read_text() == RACY


def test_a_clean_file_is_not_touched(run: Run) -> None:
    before = os.stat("clean.py").st_mtime_ns
    assert run("clean.py", "--add-ignore", "known").status == 0
    assert (Path("clean.py").read_text(), os.stat("clean.py").st_mtime_ns) == (CLEAN, before)


def test_the_baseline_is_mentioned_once_and_still_applies(run: Run) -> None:
    Path("new.py").write_text(RACY)
    run("new.py", "--baseline", "known.json", "--update-baseline")
    Path("new.py").write_text(CLEAN)
    command = (".", "--baseline", "known.json", "--error-stale-baseline", "--add-ignore", "known")
    result = run(*command)
    assert result.err.splitlines() == [
        "suppressions for 2 findings written to 2 files",
        "error: known.json: 1 finding no longer found (new.py); `--prune-baseline` removes them"]
    assert result.status == 1
    again = run(*command)
    assert (again.status, again.err.splitlines()[1:]) == (1, result.err.splitlines()[1:])
