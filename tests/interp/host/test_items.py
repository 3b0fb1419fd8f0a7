"""Facts about an item, an attribute or a variable end where it may be reassigned under any name."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.interp.host.hosts import PARAMS, launch, launches
from tilecheck.contracts import parse
from tilecheck.interp.host.discharge import discharge

_LAUNCH = "ct.launch(0, (4,), k, (x, y, {}, 1))"
_CALLED = """
def set_item(ns, i):
    ns[i] = 1

def lower(n):
    n.size -= 1
    return n.size > 1

"""


def source(body: str) -> str:
    return "def run(x, y, n, m):\n" + "".join(f"    {line}\n" for line in body.splitlines())


def state_at(body: str, place: int) -> str:
    (parsed,) = parse("grid[0] <= n")
    return discharge(replace(parsed, kind="semantic"), PARAMS, launches(source(body))[place], {"x": 2, "y": 2}).state


def state(body: str, clause: str = "grid[0] <= n", helpers: str = "") -> str:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    (parsed,) = parse(clause)
    found = launch(f"{helpers}def run(x, y, n, m):\n{lines}")
    return discharge(replace(parsed, kind="semantic"), PARAMS, found, {"x": 2, "y": 2}).state


CHANGED = {
    "item": "n[0] = m",
    "augmented": "n[0] -= m",
    "any item": "n[m] = 2",
    "counted from the end": "n[-1] = 2",
    "deleted": "del n[0]",
    "deleted with others": "del m, n[1]",
    "slice": "n[:] = [m, m]",
    "another name": "o = n\no[0] = m",
    "another parameter": "m[0] = 2",
    "swapped": "n[0], n[1] = n[1], n[0]",
    "target of a loop": "for n[0] in range(m):\n    pass",
    "on one way": "if m > 2:\n    n[0] = m",
    "in a loop": "for i in range(m):\n    n[0] = n[0] - 1",
    "in a loop, by a function": "for i in range(m):\n    set_item(n, i)",
    "in a loop, unseen": "for i in range(m):\n    change(n)",
}


@pytest.mark.parametrize("name", CHANGED)
def test_an_item_that_may_have_changed_is_not_known(name):
    body = f"assert n[0] >= 4\n{CHANGED[name]}\n{_LAUNCH.format('n[0]')}"
    assert state(body, helpers=_CALLED) in ("open", "violated")


@pytest.mark.parametrize("body", [
    "for i in range(m):\n    ct.launch(0, (4,), k, (x, y, n[0], 1))\n    set_item(n, i)",
    "for i in range(m):\n    ct.launch(0, (4,), k, (x, y, n[0], 1))\n    change(n)",
    "while m > y:\n    ct.launch(0, (4,), k, (x, y, n[0], 1))\n    change(n)",
    "for i in range(m):\n    ct.launch(0, (4,), k, (x, y, n[0], 1))\n    n[0], y = n[0] - 1, 2",
])
def test_values_changed_by_an_iteration_are_unknown_in_the_next(body):
    assert state(f"assert n[0] >= 4\n{body}", helpers=_CALLED) in ("open", "violated")


@pytest.mark.parametrize("body", [
    "while lower(n):\n    ct.launch(0, (4,), k, (x, y, n.size + 1, 1))",
    "for i in range(m):\n    ct.launch(0, (4,), k, (x, y, n.size, 1))\n    n.size, y = n.size - 1, 2",
    "m or lower(n)\nn.size -= 0\nct.launch(0, (4,), k, (x, y, n.size - 1 if m else n.size, 1))",
])
def test_attributes_may_change_when_an_iterator_runs(body):
    assert state(f"assert n.size >= 4\n{body}", helpers=_CALLED) in ("open", "violated")


@pytest.mark.parametrize("body", [
    "if m > 5 or (n := 8):\n    ct.launch(0, (4,), k, (x, y, n, 1))",
    "m > 5 and (n := 8)\nct.launch(0, (4,), k, (x, y, n, 1))",
    "0 < m < 5 < (n := 8)\nct.launch(0, (4,), k, (x, y, n, 1))",
    "assert n >= 6\nwhile (n := n - 1) > m:\n    pass\nct.launch(0, (4,), k, (x, y, n, 1))",
    "n = 6\nfor i in range(3, m):\n    if not (n := n - 1) > 2:\n        y = i\nct.launch(0, (4,), k, (x, y, n, 1))",
])
def test_names_bound_on_some_paths_may_be_unbound(body):
    assert state(body) in ("open", "violated")


@pytest.mark.parametrize("body", [
    "n['size'] = 8\nct.launch(0, (4,), k, (x, y, n['size'], 1))",
    "n[0] = 8\nct.launch(0, (4,), k, (x, y, n[0], 1))",
    "assert n['size'] >= 4\nm[0] = 1\nn['rows'] = 2\nct.launch(0, (4,), k, (x, y, n['size'], 1))",
    "assert n[0] >= 4\nx[:] = 0\nct.launch(0, (4,), k, (x, y, 4, 1))",
    "if m > 5 and (n := 8):\n    ct.launch(0, (4,), k, (x, y, n, 1))",
    "assert n[0] >= 4\nfor i in range(m):\n    ct.launch(0, (4,), k, (x, y, n[0], 1))",
])
def test_assigned_and_unchanged_values_are_known(body):
    assert state(body) == "discharged"


def test_an_assigned_attribute_is_not_an_array_attribute():
    body = "assert n.shape >= 4\nn.shape = m\nct.launch(0, (4,), k, (x, y, n.shape, 1))"
    assert state(body) in ("open", "violated")
    kept = "n.shape = x.shape\nct.launch(0, (x.shape[0],), k, (x, y, m, 1))"
    assert state(kept, "grid[0] <= x.shape[0]") == "discharged"


def test_a_smaller_item_breaks_the_clause():
    assert state("assert n[0] in (4, 8)\nn[0] = 2\nct.launch(0, (4,), k, (x, y, n[0], 1))") == "broken"
    assert state("assert n in (4, 8)\nct.launch(0, (4,), k, (x, y, n, 1))") == "discharged"


_TURNED = [
    "{0}.t_()", "other = {0}\nother.t_()", "{0}.resize_(*x.shape)", "{0}.data = y", "{0}.squeeze_(0)",
    "if x.shape[1] > 2:\n    {0}.unsqueeze_(0)",
]


@pytest.mark.parametrize("change", _TURNED)
@pytest.mark.parametrize("array", ["m", "n.array", "n[0]", "n['array']", "kept[0]", "pair[1]"])
def test_an_array_that_changes_its_shape_has_an_unknown_shape(array, change):
    before = f"kept = [m]\npair = (1, m)\nrows = {array}.shape[0]\n"
    body = f"{before}{change.format(array)}\nct.launch(0, (rows,), k, (x, {array}, 1, 1))"
    assert state(body, "grid[0] <= y.shape[0]") in ("open", "violated")


def test_an_array_that_may_be_a_view_changes_with_its_base():
    body = "copy = m.contiguous()\nrows = m.shape[0]\nm.t_()\nct.launch(0, (rows,), k, (x, copy, 1, 1))"
    assert state(body, "grid[0] <= y.shape[0]") in ("open", "violated")


@pytest.mark.parametrize("body", [
    "sizes = [4, 8]\nfor i in sizes:\n    ct.launch(0, (4,), k, (x, y, i, 1))\n    sizes.append(m)",
    "n = 8\nwith contextlib.suppress(ValueError):\n    n = m\n    risky()\n    n = 8\n" + _LAUNCH.format("n"),
])
def test_a_list_may_grow_while_it_is_iterated(body):
    found = [state_at(body, i) for i in range(len(launches(source(body))))]
    assert "open" in found


def test_a_list_that_grows_to_an_end_is_iterated_to_it():
    body = f"sizes = [4]\nfor i in sizes:\n    {_LAUNCH.format('i')}\n    if i == 4:\n        sizes.append(2)"
    assert [state_at(body, i) for i in range(len(launches(source(body))))] == ["discharged", "broken"]
