"""A baseline: a JSON file that lists existing findings. `tilecheck/schemas/baseline-1.json` is its schema.

A baseline may be part of untrusted files, so it is parsed strictly and never executed.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from msgspec import Struct

__all__ = [
    "Baseline", "BaselineError", "Known", "display_path", "load", "parse", "remove_stale", "render_baseline", "save",
]

VERSION: Final = 1
_LARGEST: Final = 64 * 1024 * 1024
_MOST: Final = 1_000_000
_FIELDS: Final[Mapping[str, type | tuple[type, ...]]] = {
    "file": str, "kernel": (str, type(None)), "code": str, "digest": str, "witness": bool, "count": int,
}


class BaselineError(ValueError):
    """A baseline that cannot be read or written, or is invalid. The message is one line."""


class Known(Struct, frozen=True):
    """The identity of a finding in a baseline.

    file     its path relative to the folder of the baseline, with slashes
    digest   the digest of its source
    witness  whether it has a counterexample; an entry without one does not cover a finding with one
    """

    file: str
    kernel: str | None
    code: str
    digest: str
    witness: bool


Baseline: TypeAlias = Mapping[Known, int]
"""The number of findings with each identity."""


def display_path(path: Path) -> str:
    """A path for messages: relative to the working directory if it lies there."""
    found = os.path.relpath(path) if path.is_absolute() and path.is_relative_to(Path.cwd()) else str(path)
    return Path(found).as_posix()


def load(path: Path) -> Baseline:
    """Read a baseline. Raises BaselineError."""
    try:
        if not path.is_file():
            raise BaselineError(f"{display_path(path)}: no such file; `--update-baseline` writes it")
        if path.stat().st_size > _LARGEST:
            raise BaselineError(f"{display_path(path)}: too large for a baseline")
        data = path.read_bytes()
    except OSError as error:
        raise BaselineError(f"{display_path(path)}: {error.strerror or error}") from error
    try:
        return parse(data)
    except BaselineError as error:
        raise BaselineError(f"{display_path(path)}: {error}") from error


def parse(data: bytes) -> Baseline:
    """Parse the contents of a baseline. Raises BaselineError."""
    try:
        document = json.loads(data.decode("utf-8"), object_pairs_hook=_parse_object)
    except (ValueError, RecursionError) as error:
        raise BaselineError(f"not a baseline: {' '.join(str(error).split())[:200]}") from None
    if not isinstance(document, dict) or set(document) != {"version", "findings"}:
        raise BaselineError("not a baseline: it must be an object with `version` and `findings`")
    if document["version"] is True or document["version"] != VERSION:
        raise BaselineError(f"not a baseline of version {VERSION}; remove it, and write one with `--update-baseline`")
    findings = document["findings"]
    if not isinstance(findings, list):
        raise BaselineError("not a baseline: `findings` must be a list")
    found: Counter[Known] = Counter()
    for number, entry in enumerate(findings):
        known, count = _parse_entry(entry, number)
        found[known] += count
    return found


def _parse_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    parsed = dict(pairs)
    if len(parsed) != len(pairs):
        raise ValueError("an object has a name twice")
    return parsed


def _parse_entry(entry: object, number: int) -> tuple[Known, int]:
    if not isinstance(entry, dict) or set(entry) != set(_FIELDS):
        raise BaselineError(f"finding {number} must have {', '.join(_FIELDS)} and nothing else")
    for name, kind in _FIELDS.items():
        if not isinstance(entry[name], kind) or (kind is int and isinstance(entry[name], bool)):
            raise BaselineError(f"`{name}` of finding {number} is of the wrong type")
    if not 1 <= entry["count"] <= _MOST:
        raise BaselineError(f"`count` of finding {number} must be from 1 to {_MOST}")
    return Known(entry["file"], entry["kernel"], entry["code"], entry["digest"], entry["witness"]), entry["count"]


def render_baseline(baseline: Baseline) -> str:
    """The text of a baseline: one line a finding, sorted, so that diffs are readable."""
    lines = [f"    {json.dumps(entry, ensure_ascii=True)}" for entry in _entries(baseline)]
    body = "[\n" + ",\n".join(lines) + "\n  ]" if lines else "[]"
    return f'{{\n  "version": {VERSION},\n  "findings": {body}\n}}\n'


def _entries(baseline: Baseline) -> Iterator[dict[str, Any]]:
    for known in sorted(baseline, key=lambda k: (k.file, k.kernel or "", k.code, k.digest, k.witness)):
        yield {**{name: getattr(known, name) for name in _FIELDS if name != "count"}, "count": baseline[known]}


def save(path: Path, baseline: Baseline) -> None:
    """Write a baseline atomically. A link at its path is replaced, not followed. Raises BaselineError."""
    temporary = path.with_name(f".{path.name}.{os.urandom(6).hex()}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as stream:
                stream.write(render_baseline(baseline))
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise BaselineError(f"{display_path(path)}: {error.strerror or error}") from error


def remove_stale(baseline: Baseline, stale: Baseline) -> Baseline:
    """A baseline without the stale findings."""
    return {known: left for known, count in baseline.items() if (left := count - stale.get(known, 0)) > 0}
