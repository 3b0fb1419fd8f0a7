"""Opt-outs for all findings: `# tilecheck: allow[CODE] reason` written into the files, and nothing else changed."""

from __future__ import annotations

import ast
import io
import os
import re
import shutil
import tokenize
import warnings
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from tilecheck.diagnostics import Diagnostic, Report
from tilecheck.project.project import Project
from tilecheck.project.suppressions import Suppression, suppressions
from tilecheck.syntax.text import SourceError
from tilecheck.text.plural import pluralize

__all__ = ["Added", "IgnoreError", "add_ignores", "with_ignores"]

_LINE: Final = re.compile("[^\r\n]*(?:\r\n|\r|\n|$)")
_ALLOW: Final = "tilecheck: allow"
_COMPLAINTS: Final = ("TC901", "TC902")


class IgnoreError(ValueError):
    """A reason that cannot stand in a comment. The message is one line."""


class Added(Struct, frozen=True):
    """The files that were written, and what to tell the user."""

    files: tuple[str, ...]
    messages: tuple[str, ...]


def add_ignores(report: Report, reason: str, root: Path) -> Added:
    """Write an opt-out for each finding of a report into its file. Raises IgnoreError.

    A file is written as a whole or not at all, and only when what it means to the interpreter stays the same. Files
    that were not checked themselves are not written: opt-outs in them are not read either. Nor are files to which a
    link leads out of `root` and the working directory.
    """
    reason = checked_reason(reason)
    by_file: defaultdict[str, list[Diagnostic]] = defaultdict(list)
    for diagnostic in report.diagnostics:
        by_file[diagnostic.span.file].append(diagnostic)
    paths = set(report.paths)
    written: list[str] = []
    said: list[str] = []
    count = 0
    for file, found in sorted(by_file.items()):
        if file not in paths:
            said.append(f"{file}: not written, since it is not among the files that are checked")
            continue
        if _leads_out(file, root):
            said.append(f"{file}: not written, since it is a link to a file elsewhere")
            continue
        try:
            data = Path(file).read_bytes()
            new = with_ignores(data, file, found, reason)
            if new != data:
                _write(Path(file), new)
                written.append(file)
                count += len(found)
        except (OSError, SourceError, SyntaxError, UnicodeEncodeError, tokenize.TokenError) as error:
            said.append(f"{file}: not written: {_said(error)}")
    said.append(f"opt-outs for {pluralize(count, 'finding')} written to {pluralize(len(written), 'file')}")
    return Added(tuple(written), tuple(said))


def _leads_out(file: str, root: Path) -> bool:
    real = Path(os.path.realpath(file))
    return os.path.islink(file) and not any(real.is_relative_to(os.path.realpath(folder)) for folder in (root, "."))


def _said(error: Exception) -> str:
    if isinstance(error, UnicodeEncodeError):
        return f"the reason has characters that its encoding, {error.encoding}, has not"
    return getattr(error, "strerror", None) or getattr(error, "message", None) or str(error)


def checked_reason(reason: str) -> str:
    """The reason in one line. Raises IgnoreError when it is empty, or would end the comment."""
    text = " ".join(reason.split())
    if not text:
        raise IgnoreError("say why the code is right: an opt-out without a reason is a finding, too (TC902)")
    if "#" in text or not text.isprintable():
        raise IgnoreError("the reason is part of a comment: it must be printable and have no `#`")
    return text


def with_ignores(data: bytes, file: str, found: Iterable[Diagnostic], reason: str) -> bytes:
    """The bytes of a file with an opt-out for each finding. Raises SourceError, or UnicodeEncodeError.

    A comment goes to the end of the statement that the finding stands on; an opt-out that the statement has already
    takes the code up. Line ends, tabs, encoding and byte order mark stay as they are.
    """
    lines, encoding = _decoded(data)
    module = Project([file], contents={file: data}).module(file)
    statements = _statements(module.text)
    existing = suppressions(module)
    wanted: defaultdict[int, set[str]] = defaultdict(set)
    for diagnostic in found:
        if diagnostic.code == "TC902":
            lines = _give_reason(lines, module.lines, existing, diagnostic, reason)
        elif diagnostic.code not in _COMPLAINTS:
            end = statements.get(diagnostic.span.line)
            if end is not None:
                wanted[end].add(diagnostic.code)
    for end, codes in wanted.items():
        own = next((s for s in existing if s.scope == "line" and _is_of(s, end, statements)), None)
        if own is None:
            lines[end - 1] = _appended(lines[end - 1], f"# {_ALLOW}[{', '.join(sorted(codes))}] {reason}")
        else:
            lines[own.line - 1] = _merged(lines[own.line - 1], module.lines[own.line - 1], own, codes, reason)
    new = "".join(lines).encode(encoding)
    if _tree(new) != _tree(data):
        raise SourceError(file, "the comments would change what the code means")
    return new


def _decoded(data: bytes) -> tuple[list[str], str]:
    """The lines with their ends, a byte order mark at the beginning of the first, and the encoding."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    encoding = "utf-8" if encoding == "utf-8-sig" else encoding
    return _LINE.findall(data.decode(encoding)), encoding


def _statements(text: str) -> Mapping[int, int]:
    """The last line of the statement that each line is part of; compound ones count up to their colon."""
    out: dict[int, int] = {}
    first: int | None = None
    blank = (tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.ENDMARKER)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NEWLINE:
            last = token.start[0]
            out.update(dict.fromkeys(range(last if first is None else first, last + 1), last))
            first = None
        elif first is None and token.type not in blank:
            first = token.start[0]
    return out


def _is_of(suppression: Suppression, end: int, statements: Mapping[int, int]) -> bool:
    """Whether an opt-out covers just the statement that ends on this line, and names rules."""
    covered = statements.get(suppression.last_line) == end and statements.get(suppression.first_line) == end
    return covered and bool(suppression.codes)


def _appended(line: str, comment: str) -> str:
    body = line.rstrip("\r\n")
    return f"{body.rstrip()}  {comment}{line[len(body):]}"


def _merged(line: str, plain: str, own: Suppression, codes: Iterable[str], reason: str) -> str:
    """A line with more codes in its opt-out, and the reason after the one that is there."""
    reasons = [own.reason] if own.reason else []
    if reason not in own.reason:
        reasons.append(reason)
    every = ", ".join(dict.fromkeys((*own.codes, *sorted(codes))))
    return _replaced(line, plain, own, f"# {_ALLOW}[{every}] {'; '.join(reasons)}")


def _replaced(line: str, plain: str, own: Suppression, comment: str) -> str:
    """A line with another text in the place of an opt-out. `plain` is the line without what is removed in front."""
    body = line.rstrip("\r\n")
    shift = len(body) - len(plain)
    start, end = own.column + shift, own.end_column + shift
    return f"{line[:start]}{comment}{line[end:]}"


def _give_reason(
    lines: Sequence[str], plain: Sequence[str], existing: Iterable[Suppression], diagnostic: Diagnostic, reason: str
) -> list[str]:
    """With the reason in the comment that has none. A decorator is left to its author."""
    out = list(lines)
    for own in existing:
        here = own.line == diagnostic.span.line and own.column == diagnostic.span.column
        if here and own.codes and not own.reason:
            codes = ", ".join(own.codes)
            out[own.line - 1] = _replaced(out[own.line - 1], plain[own.line - 1], own, f"# {_ALLOW}[{codes}] {reason}")
    return out


def _tree(data: bytes) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.dump(ast.parse(data))


def _write(path: Path, data: bytes) -> None:
    """Write a file at once; one behind a link is written where it is."""
    real = Path(os.path.realpath(path))
    temporary = real.with_name(f".{real.name}.{os.urandom(6).hex()}")
    try:
        temporary.write_bytes(data)
        shutil.copymode(real, temporary)
        os.replace(temporary, real)
    finally:
        temporary.unlink(missing_ok=True)
