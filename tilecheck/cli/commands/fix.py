"""`tilecheck check --fix`, `--diff` and related options."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import unified_diff
from typing import Any

import click
from msgspec import Struct

from tilecheck.cli.editable_files import WriteError, tree_of_paths, tree_of_text, write_all
from tilecheck.cli.exit_status import EXIT_ABNORMAL, EXIT_CLEAN, EXIT_FINDINGS, UsageError
from tilecheck.config import Config, ConfigError
from tilecheck.diagnostics import Report
from tilecheck.pipeline.progress import progress_on
from tilecheck.repair.apply.bounds_checks import drop_bounds_checks
from tilecheck.repair.apply.run import Applied, Fixed, Refused, fix_tree
from tilecheck.rules.catalog import NAMES
from tilecheck.syntax.text import encoding_of
from tilecheck.text.plural import pluralize
from tilecheck.text.sources import SourceLines

__all__ = ["Outcome", "fix"]


class Outcome(Struct, frozen=True):
    """The result of fixing.

    status      the exit status, as far as the fixes determine it
    report      the remaining findings; None if no report is to be printed
    wrote_text  whether the fixed text went to standard output; the report then goes elsewhere
    """

    status: int
    report: Report | None
    sources: Callable[[str], Sequence[str]]
    wrote_text: bool = False


def fix(paths: Sequence[str], config: Config, stdin_filename: str | None, settings: Mapping[str, Any]) -> Outcome:
    """Fix the files that the command line names, and print a summary. Raises `UsageError`."""
    try:
        with progress_on(sys.stderr) as progress:
            if "-" in paths:
                if len(paths) > 1:
                    raise UsageError("`-` cannot be combined with other paths")
                name = stdin_filename or "<stdin>"
                before: Mapping[str, bytes] = {name: sys.stdin.buffer.read()}
                tree = tree_of_text(before[name], name, config)
            else:
                tree, before = tree_of_paths(paths, config, progress)
            fixed = fix_tree(tree, settings["unsafe_fixes"])
            if settings["drop_bounds_checks"]:
                fixed = drop_bounds_checks(tree, before, fixed)
    except ConfigError as error:
        raise UsageError(str(error)) from error
    changed = {path: data for path, data in fixed.contents.items() if data != before[path]}
    from_stdin = "-" in paths
    report = fixed.checked.report
    if settings["diff"]:
        _print("".join(text for path in sorted(changed) for text in _diff(path, before[path], changed[path])))
    elif from_stdin:
        sys.stdout.buffer.write(changed.get(name, before[name]))
        sys.stdout.buffer.flush()
    else:
        try:
            write_all(before, changed)
        except WriteError as error:
            raise UsageError(str(error)) from error
    _print_summary(fixed, changed, settings)
    if settings["diff"] or settings["fix_only"]:
        failed = changed if settings["diff"] or settings["exit_non_zero_on_fix"] else ()
        for failure in report.failures:
            click.echo(f"error: {failure.file}: {failure.message}", err=True)
        status = EXIT_ABNORMAL if report.failures else EXIT_FINDINGS if failed else EXIT_CLEAN
        return Outcome(status, None, SourceLines())
    status = EXIT_FINDINGS if changed and settings["exit_non_zero_on_fix"] else EXIT_CLEAN
    return Outcome(status, report, SourceLines({**before, **changed}), from_stdin)


def _diff(path: str, before: bytes, after: bytes) -> Iterator[str]:
    old, new = (data.decode(encoding_of(data)).splitlines(keepends=True) for data in (before, after))
    for line in unified_diff(_lines(old), _lines(new), path, path):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(lines: list[str]) -> list[str]:
    """Lines as a diff has them: other line endings than a newline are part of the line."""
    out: list[str] = []
    for line in lines:
        if out and not out[-1].endswith("\n"):
            out[-1] += line
        else:
            out.append(line)
    return out


def _print(text: str) -> None:
    click.echo(text, nl=False, color=True)


def _print_summary(fixed: Fixed, changed: Mapping[str, bytes], settings: Mapping[str, Any]) -> None:
    """Print applied, refused and possible fixes to standard error."""
    quiet = settings.get("quiet", False)
    applied = len(fixed.applied)
    would = "would fix" if settings["diff"] else "fixed"
    if applied and not quiet:
        click.echo(f"{would} {pluralize(applied, 'finding')} in {pluralize(len(changed), 'file')}", err=True)
    if settings["diff"] and not changed and not quiet:
        click.echo("nothing would be fixed", err=True)
    if settings["show_fixes"]:
        for line in _list_fixes(fixed.applied):
            click.echo(line, err=True)
    for line in _list_refusals(fixed.refused, fixed.applied):
        click.echo(line, err=True)
    if fixed.withheld and not quiet:
        click.echo(f"{pluralize(len(fixed.withheld), 'more finding')} may be fixed with --unsafe-fixes", err=True)


def _list_fixes(applied: Sequence[Applied]) -> Iterator[str]:
    files = sorted({a.finding.span.file for a in applied})
    for file in files:
        yield f"{file}:"
        counted = Counter((a.finding.code, a.fix.title) for a in applied if a.finding.span.file == file)
        for (code, title), count in sorted(counted.items()):
            yield f"    {count} x {code} ({NAMES.get(code, 'proved')}): {title}"


def _list_refusals(refused: Sequence[Refused], applied: Sequence[Applied]) -> Iterator[str]:
    """One line for each finding without an applied fix."""
    printed = set()
    for r in refused:
        span = r.finding.span
        key = (span.file, span.line, span.column, r.finding.code)
        if key not in printed:
            printed.add(key)
            yield f"not fixed: {span.file}:{span.line}:{span.column + 1}: {r.finding.code}: {r.fix.title}: {r.why}"
