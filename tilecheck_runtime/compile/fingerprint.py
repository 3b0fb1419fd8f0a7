"""A digest of all inputs of the translation of a function: its code, that of its callees, and the values that they use.
Functions with equal digests have equal bytecode, for equal versions of the tools."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, Final, TypeVar

__all__ = ["fingerprint", "portable"]

_TOOLS: Final = frozenset({"cuda", "tilecheck_runtime", "builtins", "typing", "types", "enum"})
"""Packages whose versions are part of every key: their objects are identified by name."""
_PLAIN: Final = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))
_UNREAD: Final = frozenset({
    "__dict__", "__weakref__", "__doc__", "__module__", "__dataclass_fields__", "__dataclass_params__",
    "__match_args__", "__parameters__", "__orig_bases__", "__qualname__", "__slots__", "__static_attributes__",
    "__firstlineno__", "__abstractmethods__", "_abc_impl", "__hash__", "__type_params__",
})
"""Attributes of a class that kernels cannot read, or that follow from the others."""
_VARIABLES: Final = "CUDA_TILE"
"""The prefix of the environment variables that `cuda.tile` reads."""


class _Unknown(Exception):
    """An object that a digest cannot represent."""


def portable(function: FunctionType) -> str | None:
    """A digest that does not depend on the path of the file, on line numbers, or on whether `cuda.tile` or its stand-in
    is installed, for one version of Python and of this package. None as for `fingerprint`."""
    from tilecheck import __version__
    from tilecheck.pipeline.cache import digest

    parts = _parts(function, _Seen(places=False))
    return None if parts is None else digest(__version__, repr(sys.version_info[:2]), *parts)


class _Seen(dict[int, int]):
    """Visited objects, by number. `places` says whether locations in the source count."""

    def __init__(self, places: bool) -> None:
        super().__init__()
        self.places = places


def _parts(function: FunctionType, seen: _Seen) -> list[str] | None:
    try:
        return [repr(part) for part in _fingerprint_function(function, seen)]
    except (_Unknown, RecursionError):
        return None


def fingerprint(function: FunctionType) -> str | None:
    """The digest; None for a function that uses values which may change without it."""
    from tilecheck.pipeline.cache import digest

    parts = _parts(function, _Seen(places=True))
    if parts is None:
        return None
    variables = (f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith(_VARIABLES))
    return digest(*parts, "", *variables)


def _fingerprint_function(function: FunctionType, seen: _Seen) -> Iterator[object]:
    if id(function) in seen:
        yield "again", seen[id(function)]
        return
    seen[id(function)] = len(seen)
    code = function.__code__
    yield "function", function.__qualname__
    yield from _fingerprint_code(code, seen)
    for value in (function.__defaults__, tuple(sorted((function.__kwdefaults__ or {}).items()))):
        yield from _fingerprint_value(value, seen)
    if seen.places:  # otherwise their content is in the signature
        yield "annotations", *((name, _text(value)) for name, value in sorted(function.__annotations__.items()))
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        try:
            found = cell.cell_contents
        except ValueError:
            raise _Unknown from None
        yield "closure", name
        yield from _fingerprint_value(found, seen)
    yield from _fingerprint_globals(function, seen)


def _fingerprint_code(code: CodeType, seen: _Seen) -> Iterator[object]:
    """Includes its location, which is part of the compiled code for debuggers."""
    yield (code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags,
           code.co_argcount, code.co_kwonlyargcount, code.co_posonlyargcount, code.co_name)
    if seen.places:
        yield code.co_filename, code.co_firstlineno, code.co_linetable
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield "code"
            yield from _fingerprint_code(constant, seen)
        else:
            yield from _fingerprint_value(constant, seen)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _fingerprint_globals(function: FunctionType, seen: _Seen) -> Iterator[object]:
    """Covers every possible meaning of the names in a function: globals, and attributes of modules among them."""
    names = sorted({name for code in _codes(function.__code__) for name in code.co_names})
    space = function.__globals__
    modules = []
    for name in names:
        if name not in space:
            yield "no global", name  # a builtin, or an attribute
            continue
        yield "global", name
        yield from _fingerprint_value(space[name], seen)
        if isinstance(space[name], ModuleType):
            modules.append(space[name])
    known = set()
    while modules:
        module = modules.pop()
        if id(module) in known or _is_tool_module(module.__name__):
            continue
        known.add(id(module))
        for name in names:
            found = getattr(module, name, None)
            if found is not None:
                yield "attribute", module.__name__, name
                yield from _fingerprint_value(found, seen)
                if isinstance(found, ModuleType):
                    modules.append(found)


def _fingerprint_value(value: object, seen: _Seen) -> Iterator[object]:
    if isinstance(value, _PLAIN):
        if type(value) not in _PLAIN:
            raise _Unknown
        yield type(value).__name__, repr(value)
        return
    make = next((make for kind, make in _KINDS.items() if isinstance(value, kind)), None)
    yield from (_fingerprint_tool_object if make is None else make)(value, seen)


def _tuple(value: Any, seen: _Seen) -> Iterator[object]:
    if type(value) is not tuple:
        raise _Unknown
    yield "tuple", len(value)
    for item in value:
        yield from _fingerprint_value(item, seen)


def _frozenset(value: Any, seen: _Seen) -> Iterator[object]:
    if not all(type(item) in _PLAIN for item in value):
        raise _Unknown
    yield "frozenset", sorted((type(item).__name__, repr(item)) for item in value)


def _enum(value: Any, seen: _Seen) -> Iterator[object]:
    yield "enum", value.name
    yield from _class(type(value), seen)
    yield from _fingerprint_value(value.value, seen)


def _module(value: Any, seen: _Seen) -> Iterator[object]:
    yield "module", value.__name__


def _builtin(value: Any, seen: _Seen) -> Iterator[object]:
    yield "builtin", value.__module__, value.__qualname__


def _variable(value: Any, seen: _Seen) -> Iterator[object]:
    yield "type variable", value.__name__


def _class(value: Any, seen: _Seen) -> Iterator[object]:
    tool = _is_tool_module(value.__module__)
    yield "class", value.__qualname__ if tool and not seen.places else f"{value.__module__}.{value.__qualname__}"
    if tool:
        _check_importable(value)
        return
    if id(value) in seen:
        return
    seen[id(value)] = len(seen)
    if issubclass(value, Enum):
        yield from ((member.name, repr(member.value)) for member in value)
        if not all(type(member.value) in _PLAIN for member in value):
            raise _Unknown
        return
    for base in value.__bases__:
        yield from _class(base, seen)
    for attribute, found in sorted(vars(value).items()):
        if attribute in _UNREAD:
            continue
        yield "member", attribute
        if attribute == "__annotations__":
            yield sorted((k, _text(v)) for k, v in found.items())
        elif isinstance(found, (staticmethod, classmethod)):
            yield type(found).__name__
            yield from _fingerprint_value(found.__func__, seen)
        elif isinstance(found, property):
            for part in (found.fget, found.fset, found.fdel):
                yield from _fingerprint_value(part, seen)
        else:
            yield from _fingerprint_value(found, seen)


def _fingerprint_tool_object(value: Any, seen: _Seen) -> Iterator[object]:
    """Covers an object of a tool: an element type, an annotation."""
    if not _is_tool_module(type(value).__module__):
        raise _Unknown
    yield type(value).__module__, type(value).__qualname__, _text(value)


def _text(value: object) -> str:
    """The text of an object whose `repr` is complete. Raises `_Unknown` for others."""
    text = value if isinstance(value, str) else repr(value)
    if " at 0x" in text or " object at " in text:
        raise _Unknown
    return text


def _is_tool_module(module: str | None) -> bool:
    return str(module).partition(".")[0] in _TOOLS


def _check_importable(value: Any) -> None:
    """Raises for a class that its name does not identify: a local class, or one whose name was reassigned."""
    found: Any = sys.modules.get(value.__module__)
    for name in value.__qualname__.split("."):
        found = getattr(found, name, None)
    if found is not value:
        raise _Unknown


_KINDS: Final[Mapping[type, Callable[[Any, _Seen], Iterator[object]]]] = {
    Enum: _enum, tuple: _tuple, frozenset: _frozenset, ModuleType: _module, FunctionType: _fingerprint_function,
    BuiltinFunctionType: _builtin, TypeVar: _variable, type: _class,
}
