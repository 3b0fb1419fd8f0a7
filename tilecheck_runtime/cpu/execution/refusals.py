"""Asks the checker whether the compiler refuses a kernel, where its front end is not installed.

The checker executes the source of the kernel as the compiler translates it for the arguments of the launch. It refuses
nothing that it cannot follow.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from types import FunctionType, MappingProxyType
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from tilecheck_runtime.cpu.arrays import Array
from tilecheck_runtime.cpu.execution.arguments import Parameter
from tilecheck_runtime.cpu.tile import Tile
from tilecheck_runtime.errors.language import (
    StaticException,
    TileError,
    TileStaticAssertionError,
    TileStaticEvalError,
    TileSyntaxError,
    TileTypeError,
    TileValueError,
    UnsupportedCallError,
)
from tilecheck_runtime.tile_language.kernels import AUTHORED

if TYPE_CHECKING:
    from tilecheck.interp.kernel.device.refusal import Refusal
    from tilecheck.interp.kernel.device.variant import Variant
    from tilecheck.project.module import KernelSite
    from tilecheck.project.project import Project
    from tilecheck.symbolic import Array as SymbolicArray

__all__ = ["check_refused"]

_checked: WeakKeyDictionary[FunctionType, set[Hashable]] = WeakKeyDictionary()
"""The arguments for which each kernel is known not to be refused."""


def check_refused(function: FunctionType, known: Sequence[Parameter], arguments: Sequence[Any]) -> None:
    """Raises the error of the compiler if it certainly refuses a kernel for bound arguments."""
    key = tuple(_key(p, a) for p, a in zip(known, arguments, strict=True))
    done = _checked.setdefault(function, set())
    if key in done:
        return
    refusal = None
    with suppress(Exception):  # a failure of the checker says nothing of the kernel
        refusal = _find_refusal(function, known, arguments)
    if refusal is not None:
        raise _make_error(refusal)
    done.add(key)


def _find_refusal(function: FunctionType, known: Sequence[Parameter], arguments: Sequence[Any]) -> Refusal | None:
    from tilecheck.kernel_model.driver import execute_variant  # which few programs need
    from tilecheck.project.project import Project
    from tilecheck.symbolic import TRUE

    authored = getattr(function, AUTHORED, function)
    project = Project((os.path.abspath(authored.__code__.co_filename),))
    site = _find_site(project, authored)
    if site is None or site.dialect:
        return None
    observed = execute_variant(project, site, _build_variant(known, arguments))
    return next((r for r in observed.refusals if r.under is TRUE and (r.code, r.how) not in _IGNORED), None)


_IGNORED: Final = frozenset({("TC605", "power")})
"""An internal error of the compiler: the CPU computes the value."""


def _find_site(project: Project, function: FunctionType) -> KernelSite | None:
    """The kernel in its file, if the source of the file is that of the function."""
    (path,) = project.files
    line = function.__code__.co_firstlineno
    for site in project.module(path).kernels():
        first = min((site.definition.span.line, *(d.span.line for d in site.definition.decorators)))
        if site.definition.name == function.__name__ and first <= line <= site.definition.name_span.line:
            return site
    return None


def _key(known: Parameter, value: Any) -> Hashable:
    if isinstance(value, Array):
        return "array", value.dtype.name, value.ndim
    if type(value) is Tile:
        return "scalar", value.dtype.name
    return type(value), repr(value)


def _build_variant(known: Sequence[Parameter], arguments: Sequence[Any]) -> Variant:
    from tilecheck.dtypes import DTYPES, Kind
    from tilecheck.interp.kernel.device.variant import Variant
    from tilecheck.interp.kernel.values import Data, Int, Value
    from tilecheck.symbolic import ArrayParam, scalar

    values: dict[str, Value] = {}
    arrays: dict[SymbolicArray, int | None] = {}
    dtypes, passed = [], set()
    for p, argument in zip(known, arguments, strict=True):
        if isinstance(argument, Array):
            arrays[ArrayParam(p.name)] = argument.ndim
            dtypes.append((p.name, DTYPES[argument.dtype.name]))
            passed.add(p.name)
        elif type(argument) is Tile:
            dtype = DTYPES[argument.dtype.name]
            whole = dtype.kind in (Kind.BOOL, Kind.SIGNED, Kind.UNSIGNED)
            values[p.name] = Int(scalar(p.name), dtype=dtype) if whole else Data((), scalar(p.name), dtype=dtype)
            passed.add(p.name)
        elif p.constant and (value := _constant(argument)) is not None:
            values[p.name] = value
    return Variant(values, arrays, tuple(dtypes), frozenset(passed))


def _constant(argument: Any) -> Any:
    from tilecheck.dtypes import Weak
    from tilecheck.interp.kernel.values import Bool, Const, Int
    from tilecheck.symbolic import FALSE, TRUE, const

    if isinstance(argument, bool):
        return Bool(TRUE if argument else FALSE, dtype=Weak.BOOL)
    if isinstance(argument, int):
        return Int(const(argument), dtype=Weak.INT)
    return Const(argument) if argument is None or isinstance(argument, (float, str)) else None


# --- errors ----------------------------------------------------------------------------------------------------------

_BY_CODE: Final[Mapping[str, type[TileError]]] = MappingProxyType({
    "TC601": TileTypeError, "TC602": TileSyntaxError, "TC603": TileTypeError, "TC604": TileTypeError,
    "TC605": TileTypeError, "TC606": TileTypeError,
})
_BY_KIND: Final[Mapping[tuple[str, str], type[TileError]]] = MappingProxyType({
    ("TC603", "builtin"): UnsupportedCallError, ("TC603", "class"): UnsupportedCallError,
    ("TC603", "static"): TileStaticEvalError, ("TC604", "static range"): StaticException,
    ("TC605", "asserted"): TileStaticAssertionError, ("TC605", "raised"): StaticException,
    ("TC606", "undefined"): TileSyntaxError, ("TC606", "unset"): TileSyntaxError,
})
"""The class that the front end raises, where it is not that of the code."""


def _make_error(refusal: Refusal) -> TileError:
    """The error of the compiler for a refusal, with the line."""
    from tilecheck.rules.refusal_texts import describe_refusal

    kind = _BY_KIND.get((refusal.code, refusal.how), _BY_CODE[refusal.code])
    if refusal.how == "unpack" and refusal.words[0].startswith("a tuple of"):
        kind = TileValueError
    if refusal.how == "argument" and refusal.words[1] == "ct.ensure_constant":
        kind = TileStaticAssertionError
    error = kind(f"{refusal.code}: {describe_refusal(refusal)}")
    error.add_note(f"at {refusal.span.file}:{refusal.span.line}")
    return error
