"""Imports kernel modules of the corpus without what their host code needs (torch, transformers, dispatchers)."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

import cuda.tile as ct

DTYPES = frozenset({"float16", "bfloat16", "float32", "float64", "int8", "int32", "int64", "uint8", "bool",
                    "float8_e4m3fn", "float8_e5m2"})
ABSENT = ("torch", "transformers", "triton", "einops")
STUBBED = ("tilegym.backend", "tilegym.logger")


class _Anything:
    """A module that host code imports and kernels do not use: any attribute, any call, a decorator without effect."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return _Function if name == "Function" else _Anything()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return args[0] if len(args) == 1 and not kwargs and callable(args[0]) else _Anything()

    def __getitem__(self, index: Any) -> Any:
        return _Anything()

    def __or__(self, other: Any) -> Any:
        return _Anything()

    __ror__ = __or__

    def __mro_entries__(self, bases: Any) -> tuple[type, ...]:
        return (object,)

    def __iter__(self) -> Iterator[Any]:
        return iter(())


class _Function:
    """The base class of autograd functions."""

    apply: Any = None


class _Stub(ModuleType):
    """A module of anything."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        if name in DTYPES:
            return getattr(ct, "bool_" if name == "bool" else name)
        return _Function if name == "Function" else _Anything()


class _Empty(Loader):
    def __init__(self, path: str | None) -> None:
        self.path = path

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = _Stub(spec.name) if self.path is None else ModuleType(spec.name)
        module.__path__ = [] if self.path is None else [self.path]
        return module

    def exec_module(self, module: ModuleType) -> None:
        pass


class _Finder(MetaPathFinder):
    """Packages of the corpus are empty, so that importing a kernel does not import all others."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name.partition(".")[0] in ABSENT or name.startswith(STUBBED):
            return ModuleSpec(name, _Empty(None), is_package=True)
        if name.partition(".")[0] != "tilegym":
            return None
        folder = self.root.joinpath(*name.split("."))
        if folder.is_dir():
            return ModuleSpec(name, _Empty(str(folder)), is_package=True)
        return PathFinder.find_spec(name, [str(folder.parent)])


@contextmanager
def importable(root: Path) -> Iterator[None]:
    """Inside, `tilegym` modules can be imported one by one from the folder of the unpacked wheel."""
    before = dict(sys.modules)
    finder = _Finder(root)
    for name in list(sys.modules):
        if name.partition(".")[0] in (*ABSENT, "tilegym"):
            del sys.modules[name]
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in list(sys.modules):
            if name.partition(".")[0] in (*ABSENT, "tilegym") and name not in before:
                del sys.modules[name]
        sys.modules.update({n: m for n, m in before.items() if n.partition(".")[0] in (*ABSENT, "tilegym")})


def kernel(root: Path, module: str, name: str) -> Any:
    """A kernel by its module under `tilegym` and its name."""
    with importable(root):
        return getattr(importlib.import_module(f"tilegym.{module}"), name)
