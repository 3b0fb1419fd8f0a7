"""The messages between the two processes: plain data, sent as pickles between processes that one server started."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from tilecheck.diagnostics import Severity

__all__ = [
    "Action", "Answer", "Change", "Closed", "Finding", "Hint", "Opened", "Place", "Published", "Question", "Related",
    "Reply", "Request", "Settings", "Touched", "Trouble", "Working",
]

Place: TypeAlias = tuple[int, int]
"""Line and column, both from 0; the column in the units that the editor counts in."""


class Settings(Struct, frozen=True):
    """The settings of the editor, sent once, and again after a change.

    roots       folders that it has open
    encoding    of its columns: `utf-8`, `utf-16` or `utf-32`
    everywhere  whether findings are also wanted for files that are not open
    """

    roots: tuple[str, ...]
    encoding: str
    everywhere: bool = False


class Opened(Struct, frozen=True):
    """A document is open, and this is its text, now or for the first time."""

    path: str
    version: int
    text: str


class Closed(Struct, frozen=True):
    """A document is what is on disk again."""

    path: str


class Touched(Struct, frozen=True):
    """Something on disk may have changed: files of the folders, or their settings."""


class Question(Struct, frozen=True):
    """A question about the range between two locations: its hover text or its actions."""

    number: int
    kind: Literal["hover", "actions"]
    path: str
    start: Place
    end: Place


class Related(Struct, frozen=True):
    """Another place that a finding is about."""

    path: str
    start: Place
    end: Place
    message: str


class Finding(Struct, frozen=True):
    """A finding as an editor shows it. `code` is None for a failure of the check."""

    start: Place
    end: Place
    severity: Severity
    code: str | None
    message: str
    related: tuple[Related, ...] = ()


class Published(Struct, frozen=True):
    """All findings of a file. `version` is that of the text they are of, None for a file that is not open."""

    path: str
    version: int | None
    findings: tuple[Finding, ...]


class Hint(Struct, frozen=True):
    """The text for a location, in Markdown."""

    text: str
    start: Place
    end: Place


class Change(Struct, frozen=True):
    """New text for a range of a file."""

    start: Place
    end: Place
    text: str


class Action(Struct, frozen=True):
    """Something that can be done about a finding. `preferred` when it is what an editor may do without asking."""

    title: str
    path: str
    version: int | None
    changes: tuple[Change, ...]
    finding: Finding
    preferred: bool = False


class Answer(Struct, frozen=True):
    """The answer to a question; `hint` is None when there is nothing to say."""

    number: int
    hint: Hint | None = None
    actions: tuple[Action, ...] = ()


class Trouble(Struct, frozen=True):
    """Something to tell the user: settings that cannot be read."""

    message: str


class Working(Struct, frozen=True):
    """The first look at all files of a folder begins, or is over."""

    root: str
    done: bool


Request: TypeAlias = Settings | Opened | Closed | Touched | Question
Reply: TypeAlias = Published | Answer | Trouble | Working
