"""Kernels that collide although they look safe (and the reverse): no verdict on them may be wrong."""

from __future__ import annotations

import textwrap

import pytest

from tilecheck.api import check_source

HEADER = "import cuda.tile as ct\nfrom tilecheck import requires\nInt = ct.Constant[int]\n"


def judge(text: str) -> tuple[str, set[str], set[str]]:
    """Verdict, clauses and codes of the only kernel in a file."""
    report = check_source(HEADER + textwrap.dedent(text))
    (kernel,) = report.kernels
    return kernel.verdict, {c.clause for c in kernel.contract}, {d.code for d in report.diagnostics}


def test_a_segment_read_outside_its_array_has_the_padding_of_the_gather() -> None:
    # off.shape[0] == 1, ln.shape[0] == 2, grid (2,): block 1 reads 0 for off[1], and writes c[0] as block 0 does
    verdict, clauses, _ = judge("""
        @ct.kernel
        @requires("segments(off, ln)")
        def k(off, ln, c, T: Int):
            i = ct.bid(0)
            r = ct.arange(T, dtype=ct.int32)
            ct.scatter(c, ct.gather(off, i) + r, 1.0, mask=r < ct.gather(ln, i))
    """)
    assert verdict == "unproven" or "grid[0] <= off.shape[0]" in clauses


def test_a_declared_range_does_not_cover_the_padding() -> None:
    # ids == [1, 4], grid (3,): block 1 writes c[8], and so does block 2, which reads 0
    verdict, clauses, _ = judge("""
        @ct.kernel
        @requires("range(ids, 1, 5)")
        def k(ids, c):
            i = ct.bid(0)
            ct.scatter(c, i * 4 + ct.gather(ids, i), 1.0)
    """)
    assert verdict == "unproven" or "grid[0] <= ids.shape[0]" in clauses


@pytest.mark.parametrize("index", ["i * 65536 * 65536", "i * S", "(i * 65536) // 65536"])
def test_an_index_that_wraps_may_be_inside(index: str) -> None:
    # 65536 * 65536 is 0 in 32 bits; that c is small does not bound an index that a check drops
    verdict, clauses, _ = judge(f"""
        @ct.kernel
        def k(c, S: int):
            i = ct.bid(0)
            ct.scatter(c, {index}, 1.0)
    """)
    assert verdict == "unproven" or any("grid[0]" in c and "2**31" in c for c in clauses)


def test_two_elements_of_a_list_may_be_one_array() -> None:
    _, clauses, _ = judge("""
        @ct.kernel
        def k(xs, T: Int):
            ct.store(xs[ct.bid(0)], (0,), ct.zeros((T,), ct.float32))
    """)
    assert any(c.startswith("disjoint(xs") for c in clauses)


@pytest.mark.parametrize("clauses", ['"T < 0"', '"grid[0] * T <= 0"', '"c.shape[0] < 0"', '"T > 5", "T < 3"'])
def test_a_contract_that_no_launch_satisfies_proves_nothing(clauses: str) -> None:
    verdict, _, codes = judge(f"""
        @ct.kernel
        @requires({clauses})
        def k(c, T: Int):
            ct.scatter(c, ct.bid(0) // 2 + ct.arange(T, dtype=ct.int32), 1.0)
    """)
    assert verdict in ("refuted", "unproven")
    assert "TC901" in codes


def test_one_block_may_be_declared() -> None:
    verdict, clauses, codes = judge("""
        @ct.kernel
        @requires("grid[0] == 1")
        def k(c):
            ct.scatter(c, ct.bid(0) // 2, 1.0)
    """)
    assert verdict != "refuted" and "TC901" not in codes
    assert "grid[0] == 1" in clauses


LOCK = """
    @ct.kernel
    def k(l, c, n: int, S: Int, T: Int):
        i = ct.bid(0) % 4
        while ct.atomic_cas(l, {place}, 0, 1, memory_order=ct.MemoryOrder.ACQUIRE) != 0:
            pass
        ct.scatter(c, {stored} + ct.arange(T, dtype=ct.int32), 1.0)
        ct.atomic_xchg(l, {place}, 0, memory_order=ct.MemoryOrder.RELEASE)
"""


def test_a_lock_that_fits_only_some_launches_is_conditional() -> None:
    verdict, clauses, codes = judge(LOCK.format(place="i", stored="i * S"))
    assert verdict == "conditional" and "T <= S" in clauses and "TC206" in codes


def test_a_lock_outside_its_array_protects_nothing() -> None:
    # a checked atomic outside the array does nothing and returns its expected value
    verdict, clauses, _ = judge(LOCK.format(place="n", stored="0"))
    assert verdict in ("refuted", "unproven") or any("l.shape[0]" in c for c in clauses)


def test_an_index_from_an_array_of_a_list_is_handled() -> None:
    verdict, _, _ = judge("""
        @ct.kernel
        def k(xs, c):
            i = ct.bid(0)
            ct.scatter(c, ct.load(xs[0], (i,), (1,)).item(), 1.0)
    """)
    assert verdict == "unproven"
