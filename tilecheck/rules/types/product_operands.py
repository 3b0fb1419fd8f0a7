"""TC505 product-operands: operands of a matrix product of types that it does not take, in a kernel of the dialect."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tilecheck.diagnostics import Diagnostic
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.dialect.ownership import Fault

__all__ = ["diagnose"]

CODE: Final = "TC505"


def diagnose(model: KernelModel) -> Iterator[Diagnostic]:
    """One finding for each such place."""
    for fault in model.ownership.typed:
        if fault.code == CODE:
            message, help_ = _WORDS[fault.how](fault)
            yield Diagnostic(CODE, "error", message, fault.span, model.name, (), help_)


def _product(f: Fault) -> tuple[str, str]:
    name, first, second = f.words
    return (f"the operands of `ct.{name}` are of {first} and of {second}",
            f"convert one of them: `ct.astype(t, ct.{first})`")


def _accumulator(f: Fault) -> tuple[str, str]:
    name, given, acc, wanted = f.words
    return f"`ct.{name}` of {given} cannot be added to {acc}", f"accumulate in {wanted}: `ct.zeros(..., ct.{wanted})`"


_WORDS: Final[Mapping[str, Callable[[Fault], tuple[str, str]]]] = {"product": _product, "accumulator": _accumulator}
