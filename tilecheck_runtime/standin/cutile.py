"""`cuda.tile` where the real package is not installed: decorators, annotations and the operations of the CPU."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Annotated, Any, Final, TypeVar

from tilecheck_runtime.cpu.dtypes import INT32, INT64, DType
from tilecheck_runtime.cpu.execution.execute import launch
from tilecheck_runtime.cpu.execution.namespace import DEVICE, UNSUPPORTED
from tilecheck_runtime.cpu.unsupported import make_unsupported
from tilecheck_runtime.standin.tune import Measurement, TuningResult, exhaustive_search

__all__ = ["make_modules", "register"]

T = TypeVar("T")


class ByTarget:
    """A hint by architecture; ignored on a CPU."""

    def __init__(self, *, default: Any = None, **targets: Any) -> None:
        self.default, self.targets = default, targets


class kernel:
    """A kernel. It is launched, not called."""

    def __new__(cls, function: Any = None, /, **hints: Any) -> Any:
        if function is None:
            return lambda decorated: cls(decorated, **hints)
        return super().__new__(cls)

    def __init__(self, function: Any = None, /, **hints: Any) -> None:
        if not isinstance(function, FunctionType):
            raise TypeError("`kernel` decorator must be applied to a Python function")
        self._pyfunc, self._hints = function, hints
        functools.update_wrapper(self, function)

    def replace_hints(self, **hints: Any) -> kernel:
        """The same kernel with other hints."""
        return type(self)(self._pyfunc, **{**self._hints, **hints})

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("Tile kernels cannot be called directly. Use cuda.tile.launch() instead.")


def function(func: Any = None, /, *, host: bool = False, tile: bool = True) -> Any:
    """Marks a helper of kernels."""

    def decorate(helper: Callable[..., Any]) -> Callable[..., Any]:
        if host:
            return helper

        @functools.wraps(helper)
        def refuse_call(*_: Any, **__: Any) -> Any:
            raise RuntimeError("Device functions can only be called from device code.")

        vars(refuse_call)["_cutile_function_wrapper"] = True
        return refuse_call

    return decorate if func is None else decorate(func)


class ConstantAnnotation:
    """Marks a parameter whose value is part of the compiled kernel."""


@dataclass(frozen=True, kw_only=True)
class ArrayAnnotation:
    """The static properties of an array, and the type of its extents."""

    index_dtype: DType = INT32
    static_shape_dims: tuple[int, ...] = ()
    static_stride_dims: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ScalarAnnotation:
    """The type of an integer parameter."""

    dtype: DType


@dataclass(frozen=True, kw_only=True)
class ListAnnotation:
    """The annotation of the arrays in a list."""

    element: Any


@contextmanager
def compiler_timeout(timeout_sec: float) -> Iterator[None]:
    """Does nothing: kernels are not compiled."""
    yield


def _annotations() -> Mapping[str, Any]:
    return {
        "ConstantAnnotation": ConstantAnnotation, "ArrayAnnotation": ArrayAnnotation, "ListAnnotation": ListAnnotation,
        "Constant": Annotated[T, ConstantAnnotation()],
        "IndexedWithInt64": Annotated[T, ArrayAnnotation(index_dtype=INT64)],
        "ScalarInt64": Annotated[T, ScalarAnnotation(dtype=INT64)],
        "Scalar": int | float,
    }


def _of_compilation(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return make_unsupported(f"compilation.{name}")


_ALIASES: Final = ("_stub", "_datatype", "_numeric_semantics", "_memory_model", "_execution", "_exception", "_cext")
"""Private modules that programs import public names from."""


def make_modules() -> dict[str, ModuleType]:
    """Creates the stand-in and its submodules, by full name."""
    tile = ModuleType("cuda.tile", "cuTile on a CPU, by tilecheck_runtime.")
    space = vars(tile)
    space.update({n: v for n, v in vars(DEVICE).items() if not n.startswith("__")})
    space.update(_annotations())
    space.update(kernel=kernel, function=function, launch=launch, ByTarget=ByTarget, compiler_timeout=compiler_timeout,
                 __path__=[], __version__="0", **{name: make_unsupported(name) for name in UNSUPPORTED})
    tune = ModuleType("cuda.tile.tune")
    vars(tune).update(exhaustive_search=exhaustive_search, TuningResult=TuningResult, Measurement=Measurement)
    compilation = ModuleType("cuda.tile.compilation")
    vars(compilation)["__getattr__"] = _of_compilation
    space.update(tune=tune, compilation=compilation)
    space["__all__"] = sorted(n for n in space if not n.startswith("_"))
    modules = {"cuda.tile": tile, "cuda.tile.tune": tune, "cuda.tile.compilation": compilation}
    for alias in _ALIASES:
        module = ModuleType(f"cuda.tile.{alias}")
        vars(module).update({n: v for n, v in space.items() if not n.startswith("__")})
        modules[module.__name__] = module
    return modules


@contextmanager
def register() -> Iterator[None]:
    """Makes `import cuda.tile` find the stand-in."""
    modules = make_modules()
    parent = sys.modules.get("cuda")
    if parent is None:
        parent = ModuleType("cuda")
        vars(parent)["__path__"] = []
        modules["cuda"] = parent
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    installed = vars(parent).get("tile")
    vars(parent)["tile"] = modules["cuda.tile"]
    try:
        yield
    finally:
        vars(parent).pop("tile")
        if installed is not None:
            vars(parent)["tile"] = installed
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module
