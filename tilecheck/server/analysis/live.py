"""A project whose files change, and which notes what is read of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, Final, ParamSpec, cast

from tilecheck.project.module import KernelSite, Module
from tilecheck.project.packages import FileName
from tilecheck.project.project import Project
from tilecheck.project.resolve import ClassAt, FunctionAt, Origin, Resolver, ValueAt
from tilecheck.project.skeleton import Skeleton, ValueBinding
from tilecheck.project.targets import ClassTarget, ConstantTarget, FunctionTarget, ModuleTarget, Target
from tilecheck.server.analysis.reads import Key, Recording
from tilecheck.syntax.text import SourceError
from tilecheck.syntax.tree import ClassDef, Expr, FuncDef, Stmt

__all__ = ["LiveModule", "LiveProject"]

P = ParamSpec("P")

_PLACED: Final = (FunctionAt, ClassAt, ValueAt, ModuleTarget)
_TARGETS: Final = (FunctionTarget, ClassTarget, ConstantTarget, ModuleTarget)
"""What stands in a file of the project."""


class LiveModule(Module):
    """A file that notes when it is read. Whoever asks for one definition has read that, and else all of it."""

    def __init__(self, project: LiveProject, path: str, name: FileName, data: bytes | None) -> None:
        super().__init__(project, path, name, data)
        self.recording = project.recording
        self._sites: tuple[frozenset[Key], tuple[KernelSite, ...]] | None = None

    def forget_sites(self) -> None:
        """What its decorators mean may have changed."""
        self._sites = None
        vars(self).pop("_kernels", None)

    def _whole(self, what: str) -> Any:
        self.recording.read(self.path)
        kept = vars(self)
        if what not in kept:
            kept[what] = vars(Module)[what].func(self)
        return kept[what]

    @property
    def data(self) -> bytes:
        found: bytes = self._whole("data")
        return found

    @property
    def text(self) -> str:
        found: str = self._whole("text")
        return found

    @property
    def lines(self) -> tuple[str, ...]:
        found: tuple[str, ...] = self._whole("lines")
        return found

    @property
    def skeleton(self) -> Skeleton:
        found: Skeleton = self._whole("skeleton")
        return found

    def lines_of(self, definition: FuncDef) -> tuple[str, ...]:
        # whoever has the definition has asked for it
        with self.recording.quiet():
            return super().lines_of(definition)

    def function(self, qualname: str) -> FuncDef | None:
        self.recording.note(Key("function", self.path, qualname))
        with self.recording.quiet():
            return super().function(qualname)

    def outer(self, qualname: str) -> tuple[FuncDef, ...]:
        self.recording.note(Key("function", self.path, qualname))
        with self.recording.quiet():
            return super().outer(qualname)

    def class_(self, name: str) -> ClassDef | None:
        self.recording.note(Key("class", self.path, name))
        with self.recording.quiet():
            return super().class_(name)

    def value(self, binding: ValueBinding) -> Expr | None:
        # whoever has the binding has asked for its name, or for the function that it stands in
        with self.recording.quiet():
            return super().value(binding)

    def body(self) -> tuple[Stmt, ...]:
        self.recording.read(self.path)
        return super().body()

    def kernels(self) -> tuple[KernelSite, ...]:
        if self._sites is None:
            with self.recording.filling(coarse=True) as keys:
                found = super().kernels()
            self._sites = (frozenset(keys), found)
        keys_of_sites, sites = self._sites
        self.recording.read(self.path)
        for key in keys_of_sites:
            self.recording.note(key)
        return sites


def _entry(method: Callable[P, Origin | None]) -> Callable[P, Origin | None]:
    """A way into the resolver: what it reads on the way is noted name by name, and where it leads to as a whole."""

    @wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> Origin | None:
        recording: Recording = cast("LiveResolver", args[0]).recording
        with recording.quiet():
            found = method(*args, **kwargs)
        if isinstance(found, _PLACED) and recording.is_coarse:
            recording.read(found.module.path)
        return found

    return call


class LiveResolver(Resolver):
    """A resolver that notes which names were looked up; `behind` has what was read to know a name."""

    def __init__(self, project: LiveProject) -> None:
        super().__init__(project)
        self.recording = project.recording
        self.behind: dict[Key, frozenset[Key]] = {}

    chain = _entry(Resolver.chain)
    name = _entry(Resolver.name)
    attribute = _entry(Resolver.attribute)
    imported = _entry(Resolver.imported)
    absolute = _entry(Resolver.absolute)

    @_entry
    def module_name(self, module: Module, name: str) -> Origin | None:
        key = Key("name", module.path, name)
        self.recording.note(key)
        if (module.path, name) in self._known:
            return self._known[module.path, name]
        with self.recording.filling() as keys:
            found = super().module_name(module, name)
        self.behind[key] = frozenset(keys) | self.behind.get(key, frozenset())
        return found

    def _from_stars(self, module: Module, name: str) -> Origin | None:
        self.recording.note(Key("stars", module.path))
        return super()._from_stars(module, name)

    def _exports(self, module: Module, name: str) -> bool:
        self.recording.note(Key("name", module.path, "__all__"))
        return super()._exports(module, name)


class LiveProject(Project):
    """Files of which some may be replaced."""

    def __init__(self, files: Sequence[str], roots: Iterable[str], contents: Mapping[str, bytes]) -> None:
        self.recording = Recording()
        super().__init__(files, roots, contents)
        self.resolver: LiveResolver = LiveResolver(self)

    def _new(self, file: str) -> Module:
        return LiveModule(self, file, self._packages.name(Path(file)), self._contents.get(file))

    def module(self, path: Any) -> Module:
        found = super().module(path)
        self.recording.read(found.path)
        return found

    def modules(self) -> Iterable[Module]:
        with self.recording.quiet():
            return super().modules()

    def resolve(self, module: Module, expr: Expr, scope: str = "") -> Target | None:
        if scope:
            self.recording.note(Key("function", module.path, scope))
        with self.recording.quiet():
            found = super().resolve(module, expr, scope)
        if isinstance(found, _TARGETS) and self.recording.is_coarse:
            self.recording.read(found.module.path)
        return found

    def by_name(self, dotted: str, relative_to: Module | None = None) -> Module | None:
        with self.recording.quiet():
            found = super().by_name(dotted, relative_to)
        importer = "" if relative_to is None else relative_to.path
        self.recording.note(Key("import", importer, f"{dotted}\n{'' if found is None else found.path}"))
        if found is not None and self.recording.is_coarse:
            self.recording.read(found.path)
        return found

    def replace(self, path: str, data: bytes) -> tuple[Module, Module]:
        """Give a file other bytes: the file as it was, and as it is. What names mean is looked up again."""
        before = self._modules[os.path.abspath(path)]
        self._contents[path] = data
        after = self._modules[os.path.abspath(path)] = self._new(path)
        self._forget()
        return before, after

    def take_over(self, earlier: LiveProject) -> None:
        """Use the files of an earlier project that are the same in this one: their bytes, and how they are imported."""
        for key, known in earlier._modules.items():
            # files beside these that were found by import may still be there
            module = self._modules.get(key) or self._new(known.path)
            if (isinstance(known, LiveModule) and known.path == module.path and known.name == module.name
                    and known.is_package == module.is_package and _bytes(known) == _bytes(module)):
                known.project = self
                known.recording = self.recording
                self._modules[key] = known
        self._forget()

    def known(self) -> Mapping[str, Module]:
        """The files that were read so far, by their path."""
        return {module.path: module for module in self._modules.values()}

    def _forget(self) -> None:
        self.resolver = LiveResolver(self)
        self._launching = None
        for module in self._modules.values():
            if isinstance(module, LiveModule):
                module.forget_sites()


def _bytes(module: Module) -> bytes | None:
    try:
        return module.data
    except SourceError:
        return None
