"""Formats and destinations of reports: any number of `FORMAT[:FILE]`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from tilecheck.report.formats import FORMATS
from tilecheck.text.did_you_mean import did_you_mean

__all__ = ["Output", "OutputError", "outputs"]


class OutputError(ValueError):
    """An unknown format, or two reports for one destination. The message is one line."""


class Output(Struct, frozen=True):
    """A format of the report, and its file, or None for standard output."""

    form: str
    file: Path | None


def outputs(given: Sequence[str], file: Path | None) -> tuple[Output, ...]:
    """Parse the values of `--format`. `file` is for the format that names no file. Raises OutputError."""
    found = tuple(_parse_values(given, file)) or (Output("text", file),)
    places = [output.file for output in found]
    if len(set(places)) < len(places):
        where = "standard output" if None in places and places.count(None) > 1 else "one file"
        raise OutputError(f"two reports would go to {where}; name a file for one, as in --format sarif:report.sarif")
    return found


def _parse_values(given: Sequence[str], file: Path | None) -> Iterator[Output]:
    for text in (part.strip() for value in given for part in value.split(",")):
        form, colon, name = text.partition(":")
        if form not in FORMATS:
            raise OutputError(f"there is no format '{form}'{did_you_mean(form, FORMATS)}; known: {', '.join(FORMATS)}")
        if colon and not name:
            raise OutputError(f"--format {text}: a file must follow the colon")
        yield Output(form, Path(name) if name else file)
