"""Files analysed in several processes.

A worker keeps the kernels that it has proved. When the launches of all files are known, it is told of them, and
concludes those kernels itself: models and proofs, which are large, stay where they were made.
"""

from __future__ import annotations

import gc
import multiprocessing
import pickle
import signal
import sys
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.diagnostics import Failure
from tilecheck.interp.host.launch import Launch
from tilecheck.pipeline.analyze import INTERNAL, FileResult, ProvedKernel, conclude_kernel, failure_of
from tilecheck.pipeline.progress import Progress
from tilecheck.pipeline.worker import Analyst, Work

if TYPE_CHECKING:
    from multiprocessing.context import ForkContext, SpawnContext

Step: TypeAlias = Literal["kernels", "launches", "conclude"]
Task: TypeAlias = tuple[Step, str]
Launching: TypeAlias = Mapping[str, tuple[str, ...]]
Packed: TypeAlias = tuple[str, bytes]
"""The launches of a file, by its path, as they are sent. The process that hands out the work has no use for them."""

_SAFE_TO_FORK: Final = ("linux",)

_AHEAD: Final = 8
"""Tasks that a worker gets at first, to do while the functions that launch are searched for."""

_TRIES: Final = 2
"""Times that a worker may die over a task: the first may have been the fault of another one, or of the system."""


class _News(Struct, frozen=True):
    """What a worker is told before its next tasks, each once."""

    launching: Launching | None = None
    launches: tuple[Packed, ...] | None = None


def analyse_spread(work: Work, paths: Sequence[str], workers: int, progress: Progress) -> Iterator[FileResult]:
    """The results of all files, in no particular order; work on those that come first in `paths` begins first."""
    team = _Team(work, paths, workers)
    try:
        yield from team.results(progress)
    finally:
        team.dismiss()


class _Hand:
    """A worker as it is seen from here.

    tasks      what it has to do, in the order in which it answers
    holds      files whose kernels it has proved and not concluded
    has_read   files that it need not read again
    found      files whose launches it has found
    """

    def __init__(self, work: Work, analyst: Analyst | None = None) -> None:
        """`analyst` has read files already, which a forked worker need not read again."""
        context = _context()
        self.connection, there = context.Pipe()
        _OURS.append(self.connection)
        inherited = analyst if context.get_start_method() == "fork" else None
        self.process = context.Process(target=_serve, args=(work, there, inherited), daemon=True)
        self.process.start()
        there.close()  # so that the end of the process closes the connection
        self.tasks: deque[Task] = deque()
        self.holds: list[str] = []
        self.has_read: set[str] = set()
        self.found: set[str] = set()
        self.knows_launching = self.knows_launches = False

    def give(self, news: _News, tasks: Sequence[Task]) -> None:
        """Hand out tasks. The worker has none: it listens, so that this does not wait however much there is to say."""
        self.tasks.extend(tasks)
        with suppress(OSError):  # it died; who waits for its answer will see
            self.connection.send((news, tuple(tasks)))

    def leave(self) -> None:
        """The process ends, at once if it is not done."""
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
"""The ends of connections that are held here. A forked worker has them too, and must let go of them, or it would not
notice that this process is gone."""


class _Team:
    """Tasks and who does them.

    kernels, launches   files that nobody works on, the next one last
    unknown             files whose launches are not known
    packed              the launches that are known
    """

    def __init__(self, work: Work, paths: Sequence[str], workers: int) -> None:
        self.work = work
        self.kernels = list(reversed(paths))
        self.launches: list[str] = []
        self.launching: Launching = {}
        self.unknown: set[str] = set()
        self.packed: dict[str, bytes] = {}
        self.lent = False
        self.deaths: Counter[Task] = Counter()
        self.hands: list[_Hand] = []
        self.workers = workers
        self.searcher: Analyst | None = None

    def results(self, progress: Progress) -> Iterator[FileResult]:
        first = min(_AHEAD, -(-len(self.kernels) // (2 * self.workers)))
        others = self.workers - 1
        ahead = [self.kernels.pop() for _ in range(min(first * others, len(self.kernels)))]
        for number in range(others):
            self.hands.append(_Hand(self.work))
            self.hands[-1].give(_News(), [("kernels", path) for path in ahead[number::others]])
        # the search for functions that launch is one for all files: it goes on here, while the workers prove; the last
        # of them begins after it, with the files that it has read
        searcher = self.searcher = Analyst(self.work)
        self.launching, files, failures = _search(searcher)
        self.hands.append(_Hand(self.work, searcher))
        self.launches = list(files)[::-1]
        self.unknown = set(files)
        total = len(self.kernels) + len(ahead) + len(self.launches)
        yield FileResult("", failures=failures, dependencies=searcher.news())
        done = 0
        while busy := self.busy():
            ready = wait([hand.connection for hand in busy])
            for hand in (hand for hand in busy if hand.connection in ready):
                try:
                    data = hand.connection.recv_bytes()
                except (EOFError, OSError):
                    yield from self.replaced(hand)
                    continue
                task = hand.tasks.popleft()
                yield self.taken(hand, task, data)
                done += task[0] != "conclude"
                progress(min(done, total), total)
        if self.lent:  # their kernels are concluded with all others
            for path in _in_order(self.packed, self.work):
                yield FileResult(path, launches=pickle.loads(self.packed[path]))

    def busy(self) -> list[_Hand]:
        """Those who have something to do, after everyone was given what there is."""
        for hand in self.hands:
            if not hand.tasks and (tasks := self.next_tasks(hand)):
                hand.give(self.news_for(hand), tasks)
        return [hand for hand in self.hands if hand.tasks]

    def next_tasks(self, hand: _Hand) -> list[Task]:
        """Launches come first, as all kernels wait for them; then what a worker alone can do."""
        if not self.unknown and hand.holds:
            tasks: list[Task] = [("conclude", path) for path in hand.holds]
            hand.holds.clear()
            return tasks
        waiting = self.launches or self.kernels
        if not waiting:
            return []
        step: Step = "launches" if self.launches else "kernels"
        index = next((i for i in reversed(range(len(waiting))) if waiting[i] in hand.has_read), -1)
        return [(step, waiting.pop(index))]

    def news_for(self, hand: _Hand) -> _News:
        launching = None if hand.knows_launching else self.launching
        launches = None
        if not self.unknown and not hand.knows_launches:
            launches = tuple((path, data) for path, data in self.packed.items() if path not in hand.found)
            hand.knows_launches = True
        hand.knows_launching = True
        return _News(launching, launches)

    def taken(self, hand: _Hand, task: Task, data: bytes) -> FileResult:
        """What a worker answers."""
        step, path = task
        try:
            result, launches = pickle.loads(data)
        except Exception as error:
            result, launches = FileResult(path, failures=(failure_of(path, error),)), None
        hand.has_read.add(path)
        if step == "launches":
            self.unknown.discard(path)
            self.lent = self.lent or bool(result.lent)
            if launches is not None:
                self.packed[path] = launches
                hand.found.add(path)
        elif step == "kernels" and not hand.knows_launches:
            hand.holds.append(path)
        assert isinstance(result, FileResult)
        return result

    def replaced(self, hand: _Hand) -> Iterator[FileResult]:
        """A worker was killed, by the task that it was at or by the system: another one does what it has not told."""
        hand.leave()
        step, path = hand.tasks.popleft()
        again = [*hand.tasks, *(("kernels", held) for held in hand.holds)]
        blamed: Task = ("launches" if step == "launches" else "kernels", path)
        self.deaths[blamed] += 1
        for what, file in again:
            (self.launches if what == "launches" else self.kernels).append(file)
        if self.deaths[blamed] < _TRIES:
            (self.launches if step == "launches" else self.kernels).append(path)
        else:
            if step == "launches":
                self.unknown.discard(path)
            yield FileResult(path, failures=(Failure(path, f"{INTERNAL}: the process that checked it died"),))
        self.hands[self.hands.index(hand)] = _Hand(self.work, self.searcher)

    def dismiss(self) -> None:
        for hand in self.hands:
            hand.leave()
        self.hands.clear()


def _search(searcher: Analyst) -> tuple[Launching, Sequence[str], tuple[Failure, ...]]:
    """The functions that may launch, and the files in which launches are looked for."""
    try:
        return searcher.project.launching, searcher.project.launch_files, ()
    except Exception as error:
        return {}, (), (failure_of(searcher.project.files[0], error),)


def _in_order(paths: Mapping[str, object], work: Work) -> list[str]:
    """As they come where one process does everything."""
    place = {path: number for number, path in enumerate(work.files)}
    return sorted(paths, key=lambda path: (place.get(path, -1), path))


def _serve(work: Work, connection: Connection, analyst: Analyst | None) -> None:
    """What a worker does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever hands out the tasks ends it
    for end in _OURS:
        end.close()
    gc.disable()  # a run makes few cycles, and ends soon
    worker = _Worker(work, analyst)
    with suppress(EOFError, OSError):  # nobody wants more
        while True:
            news, tasks = connection.recv()
            worker.hear(news)
            for task in tasks:
                connection.send_bytes(worker.answer(task))


class _Worker:
    """Does tasks.

    proved     kernels that wait for launches, by the file they came with
    launches   of each kernel, once all are known
    """

    def __init__(self, work: Work, analyst: Analyst | None = None) -> None:
        self.work = work
        self.analyst = Analyst(work) if analyst is None else analyst
        self.proved: dict[str, tuple[ProvedKernel, ...]] = {}
        self.found: dict[str, tuple[Launch, ...]] = {}
        self.launches: Mapping[tuple[str, str], Sequence[Launch]] | None = None

    def hear(self, news: _News) -> None:
        if news.launching is not None:
            self.analyst.project.launching = news.launching
        if news.launches is not None:
            self.found.update((path, pickle.loads(data)) for path, data in news.launches)
            by_kernel: defaultdict[tuple[str, str], list[Launch]] = defaultdict(list)
            for path in _in_order(self.found, self.work):
                for launch in self.found[path]:
                    by_kernel[launch.kernel].append(launch)
            self.launches = dict(by_kernel)

    def answer(self, task: Task) -> bytes:
        """The result of a task and, by themselves, the launches that it found, as they are sent."""
        step, path = task
        try:
            result = _STEPS[step](self, path)
            launches = self.found.get(path) if step == "launches" else None
            packed = None if launches is None else pickle.dumps(launches, pickle.HIGHEST_PROTOCOL)
            return pickle.dumps((result, packed), pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # the result could not be sent
            self.found.pop(path, None)
            return pickle.dumps((FileResult(path, failures=(failure_of(path, error),)), None))

    def prove(self, path: str) -> FileResult:
        result = self.analyst.kernels(path)
        self.proved[path] = result.kernels
        concluded = () if self.launches is None else self.conclude(path).concluded
        return replace(result, kernels=(), concluded=concluded)

    def find_launches(self, path: str) -> FileResult:
        result = self.analyst.launches(path)
        self.found[path] = result.launches
        return replace(result, launches=())

    def conclude(self, path: str) -> FileResult:
        launches = self.launches or {}
        return FileResult(path, concluded=tuple(
            conclude_kernel(kernel, launches.get((kernel.model.file, kernel.model.name), ()))
            for kernel in self.proved.pop(path, ())))


_STEPS: Final = {"kernels": _Worker.prove, "launches": _Worker.find_launches, "conclude": _Worker.conclude}
