"""Translates kernel functions for the CPU: the same code with other globals.

A function keeps its code object, and so its lines. Its globals become a new dictionary of the names that the code
mentions. There `cuda.tile` and names imported from it are those of the CPU, builtins are those of kernels, and helper
functions, device-side classes and modules that contain them are translated as well. Objects of the user are not
changed.
"""

from __future__ import annotations

import builtins
import contextlib
import dis
import functools
import sys
from enum import Enum
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

from tilecheck_runtime.cpu.execution.namespace import DEVICE
from tilecheck_runtime.cpu.operations.builtins import DEVICE_BUILTINS
from tilecheck_runtime.cpu.unsupported import make_unsupported
from tilecheck_runtime.sanitizer.sites import MARK

__all__ = ["Translator"]

_HOST_ROOTS: Final = frozenset({"numpy", "torch", "ml_dtypes", "cupy", "jax", "tilecheck", "pytest", "hypothesis"})
_OURS: Final = tuple(f"tilecheck_runtime.{folder}" for folder in (
    "cpu", "errors", "hooks", "sanitizer", "standin", "tile_language"))
_DIALECT: Final = "tilecheck_runtime.dialect."
"""Device code of the runtime: it runs in kernels, but its errors are reported at the author's calls."""
_FOR_GOOD: Final = "tilecheck_runtime.dialect.device."
_BUILTINS: Final = {**vars(builtins), **DEVICE_BUILTINS}


def _is_host(module: str | None) -> bool:
    """Whether code of this module never runs in a kernel by itself."""
    name = module or ""
    root = name.partition(".")[0]
    return root in _HOST_ROOTS or root in sys.stdlib_module_names or name.startswith(_OURS)


def _is_ours(value: Any) -> bool:
    """Whether this is a class or function of the dialect's device side. These do not change, so one translation serves
    every launch."""
    return isinstance(value, (type, FunctionType)) and str(value.__module__).startswith(_FOR_GOOD)


def _is_tile_module(name: str | None) -> bool:
    return name == "cuda.tile" or (name or "").startswith("cuda.tile.")


@functools.lru_cache(maxsize=4096)
def _names(code: CodeType) -> tuple[str, ...]:
    """Names of globals that the code, or a function inside it, reads."""
    own = (i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME"))
    inner = (name for c in code.co_consts if isinstance(c, CodeType) for name in _names(c))
    return tuple(dict.fromkeys((*own, *inner)))


def _space(name: Any) -> dict[str, Any]:
    """Fresh globals of a function of that module."""
    space = {"__name__": name, "__builtins__": _BUILTINS}
    return space if str(name).startswith(_DIALECT) else {**space, MARK: True}


class _Module(ModuleType):
    """A module of the user, whose members are translated on access."""

    def __init__(self, module: ModuleType, translator: Translator) -> None:
        super().__init__(module.__name__)
        self.__dict__["_translated"] = (module, translator)

    def __getattr__(self, name: str) -> Any:
        module, translator = self.__dict__["_translated"]
        value = translator.value(getattr(module, name))
        self.__dict__[name] = value
        return value


class Translator:
    """Translates everything that a kernel can reach; each object once."""

    def __init__(self) -> None:
        self._done: dict[int, Any] = {}
        self._kept: list[Any] = []

    def value(self, value: Any) -> Any:
        """The counterpart of a value on the CPU; most values represent themselves."""
        key = id(value)
        if key in self._done:
            return self._done[key]
        translated = _DEVICE_SIDE.value(value) if self is not _DEVICE_SIDE and _is_ours(value) else (
            self._translate(value))
        self._remember(value, translated)
        return translated

    def _remember(self, value: Any, translated: Any) -> None:
        self._done[id(value)] = translated
        self._kept.append(value)

    def _translate(self, value: Any) -> Any:
        if value is None or isinstance(value, (bool, int, float, str, bytes, Enum)):
            return value
        if type(value).__name__ == "DType" and isinstance(getattr(value, "name", None), str):
            return getattr(DEVICE, value.name)
        if _is_tile_module(type(value).__module__) and not isinstance(value, type):
            return value  # a kernel, or an annotation
        if _is_tile_module(getattr(value, "__module__", None)) and hasattr(value, "__name__"):
            return self._tile_object(value)
        if isinstance(value, ModuleType):
            return self._module(value)
        if isinstance(value, FunctionType):
            return self._function(value)
        if isinstance(value, type):
            return self._class(value)
        return self._object(value)

    def _tile_object(self, value: Any) -> Any:
        name = value.__name__
        if isinstance(value, type) and issubclass(value, Enum):
            return value
        found = vars(DEVICE).get(name)
        return make_unsupported(name) if found is None else found

    def _module(self, module: ModuleType) -> Any:
        if _is_tile_module(module.__name__) or module is DEVICE:
            return DEVICE
        if module.__name__ == "cuda":
            return _Module(module, self)
        return module if _is_host(module.__name__) else _Module(module, self)

    def _object(self, value: Any) -> Any:
        kind = type(value)
        if kind is tuple or kind is list or kind is set or kind is frozenset:
            return kind(self.value(item) for item in value)
        if kind is dict:
            return {self.value(k): self.value(v) for k, v in value.items()}
        if isinstance(value, tuple) and hasattr(kind, "_make"):
            return kind(*(self.value(item) for item in value))
        if kind is functools.partial:
            arguments = {k: self.value(v) for k, v in value.keywords.items()}
            return functools.partial(self.value(value.func), *map(self.value, value.args), **arguments)
        if kind is MethodType:
            return MethodType(self.value(value.__func__), self.value(value.__self__))
        if kind in (staticmethod, classmethod):
            return kind(self.value(value.__func__))
        if kind is property:
            return property(*(None if f is None else self.value(f) for f in (value.fget, value.fset, value.fdel)))
        return self._instance(value)

    def _instance(self, value: Any) -> Any:
        kind = type(value)
        translated = self.value(kind)
        if translated is kind or not isinstance(translated, type) or not hasattr(value, "__dict__"):
            return value
        copy: Any = object.__new__(translated)
        self._remember(value, copy)
        for name, item in vars(value).items():
            object.__setattr__(copy, name, self.value(item))
        return copy

    def _function(self, function: FunctionType) -> Any:
        if getattr(function, "_cutile_function_wrapper", False) and hasattr(function, "__wrapped__"):
            return self.value(function.__wrapped__)
        return self.function(function)

    def function(self, function: FunctionType) -> FunctionType:
        """The function with translated globals, closure and defaults."""
        host = _is_host(function.__module__) and _is_host(function.__globals__.get("__name__"))
        if host and not function.__closure__:
            self._remember(function, function)
            return function
        space = function.__globals__ if host else _space(function.__globals__.get("__name__"))
        cells = None if function.__closure__ is None else tuple(self._cell(c) for c in function.__closure__)
        made = FunctionType(function.__code__, space, function.__name__, None, cells)
        made.__module__, made.__qualname__ = function.__module__, function.__qualname__
        self._remember(function, made)
        if not host:
            for name in _names(function.__code__):
                if name in function.__globals__:
                    space[name] = self.value(function.__globals__[name])
        if function.__defaults__:
            made.__defaults__ = tuple(self.value(d) for d in function.__defaults__)
        if function.__kwdefaults__:
            made.__kwdefaults__ = {k: self.value(v) for k, v in function.__kwdefaults__.items()}
        return made

    def _cell(self, cell: CellType) -> CellType:
        known = self._done.get(id(cell))
        if known is not None:
            return known  # type: ignore[no-any-return]
        made = CellType()
        self._remember(cell, made)
        with contextlib.suppress(ValueError):  # the variable has no value yet
            made.cell_contents = self.value(cell.cell_contents)
        return made

    def _class(self, kind: type) -> Any:
        functions = {n: v for n, v in vars(kind).items()
                     if isinstance(v, (FunctionType, staticmethod, classmethod, property))}
        foreign = _is_host(kind.__module__) or kind.__module__ == "builtins" or issubclass(kind, (Enum, BaseException))
        if foreign or not functions:
            return kind
        skipped = {"__dict__", "__weakref__", *functions}
        slots = vars(kind).get("__slots__", ())
        skipped.update((slots,) if isinstance(slots, str) else slots)
        bases = tuple(self.value(base) for base in kind.__bases__)
        space = {n: v for n, v in vars(kind).items() if n not in skipped}
        made = type(kind)(kind.__name__, bases, space)
        self._remember(kind, made)
        for name, member in functions.items():
            setattr(made, name, self.value(member))
        return made


_DEVICE_SIDE: Final = Translator()
