"""What the two processes say to each other: plain data, sent as pickles between processes that one server started."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tilecheck.diagnostics import Severity

__all__ = [
    "Action", "Answer", "Change", "Closed", "Finding", "Hint", "Opened", "Place", "Published", "Question", "Related",
    "Reply", "Request", "Settings", "Touched", "Trouble", "Working",
]

Place: TypeAlias = tuple[int, int]
"""Line and column, both from 0; the column in the units that the editor counts in."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the editor says once, or again when it changes.

    roots       folders that it has open
    encoding    of its columns: `utf-8`, `utf-16` or `utf-32`
    everywhere  whether findings are wanted for files that are not open, too
    """

    roots: tuple[str, ...]
    encoding: str
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Opened:
    """A document is open, and this is its text, now or for the first time."""

    path: str
    version: int
    text: str


@dataclass(frozen=True, slots=True)
class Closed:
    """A document is what is on disk again."""

    path: str


@dataclass(frozen=True, slots=True)
class Touched:
    """Something on disk may have changed: files of the folders, or their settings."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is there, or what can be done, between two places."""

    number: int
    kind: Literal["hover", "actions"]
    path: str
    start: Place
    end: Place


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that a finding is about."""

    path: str
    start: Place
    end: Place
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding as an editor shows it. `code` is None for what could not be checked."""

    start: Place
    end: Place
    severity: Severity
    code: str | None
    message: str
    related: tuple[Related, ...] = ()


@dataclass(frozen=True, slots=True)
class Published:
    """All findings of a file. `version` is that of the text they are of, None for a file that is not open."""

    path: str
    version: int | None
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Hint:
    """What is said of a place, in Markdown."""

    text: str
    start: Place
    end: Place


@dataclass(frozen=True, slots=True)
class Change:
    """New text for a range of a file."""

    start: Place
    end: Place
    text: str


@dataclass(frozen=True, slots=True)
class Action:
    """Something that can be done about a finding. `preferred` when it is what an editor may do without asking."""

    title: str
    path: str
    version: int | None
    changes: tuple[Change, ...]
    finding: Finding
    preferred: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question; `hint` is None when there is nothing to say."""

    number: int
    hint: Hint | None = None
    actions: tuple[Action, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something to tell the user: settings that cannot be read."""

    message: str


@dataclass(frozen=True, slots=True)
class Working:
    """The first look at all files of a folder begins, or is over."""

    root: str
    done: bool


Request: TypeAlias = Settings | Opened | Closed | Touched | Question
Reply: TypeAlias = Published | Answer | Trouble | Working
