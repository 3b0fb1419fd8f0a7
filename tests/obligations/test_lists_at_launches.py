"""Collisions in arrays of a list, at seen launches: an array has the extents that the launch passes."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source

HEAD = "import cuda.tile as ct\nimport torch\n"
LOOP = "for j in range(len(a)):\n        ct.scatter(a[j], n, 1.0)"
CHOSEN = "ct.scatter(a[ct.bid(0) % 2], n, 1.0)"


def severities(body: str, arguments: str) -> set[tuple[str, str]]:
    kernel = f"@ct.kernel\ndef k(a, n: int):\n    i = ct.bid(0)\n    {body}\n"
    report = check_source(f"{HEAD}{kernel}ct.launch(None, (3,), k, ({arguments}))\n")
    assert not report.failures
    return {(d.code, d.severity) for d in report.diagnostics}


@pytest.mark.parametrize("body", [LOOP, CHOSEN])
@pytest.mark.parametrize("arguments", [
    # no array has an element 2: nothing is stored
    "[torch.zeros(1), torch.zeros(2)], 2",
    # the lengths are not known
    "arrays(), 2",
])
def test_a_launch_that_is_not_known_to_fail_has_no_error(body: str, arguments: str) -> None:
    assert not any(severity == "error" for _, severity in severities(body, arguments))


@pytest.mark.parametrize(("body", "arguments"), [
    (LOOP, "[torch.zeros(1), torch.zeros(3)], 2"), (LOOP, "[torch.zeros(3), torch.zeros(1)], 2"),
    (CHOSEN, "[torch.zeros(3), torch.zeros(1)], 2"),
])
def test_a_launch_with_the_element_fails(body: str, arguments: str) -> None:
    assert ("TC101", "error") in severities(body, arguments)


def test_blocks_that_choose_an_array_without_the_element_store_nothing() -> None:
    # only block 1 stores in the second array
    assert not any(s == "error" for _, s in severities(CHOSEN, "[torch.zeros(2), torch.zeros(3)], 2"))


def test_numbers_of_a_list_are_not_data_that_a_launch_may_have() -> None:
    kernel = "@ct.kernel\ndef k(a, b):\n    for j in range(1):\n        ct.scatter(b, ct.bid(0) // a[j], 1.0)\n"
    found = check_source(f"{HEAD}{kernel}ct.launch(None, (3,), k, ((1, 2), torch.zeros(64)))\n").diagnostics
    assert not any(d.severity == "error" for d in found)


def test_the_size_of_an_array_of_a_list_is_that_of_the_launch() -> None:
    kernel = "@ct.kernel\ndef k(a):\n    ct.scatter(a[1], ct.bid(0), 1.0)\n"
    (found,) = check_source(f"{HEAD}{kernel}ct.launch(None, (3,), k, ([torch.zeros(8), torch.zeros(8)],))\n").kernels
    assert "numel(a[1]) < 2**31" in {c.clause for c in found.contract}
    assert found.launches.holds == 1
