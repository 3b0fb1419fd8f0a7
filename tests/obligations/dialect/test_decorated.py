"""Decorators above a kernel, and kernels that are called as if they were functions."""

from __future__ import annotations

import pytest

from tests.obligations.dialect.test_static_rules import ONE, check

HELPERS = """\
def wrapped(f):
    return f


"""
STORE = ONE + "    z.store(x.load_like(z))\n"


@pytest.mark.parametrize("decorators", [
    "@wrapped", "@wrapped()", "@elsewhere.wrapped", "@ct.kernel", "@ct.function", "@functools.partial(print)",
])
def test_a_decorator_below_may_replace_the_function(decorators):
    report = check(STORE, f"import elsewhere, functools\n{HELPERS}@kernel\n{decorators}")
    (found,) = [k for k in report.kernels if k.name == "k"]
    assert found.verdict == "unproven"
    name = decorators.split("(")[0]
    assert [d.message for d in report.diagnostics if d.code == "TC102"] == [
        f"could not prove that blocks write disjoint parts of `z`: another function that `{name}` may put in place of "
        "this one (move it above `@kernel`) may read and write all of `z`"]


def test_a_kernel_maker_with_another_name_is_looked_below_as_well():
    made = f"{HELPERS}fast = kernel(occupancy=2)\n"
    assert [k.verdict for k in check(STORE, f"{made}@fast\n@wrapped").kernels] == ["unproven"]
    assert [k.verdict for k in check(STORE, f"{made}@deny_residual\n@fast\n@requires('B >= 2')").kernels] == ["proved"]


@pytest.mark.parametrize(("decorator", "verdict"), [("@wrapped", "unproven"), ("@requires('B >= 2')", "proved")])
def test_a_call_builds_a_kernel_from_the_decorated_function(decorator, verdict):
    report = check(f"{STORE}made = kernel(k)\n", f"{HELPERS}{decorator}")
    assert [k.verdict for k in report.kernels] == [verdict]


@pytest.mark.parametrize("decorators", [
    "@wrapped\n@kernel", "@kernel\n@deny_residual", "@kernel(occupancy=2)\n@requires('B % 16 == 0')",
    "@kernel\n@typing.no_type_check",
])
def test_a_decorator_that_returns_the_function_does_not_replace_it(decorators):
    report = check(STORE, f"import typing\n{HELPERS}{decorators}")
    assert [k.verdict for k in report.kernels] == ["proved"] and report.diagnostics == ()


CALLED = """\
@kernel
def other(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z))


@kernel
"""


def test_a_kernel_is_not_called_from_another():
    report = check(ONE + "    other(z, x)\n", CALLED.removesuffix("\n"))
    assert {k.name: k.verdict for k in report.kernels} == {"other": "proved", "k": "unproven"}
    assert [d.message for d in report.diagnostics] == [
        "could not prove anything of `x`, `z`: call of `other` (a kernel: only plain functions can be called)"]


def test_the_function_that_both_call_is_followed():
    both = CALLED.replace("@kernel\ndef other", "def other").removesuffix("\n")
    assert [k.verdict for k in check(ONE + "    other(z, x)\n", both).kernels] == ["proved"]
