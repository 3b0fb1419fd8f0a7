"""All files of a folder, and what is known of them: after an edit, only the steps that read what changed are done anew.

The result is the one that a run over the same files yields. It is reached step by step, so that whoever waits for one
file need not wait for the others, and a further edit is taken in between two steps.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from tilecheck.diagnostics import Diagnostic, KernelReport
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.obligation import Proof
from tilecheck.pipeline.analyze import Joiner, Overlay
from tilecheck.pipeline.cache import UNREADABLE, digest
from tilecheck.pipeline.results import Analysis, Dependencies
from tilecheck.project.module import KernelSite, Module
from tilecheck.rules.diagnose import conclude
from tilecheck.server.analysis.changes import changed
from tilecheck.server.analysis.live import LiveProject
from tilecheck.server.analysis.reads import Key
from tilecheck.server.analysis.units import Kept, KernelUnit, Unit, find_sites, prove, see_launches
from tilecheck.syntax.text import SourceError

__all__ = ["Workspace"]

_NO_LAUNCHES: Mapping[str, tuple[str, ...]] = {}


class Conclusions:
    """What was concluded of each kernel, as long as its proof and its launches are the same."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[KernelModel, Proof, tuple[Launch, ...],
                                                  tuple[KernelReport, tuple[Diagnostic, ...]]]] = {}

    def __call__(
        self, model: KernelModel, proof: Proof, launches: Sequence[Launch]
    ) -> tuple[KernelReport, tuple[Diagnostic, ...]]:
        key = (model.file, model.name)
        seen = tuple(launches)
        known = self._known.get(key)
        if known is not None and known[0] is model and known[1] is proof and known[2] == seen:
            return known[3]
        found = conclude(model, proof, seen)
        self._known[key] = (model, proof, seen, found)
        return found


class Workspace:
    """The files of a folder. All paths are absolute.

    complete   whether every step was done at least once
    _launched  the functions that launch, as they were when they were searched last; `_launching` when that still holds
    """

    def __init__(self, files: Mapping[str, bytes], roots: Sequence[str], overlay: Overlay) -> None:
        self.roots = tuple(roots)
        self.overlay = overlay
        self.project = LiveProject(tuple(files), roots, files)
        self.complete = False
        self._conclude = Conclusions()
        self._units: dict[Unit, Kept] = {}
        self._kernels: dict[KernelUnit, Kept] = {}
        self._stale: set[Unit] = set()
        self._stale_kernels: set[KernelUnit] = set()
        self._launching: Mapping[str, tuple[str, ...]] | None = None
        self._launched = _NO_LAUNCHES
        self._add(files)

    @property
    def files(self) -> tuple[str, ...]:
        return self.project.files

    # --- what changed ------------------------------------------------------------------------------------------------

    def replace(self, contents: Mapping[str, bytes]) -> None:
        """Files of the folder have other bytes."""
        for path, data in contents.items():
            before, after = self.project.replace(path, data)
            self._invalidate(path, before, after)
            self._stale.add(Unit("sites", path))
            self._stale.add(Unit("launches", path))
        self._launching = None

    def restock(self, files: Mapping[str, bytes]) -> None:
        """There are other files in the folder."""
        earlier = self.project
        before = dict(earlier.known())
        self.project = LiveProject(tuple(files), self.roots, files)
        self.project.take_over(earlier)
        after = self.project.known()
        for path in before.keys() | after.keys():
            if before.get(path) is not after.get(path):
                self._invalidate(path, before.get(path), after.get(path))
        self._invalidate_imports()
        self._drop(files)
        same = {path for path in files if before.get(path) is after.get(path)}
        self._add({path: data for path, data in files.items() if path not in same})
        self._launching = None

    def _add(self, files: Iterable[str]) -> None:
        for path in files:
            self._stale |= {Unit("sites", path), Unit("launches", path)}

    def _drop(self, files: Mapping[str, bytes]) -> None:
        self._units = {unit: kept for unit, kept in self._units.items() if unit.file in files}
        self._kernels = {unit: kept for unit, kept in self._kernels.items() if unit.file in files}
        self._stale = {unit for unit in self._stale if unit.file in files}
        self._stale_kernels = {unit for unit in self._stale_kernels if unit.file in files}

    def _invalidate(self, path: str, before: Module | None, after: Module | None) -> None:
        """What read a part of a file that is no longer the same must be done anew."""
        known: dict[Key, bool] = {}

        def differs(key: Key) -> bool:
            if key not in known:
                known[key] = before is None or after is None or changed(key, before, after)
            return known[key]

        self._stale |= {u for u, kept in self._units.items() if any(map(differs, kept.reads.get(path, ())))}
        self._stale_kernels |= {u for u, kept in self._kernels.items() if any(map(differs, kept.reads.get(path, ())))}

    def _invalidate_imports(self) -> None:
        """Imports may mean other files."""
        known: dict[Key, bool] = {}

        def differs(key: Key) -> bool:
            if key not in known:
                name, _, was = key.what.partition("\n")
                importer = self.project.module(key.path) if key.path else None
                found = self.project.by_name(name, importer)
                known[key] = was != ("" if found is None else found.path)
            return known[key]

        def leads_elsewhere(kept: Kept) -> bool:
            return any(key.kind == "import" and differs(key) for keys in kept.reads.values() for key in keys)

        self._stale |= {unit for unit, kept in self._units.items() if leads_elsewhere(kept)}
        self._stale_kernels |= {unit for unit, kept in self._kernels.items() if leads_elsewhere(kept)}

    # --- steps -------------------------------------------------------------------------------------------------------

    def step(self, wanted: Sequence[str]) -> bool:
        """Do one step, for the files that are wanted first if any is left; whether there was one."""
        unit = _first((unit for unit in self._stale if unit.step == "sites"), wanted)
        if unit is not None:
            self._find(unit.file)
            return True
        if self._launching is None:
            self._search()
            return True
        unit = _first(self._stale, wanted)
        if unit is not None:
            self._units[unit] = see_launches(self.project, unit.file)
            self._stale.discard(unit)
            return True
        for path in wanted:
            kernel = min(self._stale_kernels & self._needed(path), default=None)
            if kernel is not None:
                self._prove(kernel)
                return True
        if self._stale_kernels:
            self._prove(min(self._stale_kernels))
            return True
        self.complete = True
        return False

    def _find(self, path: str) -> None:
        kept = self._units[Unit("sites", path)] = find_sites(self.project, path)
        self._stale.discard(Unit("sites", path))
        units = {KernelUnit(path, site.module.path, site.qualname): site for site in kept.sites}
        for unit in [unit for unit in self._kernels.keys() | self._stale_kernels if unit.file == path]:
            if unit not in units:
                self._kernels.pop(unit, None)
                self._stale_kernels.discard(unit)
        for unit, site in units.items():
            known = self._kernels.get(unit)
            if known is None or not known.sites or _is_other(known.sites[0], site):
                self._stale_kernels.add(unit)

    def _search(self) -> None:
        """Find the functions that launch; launches are looked for anew where they are others."""
        before = {unit.file: kept for unit, kept in self._units.items() if unit.step == "launches"}
        was = self._launched
        self._launching = self._launched = dict(self.project.launching)
        self._stale |= {
            Unit("launches", path) for path in before if was.get(path, ()) != self._launched.get(path, ())}

    def _prove(self, unit: KernelUnit) -> None:
        site = self._site(unit)
        if site is not None:
            kept = prove(self.project, unit.file, site, self.overlay)
            self._kernels[unit] = Kept(kept.result, kept.reads, (site,))
        self._stale_kernels.discard(unit)

    def _site(self, unit: KernelUnit) -> KernelSite | None:
        sites = self._units[Unit("sites", unit.file)].sites
        return next((s for s in sites if (s.module.path, s.qualname) == (unit.home, unit.qualname)), None)

    # --- what is known -----------------------------------------------------------------------------------------------

    def is_settled(self, path: str) -> bool:
        """Whether what is known of a file is what a run over all files yields, as far as kernels were met that have to
        do with it. When all steps were done once, they all were."""
        return not self._stale and self._launching is not None and not self._stale_kernels & self._needed(path)

    def _needed(self, path: str) -> set[KernelUnit]:
        """The kernels whose findings may stand in a file: those that are defined there, that use a part of it, or that
        are launched there."""
        kept = self._units.get(Unit("launches", path))
        launched = {launch.kernel for launch in kept.result.launches} if kept is not None else set()
        every = self._kernels.keys() | self._stale_kernels
        return {
            unit for unit in every
            if path in (unit.file, unit.home) or (unit.home, unit.qualname) in launched
            or (unit in self._kernels and path in self._kernels[unit].reads)}

    def analysis(self) -> Analysis:
        """What is known of all files."""
        joiner = Joiner(self._conclude)
        for path in self.files:
            for unit in (Unit("sites", path), Unit("launches", path)):
                if unit in self._units:
                    joiner.add(self._units[unit].result)
        for _, kept in sorted(self._kernels.items()):
            joiner.add(kept.result)
        return replace(joiner.analysis(len(self.files)), dependencies=self._dependencies())

    def _dependencies(self) -> Dependencies:
        """The files beside these that were read, as a cache must know of them."""
        read = frozenset((os.path.abspath(m.path), _digest(m)) for m in self.project.found_by_import())
        return Dependencies(read, self.project.missed)

    def models(self, path: str) -> Iterator[KernelModel]:
        """The kernels that are defined in a file, and those that use a part of it."""
        for _, kept in sorted(self._kernels.items()):
            for kernel in kept.result.kernels:
                if path == kernel.model.file or path in kept.reads:
                    yield kernel.model

    def module(self, path: str) -> Module:
        return self.project.module(path)

    def attempt(self, path: str, data: bytes, kernel: tuple[str, str]) -> tuple[Diagnostic, ...] | None:
        """What would be found of a kernel, in view of the launches that are known, if a file had other bytes; None when
        it would not be there. Nothing of what is known changes."""
        was = self.project.module(path).data
        self.project.replace(path, data)
        try:
            for site in find_sites(self.project, kernel[0]).sites:
                if (site.module.path, site.qualname) == kernel:
                    result = prove(self.project, kernel[0], site, self.overlay).result
                    seen = [launch for kept in self._units.values() for launch in kept.result.launches
                            if launch.kernel == kernel]
                    seen.sort(key=lambda launch: (launch.span, launch.wrapper))
                    return tuple(d for k in result.kernels for d in conclude(k.model, k.proof, seen)[1])
            return None
        finally:
            self.project.replace(path, was)
            if self._launching is not None:
                self.project.launching = self._launched


def _digest(module: Module) -> str:
    try:
        return digest(module.data)
    except SourceError:
        return UNREADABLE


def _first(units: Iterable[Unit], wanted: Sequence[str]) -> Unit | None:
    place = {path: number for number, path in reversed(list(enumerate(wanted)))}
    return min(units, key=lambda unit: (unit.step != "sites", place.get(unit.file, len(place)), unit), default=None)


def _is_other(known: KernelSite, found: KernelSite) -> bool:
    return (known.how, known.dialect) != (found.how, found.dialect)
