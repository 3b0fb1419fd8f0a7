"""The stale units of a workspace, computed by several processes.

A worker keeps the proofs that it computes. Once the launches of all files are known, it concludes these kernels itself,
so that proofs, which are large, are not sent. `concurrent.futures` cannot give a task to the worker that has its proof,
loses all workers when one dies, and leaves workers behind when the parent is killed.
"""

from __future__ import annotations

import gc
import multiprocessing
import pickle
import signal
import sys
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from tilecheck.diagnostics import Failure
from tilecheck.interp.host.launch import Launch
from tilecheck.pipeline.analyze import Overlay, ProvedKernel
from tilecheck.pipeline.progress import Progress
from tilecheck.pipeline.recording import RecordingProject
from tilecheck.pipeline.results import INTERNAL, KernelKey, LaunchesFound, SitesFound, failure_of
from tilecheck.pipeline.units import (
    Done,
    Result,
    Unit,
    by_kernel,
    conclude_unit,
    conclusion_version,
    find_launches_of,
    find_sites,
    prove_unit,
    site_of,
)
from tilecheck.project.hosts import Launching

if TYPE_CHECKING:
    from multiprocessing.context import ForkContext, SpawnContext

    from tilecheck.pipeline.store import Store
    from tilecheck.pipeline.workspace import Workspace

__all__ = ["compute_in_parallel"]

Task: TypeAlias = tuple[Literal["kernels", "launches", "conclude"], str]
"""A task for a file: find its kernels and prove them; find its launches; or conclude its kernels."""

_SAFE_TO_FORK: Final = ("linux",)
_AHEAD: Final = 8
"""Files whose kernels a worker proves at first, while the functions that launch are searched for."""
_TRIES: Final = 2
"""Times that a worker may die in a task: the first time may have been the fault of the system."""


class Work(Struct, frozen=True):
    """The inputs of a worker. A forked worker has `contents` without a copy."""

    files: tuple[str, ...]
    roots: tuple[str, ...]
    contents: Mapping[str, bytes]
    overlay: Overlay
    store: Store | None


class Message(NamedTuple):
    """A message to a worker: tasks, and before them the facts that became known since the last message."""

    tasks: tuple[Task, ...]
    launching: Launching | None = None
    launches: Mapping[str, bytes] | None = None
    versions: Mapping[KernelKey, tuple[tuple[str, str], ...]] | None = None


class Answer(NamedTuple):
    """The answer of a worker to a task. Large parts are left out, except launches, which are pickled separately."""

    done: tuple[Done, ...]
    launches: bytes | None
    missed: frozenset[str]


def compute_in_parallel(workspace: Workspace, paths: Sequence[str], workers: int, progress: Progress) -> None:
    """Compute the stale units of a workspace; work on files that come first in `paths` begins first. Units that a
    failure of a worker leaves are stale afterwards."""
    team = _Team(workspace, paths, workers)
    try:
        team.run(progress)
    finally:
        team.dismiss()


class _Hand:
    """A worker as its parent sees it.

    tasks     what it has to do, in the order in which it answers
    holds     files whose kernels it has proved and not concluded
    has_read  files that it need not read again
    """

    def __init__(self, work: Work, project: RecordingProject) -> None:
        """A forked worker inherits `project`, with the files that it has read."""
        context = _context()
        self.connection, there = context.Pipe()
        _OURS.append(self.connection)
        inherited = project if context.get_start_method() == "fork" else None
        self.process = context.Process(target=_serve, args=(work, there, inherited), daemon=True)
        self.process.start()
        there.close()  # so that the end of the process closes the connection
        self.tasks: deque[Task] = deque()
        self.holds: list[str] = []
        self.has_read: set[str] = set()
        self.knows_launching = self.knows_launches = False

    def send(self, message: Message) -> None:
        """Hand out tasks. The worker has none, so it is listening: this does not block."""
        self.tasks.extend(message.tasks)
        with suppress(OSError):  # it died, which shows when its answer is awaited
            self.connection.send(message)

    def leave(self) -> None:
        """End the process, at once if it is not done."""
        _OURS.remove(self.connection)
        self.connection.close()
        if self.tasks:
            self.process.terminate()
        self.process.join()


def _context() -> ForkContext | SpawnContext:
    # a forked worker has everything imported already
    forks = sys.platform in _SAFE_TO_FORK
    return multiprocessing.get_context("fork") if forks else multiprocessing.get_context("spawn")


_OURS: Final[list[Connection]] = []
"""The parent's ends of connections. A forked worker inherits them and closes them: else it would not notice the end of
the parent."""


class _Team:
    """Tasks and workers.

    kernels, launches  files that no worker works on, the next one last
    unknown            files whose launches are not known
    packed             pickled launches by file
    """

    def __init__(self, workspace: Workspace, paths: Sequence[str], workers: int) -> None:
        self.workspace = workspace
        self.work = Work(workspace.files, workspace.roots, workspace.contents, workspace.overlay, workspace.store)
        self.workers = workers
        stale = {unit.file for unit in workspace.stale if unit.step in ("sites", "proof")}
        self.kernels = [path for path in reversed(paths) if path in stale]
        self.launches: list[str] = []
        self.unknown: set[str] = set(paths)
        self.packed: dict[str, bytes] = {}
        self.deaths: Counter[Task] = Counter()
        self.hands: list[_Hand] = []

    def run(self, progress: Progress) -> None:
        first = min(_AHEAD, -(-len(self.kernels) // (2 * self.workers)))
        ahead = [self.kernels.pop() for _ in range(min(first * (self.workers - 1), len(self.kernels)))]
        for number in range(self.workers - 1):
            self.hands.append(_Hand(self.work, self.workspace.project))
            self.hands[-1].send(Message(tuple(("kernels", path) for path in ahead[number :: self.workers - 1])))
        # the search for functions that launch is one for all files: it goes on here, while the workers prove; the last
        # of them begins after it, with the files that it has read
        self.workspace.search()
        self.unknown = {unit.file for unit in self.workspace.stale if unit.step == "launches"}
        self.packed = self.workspace.packed_launches()
        self.hands.append(_Hand(self.work, self.workspace.project))
        self.launches = self._launch_files()[::-1]
        total = len(self.kernels) + len(ahead) + len(self.launches)
        done = 0
        while busy := self.busy_hands():
            ready = wait([hand.connection for hand in busy])
            for hand in (hand for hand in busy if hand.connection in ready):
                try:
                    data = hand.connection.recv_bytes()
                except (EOFError, OSError):
                    self.replace(hand)
                    continue
                task = hand.tasks.popleft()
                self.take(hand, task, data)
                done += task[0] != "conclude"
                progress(min(done, total), total)

    def _launch_files(self) -> list[str]:
        """Those that launch first: the others rarely take long."""
        launching = [path for path in self.workspace.project.launching.functions if path in self.unknown]
        return [*launching, *sorted(self.unknown.difference(launching))]

    def busy_hands(self) -> list[_Hand]:
        """The workers that have something to do, after everyone was given what there is."""
        for hand in self.hands:
            if not hand.tasks and (tasks := self.next_tasks(hand)):
                hand.send(self.message(hand, tasks))
        return [hand for hand in self.hands if hand.tasks]

    def next_tasks(self, hand: _Hand) -> tuple[Task, ...]:
        """Launches come first, as all kernels wait for them; then what one worker alone can do."""
        if not self.unknown and hand.holds:
            tasks: list[Task] = [("conclude", path) for path in hand.holds]
            hand.holds.clear()
            return tuple(tasks)
        waiting = self.launches or self.kernels
        if not waiting:
            return ()
        index = next((i for i in reversed(range(len(waiting))) if waiting[i] in hand.has_read), -1)
        return (("launches" if self.launches else "kernels", waiting.pop(index)),)

    def message(self, hand: _Hand, tasks: tuple[Task, ...]) -> Message:
        message = Message(tasks)
        if not hand.knows_launching:
            message = message._replace(launching=self.workspace.project.launching)
            hand.knows_launching = True
        if not self.unknown and not hand.knows_launches:
            message = message._replace(launches=self.packed, versions=self.workspace.launch_versions())
            hand.knows_launches = True
        return message

    def take(self, hand: _Hand, task: Task, data: bytes) -> None:
        """Take in what a worker answers."""
        step, path = task
        try:
            answer: Answer | Failure = pickle.loads(data)
        except Exception as error:
            answer = failure_of(path, error)
        if isinstance(answer, Failure):
            self.fail(task, answer)
            return
        hand.has_read.add(path)
        for done in answer.done:
            self.workspace.take(done, computed_here=False)
        self.workspace.missed |= answer.missed
        if step == "launches":
            self.unknown.discard(path)
            if answer.launches is not None:
                self.packed[path] = answer.launches
        elif step == "kernels":
            hand.holds.append(path)

    def fail(self, task: Task, failure: Failure) -> None:
        """Report that a task failed, in place of its result."""
        step, path = task
        self.unknown -= {path} if step == "launches" else set()
        found: Mapping[str, tuple[Unit, SitesFound | LaunchesFound]] = {
            "launches": (Unit("launches", path), LaunchesFound(failures=(failure,))),
            "kernels": (Unit("sites", path), SitesFound(failures=(failure,)))}
        unit, value = found.get(step, found["kernels"])
        self.workspace.take(Done(unit, Result(value, {}), None, {}), computed_here=False)

    def replace(self, hand: _Hand) -> None:
        """Replace a worker that was killed, by its task or by the system. Another one does what it has not answered."""
        hand.leave()
        step, path = hand.tasks.popleft()
        again = [*hand.tasks, *(("kernels", held) for held in hand.holds)]
        blamed: Task = ("launches" if step == "launches" else "kernels", path)
        self.deaths[blamed] += 1
        if self.deaths[blamed] < _TRIES:
            again.append(blamed)
        else:
            self.fail(blamed, Failure(path, f"{INTERNAL}: the process that checked it died"))
        for what, file in again:
            (self.launches if what == "launches" else self.kernels).append(file)
        self.hands[self.hands.index(hand)] = _Hand(self.work, self.workspace.project)

    def dismiss(self) -> None:
        """End all workers."""
        for hand in self.hands:
            hand.leave()
        self.hands.clear()


def _serve(work: Work, connection: Connection, project: RecordingProject | None) -> None:
    """The main function of a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
    for end in _OURS:
        end.close()
    gc.disable()  # a run makes few cycles, and ends soon
    worker = _Worker(work, project)
    with suppress(EOFError, OSError):  # the parent wants no more
        while True:
            message: Message = connection.recv()
            worker.receive(message)
            for task in message.tasks:
                connection.send_bytes(worker.answer(task))


class _Worker:
    """Does tasks.

    proved    the kernels that were proved, with the results of the proofs, by the file they came with
    launches  of each kernel, once all are known
    """

    def __init__(self, work: Work, project: RecordingProject | None = None) -> None:
        self.work = work
        self.project = project or RecordingProject(work.files, work.roots, work.contents)
        self.proved: dict[str, list[tuple[Unit, Result, ProvedKernel]]] = {}
        self.launches: Mapping[KernelKey, Sequence[Launch]] = {}
        self.versions: Mapping[KernelKey, tuple[tuple[str, str], ...]] = {}

    def receive(self, message: Message) -> None:
        if message.launching is not None:
            self.project.adopt_launching(message.launching)
        if message.launches is not None and message.versions is not None:
            self.versions = message.versions
            packed = (message.launches[path] for path in self.work.files if path in message.launches)
            self.launches = by_kernel(launch for data in packed for launch in pickle.loads(data))

    def answer(self, task: Task) -> bytes:
        """The pickled answer to a task, or failure if the answer cannot be pickled."""
        try:
            return self._answer(task)
        except Exception as error:
            return pickle.dumps(failure_of(task[1], error))

    def _answer(self, task: Task) -> bytes:
        step, path = task
        before = self.project.missed
        done = tuple(_STEPS[step](self, path))
        launches: Any = next((d.large for d in done if step == "launches" and d.large), None)
        packed = None if launches is None else pickle.dumps(launches, pickle.HIGHEST_PROTOCOL)
        small = tuple(d._replace(large=None) for d in done)
        return pickle.dumps(Answer(small, packed, self.project.missed - before), pickle.HIGHEST_PROTOCOL)

    def prove(self, path: str) -> Iterable[Done]:
        found = find_sites(self.project, path)
        yield found
        assert isinstance(found.result.found, SitesFound)
        mine = self.proved[path] = []
        for kernel in found.result.found.kernels:
            site = site_of(self.project, path, kernel.key)
            if site is None:
                continue
            done = prove_unit(self.project, path, site, self.work.overlay)
            if isinstance(done.large, ProvedKernel):
                mine.append((done.unit, done.result, done.large))
                self.save(done)
            yield done

    def find_launches(self, path: str) -> Iterable[Done]:
        done = find_launches_of(self.project, path)
        self.save(done)
        yield done

    def save(self, done: Done) -> None:
        if self.work.store is not None and done.large:
            self.work.store.save_large(done.unit, done.result.version, done.large)

    def conclude(self, path: str) -> Iterable[Done]:
        for unit, proof, kernel in self.proved.pop(path, ()):
            key = (unit.home, unit.qualname)
            version = conclusion_version(proof.version, self.versions.get(key, ()))
            yield conclude_unit(self.project, Unit("conclusion", *unit[1:]), version, kernel,
                                self.launches.get(key, ()), proof.reads)


_STEPS: Final = {"kernels": _Worker.prove, "launches": _Worker.find_launches, "conclude": _Worker.conclude}
