"""Suppressions for all findings: writes `# tilecheck: allow[CODE] reason` into files, and changes nothing else."""

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
from tilecheck.text.notebooks import SUFFIX
from tilecheck.text.plural import pluralize

__all__ = ["Added", "IgnoreError", "add_ignores", "with_ignores"]

_LINE: Final = re.compile("[^\r\n]*(?:\r\n|\r|\n|$)")
_ALLOW: Final = "tilecheck: allow"
_COMPLAINTS: Final = ("TC901", "TC902")


class IgnoreError(ValueError):
    """A reason that cannot be part of a comment. The message is one line."""


class Added(Struct, frozen=True):
    """The written files, and messages for the user."""

    files: tuple[str, ...]
    messages: tuple[str, ...]


def add_ignores(report: Report, reason: str, root: Path) -> Added:
    """Write a suppression for each finding of a report into its file. Raises IgnoreError.

    A file is written atomically, and only if its meaning to the interpreter stays the same. Files
    that were not checked are not written, because suppressions in them are not read either. Neither are files outside
    `root` and the working directory that a link leads to.
    """
    reason = check_reason(reason)
    by_file: defaultdict[str, list[Diagnostic]] = defaultdict(list)
    for diagnostic in report.diagnostics:
        by_file[diagnostic.span.file].append(diagnostic)
    paths = set(report.paths)
    written: list[str] = []
    messages: list[str] = []
    count = 0
    for file, found in sorted(by_file.items()):
        if file not in paths:
            messages.append(f"{file}: not written, since it is not among the checked files")
            continue
        if file.endswith(SUFFIX):
            messages.append(f"{file}: not written, since it is a notebook: write the comments in its cells")
            continue
        if _leads_out(file, root):
            messages.append(f"{file}: not written, since it is a link to a file in another folder")
            continue
        try:
            data = Path(file).read_bytes()
            new = with_ignores(data, file, found, reason)
            if new != data:
                _write(Path(file), new)
                written.append(file)
                count += len(found)
        except (OSError, SourceError, SyntaxError, UnicodeEncodeError, tokenize.TokenError) as error:
            messages.append(f"{file}: not written: {_describe(error)}")
    messages.append(f"suppressions for {pluralize(count, 'finding')} written to {pluralize(len(written), 'file')}")
    return Added(tuple(written), tuple(messages))


def _leads_out(file: str, root: Path) -> bool:
    real = Path(os.path.realpath(file))
    return os.path.islink(file) and not any(real.is_relative_to(os.path.realpath(folder)) for folder in (root, "."))


def _describe(error: Exception) -> str:
    if isinstance(error, UnicodeEncodeError):
        return f"the reason has characters that its encoding, {error.encoding}, does not have"
    return getattr(error, "strerror", None) or getattr(error, "message", None) or str(error)


def check_reason(reason: str) -> str:
    """The reason in one line. Raises IgnoreError if it is empty, or would end the comment."""
    text = " ".join(reason.split())
    if not text:
        raise IgnoreError("give a reason why the code is right: a suppression without one is also a finding (TC902)")
    if "#" in text or not text.isprintable():
        raise IgnoreError("the reason is part of a comment: it must be printable and have no `#`")
    return text


def with_ignores(data: bytes, file: str, found: Iterable[Diagnostic], reason: str) -> bytes:
    """The bytes of a file with a suppression for each finding. Raises SourceError, or UnicodeEncodeError.

    A comment goes to the end of the statement of the finding. If the statement already has a suppression, the code is
    added to it. Line endings, tabs, encoding and byte order mark stay as they are.
    """
    lines, encoding = _decode_lines(data)
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
        own = next((s for s in existing if s.scope == "line" and _covers(s, end, statements)), None)
        if own is None:
            lines[end - 1] = _append_comment(lines[end - 1], f"# {_ALLOW}[{', '.join(sorted(codes))}] {reason}")
        else:
            lines[own.line - 1] = _merge_codes(lines[own.line - 1], module.lines[own.line - 1], own, codes, reason)
    new = "".join(lines).encode(encoding)
    if _dump_tree(new) != _dump_tree(data):
        raise SourceError(file, "the comments would change the meaning of the code")
    return new


def _decode_lines(data: bytes) -> tuple[list[str], str]:
    """The lines with their endings, and the encoding. The first line begins with the byte order mark, if any."""
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


def _covers(suppression: Suppression, end: int, statements: Mapping[int, int]) -> bool:
    """Whether a suppression covers exactly the statement that ends on this line, and names rules."""
    covered = statements.get(suppression.last_line) == end and statements.get(suppression.first_line) == end
    return covered and bool(suppression.codes)


def _append_comment(line: str, comment: str) -> str:
    body = line.rstrip("\r\n")
    return f"{body.rstrip()}  {comment}{line[len(body):]}"


def _merge_codes(line: str, plain: str, own: Suppression, codes: Iterable[str], reason: str) -> str:
    """A line with more codes in its suppression, and the reason appended to the existing one."""
    reasons = [own.reason] if own.reason else []
    if reason not in own.reason:
        reasons.append(reason)
    every = ", ".join(dict.fromkeys((*own.codes, *sorted(codes))))
    return _replace_comment(line, plain, own, f"# {_ALLOW}[{every}] {'; '.join(reasons)}")


def _replace_comment(line: str, plain: str, own: Suppression, comment: str) -> str:
    """A line with another text in place of a suppression. `plain` is the line without a byte order mark."""
    body = line.rstrip("\r\n")
    shift = len(body) - len(plain)
    start, end = own.column + shift, own.end_column + shift
    return f"{line[:start]}{comment}{line[end:]}"


def _give_reason(
    lines: Sequence[str], plain: Sequence[str], existing: Iterable[Suppression], diagnostic: Diagnostic, reason: str
) -> list[str]:
    """The lines with the reason in the comment that has none. Decorators are not changed."""
    out = list(lines)
    for own in existing:
        here = own.line == diagnostic.span.line and own.column == diagnostic.span.column
        if here and own.codes and not own.reason:
            comment = f"# {_ALLOW}[{', '.join(own.codes)}] {reason}"
            out[own.line - 1] = _replace_comment(out[own.line - 1], plain[own.line - 1], own, comment)
    return out


def _dump_tree(data: bytes) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.dump(ast.parse(data))


def _write(path: Path, data: bytes) -> None:
    """Write a file atomically. The target of a link is written, not the link."""
    real = Path(os.path.realpath(path))
    temporary = real.with_name(f".{real.name}.{os.urandom(6).hex()}")
    try:
        temporary.write_bytes(data)
        shutil.copymode(real, temporary)
        os.replace(temporary, real)
    finally:
        temporary.unlink(missing_ok=True)
