"""Apply fixes to a tree in memory. A fix stays only if checking the tree again shows that it helps and harms nothing.

This module does not know how a tree is checked: `Tree` holds functions that do it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from tilecheck.diagnostics import Diagnostic, Report
from tilecheck.repair.apply.moves import Moves, locate_after
from tilecheck.repair.apply.original_bytes import change_bytes
from tilecheck.repair.apply.verify import describe_harm, is_broken, is_left
from tilecheck.repair.edits import Edit, Fix, OverlapError, offsets_of
from tilecheck.repair.fixers.registry import fixes_for
from tilecheck.syntax.text import SourceError, decode
from tilecheck.syntax.tree import Span
from tilecheck.text.notebooks import SUFFIX

__all__ = ["Applied", "Checked", "Contents", "Fixed", "Refused", "Tree", "fix_tree"]

Contents: TypeAlias = Mapping[str, bytes]
_INEFFECTIVE: Final = "it would not remove the finding"
_BROKEN: Final = "a seen launch does not satisfy it"


class Checked(Struct, frozen=True):
    """The result of checking a tree.

    report   findings of the rules that the settings select
    full     findings of all rules
    """

    report: Report
    full: Report


class Tree(Struct, frozen=True):
    """The files to fix, and how to check them.

    read         the bytes of a file that may be changed, by its path as findings name it; None for any other file
    check        checks the whole tree with some contents in place of those on disk
    check_file   checks one file by itself, with its imports, likewise; all rules
    names        further names of a file, by its path
    """

    read: Callable[[str], bytes | None]
    check: Callable[[Contents], Checked]
    check_file: Callable[[str, Contents], Report]
    names: Mapping[str, Sequence[str]] = msgspec.field(default_factory=dict)


class Applied(Struct, frozen=True):
    """A fix that was applied, and the finding before it."""

    finding: Diagnostic
    fix: Fix


class Refused(Struct, frozen=True):
    """A fix that was not applied, and why."""

    finding: Diagnostic
    fix: Fix
    why: str


class Fixed(Struct, frozen=True):
    """The outcome: new contents of the files that changed, and the result of checking the tree with them.

    withheld   fixes that were not applied because they are unsafe
    """

    contents: Contents
    checked: Checked
    applied: tuple[Applied, ...]
    refused: tuple[Refused, ...]
    withheld: tuple[Applied, ...]


class _Step(Struct, frozen=True):
    """One fix of one finding, to try."""

    finding: Diagnostic
    fix: Fix


@dataclass
class _State:
    """The tree as the fixes applied so far leave it.

    closed   fixes that were refused and are not tried again
    """

    contents: dict[str, bytes]
    checked: Checked
    applied: list[Applied] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    closed: set[tuple[object, ...]] = field(default_factory=set)


def fix_tree(tree: Tree, unsafe: bool) -> Fixed:
    """Fix the findings that the settings select, with safe fixes only or with all fixes."""
    return _Run(tree, unsafe).fix_until_stable()


class _Run:
    """One run. Fixes that do not overlap are tried together; if that fails, in smaller groups."""

    def __init__(self, tree: Tree, unsafe: bool) -> None:
        self.tree = tree
        self.unsafe = unsafe
        self.state = _State({}, tree.check({}))

    def fix_until_stable(self) -> Fixed:
        while steps := self.choose_steps():
            self.attempt(steps)
        state = self.state
        withheld = () if self.unsafe else tuple(
            Applied(finding, options[0]) for finding, options in self.find_fixable() if
            not any(fix.applicability == "safe" for fix in options))
        refused = tuple(r for r in state.refused if is_left(state.checked.full, {}, r.finding))
        return Fixed(state.contents, state.checked, tuple(state.applied), refused, withheld)

    # --- choosing fixes ---------------------------------------------------------------------------------------------

    def find_fixable(self) -> Iterator[tuple[Diagnostic, tuple[Fix, ...]]]:
        """The findings in files that may be changed, each with its alternative fixes."""
        texts: dict[str, str | None] = {}
        for finding in self.state.checked.report.diagnostics:
            file = finding.span.file
            if file not in texts:
                texts[file] = self.read_text(file)
            text = texts[file]
            options = () if text is None else fixes_for(text, finding)
            if options:
                yield finding, options

    def read_text(self, file: str) -> str | None:
        if file.endswith(SUFFIX):
            return None  # an edit of the extracted source is not an edit of the notebook
        data = self.read_bytes(file)
        try:
            return None if data is None else decode(data, file)
        except SourceError:
            return None

    def read_bytes(self, file: str) -> bytes | None:
        return self.state.contents[file] if file in self.state.contents else self.tree.read(file)

    def choose_steps(self) -> list[_Step]:
        """The fixes to try next: at most one for each finding, no two of which overlap."""
        chosen: list[_Step] = []
        taken: defaultdict[str, list[Edit]] = defaultdict(list)
        for finding, options in self.find_fixable():
            wanted = [fix for fix in options if self.unsafe or fix.applicability == "safe"]
            fix = self.choose_fix(finding, wanted)
            if fix is None:
                continue
            text = self.read_text(finding.span.file) or ""
            together = [*taken[finding.span.file], *fix.edits]
            try:
                offsets_of(text, together)
            except OverlapError:
                continue
            taken[finding.span.file] = together
            chosen.append(_Step(finding, fix))
        return chosen

    def choose_fix(self, finding: Diagnostic, options: Sequence[Fix]) -> Fix | None:
        """The first alternative that passes a check of its file. A fix with `only` is chosen if no other passes."""
        guesses: list[Fix] = []
        open_ = [fix for fix in options if _identify(finding, fix) not in self.state.closed]
        for fix in open_:
            why = self.check_alone(_Step(finding, fix))
            if why is not None:
                self.refuse(_Step(finding, fix), why)
            elif not fix.only:
                return fix
            else:
                guesses.append(fix)
        if len(guesses) > 1:
            others = " and ".join(f"'{fix.title}'" for fix in guesses)
            for fix in guesses:
                self.refuse(_Step(finding, fix), f"several fixes are possible: {others}")
            return None
        return guesses[0] if guesses else None

    def refuse(self, step: _Step, why: str) -> None:
        self.state.refused.append(Refused(step.finding, step.fix, why))
        self.state.closed.add(_identify(step.finding, step.fix))

    # --- trying fixes ---------------------------------------------------------------------------------------------

    def check_alone(self, step: _Step) -> str | None:
        """Why a fix does not help its file, checked by itself; None if it does. Cheaper than checking the tree."""
        file = step.finding.span.file
        data = self.read_bytes(file)
        if data is None:
            return "the file may not be changed"
        before = self.tree.check_file(file, self.state.contents)
        if not is_left(before, {}, step.finding):  # the finding depends on other files
            return None
        try:
            contents, moves = self.apply_steps([step])
        except SourceError as error:
            return error.message
        after = self.tree.check_file(file, contents)
        return _explain_refusal([step], before, after, moves)

    def attempt(self, steps: Sequence[_Step]) -> None:
        """Apply fixes together. If the tree is not better for it, try half of them, down to the one that is refused."""
        try:
            contents, moves = self.apply_steps(steps)
        except SourceError as error:
            self.refuse(steps[0], error.message)
            return
        checked = self.tree.check(contents)
        # a fix must not cause a finding of any rule, selected or not
        why = _explain_refusal(steps, self.state.checked.full, checked.full, moves)
        if why is None:
            self.accept(steps, contents, moves, checked)
        elif len(steps) == 1:
            self.refuse(steps[0], why)
        else:
            # findings of the other half are found again in the changed text
            self.attempt(steps[: len(steps) // 2])

    def apply_steps(self, steps: Iterable[_Step]) -> tuple[dict[str, bytes], dict[str, Moves]]:
        """The contents with fixes applied, and the moves in each file. Raises `SourceError`."""
        edits: defaultdict[str, list[Edit]] = defaultdict(list)
        for step in steps:
            edits[step.finding.span.file] += step.fix.edits
        contents = dict(self.state.contents)
        moves: dict[str, Moves] = {}
        for file, made in edits.items():
            data = self.read_bytes(file)
            assert data is not None  # or there would be no fix
            contents[file] = change_bytes(data, file, made)
            found = Moves(decode(data, file), made)
            moves.update(dict.fromkeys((file, *self.tree.names.get(file, ())), found))
        return contents, moves

    def accept(
        self, steps: Sequence[_Step], contents: dict[str, bytes], moves: Mapping[str, Moves], checked: Checked,
    ) -> None:
        state = self.state
        refused = [replace(r, finding=replace(r.finding, span=_locate(r.finding, moves))) for r in state.refused]
        closed = {_identify(r.finding, r.fix) for r in refused}
        applied = [*state.applied, *(Applied(step.finding, step.fix) for step in steps)]
        self.state = _State(contents, checked, applied, refused, closed)


def _identify(finding: Diagnostic, fix: Fix) -> tuple[object, ...]:
    span = finding.span
    return finding.code, finding.kernel, span.file, span.line, span.column, fix.title


def _explain_refusal(steps: Sequence[_Step], before: Report, after: Report, moves: Mapping[str, Moves]) -> str | None:
    """Why fixes are refused, from the reports before and after; None if they are accepted."""
    if any(is_left(after, moves, step.finding) for step in steps):
        return _INEFFECTIVE
    if any(step.fix.declares and is_broken(after, step.finding.span.file, step.fix.declares) for step in steps):
        return _BROKEN
    return describe_harm(before, after, moves)


def _locate(finding: Diagnostic, moves: Mapping[str, Moves]) -> Span:
    """The span of a finding after a change."""
    _, line, column = locate_after(moves, finding.span)
    return replace(finding.span, line=line, column=column)
