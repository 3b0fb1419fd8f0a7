"""Kernels written to mislead the symbolic execution."""

from __future__ import annotations

import pytest

from tests.interp.kernel.harness import guard, index, kernel, models, writes
from tilecheck.interp.kernel.access import KernelModel


def list_lost_names(found: KernelModel) -> set[str]:
    """Arrays whose verdicts are lost."""
    return {array.text for gap in found.gaps for array in gap.arrays}


def test_target_of_a_loop_without_iterations_keeps_its_value() -> None:
    found = kernel("""
        i = 7
        for i in range(n):
            pass
        ct.scatter(x, i, 1.0)
    """)
    assert index(found) == ["ite(max(0, n) - 1 >= 0, max(0, n) - 1, 7)"]


def places(found: KernelModel) -> list[str]:
    """Every index of every write; none where the index was not understood."""
    return [t.key for a in writes(found) for t in a.region.index]


@pytest.mark.parametrize("dtype, shown", [
    ("int8", "(bid(0) + 128)%(256) - 128"), ("uint8", "(bid(0))%(256)"), ("int16", "(bid(0) + 32768)%(65536) - 32768"),
    ("int32", "bid(0)"), ("int64", "bid(0)"), ("uint32", "bid(0)"),
])
def test_narrow_integers_wrap(dtype: str, shown: str) -> None:
    assert index(kernel(f"ct.scatter(x, ct.astype(ct.bid(0), ct.{dtype}), 1.0)")) == [shown]
    assert index(kernel(f"ct.scatter(x, ct.full((), ct.bid(0), ct.{dtype}), 1.0)")) == [shown]


def test_narrow_arange_wraps() -> None:
    assert index(kernel("ct.scatter(x, ct.arange(512, dtype=ct.int8), 1.0)")) != ["lane0<512>"]


def test_defaults_are_evaluated_at_the_definition() -> None:
    found = kernel("""
        k = ct.bid(0)
        def early(q=k):
            return q
        late = lambda q=k: q
        k = 3
        ct.scatter(x, early(), 1.0)
        ct.scatter(x, late(), 1.0)
    """)
    assert index(found, 0) == index(found, 1) == ["bid(0)"]


def test_variables_of_other_scopes_lose_every_verdict() -> None:
    found = kernel("""
        i = ct.bid(0)
        def clear():
            nonlocal i
            i = 0
        clear()
        ct.scatter(x, i, 1.0)
    """)
    assert "x" in list_lost_names(found)


def test_changes_in_place_lose_every_verdict() -> None:
    before = """
        from dataclasses import dataclass
        @dataclass
        class Place:
            at: int
    """
    found = kernel("""
        p = Place(ct.bid(0))
        q = p
        q.at = 0
        ct.scatter(x, p.at, 1.0)
    """, before=before)
    assert "x" in list_lost_names(found)


@pytest.mark.parametrize("definition, call", [
    ("class Place:\n    at: int\n    def __post_init__(self):\n        self.at = 0", "Place(ct.bid(0))"),
    ("class Place:\n    at: int\n    def __getattribute__(self, name):\n        return 0", "Place(ct.bid(0))"),
    ("class Place:\n    at: int = field(init=False, default=0)\n    other: int = 0", "Place(ct.bid(0))"),
    ("class Place:\n    size: ClassVar[int] = 1\n    other: int = 0\n    at: int = 0", "Place(ct.bid(0))"),
    ("class First:\n    at: int = 0\n@dataclass(frozen=True)\nclass Place(First):\n    at: int = 0\n    c: int = 0",
     "Place(c=1)"),
])
def test_unusual_dataclasses_are_not_trusted(definition: str, call: str) -> None:
    text = ("from dataclasses import dataclass, field\nfrom typing import ClassVar\n"
            f"@dataclass(frozen=True)\n{definition}\n@ct.kernel\ndef k(x):\n    ct.scatter(x, {call}.at, 1.0)\n")
    assert "bid(0)" not in places(models(text)["k"])


@pytest.mark.parametrize("before", [
    "S = {'s': 1}\nS['s'] = 0\nF = lambda: S['s']", "S = [1, 2]\nS.append(3)\nF = lambda: S[0]",
    "class S:\n    s = 1\nS.s = 0\nF = lambda: S.s", "class S:\n    s = 1\nS.s -= 1\nF = lambda: S.s",
])
def test_values_that_a_module_may_change_are_unknown(before: str) -> None:
    text = f"{before}\n@ct.kernel\ndef k(x):\n    ct.scatter(x, ct.bid(0) * ct.static_eval(F()), 1.0)\n"
    assert "bid(0)" not in places(models(text)["k"])


LOCKED = """
    {before}
    while ct.atomic_cas(y, 0, {free}, {taken}, memory_order=ct.MemoryOrder.ACQUIRE) != {free}:
        pass
    ct.scatter(x, 0, 1.0)
    ct.atomic_xchg(y, 0, {back}, memory_order=ct.MemoryOrder.RELEASE)
    {after}
"""


@pytest.mark.parametrize("changes, held", [
    ({}, True),
    ({"taken": "0"}, False),
    ({"taken": "n"}, False),
    ({"back": "1"}, False),
    ({"before": "ct.atomic_xchg(y, 0, 0)"}, False),
    ({"before": "ct.atomic_add(y, 0, -1)"}, False),
    ({"before": "ct.scatter(y, 0, 0)"}, False),
    ({"before": "y.get_raw_memory().atomic_xchg_offset(0, 0)"}, False),
    ({"after": "ct.atomic_xchg(y, 0, 0)"}, False),
])
def test_a_lock_that_other_code_changes_is_not_a_lock(changes: dict[str, str], held: bool) -> None:
    parts = {"before": "pass", "after": "pass", "free": "0", "taken": "1", "back": "0"} | changes
    (store,) = [a for a in writes(kernel(LOCKED.format(**parts))) if a.array.text == "x"]
    assert bool(store.locks) is held


@pytest.mark.parametrize("call, ticket", [
    ("ct.atomic_add(y, 0, 1)", True),
    ("ct.atomic_add(y, n, 2)", True),
    ("ct.atomic_add(y, 0, 0)", False),
    ("ct.atomic_add(y, 0, -1)", False),
    ("ct.atomic_add(y, 0, n)", False),
    ("ct.atomic_add(y, ct.bid(0) % 2, 1)", False),
    ("ct.atomic_max(y, 0, 1)", False),
    ("ct.atomic_add(y, 0, 1)\nct.atomic_xchg(y, 0, 0)", False),
    ("ct.atomic_add(y, 0, 1)\nct.scatter(y, 0, 0)", False),
])
def test_only_a_counter_that_always_advances_gives_tickets(call: str, ticket: bool) -> None:
    (at,) = [i.key for a in writes(kernel(f"k = {call}\nct.scatter(x, k, 1.0)")) if a.array.text == "x"
             for i in a.region.index]
    assert at.startswith("?atomic_add(y)") is ticket


def test_annotated_arrays_hold_integers() -> None:
    before = "from tilecheck import requires"
    text = f"""
        {before}
        @ct.kernel
        @requires("segments(off, sizes)")
        def k(off, sizes, x, T: Int):
            r = ct.arange(T, dtype=ct.int32)
            ct.scatter(x, ct.gather(off, 0) + r, 1.0, mask=r < ct.gather(sizes, 0))
    """
    assert "-lane0<T> + sizes[0] - 1 >= 0" in guard(models(text)["k"])
