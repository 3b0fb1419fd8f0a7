"""Decorators that declare: on functions and on kernel objects, in any order, never changing what they decorate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tilecheck import deny_residual, requires, unsafe
from tilecheck.decorators import Declaration, declaration_of


class Kernel:
    """Like `ct.kernel`: keeps the Python function, and makes a new object of it for other hints."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._pyfunc = function

    def replace_hints(self) -> Kernel:
        return Kernel(self._pyfunc)


def test_clauses_retain_their_order() -> None:
    @requires("a", "b")
    @deny_residual
    @requires("c")
    def kernel() -> None: ...

    assert declaration_of(kernel) == Declaration(("a", "b", "c"), None, True)
    assert kernel() is None  # type: ignore[func-returns-value]


@pytest.mark.parametrize("inside", [True, False])
def test_a_kernel_object_and_its_function_carry_the_same(inside: bool) -> None:
    def function() -> None: ...

    kernel = Kernel(requires("n > 0")(function)) if inside else requires("n > 0")(Kernel(function))
    assert declaration_of(kernel).requires == ("n > 0",)
    assert declaration_of(kernel.replace_hints()).requires == ("n > 0",)
    assert declaration_of(function) == declaration_of(kernel)


def test_unsafe_keeps_the_reason_and_works_without_brackets() -> None:
    assert declaration_of(unsafe("sorted by the caller")(lambda: None)).unsafe == "sorted by the caller"
    assert declaration_of(unsafe(lambda: None)).unsafe == ""
    assert declaration_of(unsafe()(lambda: None)).unsafe == ""


def test_objects_without_attributes_are_returned_unchanged() -> None:
    assert requires("n > 0")(3) == 3
    assert declaration_of(3) == Declaration()


def test_the_package_imports_nothing_else() -> None:
    import subprocess
    import sys

    code = "import sys, tilecheck; print({'libcst', 'click', 'pathspec', 'tilecheck.cli.app'} & sys.modules.keys())"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"
