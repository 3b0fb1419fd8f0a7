"""Bytecode of the kernels of these tests."""

from __future__ import annotations

from tests.runtime.compile import kernels
from tests.runtime.compile.arrays import array
from tests.runtime.dialect.launching import make_entry
from tilecheck_runtime.compile.bytecode import translate_to_bytecode
from tilecheck_runtime.compile.facts import signature_of
from tilecheck_runtime.compile.options import Options

__all__ = ["FAR", "entry_of", "make_bytecode", "make_copy"]

FAR = 1 << 40


def make_bytecode(function, arguments, options=Options(), arch="sm_90"):  # noqa: B008
    return translate_to_bytecode(function, signature_of(function, arguments), arch, options, "13.4")


def make_copy(first=None, second=None, tile=64, **options):
    arguments = (first or array((64,)), second or array((64,), at=FAR), tile)
    return make_bytecode(kernels.copy._pyfunc, arguments, Options(**options))


def entry_of(kernel, inside=frozenset(), n=1024, **constants):
    rank = len(kernel.signature.outputs[0].extents)
    return make_entry(kernel, {"z": array((n,) * rank)}, {"z": (128,) * rank}, compact=True,
                       inside=frozenset(inside), **constants)
