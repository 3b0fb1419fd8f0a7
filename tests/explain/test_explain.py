"""Every verdict is explained in words of the kernel's source, with its preconditions and facts that would decide it."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.cases.expectations import FOLDER, cases
from tilecheck.cli.app import main
from tilecheck.config import Config
from tilecheck.explain.build import explain
from tilecheck.explain.explanation import ExplainedKernel, ExplainedObligation
from tilecheck.explain.json import render_explanation_json
from tilecheck.explain.names import names_of
from tilecheck.explain.text import render_explanation
from tilecheck.pipeline.single_kernel import Study, study
from tilecheck.symbolic import Carried, Counter, app, bid, build_opaque, floordiv, lane, of, symbol
from tilecheck.symbolic.spelling import Spelling
from tilecheck.visualize.present import Request, present

INTERNAL = re.compile(r"lane\d|__coordinate|__nested|ceil<|\w@\d|#\w+@|\?\w|\bNone\b|Decided[A-Z]|Region\(")
"""Text that no explanation may contain: internal names of the checker."""

SOURCE = '''import cuda.tile as ct
import mystery
from tilecheck import requires

Int = ct.Constant[int]


@ct.kernel
def by_data(ids, x, o, T: Int):
    i = ct.bid(0)
    row = ct.load(ids, (i,), (1,)).item()
    ct.store(o, (row, 0), ct.load(x, (i, 0), (1, T)))


@ct.kernel
def unknown_call(x, o, T: Int):
    i = ct.bid(0)
    t = ct.load(x, (i,), (T,))
    mystery.fix(o, t)
    ct.store(o, (i,), t)


@ct.kernel
def not_understood(x, o, T: Int):
    i = ct.bid(0)
    j = mystery.place(i)
    ct.store(o, (j,), ct.load(x, (i,), (T,)))


@ct.kernel
@requires("grid[1] * T <= S")
def declared(x, o, S: Int, T: Int):
    i, j = ct.bid(0), ct.bid(1)
    offs = i * S + j * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(o, offs, ct.gather(x, offs))


@ct.kernel
def flat(x, o, S: Int, T: Int):
    i, j = ct.bid(0), ct.bid(1)
    offs = i * S + j * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(o, offs, ct.gather(x, offs))


def launch(stream, x, o):
    ct.launch(stream, (8, 4), flat, (x, o, 64, 16))
    ct.launch(stream, (8, 5), flat, (x, o, 64, 16))
'''


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("explain") / "kernels.py"
    path.write_text(SOURCE, encoding="utf-8")
    return path


@cache
def _study(target: str) -> Study:
    return study(target, Config(use_cache=False))


def _explain(file: str, name: str) -> ExplainedKernel:
    return explain(_study(f"{FOLDER / file}::{name}"))


def _first_obligation(found: ExplainedKernel, kind: str, array: str) -> ExplainedObligation:
    return next(o for o in found.obligations if o.kind == kind and o.array == array)


def test_a_proof_is_the_chain_by_which_the_block_is_recovered() -> None:
    found = _explain("raw_good.py", "mixed_radix")
    o = _first_obligation(found, "disjoint", "y")
    assert o.verdict == "proved"
    assert o.opening == "Suppose two blocks write one element of `y`. Then the index is equal for both:"
    assert o.index == ("axis 0: `b`", "axis 1: `h`", "axis 2: `g`", "axis 3: `lane`")
    assert o.steps == (
        "`b` is the same for both", "so `h` is the same for both", "so `g` is the same for both",
        "so `lane` is the same for both",
        "`r` follows from its quotient and its remainder by `G`, which are both known", "so `r` is the same for both",
        "`p` follows from its quotient and its remainder by `G*H`, which are both known",
        "so `p` is the same for both (block coordinate on grid axis 0)")
    assert o.conclusion == "So they are one and the same block: different blocks never meet."
    assert dict(found.names)["b"] == "bid(0) // (G*H)"


def test_a_loop_is_explained_by_the_number_of_its_iteration() -> None:
    found = _explain("raw_good.py", "persistent")
    o = _first_obligation(found, "disjoint", "y")
    assert o.steps[0] == "`#i` can be read off the index, because the rest, `T*bid(0) + lane`, stays below `T*grid[0]`"
    assert ("#i", "the number of the iteration of the loop over `i`, from 0") in found.names


def test_a_result_of_a_helper_has_the_name_of_its_variable() -> None:
    o = _first_obligation(_explain("raw_good.py", "persistent_grouped"), "disjoint", "C")
    assert o.index == ("axis 0: `i*tm + lane`", "axis 1: `j*tn + lane`")
    assert o.steps[0] == "`i` can be read off the index, because the rest, `lane`, stays below `tm`"


def test_an_access_inside_names_the_clauses_that_it_needs() -> None:
    o = _first_obligation(_explain("raw_good.py", "vadd"), "bounds", "a")
    assert o.steps == ("`i` is the index of a tile of `a` in every launch that satisfies the clauses",)
    assert o.needs == ("grid[0] <= cdiv(a.shape[0], T)",)


def test_a_refutation_shows_its_witness_and_a_fix() -> None:
    o = _first_obligation(_explain("raw_bad.py", "permuted_store"), "disjoint", "dst")
    assert o.verdict == "refuted" and o.witness is not None
    assert o.shown[0].startswith("grid (2, 2), BD = 2, BM = 2, H = 4")
    assert o.shown[1] == ("block (0, 0) at m = 0 and block (1, 0) at m = 0 both touch "
                          "dst[0, 0, 0, 0]")
    assert o.remedies == (
        "each of these edits makes the blocks disjoint; choose the one that you mean:\n"
        "(a) on line 26, store at `(b, h1, m, 0)` in place of `(b, m, h2, 0)`, as the tile is loaded from `src`; `h2` "
        "(line 22) is in no index then: remove it, and launch one block on grid axis 1\n"
        "(b) on line 26, store at `(b, m, h1, 0)` in place of `(b, m, h2, 0)`; `h2` (line 22) is in no index then: "
        "remove it, and launch one block on grid axis 1",)


def test_a_condition_must_hold_in_every_launch(own: Path) -> None:
    found = explain(_study(f"{own}::flat"))
    o = _first_obligation(found, "disjoint", "o")
    assert o.verdict == "conditional" and o.needs == ("grid[1]*T <= S",)
    assert o.remedies == ('if every launch satisfies it, declare it: @requires("grid[1]*T <= S")',)
    assert o.shown[1] == "block (0, 1) and block (1, 0) both touch o[3]"
    assert o.steps[-1] == "so `j` is the same for both (block coordinate on grid axis 1)"


def test_a_clause_is_followed_to_every_launch(own: Path) -> None:
    found = explain(_study(f"{own}::flat"))
    assert found.launches == 2
    clause = found.contract[0]
    assert (clause.clause, clause.kind, clause.state) == ("grid[1]*T <= S", "semantic", "broken")
    assert clause.origins == ("line 42, `o`: no two blocks write one element",)
    assert [(at.span.line, at.state) for at in clause.launches] == [(46, "discharged"), (47, "broken")]
    assert clause.launches[1].text == "5*16 <= 64" and clause.launches[1].function == "launch"


def test_a_clause_shows_its_origin(own: Path) -> None:
    found = {c.clause: c for c in explain(_study(f"{own}::declared")).contract}
    assert found["grid[1]*T <= S"].origins == ("declared by @requires, line 31",)
    assert found["grid[1]*T <= S"].state == "declared"
    assert found["grid[2] == 1"].origins == (
        "the kernel reads no block coordinate on grid axis 2, so blocks along it would do the same",)
    assert found["disjoint(o, x)"].origins == ("`o` is written, so `x` must not share memory with it",)
    assert found["disjoint(o)"].origins == ("`o` is written, so no two of its elements may share memory",)
    assert found["numel(o) < 2**31"].origins == ("index arithmetic has 32 bits",)


def test_deciding_data_are_named_with_the_annotation_to_add(own: Path) -> None:
    o = _first_obligation(explain(_study(f"{own}::by_data")), "disjoint", "o")
    assert o.verdict == "unproven"
    assert o.remedies == ("if it is true, declare it: # tilecheck: requires injective(ids)",)
    assert [(c.line, c.text) for c in o.costs] == [(12, "the location depends on the contents of `ids`")]


def test_a_call_that_is_not_known_is_named_with_its_line(own: Path) -> None:
    found = explain(_study(f"{own}::unknown_call"))
    assert [(c.line, c.text, c.source) for c in found.costs] == [
        (19, "call of mystery.fix, which is not known: it may read and write all of `o`", "mystery.fix(o, t)")]
    o = _first_obligation(found, "disjoint", "o")
    assert o.verdict == "unproven" and o.costs == found.costs


def test_the_origin_of_an_index_is_named_with_its_line(own: Path) -> None:
    o = _first_obligation(explain(_study(f"{own}::not_understood")), "disjoint", "o")
    assert o.verdict == "unproven"
    assert [(c.line, c.text) for c in o.costs] == [
        (27, "a value in the index of `o` is unknown"), (26, "`j` is assigned here")]


def test_atomics_and_single_blocks_have_their_own_reasons() -> None:
    o = _first_obligation(_explain("raw_good.py", "histogram"), "disjoint", "counts")
    assert (o.verdict, o.steps, o.opening) == ("atomic", ("every block updates the element atomically",), "")
    o = _first_obligation(_explain("raw_good.py", "single_block"), "disjoint", "c")
    assert (o.verdict, o.steps) == ("single-block", ("the kernel reads no block coordinate, so it is for one block",))


def test_kernels_of_the_dialect_hold_by_construction() -> None:
    o = _first_obligation(_explain("dialect.py", "gemm"), "disjoint", "z")
    assert o.verdict == "proved" and o.opening == ""
    assert o.steps == ("each block stores only through the cells that `z` issued for it, and the schedule gives no "
                       "cell to two blocks",)
    o = _first_obligation(_explain("dialect_bad.py", "swapped_components"), "disjoint", "z")
    assert o.verdict == "unproven" and "use a cell that `z` issues" in o.remedies[0]


def test_undefined_lanes_have_an_example() -> None:
    o = _first_obligation(_explain("raw_bad.py", "softmax_over_padding"), "padding", "x")
    assert o.verdict == "conditional" and o.shown[0] == "grid 2, T = 2, x.shape[1] = 1"
    assert o.remedies == ('if every launch satisfies it, declare it: @requires("T <= x.shape[1]")',
                         "load `x` with padding_mode=ct.PaddingMode.NEG_INF")


def test_a_slice_is_explained() -> None:
    o = _first_obligation(_explain("raw_bad.py", "slice_too_long"), "slice", "x")
    assert o.verdict == "refuted" and "past the extent `x.shape[0]`" in o.steps[0]


@pytest.mark.parametrize("file", ["raw_good.py", "raw_bad.py", "padding_bad.py", "dialect_good.py", "dialect_bad.py"])
def test_no_explanation_has_internal_names(file: str) -> None:
    for case in cases(file):
        try:
            found = explain(_study(f"{FOLDER / file}::{case.name}"))
        except LookupError:
            continue
        told = [s for o in found.obligations
                for s in (*o.steps, *o.index, *o.remedies, *o.shown, o.opening, *(c.text for c in o.costs))]
        told += [s for c in found.contract for s in c.origins] + [s for pair in found.names for s in pair]
        assert not [s for s in told if INTERNAL.search(s)], case.name
        assert json.loads(render_explanation_json(found))["kernel"] == found.name


def test_every_obligation_of_the_report_is_explained() -> None:
    for case in cases("raw_good.py"):
        found, report = _explain("raw_good.py", case.name), _study(f"{FOLDER / 'raw_good.py'}::{case.name}").report
        assert [(o.kind, o.line, o.array, o.verdict) for o in found.obligations] == [
            (o.kind, o.line, o.array, o.verdict) for o in report.obligations]
        assert [c.clause for c in found.contract] == [c.clause for c in report.contract]
        assert all(o.steps or o.shown for o in found.obligations), case.name


def test_the_text_has_every_part(own: Path) -> None:
    text = render_explanation(explain(_study(f"{own}::flat")))
    assert text.startswith(f"{own}:39: flat: conditional\n")
    for part in ("where `i` is `bid(0)`, `j` is `bid(1)`", "line 42, `o`: no two blocks write one element: conditional",
                 "  1. `i` can be read off the index", "needs: `grid[1]*T <= S`", "for example: grid (2, 2)",
                 "Contract (2 seen launches)", "broken: 5*16 <= 64"):
        assert part in text
    assert all(len(line) <= 110 for line in text.split("\n") if "ct." not in line)


def test_one_line_can_be_explained(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", f"{own}::by_data", "--line", "11", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {o["line"] for o in found["obligations"]} == {11}
    assert {c["clause"] for c in found["contract"]} == {n for o in found["obligations"] for n in o["needs"]}
    assert main(["explain", f"{own}::by_data", "--line", "3"]) == 2
    assert capsys.readouterr().err.strip() == (
        "error: no obligation of `by_data` is on line 3; its obligations are on lines 11, 12")


def test_the_report_for_programs(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", f"{own}::flat", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"kernel", "file", "line", "verdict", "names", "obligations", "contract", "launches",
                          "not_understood"}
    first = found["obligations"][0]
    assert first["witness"]["grid"] == [2, 2, 1] and first["kind"] == "disjoint"
    assert found["contract"][0]["launches"][1] == {
        "file": str(own), "line": 47, "function": "launch", "state": "broken", "clause": "5*16 <= 64", "values": {}}


HELPER = '''import cuda.tile as ct


def put(o, where, t):
    ct.store(o, (where,), t)
'''
CALLER = '''import cuda.tile as ct
from helpers import put


@ct.kernel
def kernel(x, o, T: ct.Constant[int]):
    i = ct.bid(0)
    put(o, i // 2, ct.load(x, (i,), (T,)))
'''


def test_operations_of_an_imported_helper_are_located_in_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "helpers.py").write_text(HELPER, encoding="utf-8")
    (tmp_path / "caller.py").write_text(CALLER, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    own = study("caller.py::kernel", Config(use_cache=False))
    o = _first_obligation(explain(own), "disjoint", "o")
    assert o.verdict == "refuted"
    assert (o.place, o.source) == ("helpers.py:5, called on line 8", "ct.store(o, (where,), t)")
    shown = present(own, Request({}))
    array = next(a for a in shown.arrays if a.name == "o")
    assert array.alarms[0].endswith("(helpers.py:5).")
    assert [(a.place, a.text) for a in array.accesses] == [("helpers.py:5", "ct.store(o, (where,), t)")]


CARRIED = '''import cuda.tile as ct

Int = ct.Constant[int]


@ct.kernel
def kernel(offsets, x, o, q: Int, T: Int):
    at = ct.bid(0)
    end = 0
    for p in range(q):
        start = ct.load(offsets, (p,), (1,)).item()
        stop = ct.load(offsets, (p + 1,), (1,)).item()
        while at < end + stop - start:
            ct.store(o, (at - end + start,), ct.load(x, (at - end + start,), (T,)))
            at += ct.num_blocks(0)
        end = end + stop - start
'''


def test_values_that_loops_carry_have_the_names_that_the_source_has(tmp_path: Path) -> None:
    path = tmp_path / "carried.py"
    path.write_text(CARRIED, encoding="utf-8")
    found = explain(study(f"{path}::kernel", Config(use_cache=False)))
    told = [s for o in found.obligations for s in (*o.steps, *o.index, *o.remedies, *(c.text for c in o.costs))]
    assert told and not [s for s in told if INTERNAL.search(s) or "carry:" in s or "@" in s.replace("@requires", "")]


def test_names_of_values_are_those_of_the_source() -> None:
    names = _study(f"{FOLDER / 'raw_good.py'}::persistent").definition
    spell = names_of(names, ()).spelling
    carried = app(Carried("end", "p@12"), floordiv(bid(0), symbol("H")))
    assert spell(of(Counter("i@49")) * symbol("T") + carried) == "#i*T + end(bid(0) // H)"
    assert spell(build_opaque("unknown@23") * symbol("T") + lane(0, symbol("T"))) == "?*T + lane"


def test_a_name_stands_for_a_term() -> None:
    m, n, pid = bid(0), bid(1), bid(0) * 4 + bid(1)
    bare = Spelling(str)
    spell = replace(bare, names=((pid, "pid"), (m, "m")))
    assert spell(pid + lane(0, symbol("T"))) == "pid + lane"
    assert spell(floordiv(pid, symbol("N"))) == "pid // N"
    assert spell(symbol("a") - m * 4 + n) == "a - 4*m + bid(1)"
    assert spell(floordiv(m, symbol("T")) * symbol("S")) == "(m // T)*S"
