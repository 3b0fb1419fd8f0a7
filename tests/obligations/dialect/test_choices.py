"""Inputs, and orders of axes, that depend on launch arguments: each case has its own preconditions, and no others."""

from __future__ import annotations

import pytest

from tests.obligations.dialect.test_static_rules import only_report
from tilecheck.contracts import evaluate, parse
from tilecheck.diagnostics import KernelReport

INPUTS = "def k(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn], y: Ref[f32, Dyn, Dyn], n: int) -> None:\n"
ORDERS = "def k(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn], d: B, e: BK) -> None:\n"


def satisfies_contract(found: KernelReport, z=(8, 8), x=(8, 8), y=(8, 8), **numbers: int) -> bool:
    """Whether a launch satisfies the contract."""
    values = {"BM": 2, "BN": 4, "grid[0]": -(-z[0] // 2), "grid[1]": -(-z[1] // 4), "grid[2]": 1, **numbers}
    values |= {f"{a}.shape[{k}]": n for a, s in (("z", z), ("x", x), ("y", y)) for k, n in enumerate(s)}
    return all(evaluate(p, values) for c in found.contract for p in parse(c.clause) if p.cond is not None)


BY_VALUE = {
    "load_like": "    z.store(w.load_like(z))\n",
    "item": "    z.store(w.partition(*z.tile)[z.coords(z.cell())])\n",
    "item of either partition": "    z.store(p[z.coords(z.cell())])\n",
}


@pytest.mark.parametrize("name", BY_VALUE)
def test_only_the_input_that_is_read_has_to_be_large_enough(name):
    found = only_report(
        f"{INPUTS}    w = x if n > 0 else y\n    p = x.partition(*z.tile) if n > 0 else y.partition(*z.tile)\n"
        + BY_VALUE[name]
    )
    assert found.verdict == "proved"
    assert satisfies_contract(found, x=(8, 8), y=(1, 1), n=1) and satisfies_contract(found, x=(1, 1), y=(8, 8), n=0)
    assert not satisfies_contract(found, x=(8, 8), y=(1, 1), n=0) and not satisfies_contract(
        found, x=(1, 1), y=(8, 8), n=1
    )


def test_tiles_of_either_input_are_walked_without_a_demand():
    found = only_report(
        f"{INPUTS}    p = (x if n > 0 else y).partition(*z.tile)\n    acc = ct.zeros(z.tile, ct.float32)\n"
        "    for k in range(p.tiles(1)):\n        acc += p[0, k]\n    z.store(acc)\n"
    )
    assert found.verdict == "proved"
    assert satisfies_contract(found, x=(1, 9), y=(1, 1), n=1) and satisfies_contract(found, x=(1, 1), y=(1, 9), n=0)


READS = {
    "load_like": "x.permute(d, e).load_like(z)",
    "item": "x.permute(d, e).partition(*z.tile)[z.coords(z.cell())]",
    "item by place": "x.permute(d, e).load(z.coords(z.cell()), z.tile)",
}


@pytest.mark.parametrize("name", READS)
def test_axes_that_are_constants_of_the_launch(name):
    found = only_report(f"{ORDERS}    z.store({READS[name]})\n")
    assert found.verdict == "proved"
    assert satisfies_contract(found, z=(8, 4), x=(8, 4), d=0, e=1, B=0, BK=1) and satisfies_contract(
        found, z=(8, 4), x=(4, 8), d=1, e=0
    )
    assert not satisfies_contract(found, z=(8, 4), x=(2, 8), d=0, e=1) and not satisfies_contract(
        found, z=(8, 4), x=(8, 2), d=1, e=0
    )


def test_all_orders_of_three_axes():
    found = only_report("def k(z: Mut[f32, BM, BN, B], x: Ref[f32, Dyn, Dyn, Dyn], d: BK, e: S, f: T) -> None:\n"
                 "    z.store(x.permute(d, e, f).load_like(z))\n", 'S = TypeVar("S")\nT = TypeVar("T")\n@kernel')
    assert found.verdict == "proved"
    values = {"BM": 2, "BN": 2, "B": 2, **{f"z.shape[{k}]": n for k, n in enumerate((2, 4, 6))},
              **{f"grid[{k}]": n for k, n in enumerate((1, 2, 3))}}
    for d, e, f in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
        shape = [n for _, n in sorted(zip((d, e, f), (2, 4, 6), strict=True))]
        for less in (0, 2):
            given = values | {"d": d, "e": e, "f": f} | {f"x.shape[{k}]": n - less for k, n in enumerate(shape)}
            holds = all(evaluate(p, given) for c in found.contract for p in parse(c.clause) if p.cond is not None)
            assert holds is (less == 0), (d, e, f, less)
