"""Applies fixes to a tree in memory: each is made only if the re-checked tree is better for it and nowhere worse."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from tilecheck.config import Config
from tilecheck.diagnostics import Diagnostic, Report
from tilecheck.frozen import record
from tilecheck.pipeline.policy import finish
from tilecheck.pipeline.results import Analysis
from tilecheck.repair.fixes.edits import Edit, Fix, OverlapError, offsets_of
from tilecheck.repair.fixes.moves import Moves, moved
from tilecheck.repair.fixes.original import change_bytes
from tilecheck.repair.fixes.registry import fixes_for
from tilecheck.repair.fixes.verify import harm, is_broken, is_left
from tilecheck.syntax.text import SourceError, decode
from tilecheck.syntax.tree import Span

__all__ = ["Applied", "Fixed", "Refused", "Tree", "fix_tree"]

Contents: TypeAlias = Mapping[str, bytes]
_STANDS: Final = "it would not remove the finding"
_BROKEN: Final = "a launch that is seen does not satisfy it"


@record(frozen=True)
class Tree:
    """What is fixed.

    read      the bytes of a file that may be changed, by its path as findings name it; None for any other
    analyse   the analysis of the whole tree with some contents in place of what is on disk
    alone     likewise of one file by itself, with what it imports
    names     further names of a file, by its path
    """

    read: Callable[[str], bytes | None]
    analyse: Callable[[Contents], Analysis]
    alone: Callable[[str, Contents], Analysis]
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)


@record(frozen=True)
class Applied:
    """A fix that was made; the finding is as it was found."""

    finding: Diagnostic
    fix: Fix


@record(frozen=True)
class Refused:
    """A fix that was not made, and why."""

    finding: Diagnostic
    fix: Fix
    why: str


@record(frozen=True)
class Fixed:
    """The outcome: new contents of the files that changed, and the analysis with them."""

    contents: Contents
    analysis: Analysis
    applied: tuple[Applied, ...]
    refused: tuple[Refused, ...]
    withheld: tuple[Applied, ...]


@record(frozen=True)
class _Step:
    """One fix of one finding, to be tried."""

    finding: Diagnostic
    fix: Fix


@dataclass
class _State:
    """Where a run stands."""

    contents: dict[str, bytes]
    analysis: Analysis
    everything: Report
    applied: list[Applied] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    closed: set[tuple[object, ...]] = field(default_factory=set)


def fix_tree(tree: Tree, config: Config, unsafe: bool) -> Fixed:
    """Fix what the settings select, with safe fixes only or with all of them."""
    analysis = tree.analyse({})
    return _Run(tree, config, unsafe, analysis).fixed()


class _Run:
    """One run. Fixes that do not touch each other are tried together, and apart where that fails."""

    def __init__(self, tree: Tree, config: Config, unsafe: bool, analysis: Analysis) -> None:
        self.tree = tree
        self.config = config
        self.unsafe = unsafe
        # a fix must not bring about what this run happens not to report
        self.all = replace(config, select=("ALL",), ignore=(), per_file_ignores=())
        self.state = _State({}, analysis, finish(analysis, self.all))

    def fixed(self) -> Fixed:
        while steps := self.next_steps():
            self.attempt(steps)
        state = self.state
        withheld = () if self.unsafe else tuple(
            Applied(finding, options[0]) for finding, options in self.fixable() if
            not any(fix.applicability == "safe" for fix in options))
        refused = tuple(r for r in state.refused if is_left(state.everything, {}, r.finding))
        return Fixed(state.contents, state.analysis, tuple(state.applied), refused, withheld)

    # --- what to try -------------------------------------------------------------------------------------------------

    def fixable(self) -> Iterator[tuple[Diagnostic, tuple[Fix, ...]]]:
        """The findings of files that may be changed, with what may be done about each."""
        texts: dict[str, str | None] = {}
        for finding in finish(self.state.analysis, self.config).diagnostics:
            file = finding.span.file
            if file not in texts:
                texts[file] = self.text(file)
            text = texts[file]
            options = () if text is None else fixes_for(text, finding)
            if options:
                yield finding, options

    def text(self, file: str) -> str | None:
        data = self.data(file)
        try:
            return None if data is None else decode(data, file)
        except SourceError:
            return None

    def data(self, file: str) -> bytes | None:
        return self.state.contents[file] if file in self.state.contents else self.tree.read(file)

    def next_steps(self) -> list[_Step]:
        """The fixes to try next: one a finding, none that touches another one."""
        chosen: list[_Step] = []
        taken: defaultdict[str, list[Edit]] = defaultdict(list)
        for finding, options in self.fixable():
            wanted = [fix for fix in options if self.unsafe or fix.applicability == "safe"]
            fix = self.choice(finding, wanted)
            if fix is None:
                continue
            text = self.text(finding.span.file) or ""
            together = [*taken[finding.span.file], *fix.edits]
            try:
                offsets_of(text, together)
            except OverlapError:
                continue
            taken[finding.span.file] = together
            chosen.append(_Step(finding, fix))
        return chosen

    def choice(self, finding: Diagnostic, options: Sequence[Fix]) -> Fix | None:
        """The first alternative that has not been refused, as far as the file by itself can tell; a guess only if no
        other one is as good."""
        guesses: list[Fix] = []
        open_ = [fix for fix in options if self.closure(finding, fix) not in self.state.closed]
        for fix in open_:
            why = self.alone(_Step(finding, fix))
            if why is not None:
                self.refuse(_Step(finding, fix), why)
            elif not fix.only:
                return fix
            else:
                guesses.append(fix)
        if len(guesses) > 1:
            others = " and ".join(f"'{fix.title}'" for fix in guesses)
            for fix in guesses:
                self.refuse(_Step(finding, fix), f"it is not the only one that would do: {others}")
            return None
        return guesses[0] if guesses else None

    def closure(self, finding: Diagnostic, fix: Fix) -> tuple[object, ...]:
        span = finding.span
        return finding.code, finding.kernel, span.file, span.line, span.column, fix.title

    def refuse(self, step: _Step, why: str) -> None:
        self.state.refused.append(Refused(step.finding, step.fix, why))
        self.state.closed.add(self.closure(step.finding, step.fix))

    # --- trying it ---------------------------------------------------------------------------------------------------

    def alone(self, step: _Step) -> str | None:
        """What speaks against a fix when its file is looked at by itself: cheap, and mostly enough."""
        file = step.finding.span.file
        data = self.data(file)
        if data is None:
            return "the file may not be changed"
        before = finish(self.tree.alone(file, self.state.contents), self.all)
        if not is_left(before, {}, step.finding):  # it takes the other files to see it
            return None
        try:
            contents, moves = self.changed([step])
        except SourceError as error:
            return error.message
        after = finish(self.tree.alone(file, contents), self.all)
        return _why([step], before, after, moves)

    def attempt(self, steps: Sequence[_Step]) -> None:
        """Make fixes all at once; where the tree is not the better for it, half of them, down to the one to blame."""
        try:
            contents, moves = self.changed(steps)
        except SourceError as error:
            self.refuse(steps[0], error.message)
            return
        analysis = self.tree.analyse(contents)
        after = finish(analysis, self.all)
        why = _why(steps, self.state.everything, after, moves)
        if why is None:
            self.accept(steps, contents, moves, analysis, after)
        elif len(steps) == 1:
            self.refuse(steps[0], why)
        else:
            # what is left of the other half comes again, in the text as it is then
            self.attempt(steps[: len(steps) // 2])

    def changed(self, steps: Iterable[_Step]) -> tuple[dict[str, bytes], dict[str, Moves]]:
        """The contents with fixes made, and the moves in each file. Raises `SourceError`."""
        edits: defaultdict[str, list[Edit]] = defaultdict(list)
        for step in steps:
            edits[step.finding.span.file] += step.fix.edits
        contents = dict(self.state.contents)
        moves: dict[str, Moves] = {}
        for file, made in edits.items():
            data = self.data(file)
            assert data is not None  # or there would be no fix
            contents[file] = change_bytes(data, file, made)
            found = Moves(decode(data, file), made)
            moves.update(dict.fromkeys((file, *self.tree.names.get(file, ())), found))
        return contents, moves

    def accept(
        self, steps: Sequence[_Step], contents: dict[str, bytes], moves: Mapping[str, Moves], analysis: Analysis,
        after: Report,
    ) -> None:
        state = self.state
        closed = {self.closure(replace(r.finding, span=_at(r.finding, moves)), r.fix) for r in state.refused}
        refused = [replace(r, finding=replace(r.finding, span=_at(r.finding, moves))) for r in state.refused]
        applied = [*state.applied, *(Applied(step.finding, step.fix) for step in steps)]
        self.state = _State(contents, analysis, after, applied, refused, closed)


def _why(steps: Sequence[_Step], before: Report, after: Report, moves: Mapping[str, Moves]) -> str | None:
    """What speaks against a change that makes some fixes."""
    if any(is_left(after, moves, step.finding) for step in steps):
        return _STANDS
    if any(step.fix.declares and is_broken(after, step.finding.span.file, step.fix.declares) for step in steps):
        return _BROKEN
    return harm(before, after, moves)


def _at(finding: Diagnostic, moves: Mapping[str, Moves]) -> Span:
    """Where a finding is after a change."""
    _, line, column = moved(moves, finding.span)
    return replace(finding.span, line=line, column=column)
