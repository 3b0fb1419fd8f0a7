"""An obligation proved by construction names the construction, in the JSON report and in `tilecheck contract`."""

from __future__ import annotations

import json

import pytest

from tests.obligations.dialect.test_static_rules import HEAD, MATRIX, ONE, TWO, check, only_report
from tilecheck.report.contract import render_contracts
from tilecheck.report.json import render_json

NESTED = "def k(z: Mut[f32, Literal[64]], at: Ref[i32, Dyn]) -> None:\n"

SENTENCES = {
    "the only piece": (
        ONE + "    z.store(x.load_like(z))\n", "each block stores its own piece of `z` (one piece a block)"),
    "the only cell": (
        ONE + "    z[z.cell()] = x.load_like(z)\n",
        "each block stores only through the cell that `z` issued for it (one cell a block)"),
    "a schedule": (
        MATRIX + "    for cell in z.cells():\n        z[cell] = ct.zeros(z.tile, ct.float32)\n",
        "each block stores only through the cells that `z` issued for it, and the schedule gives no cell to two "
        "blocks"),
    "nested tiles": (
        NESTED + "    for p in z.pieces(16):\n        z[p] = ct.zeros((16,), ct.float32)\n",
        "each block stores only nested tiles of its own piece of `z`"),
    "a place that a value selects": (
        NESTED + "    z.store_at((at.at(0),), ct.zeros((16,), ct.float32))\n",
        "a tile that a value selects is stored only if it lies in the block's own piece of `z`"),
    "a scatter": (
        ONE + "    z.scatter((ct.arange(z.tile[0], dtype=ct.int32),), x.load_like(z))\n",
        "each block scatters only into its own piece of `z`"),
}


@pytest.mark.parametrize("name", SENTENCES)
def test_writes(name):
    text, why = SENTENCES[name]
    report = check(text)
    (found,) = json.loads(render_json(report))["kernels"]
    (write,) = [o for o in found["obligations"] if o["kind"] == "disjoint"]
    assert (write["verdict"], write["why"], write["rules"]) == ("proved", why, ["cell"])
    assert f"  z  proved: {why}\n" in render_contracts(report.kernels)


def test_reads_of_the_own_piece():
    found = only_report(ONE + "    z.store(z.load() + x.load_like(z))\n")
    (read,) = [o for o in found.obligations if o.kind == "cross-read"]
    assert (read.verdict, read.why) == ("proved", "each block reads back only its own piece of `z`")


def test_tiles_at_the_place_of_a_piece():
    found = only_report(ONE + "    z.store(x.load_like(z))\n")
    (read,) = [o for o in found.obligations if o.kind == "bounds"]
    assert (read.verdict, read.why, read.clauses) == (
        "proved", "`x` reaches as far as `z`", ("z.shape[0] <= x.shape[0]",))


def test_updates_of_accumulators_are_atomic():
    found = only_report("def k(s: Shared[f32, Dyn], x: Ref[f32, Dyn]) -> None:\n    s.add((0,), x.at(ct.bid(0)))\n")
    assert [o.verdict for o in found.obligations if o.kind == "disjoint"] == ["atomic"]


def test_an_input_is_disjoint_from_every_output():
    found = only_report(TWO + "    a.store(x.load_like(a))\n    b.store(x.load_like(b))\n")
    apart = {c.clause for c in found.contract if c.clause.startswith("disjoint")}
    assert {"disjoint(a, x)", "disjoint(b, x)", "disjoint(a, b)"} <= apart


def test_no_solver_is_asked(monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a kernel of the dialect needs no solver")

    for name in ("disjoint", "available"):
        monkeypatch.setattr(f"tilecheck.solver.smt.{name}", refuse)
    for text, _ in SENTENCES.values():
        assert only_report(text).verdict == "proved"


def test_an_unknown_call_loses_the_construction():
    found = only_report(ONE + "    z.store(x.load_like(z))\n    anything(z)\n")
    assert {o.verdict for o in found.obligations if o.array == "z"} == {"unproven"}
    assert HEAD.count("anything") == 1
