"""Loads modules that define kernels, with the fake `cuda.tile` in place of the real one.

Imports of the standard library are real; imports from a given root are loaded the same way; everything else is
`Anything`, so that host code need not be installed to reach the kernels beside it.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.oracle.fake_tile import BUILTINS, MODULE, Anything, Kernel
from tests.oracle.machine import SOURCE_MARK

_REQUIRES = ModuleType("tilecheck")
vars(_REQUIRES).update(requires=lambda *clauses: lambda f: f, unsafe=lambda reason: lambda f: f,
                       deny_residual=lambda f: f)
_CUDA = ModuleType("cuda")
vars(_CUDA)["tile"] = MODULE


class Loader:
    """Modules under `root`, each executed once. `failures` says which names could not be executed, and why."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = root
        self.modules: dict[str, Any] = {}
        self.failures: dict[str, str] = {}

    def text(self, text: str, filename: str = "<kernel>", name: str = "<kernel>") -> dict[str, Any]:
        """Executes source text and returns its globals."""
        space: dict[str, Any] = {"__name__": name, "__file__": filename, SOURCE_MARK: filename,
                                 "__builtins__": {**BUILTINS, "__import__": self._import}}
        is_package = Path(filename).name == "__init__.py"
        space["__package__"] = name if is_package else name.rpartition(".")[0]
        exec(compile(text, filename, "exec", dont_inherit=True), space)
        return space

    def module(self, dotted: str) -> Any:
        """The module of that name under the root, or `Anything`."""
        if dotted in self.modules:
            return self.modules[dotted]
        path = self._find(dotted)
        module = ModuleType(dotted)
        self.modules[dotted] = module
        if path is None:
            self.modules[dotted] = Anything()
            return self.modules[dotted]
        vars(module)["__getattr__"] = lambda name: self._attribute(dotted, name)
        known = sys.modules.setdefault(dotted, module)
        try:
            vars(module).update(self.text(path.read_text(encoding="utf-8"), str(path), dotted))
        except Exception as error:
            self.failures[dotted] = f"{type(error).__name__}: {error}"
        finally:
            if known is module:
                del sys.modules[dotted]
        return module

    def _attribute(self, package: str, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.module(f"{package}.{name}")

    def _find(self, dotted: str) -> Path | None:
        if self.root is None:
            return None
        base = self.root.joinpath(*dotted.split("."))
        candidates = (base.with_suffix(".py"), base / "__init__.py")
        return next((p for p in candidates if p.is_file()), None)

    def _import(self, name: str, space: Mapping[str, Any] | None = None, local: Any = None,
                fromlist: tuple[str, ...] | None = (), level: int = 0) -> Any:
        if level:
            package = (space or {}).get("__package__", "")
            parts = package.split(".")[:len(package.split(".")) - level + 1]
            name = ".".join([*parts, name]) if name else ".".join(parts)
        top = name.partition(".")[0]
        if top == "cuda":
            if name not in ("cuda", "cuda.tile"):
                return Anything()
            return MODULE if fromlist and name == "cuda.tile" else _CUDA
        if top == "tilecheck":
            return _REQUIRES
        if self._find(top) is not None:
            module = self.module(name)
            for member in fromlist or ():
                if member == "*":
                    continue
                getattr(module, member)
            return module if fromlist else self.module(top)
        if top in sys.stdlib_module_names:
            return builtins.__import__(name, None, None, fromlist or (), 0)
        return Anything()


def kernels(space: Mapping[str, Any]) -> dict[str, Kernel]:
    """The kernels among the globals of a module, by name."""
    return {name: value for name, value in space.items() if isinstance(value, Kernel)}


def load_text(text: str, filename: str = "<kernel>") -> dict[str, Kernel]:
    """The kernels of one source text."""
    return kernels(Loader().text(text, filename))
