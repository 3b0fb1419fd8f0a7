"""Runs over a tree: fixes applied together, refused fixes with their reasons, and a second run that changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases.expectations import FOLDER
from tests.repair.helpers import SETTINGS, fix_text, kernel, propose_useless, text_of
from tilecheck.api import check_source
from tilecheck.cli.editable_files import tree_of_paths, tree_of_text
from tilecheck.config import Config
from tilecheck.pipeline.progress import no_progress
from tilecheck.repair.apply.run import Fixed, fix_tree

SUM = "i = ct.bid(0)\nr = ct.sum(ct.load(x, (i, 0), (1, T)), axis=1, keepdims=True)\nct.store(o, (i, 0), r)"
PADDED = SUM.replace("(1, T))", "(1, T), padding_mode=ct.PaddingMode.ZERO)")


def run(folder: Path, unsafe: bool = True, config: Config | None = None, paths: list[str] | None = None) -> Fixed:
    settings = config or Config(root=folder, use_cache=False, jobs=1)
    tree, _ = tree_of_paths(paths or [str(folder)], settings, no_progress)
    return fix_tree(tree, unsafe)


def test_a_second_run_fixes_nothing() -> None:
    one = kernel(SUM, "x, o, T: Int")
    text = one + "".join("\n\n@ct.kernel\n" + one.partition("@ct.kernel\n")[2].replace("def k(", f"def k{n}(")
                         for n in range(5))
    outcome = fix_text(text, unsafe=False)
    assert len(outcome.applied) == 6
    after = text_of(outcome, text)
    assert after.count("PaddingMode.ZERO") == 6
    assert fix_text(after, unsafe=True).contents == {}


def test_fixes_of_one_place_are_made_one_after_the_other() -> None:
    # two declarations on one kernel
    text = kernel("""
i = ct.load(ids, (ct.bid(0),), (1,)).item()
j = ct.load(more, (ct.bid(0),), (1,)).item()
ct.store(c, (i, 0), ct.load(a, (i, 0), (1, T)))
ct.store(d, (j, 0), ct.load(a, (j, 0), (1, T)))
""", "a, ids, more, c, d, T: Int")
    after = text_of(fix_text(text), text)
    assert '@requires("injective(ids)", "injective(more)")' in after
    assert after.count("import requires") == 1


def test_an_unsafe_fix_is_withheld_and_counted() -> None:
    text = kernel("i, j = ct.bid(0), ct.bid(1)\nt = ct.load(a, (i, j), (T, T))\nct.store(c, (i, 0), t)", "a, c, T: Int")
    outcome = fix_text(text, unsafe=False)
    assert outcome.contents == {} and len(outcome.withheld) == 1


def test_a_fix_that_does_not_remove_its_finding_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    text = kernel("i = ct.bid(0)\nct.store(c, (i // 2,), ct.load(a, (i,), (T,)))", "a, c, T: Int")
    monkeypatch.setattr("tilecheck.repair.apply.run.fixes_for", propose_useless)
    outcome = fix_text(text)
    assert outcome.contents == {}
    assert [(r.fix.title, r.why) for r in outcome.refused] == [("divide by 3", "it would not remove the finding")]


def test_a_fix_that_adds_a_finding_is_refused() -> None:
    # the suppression would have nothing left to suppress
    text = kernel("# tilecheck: allow[TC206] rows are long enough\n"
                  "i = ct.load(ids, (ct.bid(0),), (1,)).item()\n"
                  "ct.store(c, (i, 0), ct.load(a, (i, 0), (1, T)))", "a, ids, c, T: Int")
    text = text.replace("    ct.store", "    # tilecheck: allow[TC202] why\n    ct.store")
    outcome = fix_text(text)
    assert "allow" not in text_of(outcome, text) and 'injective(ids)' in text_of(outcome, text)


def test_unselected_findings_still_count_as_harm() -> None:
    text = kernel(SUM.replace("ct.load(x, (i, 0), (1, T))", "ct.load(x, (i, 0), (1, T))"), "x, o, T: Int")
    text = text.replace("@ct.kernel", "# tilecheck: allow[TC301] whole tiles only\n@ct.kernel")
    settings = Config(use_cache=False, select=("TC3",))
    assert fix_tree(tree_of_text(text.encode(), "k.py", settings), True).contents == {}


def test_a_declaration_that_another_launch_violates_is_refused(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(kernel(
        "o = ct.bid(0) * S + ct.bid(1) * T + ct.arange(T, dtype=ct.int32)\nct.scatter(c, o, ct.gather(a, o))",
        "a, c, S: Int, T: Int"))
    alone = run(tmp_path)
    assert b"@requires" in alone.contents[str(tmp_path / "kernels.py")]
    (tmp_path / "host.py").write_text("""\
import cuda.tile as ct
import torch
from kernels import k


def go(stream):
    a, c = torch.zeros(4096), torch.zeros(4096)
    ct.launch(stream, (8, 8, 1), k, (a, c, 16, 16))
""")
    outcome = run(tmp_path)
    assert outcome.contents == {}
    assert [r.why for r in outcome.refused] == ["a seen launch does not satisfy it"]


def test_several_files_are_fixed(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.py").write_text(kernel(SUM if name != "c" else PADDED, "x, o, T: Int"))
    outcome = run(tmp_path, unsafe=False)
    assert sorted(Path(path).name for path in outcome.contents) == ["a.py", "b.py"]


def test_a_helper_in_a_file_that_was_not_named_is_not_changed(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text(
        "import cuda.tile as ct\n\n\ndef total(x, i, T):\n"
        "    return ct.sum(ct.load(x, (i, 0), (1, T)), axis=1, keepdims=True)\n")
    main = kernel("i = ct.bid(0)\nct.store(o, (i, 0), total(x, i, T))", "x, o, T: Int")
    (tmp_path / "main.py").write_text(main.replace("as ct\n", "as ct\nfrom helper import total\n", 1))
    only_main = run(tmp_path, unsafe=False, paths=[str(tmp_path / "main.py")])
    assert only_main.contents == {}
    both = run(tmp_path, unsafe=False)
    assert [Path(path).name for path in both.contents] == ["helper.py"]


def test_a_file_that_cannot_be_parsed_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text(kernel(SUM, "x, o, T: Int"))
    (tmp_path / "bad.py").write_text(kernel(SUM, "x, o, T: Int") + "    )\n")
    assert [Path(path).name for path in run(tmp_path, unsafe=False).contents] == ["good.py"]


@pytest.mark.parametrize("name", ["two names", "one name"])
def test_a_file_with_two_names_is_fixed_once(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.py").write_text(kernel(SUM, "x, o, T: Int"))
    if name == "two names":
        (tmp_path / "b.py").symlink_to("a.py")
    outcome = run(tmp_path, unsafe=False)
    assert [Path(path).name for path in outcome.contents] == ["a.py"]
    assert outcome.refused == ()


def test_only_selected_rules_are_fixed() -> None:
    text = kernel(f"{SUM}  # tilecheck: allow[TC101] why", "x, o, T: Int")
    for select, kept in (("TC301", "# tilecheck"), ("TC901", "(1, T)), axis")):
        settings = Config(use_cache=False, select=(select,))
        outcome = fix_tree(tree_of_text(text.encode(), "k.py", settings), False)
        assert kept in text_of(outcome, text)


def test_bad_cases_of_all_kinds_end_with_no_more_findings_than_before() -> None:
    for file in ("lints_bad.py", "padding_bad.py"):
        text = (FOLDER / file).read_text(encoding="utf-8")
        outcome = fix_text(text)
        before = check_source(text, "k.py", SETTINGS)
        after = check_source(text_of(outcome, text), "k.py", SETTINGS)
        assert len(after.diagnostics) <= len(before.diagnostics) - len(outcome.applied) // 2
        assert after.failures == before.failures
