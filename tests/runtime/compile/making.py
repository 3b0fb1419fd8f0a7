"""Bytecode of the kernels of these tests."""

from __future__ import annotations

from tests.runtime.compile import kernels
from tests.runtime.compile.arrays import array
from tests.runtime.dialect.launching import specialized
from tilecheck_runtime.compile.bytecode import translate_to_bytecode
from tilecheck_runtime.compile.facts import signature_of
from tilecheck_runtime.compile.options import Options

__all__ = ["FAR", "copied", "entry_of", "made"]

FAR = 1 << 40


def made(function, arguments, options=Options(), arch="sm_90"):  # noqa: B008
    return translate_to_bytecode(function, signature_of(function, arguments), arch, options, "13.4")


def copied(first=None, second=None, tile=64, **options):
    arguments = (first or array((64,)), second or array((64,), at=FAR), tile)
    return made(kernels.copy._pyfunc, arguments, Options(**options))


def entry_of(kernel, inside=frozenset(), n=1024, **constants):
    rank = len(kernel.signature.outputs[0].extents)
    return specialized(kernel, {"z": array((n,) * rank)}, {"z": (128,) * rank}, compact=True,
                       inside=frozenset(inside), **constants)
