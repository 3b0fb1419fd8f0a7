"""Every slice has an obligation: proved, under a clause, or open, in which case the kernel is not proved."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source
from tilecheck.config import Config

HEAD = "import cuda.tile as ct\n\n\n@ct.kernel\n"
STORE = ("    tile = ct.load(part, (0,), (T,), padding_mode=ct.PaddingMode.ZERO)\n"
         "    ct.store(dst, (ct.bid(0), 0), tile.reshape((1, T)))\n")


def slices(body: str, strict: bool = False):
    text = f"{HEAD}def k(src, dst, ends, T: ct.Constant[int]):\n{body}{STORE}"
    report = check_source(text, "k.py", Config(use_cache=False, jobs=1, strict=strict))
    (kernel,) = report.kernels
    return kernel, [o for o in kernel.obligations if o.kind == "slice"], report.diagnostics


@pytest.mark.parametrize(("bounds", "clauses"), [
    ("ct.bid(0), src.shape[0]", ("grid[0] <= src.shape[0] + 1",)),
    ("ct.minimum(ct.bid(0) * T, src.shape[0]), src.shape[0]", ()),
    ("0, ct.minimum((ct.bid(0) + 1) * T, src.shape[0])", ()),
    ("0, T", ("T <= src.shape[0]",)),
])
def test_a_slice_that_launches_decide_is_proved_under_a_clause(bounds, clauses):
    kernel, (found,), said = slices(f"    part = src.slice(0, {bounds})\n")
    assert (found.verdict, found.clauses) == ("proved", clauses)
    assert kernel.verdict in ("proved", "conditional")
    assert set(clauses) <= {c.clause for c in kernel.contract}
    assert not [d for d in said if d.code == "TC204"]


def test_a_slice_that_data_decides_leaves_the_kernel_unproven():
    body = "    n = ct.load(ends, (ct.bid(0),), (1,)).item()\n    part = src.slice(0, 0, n)\n"
    kernel, (found,), said = slices(body)
    assert (found.verdict, found.array, found.line, kernel.verdict) == ("unproven", "src", 7, "unproven")
    assert not [d for d in said if d.code == "TC204"]
    _, _, strictly = slices(body, strict=True)
    (error,) = [d for d in strictly if d.code == "TC204"]
    assert error.severity == "error"
    assert error.message == ("this slice of `src`: could not prove that it ends after it begins: from `0` to "
                             "`ends[bid(0)]`")
    assert error.help == "clamp its ends in the kernel: `min(stop, extent)`, `max(start, 0)`"


def test_a_slice_that_is_wrong_in_every_launch_is_refuted():
    kernel, (found,), said = slices("    part = src.slice(0, -T, src.shape[0])\n")
    assert (found.verdict, kernel.verdict) == ("refuted", "refuted")
    assert [d.severity for d in said if d.code == "TC204"] == ["error"]


def test_each_way_to_a_slice_counts():
    body = ("    for i in range(2):\n"
            "        part = src.slice(0, i, src.shape[0])\n")
    _, (found,), _ = slices(body)
    assert (found.verdict, found.clauses) == ("proved", ("src.shape[0] >= 1",))
