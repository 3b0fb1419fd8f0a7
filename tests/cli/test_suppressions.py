"""`# tilecheck: allow[...]` and `@unsafe`: the findings that they cover, and reports of idle and silent ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import CLEAN, RACY, Run
from tests.cli.test_check import codes

STORE = "    ct.store(c, (i, 0), t)"
KERNEL = "@ct.kernel\ndef racy"


def check(run: Run, text: str, *options: str) -> list[str]:
    Path("k.py").write_text(text)
    return codes(run("k.py", "--format", "concise", *options).out)


@pytest.mark.parametrize("rules", ["TC101", "TC1", "overlapping-write", "ALL", "TC101, TC103"])
def test_a_comment_on_the_line_suppresses_the_rules_that_it_names(run: Run, rules: str) -> None:
    found = check(run, RACY.replace(STORE, f"{STORE}  # tilecheck: allow[{rules}] one block on axis 1"))
    assert found == (["TC901"] if "TC103" in rules else [])


def test_a_comment_above_the_kernel_covers_all_of_it(run: Run) -> None:
    assert check(run, RACY.replace(KERNEL, f"# tilecheck: allow[TC101] one block on axis 1\n{KERNEL}")) == []


def test_another_code_suppresses_nothing_and_is_reported(run: Run) -> None:
    assert check(run, RACY.replace(STORE, f"{STORE}  # tilecheck: allow[TC103] why")) == ["TC101", "TC901"]


def test_an_unused_suppression_is_judged_only_if_its_rule_is_selected(run: Run) -> None:
    text = CLEAN.replace("(T,)))", "(T,)))  # tilecheck: allow[TC101] why")
    assert check(run, text) == ["TC901"]
    assert check(run, text, "--select", "TC103,TC9") == []
    assert check(run, text, "--ignore", "TC901") == []


def test_a_suppression_needs_a_reason(run: Run) -> None:
    assert check(run, RACY.replace(STORE, f"{STORE}  # tilecheck: allow[TC101]")) == ["TC902"]


def test_unsafe_covers_a_kernel_and_needs_a_reason(run: Run) -> None:
    imported = RACY.replace("as ct\n", "as ct\nfrom tilecheck import unsafe\n")
    assert check(run, imported.replace(KERNEL, f'@unsafe("one block on axis 1")\n{KERNEL}')) == []
    assert check(run, imported.replace(KERNEL, f"@unsafe()\n{KERNEL}")) == ["TC902"]
    assert check(run, imported.replace(KERNEL, f"@unsafe\n{KERNEL}")) == ["TC902"]
    below = imported.replace(KERNEL, '@ct.kernel\n@unsafe("one block on axis 1")\ndef racy')
    assert check(run, below) == []


def test_an_unused_unsafe_is_reported(run: Run) -> None:
    text = CLEAN.replace("as ct\n", "as ct\nfrom tilecheck import unsafe\n")
    assert check(run, text.replace("@ct.kernel", '@unsafe("why")\n@ct.kernel')) == ["TC901"]


def test_a_comment_that_names_no_rule_is_reported(run: Run) -> None:
    assert check(run, RACY.replace(STORE, f"{STORE}  # tilecheck: allow[TC999] why")) == ["TC101", "TC901"]


def test_a_comment_in_a_string_is_ignored(run: Run) -> None:
    assert check(run, RACY.replace(STORE, f'{STORE}; s = "# tilecheck: allow[TC101] why"')) == ["TC101"]
