"""The files of an analysis, and the results of its units.

After an edit, only the units that read what changed are computed again; the analysis is the one that a run without any
results yields. It is reached unit by unit, so that a caller that waits for one file need not wait for the others, and
takes in a further edit between two units.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from tilecheck.diagnostics import Diagnostic, Failure
from tilecheck.pipeline.cache import UNREADABLE, digest
from tilecheck.pipeline.join import join
from tilecheck.pipeline.reads import Key
from tilecheck.pipeline.recording import RecordingProject
from tilecheck.pipeline.results import (
    Analysis,
    Concluded,
    Dependencies,
    FoundKernel,
    KernelKey,
    LaunchesFound,
    ProofFound,
    SitesFound,
    failure_of,
    internal_failure,
    is_internal,
)
from tilecheck.pipeline.stale import ORDER, StaleUnits
from tilecheck.pipeline.store import Snapshot, Store
from tilecheck.pipeline.units import (
    Done,
    Large,
    Result,
    Step,
    Unit,
    by_kernel,
    conclude_unit,
    conclusion_version,
    find_launches_of,
    find_sites,
    prove_unit,
    search_launching,
    site_of,
)
from tilecheck.project.hosts import Launching, relevant_mentions
from tilecheck.syntax.text import SourceError, collector_paused

if TYPE_CHECKING:
    from tilecheck.interp.host.launch import Launch
    from tilecheck.interp.kernel.access import KernelModel
    from tilecheck.obligations.variants import ExecuteVariant
    from tilecheck.pipeline.analyze import Overlay, ProvedKernel
    from tilecheck.project.module import Module

__all__ = ["Workspace"]

_SEARCH: Final = Unit("launching")


class Workspace:
    """Files under check, and the results of the units of their analysis.

    complete  whether every unit was computed at least once
    """

    def __init__(
        self, files: Mapping[str, bytes | None], roots: Sequence[str], overlay: Overlay, store: Store | None = None
    ) -> None:
        """`files` have the bytes of each file by its path, or None for one that cannot be read; `store` has the
        results of an earlier workspace with the same roots and overlay."""
        self.roots = tuple(roots)
        self.overlay = overlay
        self.project = RecordingProject(tuple(files), roots, _readable(files))
        self.complete = False
        self.store = store
        self._results: dict[Unit, Result] = {}
        self._large: dict[Unit, Large] = {}
        self._digests: dict[Key, str] = {}
        self._contents: dict[str, str] = {}
        self._mentions: dict[str, str] = {}
        self._stale = StaleUnits((_SEARCH,))
        self._proofs_of: dict[str, set[Unit]] = {}
        self._grouped: dict[str, tuple[Sequence[Launch], Mapping[KernelKey, tuple[Launch, ...]]]] = {}
        self._search_failures: tuple[Failure, ...] = ()
        self._consistent = True
        self.missed: set[str] = set()
        snapshot = None if store is None else store.load()
        if snapshot is not None:
            self._resume(snapshot)
        self._add(files)
        self.complete = not self._stale

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of the files under check."""
        return self.project.files

    # --- what changed ------------------------------------------------------------------------------------------------

    def _resume(self, snapshot: Snapshot) -> None:
        """Take over the stored results that are still valid."""
        self._results = dict(snapshot.results)
        for unit in self._results:
            if unit.step == "proof":
                self._proofs_of.setdefault(unit.file, set()).add(unit)
        self._digests = dict(snapshot.digests)
        self._contents = dict(snapshot.contents)
        self._mentions = dict(snapshot.mentions)
        search = self._results.get(_SEARCH)
        if search is not None:
            self._stale.discard(_SEARCH)
            assert isinstance(search.found, Launching)
            self.project.adopt_launching(search.found)
        self._drop(self.files)
        self._compare(self._changed_files(), imports=True)
        for unit, result in snapshot.results.items():
            if isinstance(result.found, SitesFound) and unit in self._results:
                proofs = (Unit("proof", unit.file, *kernel.key) for kernel in result.found.kernels)
                self._stale.add(*(proof for proof in proofs if proof not in self._results))

    def _changed_files(self) -> set[str]:
        """The files whose bytes are not those that results were computed from; they are taken to be now."""
        now = {path: self._content(path) for path in {*self._contents, *self.files}}
        changed = {path for path, found in now.items() if self._contents.get(path) != found}
        self._contents = now
        return changed

    def _content(self, path: str) -> str:
        data = self.project.read_bytes(path)
        return UNREADABLE if data is None else digest(data)

    def replace(self, contents: Mapping[str, bytes]) -> None:
        """Files of the workspace have other bytes."""
        launching = self._launching_result()
        for path, data in contents.items():
            self.project.replace(path, data)
        if launching is not None:
            self.project.adopt_launching(launching)
        for path in contents:
            self._contents[path] = self._content(path)
        self._compare(contents.keys(), imports=False)
        self._add(path for path in contents if Unit("sites", path) not in self._results)

    def restock(self, files: Mapping[str, bytes | None]) -> None:
        """The workspace has these files now, and files beside it may have changed."""
        earlier, launching = self.project, self._launching_result()
        self.project = RecordingProject(tuple(files), self.roots, _readable(files))
        self.project.take_over(earlier)
        if launching is not None:
            self.project.adopt_launching(launching)
        self._drop(files)
        self._compare(self._changed_files(), imports=True)
        self._add(files)

    def _launching_result(self) -> Launching | None:
        """The last result of the search for functions that launch."""
        known = self._results.get(_SEARCH)
        found = None if known is None else known.found
        return found if isinstance(found, Launching) else None

    def _add(self, files: Iterable[str]) -> None:
        for path in files:
            self._stale.add(*(u for u in (Unit("sites", path), Unit("launches", path)) if u not in self._results))

    def _drop(self, files: Collection[str]) -> None:
        """Forget the results of files that are not under check."""
        known = frozenset(files)
        for unit in [u for u in self._results if u.file and u.file not in known and u.step != "conclusion"]:
            self._forget(unit)
        self._stale.discard(*(unit for unit in self._stale if unit.file and unit.file not in known))

    def _forget(self, unit: Unit) -> None:
        self._results.pop(unit, None)
        self._large.pop(unit, None)

    def _compare(self, paths: Collection[str], imports: bool) -> None:
        """Mark the units that read a part of these files which is no longer the same, and, with `imports`, those whose
        imports lead to other files."""
        changed: dict[str, set[Key]] = {}
        for key, was in self._digests.items():
            if (imports if key.kind == "import" else key.path in paths and key.kind != "launching") and (
                    self.project.digest(key) != was):
                changed.setdefault(key.path, set()).add(key)
        self._mark(changed)
        files = self.files
        others = {*self._mentions}.difference(files) | {p for p in files if Unit("sites", p) not in self._results}
        if any(self._mentions.get(p) != m for p, m in self._mentions_of({*paths, *others}).items()):
            self._stale.add(_SEARCH)

    def _mark(self, changed: Mapping[str, set[Key]]) -> None:
        if not changed:
            return
        for mine in changed.values():
            self._digests.update((key, self.project.digest(key)) for key in mine)
        for unit, result in self._results.items():
            if any(not mine.isdisjoint(result.reads.get(path, ())) for path, mine in changed.items()):
                self._stale.add(unit)

    def _mentions_of(self, paths: Iterable[str]) -> dict[str, str | None]:
        """The mentions of each of these files that the search for functions that launch depends on."""
        launching = self._launching_result()
        out: dict[str, str | None] = {}
        files = frozenset(self.files)
        for path in paths:
            found: object = _NOTHING
            if path in files and launching is not None:
                with self.project.recording.collect_keys(), self.project.recording.without_whole_files():
                    found = relevant_mentions(self.project.module(path), launching.names)
            out[path] = None if found == _NOTHING else digest(repr(found))
        return out

    # --- units -------------------------------------------------------------------------------------------------------

    def step(self, wanted: Sequence[str] = ()) -> bool:
        """Compute one unit, for the files that are wanted first if there is any; whether there was one."""
        unit = self._next(wanted)
        if unit is None:
            self.complete = True
            return False
        for done in self._compute(unit):
            self.take(done)
        self._stale.discard(unit)
        return True

    def compute(self, *steps: Step) -> None:
        """Compute the stale units of these steps."""
        for step in steps:
            while units := sorted(unit for unit in self._stale if unit.step == step):
                for unit in units:
                    for done in self._compute(unit):
                        self.take(done)
                    self._stale.discard(unit)

    def prove(self, path: str, kernel: FoundKernel) -> ProvedKernel:
        """The proof of a kernel that a file defines or makes. Raises SourceError if there is none."""
        unit = Unit("proof", path, *kernel.key)
        if unit in self._stale or unit not in self._results:
            for done in self._compute(unit):
                self.take(done)
        found: ProvedKernel | None = self._fetch_large(unit) if unit in self._results else None
        if found is None:
            failures = getattr(self._results[unit].found, "failures", ()) if unit in self._results else ()
            message = failures[0].message if failures else "the kernel cannot be analysed"
            raise SourceError(kernel.home, message)
        return found

    def executor(self, path: str, kernel: FoundKernel) -> ExecuteVariant:
        """The execution of a kernel that a file defines or makes, as a launch compiles it."""
        from tilecheck.pipeline.analyze import executor

        return executor(self.project, site_of(self.project, path, kernel.key))

    def sites(self) -> Iterator[tuple[str, SitesFound]]:
        """The kernels that are known, by file."""
        for path in self.files:
            known = self._results.get(Unit("sites", path))
            if known is not None and isinstance(known.found, SitesFound):
                yield path, known.found

    def launches_of_kernel(self, key: KernelKey) -> list[Launch]:
        """The launches of a kernel that are known, in the order of the files."""
        return self._launches_in((path for path, _ in self.launch_versions().get(key, ())), key)

    def _launches_in(self, paths: Iterable[str], key: KernelKey) -> list[Launch]:
        """The launches of a kernel in files."""
        out: list[Launch] = []
        for path in paths:
            launches = self._launches_of(path)
            grouped = self._grouped.get(path)
            if grouped is None or grouped[0] is not launches:
                grouped = self._grouped[path] = (launches, by_kernel(launches))
            out += grouped[1].get(key, ())
        return out

    def _next(self, wanted: Sequence[str]) -> Unit | None:
        if not self._stale or not wanted:
            return self._stale.find_first()
        place = {path: number for number, path in reversed(list(enumerate(wanted)))}
        needed = set().union(*map(self._needed_proofs, wanted))
        return min(self._stale, key=lambda unit: (
            ORDER[unit.step], unit.step == "proof" and unit not in needed, place.get(unit.file, len(place)), unit))

    def _compute(self, unit: Unit) -> Iterator[Done]:
        match unit.step:
            case "sites":
                yield find_sites(self.project, unit.file)
            case "launching":
                yield self._search()
            case "launches":
                yield find_launches_of(self.project, unit.file)
            case "proof":
                site = site_of(self.project, unit.file or unit.home, (unit.home, unit.qualname))
                if site is not None:
                    yield prove_unit(self.project, unit.file, site, self.overlay if unit.file else {})

    def search(self) -> None:
        """Search for functions that launch, unless the last result holds."""
        if _SEARCH in self._stale:
            self.take(self._search())

    def _search(self) -> Done:
        self._search_failures = ()
        self.project.forget_launching()
        try:
            done = search_launching(self.project)
            errors = self.project.launching.errors
            self._search_failures = tuple(internal_failure(path, errors[path]) for path in sorted(errors))
            return done
        except Exception as error:
            self._search_failures = (failure_of(self.files[0], error),)
            return Done(_SEARCH, Result(Launching({}, frozenset()), {}), None, {})

    def take(self, done: Done, computed_here: bool = True) -> None:
        """Take in the result of a unit, computed here or by another process from the same files. The other process
        stores the large part."""
        if not computed_here:
            self._results.pop(done.unit, None)
        _TAKE[done.unit.step](self, done)
        for key, found in done.digests.items():
            self._consistent &= self._digests.setdefault(key, found) == found
        for path in done.result.reads:
            if path and path not in self._contents:
                self._contents[path] = self._content(path)
        self._stale.discard(done.unit)

    def _take_sites(self, done: Done) -> None:
        before = self._results.get(done.unit)
        self._results[done.unit] = done.result
        known = {k.key: k for k in before.found.kernels} if before and isinstance(before.found, SitesFound) else {}
        assert isinstance(done.result.found, SitesFound)
        units = {Unit("proof", done.unit.file, *k.key): k for k in done.result.found.kernels}
        proofs = self._proofs_of.setdefault(done.unit.file, set())
        for unit in proofs.difference(units):
            self._forget(unit)
            self._stale.discard(unit)
        proofs.intersection_update(units)
        proofs.update(units)
        self._stale.add(*(u for u, k in units.items() if u not in self._results or known.get(k.key) != k))

    def _take_launching(self, done: Done) -> None:
        assert isinstance(done.result.found, Launching)
        self._results[done.unit] = done.result
        self.project.adopt_launching(done.result.found)
        self._mentions = {path: m for path, m in self._mentions_of(self.files).items() if m is not None}
        changed: dict[str, set[Key]] = {}
        for key, was in self._digests.items():
            if key.kind == "launching" and self.project.digest(key) != was:
                changed.setdefault(key.path, set()).add(key)
        self._mark(changed)

    def _take_launches(self, done: Done) -> None:
        """Launches that are equal to those before keep their version, so that no kernel is concluded again for them."""
        before, found = self._results.get(done.unit), done.result.found
        assert isinstance(found, LaunchesFound)
        if before is not None and isinstance(before.found, LaunchesFound) and done.large is not None:
            was = before.found.launched
            old, new = by_kernel(self._find_large(done.unit, before) or ()), by_kernel(_as_launches(done.large))
            versions = {k: was[k] if k in was and old.get(k) == new.get(k) else v for k, v in found.launched.items()}
            found = LaunchesFound(found.events, versions, found.owned, found.failures)
        self._results[done.unit] = Result(found, done.result.reads, done.result.version)
        self._hold(done.unit, done.result.version, done.large)

    def _take_proof(self, done: Done) -> None:
        before, version = self._results.get(done.unit), done.result.version
        if before is not None and done.large is not None and self._find_large(done.unit, before) == done.large:
            version = before.version
        self._results[done.unit] = Result(done.result.found, done.result.reads, version)
        self._hold(done.unit, version, done.large)

    def _take_conclusion(self, done: Done) -> None:
        self._results[done.unit] = done.result

    def _hold(self, unit: Unit, version: str, large: Large) -> None:
        if large is None:
            self._large.pop(unit, None)  # another process has it
            return
        self._large[unit] = large
        if self.store is not None:
            self.store.save_large(unit, version, large)

    def _find_large(self, unit: Unit, result: Result) -> Any:
        """The large part of a result, if it is known here or in the store."""
        if unit not in self._large and self.store is not None:
            found = self.store.load_large(unit, result.version)
            if found is not None:
                self._large[unit] = found
        return self._large.get(unit)

    def _fetch_large(self, unit: Unit) -> Any:
        """The large part of a result; it is computed again if it is not known."""
        if self._find_large(unit, self._results[unit]) is None:
            for done in self._compute(unit):
                self.take(done)
        return self._large.get(unit)

    # --- present results ---------------------------------------------------------------------------------------------

    @property
    def stale(self) -> frozenset[Unit]:
        """The units that must be computed; those that find kernels may add others."""
        return frozenset(self._stale)

    @property
    def left(self) -> int:
        """The number of units that must be computed."""
        return len(self._stale)

    @property
    def contents(self) -> Mapping[str, bytes]:
        """The bytes of the files under check."""
        return self.project.contents

    def packed_launches(self) -> dict[str, bytes]:
        """The launches that are known, pickled by file."""
        import pickle

        return {u.file: pickle.dumps(self._launches_of(u.file), pickle.HIGHEST_PROTOCOL)
                for u, r in list(self._results.items()) if u.step == "launches" and u not in self._stale
                and isinstance(r.found, LaunchesFound) and r.found.launched}

    def has_final_findings(self, path: str) -> bool:
        """Whether the findings of a file are those of a run over all files, as far as the kernels that they depend on
        are known. They all are once every unit was computed."""
        if not self._stale:
            return True
        return all(unit.step == "proof" for unit in self._stale) and self._needed_proofs(path).isdisjoint(self._stale)

    def _needed_proofs(self, path: str) -> set[Unit]:
        """The proofs that findings of a file depend on: of kernels that are defined there, use a part of it, or are
        launched there."""
        known = self._results.get(Unit("launches", path))
        launched = known.found.launched if known is not None and isinstance(known.found, LaunchesFound) else {}
        return {
            unit for unit in {*self._results, *self._stale} if unit.step == "proof" and (
                path in (unit.file, unit.home) or (unit.home, unit.qualname) in launched
                or (unit in self._results and path in self._results[unit].reads))}

    def analysis(self) -> Analysis:
        """The analysis as far as it is known. Kernels whose proof or launches changed are concluded."""
        sites = [found for _, found in self.sites()]
        launches = [r.found for r in self._of("launches") if isinstance(r.found, LaunchesFound)]
        if self._search_failures:
            launches.append(LaunchesFound(failures=self._search_failures))
        units = self._proof_units()
        proofs = [found for unit, result in sorted(self._results.items()) if unit.step == "proof" and unit.file
                  and isinstance(found := result.found, ProofFound)]
        with collector_paused():
            launched = self.launch_versions()
            concluded = {key: self._conclude_proof(unit, launched.get(key, ())) for key, unit in units.items()}
            borrowed = tuple(self._at_launches(launches, units, launched))
        proofs += [ProofFound(failures=r.found.failures) for u, r in self._results.items()
                   if u.step == "proof" and not u.file and isinstance(r.found, ProofFound)]
        return join(sites, launches, proofs, {k: c for k, c in concluded.items() if c is not None}, borrowed,
                    self.dependencies(), len(self.files))

    def _of(self, step: Step) -> Iterator[Result]:
        units = (Unit(step, path) for path in self.files)
        return (self._results[unit] for unit in units if unit in self._results)

    def _proof_units(self) -> dict[KernelKey, Unit]:
        """Of each kernel the unit of its proof: the first, where several files make a kernel of one function."""
        out: dict[KernelKey, Unit] = {}
        for unit in sorted(u for u in self._results if u.step == "proof" and u.file):
            out.setdefault((unit.home, unit.qualname), unit)
        return out

    def launch_versions(self) -> dict[KernelKey, tuple[tuple[str, str], ...]]:
        """Of each kernel, the files that launch it with the version of these launches."""
        out: dict[KernelKey, list[tuple[str, str]]] = {}
        for path in self.files:
            known = self._results.get(Unit("launches", path))
            if known is not None and isinstance(known.found, LaunchesFound):
                for key, version in known.found.launched.items():
                    out.setdefault(key, []).append((path, version))
        return {key: tuple(versions) for key, versions in out.items()}

    def _conclude_proof(self, proof: Unit, launched: Sequence[tuple[str, str]]) -> Concluded | None:
        """The report on a kernel; None if there is no proof."""
        result = self._results[proof]
        assert isinstance(result.found, ProofFound)
        if not result.found.is_proved:
            return None
        unit = Unit("conclusion", proof.file, proof.home, proof.qualname)
        version = conclusion_version(result.version, launched)
        known = self._results.get(unit)
        if known is None or known.version != version:
            kernel = self._fetch_large(proof)
            if kernel is None:
                return None
            key = (proof.home, proof.qualname)
            seen = self._launches_in((path for path, _ in launched), key)
            self.take(conclude_unit(self.project, unit, version, kernel, seen, result.reads))
        found = self._results[unit].found
        assert isinstance(found, Concluded)
        return found

    def _launches_of(self, path: str) -> Sequence[Launch]:
        return self._fetch_large(Unit("launches", path)) or ()

    def _at_launches(
        self, launches: Iterable[LaunchesFound], units: Collection[KernelKey],
        launched: Mapping[KernelKey, Sequence[tuple[str, str]]],
    ) -> Iterator[Diagnostic]:
        """Findings of launches through the runtime whose kernels are not under check themselves."""
        owned = {key for found in launches for key in found.owned}
        checked = frozenset(self.files)
        wanted = {Unit("proof", "", *key) for key in owned if key not in units and key[0] not in checked}
        for unit in [u for u in self._results if u.step in ("proof", "conclusion") and not u.file]:
            if unit._replace(step="proof") not in wanted:
                self._forget(unit)
        for unit in sorted(wanted):
            if unit not in self._results or unit in self._stale:
                for done in self._compute(unit):
                    self.take(done)
            if unit in self._results:
                key = (unit.home, unit.qualname)
                found = self._conclude_proof(unit, launched.get(key, ()))
                spans = {launch.span for launch in self.launches_of_kernel(key)}
                if found is not None and found.findings is not None:
                    yield from (d for d in found.findings.diagnostics if d.span in spans)

    def dependencies(self) -> Dependencies:
        """The files beside these that were read, and those that were looked for in vain."""
        checked = frozenset(self.files)
        read = frozenset((os.path.abspath(path), found) for path, found in self._contents.items()
                         if path not in checked)
        return Dependencies(read, self.project.missed | frozenset(self.missed))

    def save(self) -> None:
        """Store the results, for a later workspace with the same roots and overlay."""
        if self.store is not None and self._consistent:
            self.store.save(self._snapshot())

    def _snapshot(self) -> Snapshot:
        used = {Unit("conclusion", *u[1:]) for u in self._results if u.step == "proof"}
        results = {unit: result for unit, result in self._results.items() if unit not in self._stale
                   and (unit.step != "conclusion" or unit in used)
                   and not any(map(is_internal, getattr(result.found, "failures", ())))}
        if self._search_failures:
            results.pop(_SEARCH, None)
        read = {key for result in results.values() for keys in result.reads.values() for key in keys}
        paths = {key.path for key in read} | {*self.files}
        return Snapshot(results, {key: self._digests[key] for key in read},
                        {path: found for path, found in self._contents.items() if path in paths}, self._mentions)

    def models(self, path: str) -> Iterator[KernelModel]:
        """The kernels that are defined in a file, and those that use a part of it."""
        for unit in sorted(u for u in self._results if u.step == "proof" and u.file):
            if path == unit.home or path in self._results[unit].reads:
                kernel: ProvedKernel | None = self._fetch_large(unit)
                if kernel is not None:
                    yield kernel.model

    def module(self, path: str) -> Module:
        """A module of the project."""
        return self.project.module(path)

    def attempt(self, path: str, data: bytes, kernel: KernelKey) -> tuple[Diagnostic, ...] | None:
        """The findings of a kernel with its seen launches if a file had other bytes. None if there were no such kernel.
        No result changes."""
        was, launching = self.project.module(path).data, self._launching_result()
        self.project.replace(path, data)
        try:
            site = site_of(self.project, kernel[0], kernel)
            if site is None:
                return None
            done = prove_unit(self.project, kernel[0], site, self.overlay)
            proved: Any = done.large
            if proved is None:
                return ()
            seen = self.launches_of_kernel(kernel)
            unit = Unit("conclusion", kernel[0], *kernel)
            found = conclude_unit(self.project, unit, "", proved, seen, done.result.reads).result.found
            assert isinstance(found, Concluded)
            return () if found.findings is None else found.findings.diagnostics
        finally:
            self.project.replace(path, was)
            if launching is not None:
                self.project.adopt_launching(launching)


def _as_launches(large: Large) -> tuple[Launch, ...]:
    return large if isinstance(large, tuple) else ()


def _readable(files: Mapping[str, bytes | None]) -> dict[str, bytes]:
    return {path: data for path, data in files.items() if data is not None}


_TAKE: Final[Mapping[Step, Callable[[Workspace, Done], None]]] = {
    "sites": Workspace._take_sites, "launching": Workspace._take_launching, "launches": Workspace._take_launches,
    "proof": Workspace._take_proof, "conclusion": Workspace._take_conclusion,
}
_NOTHING: Final = (False, (), (), (), ())
"""The result of `relevant_mentions` for a file that contributes nothing to the search."""
