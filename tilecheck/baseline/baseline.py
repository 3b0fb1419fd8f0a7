"""A baseline: findings that are known, kept in a JSON file. `tilecheck/schemas/baseline-1.json` is its schema.

It is data that may come with somebody else's files: it is parsed strictly, and never more than data.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from msgspec import Struct

__all__ = ["Baseline", "BaselineError", "Known", "load", "parse", "save", "shown", "spelled", "without"]

VERSION: Final = 1
_LARGEST: Final = 64 * 1024 * 1024
_MOST: Final = 1_000_000
_FIELDS: Final[Mapping[str, type | tuple[type, ...]]] = {
    "file": str, "kernel": (str, type(None)), "code": str, "digest": str, "witness": bool, "count": int,
}


class BaselineError(ValueError):
    """A baseline that cannot be read or written, or is none. The message is one line."""


class Known(Struct, frozen=True):
    """What identifies a known finding.

    file     its path relative to the folder of the baseline, with slashes
    digest   of the source it is about
    witness  whether it comes with a counterexample: one that does not says nothing of one that does
    """

    file: str
    kernel: str | None
    code: str
    digest: str
    witness: bool


Baseline: TypeAlias = Mapping[Known, int]
"""How often each finding is known."""


def shown(path: Path) -> str:
    """A path for messages: relative to the working directory when it lies there."""
    found = os.path.relpath(path) if path.is_absolute() and path.is_relative_to(Path.cwd()) else str(path)
    return Path(found).as_posix()


def load(path: Path) -> Baseline:
    """Read a baseline. Raises BaselineError."""
    try:
        if not path.is_file():
            raise BaselineError(f"{shown(path)}: no such file; `--update-baseline` writes it")
        if path.stat().st_size > _LARGEST:
            raise BaselineError(f"{shown(path)}: too large for a baseline")
        data = path.read_bytes()
    except OSError as error:
        raise BaselineError(f"{shown(path)}: {error.strerror or error}") from error
    try:
        return parse(data)
    except BaselineError as error:
        raise BaselineError(f"{shown(path)}: {error}") from error


def parse(data: bytes) -> Baseline:
    """The baseline that a file holds. Raises BaselineError."""
    try:
        document = json.loads(data.decode("utf-8"), object_pairs_hook=_object)
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
        known, count = _entry(entry, number)
        found[known] += count
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return made


def _entry(entry: object, number: int) -> tuple[Known, int]:
    if not isinstance(entry, dict) or set(entry) != set(_FIELDS):
        raise BaselineError(f"finding {number} must have {', '.join(_FIELDS)} and nothing else")
    for name, kind in _FIELDS.items():
        if not isinstance(entry[name], kind) or (kind is int and isinstance(entry[name], bool)):
            raise BaselineError(f"`{name}` of finding {number} is of the wrong type")
    if not 1 <= entry["count"] <= _MOST:
        raise BaselineError(f"`count` of finding {number} must be from 1 to {_MOST}")
    return Known(entry["file"], entry["kernel"], entry["code"], entry["digest"], entry["witness"]), entry["count"]


def spelled(baseline: Baseline) -> str:
    """The file of a baseline: one line a finding, in order, so that changes of it read well."""
    lines = [f"    {json.dumps(entry, ensure_ascii=True)}" for entry in _entries(baseline)]
    body = "[\n" + ",\n".join(lines) + "\n  ]" if lines else "[]"
    return f'{{\n  "version": {VERSION},\n  "findings": {body}\n}}\n'


def _entries(baseline: Baseline) -> Iterator[dict[str, Any]]:
    for known in sorted(baseline, key=lambda k: (k.file, k.kernel or "", k.code, k.digest, k.witness)):
        yield {**{name: getattr(known, name) for name in _FIELDS if name != "count"}, "count": baseline[known]}


def save(path: Path, baseline: Baseline) -> None:
    """Write a baseline at once, or not at all. A link in its place is replaced and not followed."""
    temporary = path.with_name(f".{path.name}.{os.urandom(6).hex()}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as stream:
                stream.write(spelled(baseline))
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise BaselineError(f"{shown(path)}: {error.strerror or error}") from error


def without(baseline: Baseline, stale: Baseline) -> Baseline:
    """A baseline less some of its findings."""
    return {known: left for known, count in baseline.items() if (left := count - stale.get(known, 0)) > 0}
