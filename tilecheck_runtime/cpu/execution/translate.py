"""Translates kernel functions for the CPU: their code with other globals.

A function keeps its lines. Its globals become a new dictionary of the names that the code
mentions. There `cuda.tile` and names imported from it are those of the CPU, builtins are those of kernels, and helper
functions, device-side classes and modules that contain them are translated as well. Objects of the user are not
changed. Where Python and the compiler differ, the code is that of a rewritten source.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import dis
import functools
import sys
from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, ValuesView
from enum import Enum
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

import numpy as np

from tilecheck_runtime.cpu.dtypes import of_numpy
from tilecheck_runtime.cpu.execution.host_values import HostValue, known_value, to_device, to_host
from tilecheck_runtime.cpu.execution.meeting import HELPERS
from tilecheck_runtime.cpu.execution.namespace import DEVICE
from tilecheck_runtime.cpu.execution.rewrite import STATIC, Rewritten, rewrite_function
from tilecheck_runtime.cpu.operations.builtins import DEVICE_BUILTINS
from tilecheck_runtime.cpu.tile import Tile
from tilecheck_runtime.cpu.unsupported import make_unsupported
from tilecheck_runtime.errors.language import StaticException, TileError, TileUnsupportedFeatureError
from tilecheck_runtime.sanitizer.sites import MARK

__all__ = ["Translator", "has_source"]

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


_rewritten: dict[tuple[str, CodeType], Rewritten] = {}
"""Functions that were rewritten, by their file and code: equal code of two files has two locations."""
_REWRITTEN_LIMIT: Final = 4096


def _rewrite(function: FunctionType) -> Rewritten:
    """The function after the rewrite; its own code if there is no source."""
    key = (function.__code__.co_filename, function.__code__)
    found = _rewritten.get(key)
    if found is None:
        if len(_rewritten) >= _REWRITTEN_LIMIT:
            _rewritten.clear()
        made = rewrite_function(function, functools.partial(_static_name, function))
        found = _rewritten[key] = made or Rewritten(function.__code__, {}, {}, False)
    return found


def has_source(function: FunctionType) -> bool:
    """Whether the source of a function is available, and still that of its code."""
    return _rewrite(function).found


def _static_name(function: FunctionType, expression: ast.expr) -> str | None:
    """The name of the function among STATIC that an expression in a function denotes."""
    found: Any = None
    match expression:
        case ast.Name(id=name):
            found = function.__globals__.get(name)
            if name in function.__code__.co_freevars:
                found = _content(function, name)
        case ast.Attribute(value=ast.Name(id=name), attr=member) if member in STATIC:
            holder = function.__globals__.get(name, None)
            if name in function.__code__.co_freevars:
                holder = _content(function, name)
            found = getattr(holder, member, None) if isinstance(holder, ModuleType) else None
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id=name), attr=middle), attr=member) if member in STATIC:
            found = getattr(getattr(function.__globals__.get(name), middle, None), member, None)
    module, known = getattr(found, "__module__", None), getattr(found, "__name__", None)
    ours = str(module).startswith("tilecheck_runtime.cpu.")
    return known if known in STATIC and (ours or _is_tile_module(module)) else None


def _content(function: FunctionType, name: str) -> Any:
    """The value of a free variable; None if it has none yet."""
    return _content_of(dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))[name])


def _space(name: Any) -> dict[str, Any]:
    """Fresh globals of a function of that module."""
    space = {"__name__": name, "__builtins__": _BUILTINS, **HELPERS}
    return space if str(name).startswith(_DIALECT) else {**space, MARK: True}


_WITH_TYPES: Final = frozenset({"numpy", "torch", "ml_dtypes", "jax", "cupy"})
"""Packages whose element types kernels may name."""
_TORCH_NAMES: Final = {"torch.bool": "bool_"}


def _of_numpy(value: Any) -> Any:
    """A scalar of NumPy as a constant with its type, and its class as an element type; itself if there is no type."""
    try:
        dtype = of_numpy(value if isinstance(value, type) else value.dtype)
    except (TileUnsupportedFeatureError, TypeError):
        return value
    return dtype if isinstance(value, type) else Tile(value, dtype, None, True)


def _key_of(functions: Mapping[str, Callable[..., Any]], name: str, given: tuple[Any, ...]) -> Any:
    """Identifies an evaluation; None if a variable cannot be hashed."""
    key = (id(functions), name, tuple((type(g), g) for g in given))
    try:
        hash(key)
    except TypeError:
        return None
    return key


def _of_cutile() -> tuple[type[BaseException], ...]:
    """The errors of cuTile, ours and those of the installed package."""
    found = getattr(sys.modules.get("cuda.tile"), "TileError", TileError)
    return (TileError, found)


_CONSUMED: Final = (Iterator, KeysView, ValuesView, ItemsView)
"""Iterables that become lists, so that each block can iterate over them."""


def _content_of(cell: CellType) -> Any:
    """The value of a cell; None if it has none yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _plain_text(value: object) -> str:
    """The text of an object without its own, as the device prints it."""
    return f"<{type(value).__name__} object>"


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


_FOLDED: Final = frozenset({
    "matmul", "add", "sub", "mul", "truediv", "floordiv", "pow", "mod", "divmod", "bitwise_and", "bitwise_or",
    "bitwise_xor", "bitwise_lshift", "bitwise_rshift", "bitwise_not", "minimum", "maximum", "cdiv", "greater",
    "greater_equal", "less", "less_equal", "equal", "not_equal", "negative"})
"""Operations that expressions of the host may call."""


class _HostTile(ModuleType):
    """`cuda.tile` in expressions of the host."""

    def __init__(self, module: ModuleType, translator: Translator) -> None:
        super().__init__(module.__name__)
        self.__dict__["_real"] = (module, translator)

    def __getattr__(self, name: str) -> Any:
        module, translator = self.__dict__["_real"]
        return translator._fold(name) if name in _FOLDED else getattr(module, name)


class Translator:
    """Translates everything that a kernel can reach; each object once.

    `compiled`: the front end has evaluated the expressions of the host, so that here they run on copies of lists and
    dicts.
    """

    def __init__(self, compiled: bool = False) -> None:
        self._compiled = compiled
        self._done: dict[int, Any] = {}
        self._originals: dict[int, Any] = {}
        self._kept: list[Any] = []
        self._results: dict[Any, Any] = {}

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
        self._kept.append((value, translated))
        if translated is not value:
            self._originals[id(translated)] = value

    def _translate(self, value: Any) -> Any:
        if isinstance(value, np.generic) or (isinstance(value, type) and issubclass(value, np.generic)):
            return _of_numpy(value)
        if value is None or isinstance(value, (bool, int, float, str, bytes, Enum)):
            return value
        if type(value).__module__ == "torch" and type(value).__name__ == "dtype":
            return vars(DEVICE).get(_TORCH_NAMES.get(str(value), str(value).rpartition(".")[2]), value)
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
        if module.__name__.partition(".")[0] in _WITH_TYPES:
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
        rewritten = Rewritten(function.__code__, {}, {}) if host else _rewrite(function)
        code, statics = rewritten.code, rewritten.statics
        space = function.__globals__ if host else _space(function.__globals__.get("__name__"))
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        closure = tuple(self._cell(cells[name]) for name in code.co_freevars)
        space.update(rewritten.regions)
        made = FunctionType(code, space, function.__name__, None, closure)
        made.__module__, made.__qualname__ = function.__module__, function.__qualname__
        self._remember(function, made)
        if not host:
            for name in _names(code):
                if name in function.__globals__:
                    space[name] = self.value(function.__globals__[name])
        if statics:
            space["@static"] = functools.partial(
                self._evaluate, {name: self._host_function(function, inner, cells) for name, inner in statics.items()})
        if function.__defaults__:
            made.__defaults__ = tuple(self.value(d) for d in function.__defaults__)
        if function.__kwdefaults__:
            made.__kwdefaults__ = {k: self.value(v) for k, v in function.__kwdefaults__.items()}
        return made

    def _host_function(self, function: FunctionType, code: CodeType, cells: Mapping[str, CellType]) -> FunctionType:
        """An expression of the host in a function, as a function of the local variables that it reads."""
        given = function.__globals__
        space = {**given, **{name: self._host_value(given[name]) for name in _names(code) if name in given}}
        closure = tuple(CellType(self._host_value(_content_of(cells[name]))) for name in code.co_freevars)
        return FunctionType(code, space, function.__name__, None, closure)

    def _evaluate(self, functions: Mapping[str, Callable[..., Any]], name: str, *variables: Any) -> Any:
        """The value of an expression of the host. Equal variables give the value of the first evaluation."""
        given = tuple(to_host(v, self._original) for v in variables)
        key = _key_of(functions, name, given)
        if key in self._results:
            return self._results[key]
        try:
            found = functions[name](*given)
        except Exception as error:
            if isinstance(error, _of_cutile()):
                raise
            raise StaticException(f"{type(error).__name__}: {error}") from error
        result = to_device(list(found) if isinstance(found, _CONSUMED) else found, self.value)
        if key is not None and not any(isinstance(g, HostValue) for g in given):
            self._results[key] = result
        return result

    def _host_value(self, value: Any) -> Any:
        """A variable of the host as its expressions see it."""
        if self._compiled and type(value) in (list, dict, set):
            return value.copy()
        if isinstance(value, ModuleType) and _is_tile_module(value.__name__):
            return _HostTile(value, self)
        if isinstance(value, FunctionType) and value.__name__ in _FOLDED and _is_tile_module(value.__module__):
            return self._fold(value.__name__)
        return value

    def _fold(self, name: str) -> Callable[..., Any]:
        """An operation that expressions of the host may call."""
        operation = getattr(DEVICE, name)
        return lambda *operands, **options: to_host(operation(*map(known_value, operands), **options), self._original)

    def _original(self, value: Any) -> Any:
        """The object that a translated one stands for."""
        return self._originals.get(id(value), value)

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
        if not any("__repr__" in vars(base) for base in made.__mro__[:-1]):
            type.__setattr__(made, "__repr__", _plain_text)
        return made


_DEVICE_SIDE: Final = Translator()
