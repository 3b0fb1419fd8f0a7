"""A project that records the reads of its files, and whose files can be replaced."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, Final, ParamSpec, cast

from tilecheck.pipeline.cache import digest
from tilecheck.pipeline.facets import facet_digest
from tilecheck.pipeline.reads import Key, Kind, Recording
from tilecheck.project.hosts import Launching, Mentions
from tilecheck.project.module import KernelSite, Module
from tilecheck.project.packages import FileName
from tilecheck.project.project import Project
from tilecheck.project.resolve import ClassAt, FunctionAt, Origin, Resolver, ValueAt
from tilecheck.project.skeleton import Skeleton, ValueBinding
from tilecheck.project.targets import ClassTarget, ConstantTarget, FunctionTarget, ModuleTarget, Target
from tilecheck.syntax.text import SourceError
from tilecheck.syntax.tree import ClassDef, Expr, FuncDef, Stmt

__all__ = ["RecordingModule", "RecordingProject"]

P = ParamSpec("P")

_PLACED: Final = (FunctionAt, ClassAt, ValueAt, ModuleTarget)
_TARGETS: Final = (FunctionTarget, ClassTarget, ConstantTarget, ModuleTarget)
"""Targets that are located in a file of the project."""
_ELSEWHERE: Final = frozenset({"import", "launching"})
"""Kinds of keys whose digest depends on other files."""


class RecordingModule(Module):
    """A file that records when it is read: one definition where a caller asks for that, and else the whole file."""

    def __init__(self, project: RecordingProject, path: str, name: FileName, data: bytes | None) -> None:
        super().__init__(project, path, name, data)
        self.recording = project.recording
        self._sites: tuple[frozenset[Key], tuple[KernelSite, ...]] | None = None

    def forget_sites(self) -> None:
        """Forget the kernels: what decorators mean may have changed."""
        self._sites = None
        vars(self).pop("_kernels", None)

    def _read_whole(self, what: str, kind: Kind = "code") -> Any:
        self.recording.read(self.path, kind)
        cached = vars(self)
        if what not in cached:
            with self.recording.without_whole_files():
                cached[what] = vars(Module)[what].func(self)
        return cached[what]

    @property
    def data(self) -> bytes:
        found: bytes = self._read_whole("data", "file")
        return found

    @property
    def text(self) -> str:
        found: str = self._read_whole("text", "file")
        return found

    @property
    def code(self) -> str:
        found: str = self._read_whole("code")
        return found

    @property
    def may_matter(self) -> bool:
        return bool(self._read_whole("may_matter"))

    @property
    def may_own(self) -> bool:
        return bool(self._read_whole("may_own"))

    @property
    def may_launch(self) -> bool:
        return bool(self._read_whole("may_launch"))

    @property
    def names_runtime(self) -> bool:
        return bool(self._read_whole("names_runtime"))

    @property
    def mentions(self) -> Mentions:
        found: Mentions = self._read_whole("mentions")
        return found

    def check(self) -> None:
        self.recording.read(self.path)
        with self.recording.without_whole_files():
            super().check()

    @property
    def lines(self) -> tuple[str, ...]:
        found: tuple[str, ...] = self._read_whole("lines")
        return found

    @property
    def skeleton(self) -> Skeleton:
        found: Skeleton = self._read_whole("skeleton")
        return found

    def lines_of(self, definition: FuncDef) -> tuple[str, ...]:
        # the read of the definition is recorded already
        with self.recording.without_whole_files():
            return super().lines_of(definition)

    def function(self, qualname: str) -> FuncDef | None:
        self.recording.note(Key("function", self.path, qualname))
        with self.recording.without_whole_files():
            return super().function(qualname)

    def outer_functions(self, qualname: str) -> tuple[FuncDef, ...]:
        self.recording.note(Key("function", self.path, qualname))
        with self.recording.without_whole_files():
            return super().outer_functions(qualname)

    def class_(self, name: str) -> ClassDef | None:
        self.recording.note(Key("class", self.path, name))
        with self.recording.without_whole_files():
            return super().class_(name)

    def value(self, binding: ValueBinding) -> Expr | None:
        # the read of the name, or of the function that contains the binding, is recorded already
        with self.recording.without_whole_files():
            return super().value(binding)

    def body(self) -> tuple[Stmt, ...]:
        self.recording.read(self.path)
        return super().body()

    def kernels(self) -> tuple[KernelSite, ...]:
        if self._sites is None:
            with self.recording.collect_keys(coarse=True) as keys:
                found = super().kernels()
            self._sites = (frozenset(keys), found)
        keys_of_sites, sites = self._sites
        self.recording.read(self.path)
        for key in keys_of_sites:
            self.recording.note(key)
        return sites


def _entry(method: Callable[P, Origin | None]) -> Callable[P, Origin | None]:
    """An entry of the resolver: what it reads is recorded name by name, and the file that it leads to as a whole."""

    @wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> Origin | None:
        recording: Recording = cast("RecordingResolver", args[0]).recording
        with recording.without_whole_files():
            found = method(*args, **kwargs)
        if isinstance(found, _PLACED) and recording.is_coarse:
            recording.read(found.module.path)
        return found

    return call


class RecordingResolver(Resolver):
    """A resolver that records which names were looked up; `behind` has the keys that were read to resolve a name."""

    def __init__(self, project: RecordingProject) -> None:
        super().__init__(project)
        self.recording = project.recording
        self.behind: dict[Key, frozenset[Key]] = {}

    chain = _entry(Resolver.chain)
    name = _entry(Resolver.name)
    attribute = _entry(Resolver.attribute)
    resolve_import = _entry(Resolver.resolve_import)
    resolve_absolute = _entry(Resolver.resolve_absolute)

    @_entry
    def module_name(self, module: Module, name: str) -> Origin | None:
        key = Key("name", module.path, name)
        self.recording.note(key)
        if (module.path, name) in self._known:
            return self._known[module.path, name]
        with self.recording.collect_keys() as keys:
            found = super().module_name(module, name)
        self.behind[key] = frozenset(keys) | self.behind.get(key, frozenset())
        return found

    def may_bind(self, module: Module, name: str) -> bool:
        self.recording.note(Key("name", module.path, name))
        self.recording.note(Key("stars", module.path))
        with self.recording.without_whole_files():
            return super().may_bind(module, name)

    def is_conditional(self, module: Module, qualname: str) -> bool:
        self.recording.note(Key("name", module.path, qualname.partition(".")[0]))
        with self.recording.without_whole_files():
            return super().is_conditional(module, qualname)

    def _from_stars(self, module: Module, name: str) -> Origin | None:
        self.recording.note(Key("stars", module.path))
        return super()._from_stars(module, name)

    def _exports(self, module: Module, name: str) -> bool:
        self.recording.note(Key("name", module.path, "__all__"))
        return super()._exports(module, name)


class RecordingProject(Project):
    """A project that records its reads, and whose files can be replaced."""

    def __init__(self, files: Sequence[str], roots: Iterable[str], contents: Mapping[str, bytes]) -> None:
        self.recording = Recording()
        self._digests: dict[str, dict[Key, str]] = {}
        self._digests_elsewhere: dict[Key, str] = {}
        super().__init__(files, roots, contents)
        self.resolver: RecordingResolver = RecordingResolver(self)

    def _create_module(self, file: str) -> Module:
        return RecordingModule(self, file, self._packages.name(Path(file)), self._contents.get(file))

    def module(self, path: Any) -> Module:
        found = super().module(path)
        self.recording.read(found.path)
        return found

    def modules(self) -> Iterable[Module]:
        with self.recording.without_whole_files():
            return super().modules()

    def resolve(self, module: Module, expr: Expr, scope: str = "") -> Target | None:
        if scope:
            self.recording.note(Key("function", module.path, scope))
        with self.recording.without_whole_files():
            found = super().resolve(module, expr, scope)
        if isinstance(found, _TARGETS) and self.recording.is_coarse:
            self.recording.read(found.module.path)
        return found

    def by_name(self, dotted: str, relative_to: Module | None = None) -> Module | None:
        with self.recording.without_whole_files():
            found = super().by_name(dotted, relative_to)
        self.recording.note(Key("import", "" if relative_to is None else relative_to.path, dotted))
        if found is not None and self.recording.is_coarse:
            self.recording.read(found.path)
        return found

    def is_launching(self, module: Module) -> bool:
        self.recording.note(Key("launching", module.path))
        return super().is_launching(module)

    def host_functions(self, module: Module) -> tuple[str, ...]:
        self.recording.note(Key("launching", module.path))
        return super().host_functions(module)

    @property
    def contents(self) -> Mapping[str, bytes]:
        """The bytes that stand for files on disk, by path."""
        return self._contents

    def adopt_launching(self, found: Launching) -> None:
        """Use the result of an earlier search for functions that launch."""
        self._launching = found
        self._digests_elsewhere = {k: d for k, d in self._digests_elsewhere.items() if k.kind != "launching"}

    def forget_launching(self) -> None:
        """Search again when the functions that launch are next asked for."""
        self._launching = None

    def digest(self, key: Key) -> str:
        """The digest of the part that a key names, in its present state."""
        table = self._digests_elsewhere if key.kind in _ELSEWHERE else self._digests.setdefault(key.path, {})
        known = table.get(key)
        if known is None:
            with self.recording.collect_keys(), self.recording.without_whole_files():
                known = table[key] = self._digest(key)
        return known

    def _digest(self, key: Key) -> str:
        match key.kind:
            case "import":
                found = self.by_name(key.what, self.module(key.path) if key.path else None)
                return "" if found is None else found.path
            case "launching":
                found_here = self.launching.functions.get(key.path)
                return "" if found_here is None else digest(*found_here)
        return facet_digest(self.module(key.path), key)

    def read_bytes(self, path: str) -> bytes | None:
        """The bytes of a file, or None if it cannot be read."""
        with self.recording.collect_keys(), self.recording.without_whole_files():
            return _bytes(self.module(path))

    def replace(self, path: str, data: bytes) -> tuple[Module, Module]:
        """Give a file other bytes, and return the file before and after. Names are resolved again."""
        before = self._modules[os.path.abspath(path)]
        self._contents[path] = data
        after = self._modules[os.path.abspath(path)] = self._create_module(path)
        self._digests.pop(path, None)
        self._forget()
        return before, after

    def take_over(self, earlier: RecordingProject) -> None:
        """Use the modules of an earlier project whose bytes, name and package are the same in this one."""
        for key, known in earlier._modules.items():
            # files beside these that were found by import may still be there
            module = self._modules.get(key) or self._create_module(known.path)
            if (isinstance(known, RecordingModule) and known.path == module.path and known.name == module.name
                    and known.is_package == module.is_package and _bytes(known) == _bytes(module)):
                known.project = self
                known.recording = self.recording
                self._modules[key] = known
                self._digests[known.path] = earlier._digests.get(known.path, {})
        self._forget()

    def modules_by_path(self) -> Mapping[str, Module]:
        """The files that were asked for so far, by their path."""
        return {module.path: module for module in self._modules.values()}

    def _forget(self) -> None:
        self.resolver = RecordingResolver(self)
        self._launching = None
        self._digests_elsewhere.clear()
        for module in self._modules.values():
            if isinstance(module, RecordingModule):
                module.forget_sites()


def _bytes(module: Module) -> bytes | None:
    try:
        return module.data
    except SourceError:
        return None
