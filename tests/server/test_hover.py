"""The hover text of a location uses the words of the reports."""

from __future__ import annotations

from tilecheck.config import Config
from tilecheck.pipeline.policy import finish
from tilecheck.pipeline.tile_types import types_of_module
from tilecheck.pipeline.workspace import Workspace
from tilecheck.server.hover import Known, hover

TEXT = '''\
import cuda.tile as ct


def row(i):
    return i


@ct.kernel
def rows(a, ids, c, counts, N: ct.Constant[int], T: ct.Constant[int]):
    i = ct.bid(0)
    for k in range(N):
        t = ct.load(a, (row(i), k), (1, T))
        if k > 2:
            ct.store(c, (i, k), t)
    j = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    ct.atomic_add(counts, j, 1)
    ct.printf("%d", i)


def host(stream, a, ids, c, counts):
    ct.launch(stream, (a.shape[0],), rows, (a, ids, c, counts, 4, 16))
'''
LINES = TEXT.split("\n")


def _at(needle: str, offset: int = 0, text: str = TEXT) -> str | None:
    """Returns the hover text at the start of a piece of the text."""
    path = "/project/rows.py"
    workspace = Workspace({path: text.encode()}, [], {})
    while workspace.step((path,)):
        pass
    report = finish(workspace.analysis(), Config(use_cache=False))
    reports = {(k.file, k.name): k for k in report.kernels}
    kernels = tuple((m, reports.get((m.file, m.name))) for m in workspace.models(path))
    known = Known(kernels, types_of_module(workspace.project, workspace.module(path)))
    number = next(n for n, line in enumerate(text.split("\n"), 1) if needle in line)
    column = text.split("\n")[number - 1].index(needle) + offset
    found = hover(path, text.split("\n"), number, column, known)
    return None if found is None else found.text


def test_a_read_in_a_loop():
    found = _at("ct.load(a")
    assert found is not None
    assert "`load`: each block reads tile `(bid(0), k)` of `a`, of `1 x T` elements, for each `k`" in found


def test_a_write_under_a_condition():
    found = _at("ct.store(c")
    assert found is not None
    assert "each block writes tile `(bid(0), k)` of `c`, of `1 x T` elements, for each `k`, where `" in found
    assert "3 <= k" in found or "k >= 3" in found or "2 < k" in found


def test_elements():
    found = _at("ct.atomic_add")
    assert found is not None and "`atomic_add`: each block updates `counts[T*bid(0) + lane]`" in found
    assert "disjoint `counts`: **atomic**" in found


def test_an_array_says_how_it_is_used():
    assert (_at("a, ids") or "").startswith("**`a`**: array of `rows`, read")
    assert (_at("counts, N") or "").startswith("**`counts`**: array of `rows`, updated")
    assert _at("ids, c") == "**`ids`**: array of `rows`, not accessed"


def test_clauses_have_their_states_at_the_launches():
    found = _at("a, ids")
    assert found is not None and "* `grid[0] <= a.shape[0]` (structural, discharged)" in found


def test_scalars_are_not_arrays():
    assert "array" not in (_at("N: ct.Constant") or "")


def test_a_kernel():
    found = _at("rows(a, ids")
    assert found is not None and found.startswith("**rows**: ")
    assert "Contract of `rows`:" in found


def test_hover_on_a_helper_describes_its_kernels():
    text = TEXT.replace("    return i\n", "    return i\n\n\ndef put(c, i, t):\n    ct.store(c, (i, 0), t)\n").replace(
        "            ct.store(c, (i, k), t)", "            put(c, i, t)")
    found = _at("ct.store(c", text=text)
    assert found is not None and "In `rows`:" in found and "writes tile `(bid(0), 0)` of `c`" in found


def test_hover_on_a_kernel_without_preconditions():
    text = "import cuda.tile as ct\n\n\n@ct.kernel\ndef idle(a):\n    pass\n"
    found = _at("idle", text=text)
    assert found is not None and found.endswith("It requires nothing of its launch.")


def test_rules_by_code_and_by_name():
    text = TEXT.replace("    ct.printf", "    # tilecheck: allow[TC101, row-spill] why not\n    ct.printf")
    assert (_at("TC101", 3, text) or "").startswith("**TC101** overlapping-write: ")
    assert (_at("row-spill", 3, text) or "").startswith("**TC206** row-spill: ")
    assert _at("why not", 2, text) is None


def test_hover_elsewhere_has_no_text():
    assert _at("import cuda") is None and _at("def host") is None
