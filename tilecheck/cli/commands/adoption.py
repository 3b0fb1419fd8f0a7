"""The options of `check` for code with existing findings: baselines, suppressions for all findings, `--since`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from tilecheck.baseline.baseline import BaselineError
from tilecheck.baseline.run import Outcome, apply_baseline
from tilecheck.config import Config
from tilecheck.diagnostics import Report
from tilecheck.report.frame import Sources
from tilecheck.rules.selection import SelectorError, check_selectors

__all__ = ["adopt", "per_file_ignores"]


def adopt(
    report: Report, sources: Sources, paths: Sequence[str], config: Config, options: Mapping[str, Any]
) -> tuple[Report, Sources, bool]:
    """Apply the options. Return the report without hidden findings, its sources, and whether the run fails anyway."""
    _check_options(paths, config, options)
    if options["add_ignore"] is not None:
        asked = {**options, "add_ignore": None}
        left, _, _ = _hide_findings(report, sources, paths, config, asked)
        if _add_ignores(left, options["add_ignore"], config.root):
            report, sources = _check_again(paths, config)
        options = asked
    report, fails, messages = _hide_findings(report, sources, paths, config, options)
    for line in messages:
        click.echo(line, err=True)
    return report, sources, fails


def _hide_findings(
    report: Report, sources: Sources, paths: Sequence[str], config: Config, options: Mapping[str, Any]
) -> tuple[Report, bool, tuple[str, ...]]:
    """Hide findings. Return the report without them, whether the run fails anyway, and messages for the user."""
    fails = False
    messages: tuple[str, ...] = ()
    if config.baseline is not None or options["update_baseline"] or options["prune_baseline"]:
        outcome = _apply_baseline(report, sources, paths, config, options)
        report, fails, messages = outcome.report, outcome.fails, outcome.messages
    if options["since"] is not None:
        report = _drop_unchanged(report, paths, config, options["since"])
    return report, fails, messages


def _check_options(paths: Sequence[str], config: Config, options: Mapping[str, Any]) -> None:
    writing = [name for name in ("update_baseline", "prune_baseline", "add_ignore") if options[name] is not None
               and options[name] is not False]
    if len(writing) > 1:
        first, second = (f"--{name.replace('_', '-')}" for name in writing[:2])
        raise _usage(f"{first} and {second} exclude each other")
    if options["since"] is not None and options["update_baseline"]:
        raise _usage("--since excludes findings, and --update-baseline needs all of them")
    if "-" in paths and (writing or options["since"] is not None):
        raise _usage("standard input has no file, so it can have no baseline, no history and no suppressions")


def _apply_baseline(
    report: Report, sources: Sources, paths: Sequence[str], config: Config, options: Mapping[str, Any]
) -> Outcome:
    asked = options["error_stale_baseline"]
    try:
        return apply_baseline(
            report, sources, config,
            update=options["update_baseline"],
            prune=options["prune_baseline"],
            stale_is_error=_in_ci() if asked is None else asked,
            folders=any(os.path.isdir(path) for path in paths),
        )
    except BaselineError as error:
        raise _usage(f"baseline: {error}") from error


def _in_ci() -> bool:
    """Whether this is a run in continuous integration. All services set `CI`."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false", "no")


def _drop_unchanged(report: Report, paths: Sequence[str], config: Config, revision: str) -> Report:
    from tilecheck.baseline.since import SinceError, only_changed

    try:
        return only_changed(report, paths, config, revision)
    except SinceError as error:
        raise _usage(f"--since: {error}") from error


def _add_ignores(report: Report, reason: str, root: Path) -> bool:
    """Write suppressions for the findings of a report, and print a message. Return whether any file was written."""
    from tilecheck.baseline.ignores import IgnoreError, add_ignores

    try:
        added = add_ignores(report, reason, root)
    except IgnoreError as error:
        raise _usage(f"--add-ignore: {error}") from error
    for line in added.messages:
        click.echo(line, err=True)
    return bool(added.files)


def _check_again(paths: Sequence[str], config: Config) -> tuple[Report, Sources]:
    """The report after files have changed, with their current source."""
    from tilecheck import api
    from tilecheck.text.sources import SourceLines

    return api.check_paths(list(paths), config), SourceLines()


def per_file_ignores(config: Config, given: Iterable[str], added: Iterable[str]) -> Config:
    """The settings with `PATTERN:RULES`: `given` replaces the configured ones, `added` extends them."""
    replaced, more = tuple(_parse_patterns(given)), tuple(_parse_patterns(added))
    return replace(config, per_file_ignores=(replaced or config.per_file_ignores) + more)


def _parse_patterns(values: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Parse `a.py:TC1,TC2` and `a.py:TC1,b.py:TC2` into patterns with their rules."""
    for value in values:
        pattern = ""
        for part in value.split(","):
            before, colon, rule = part.strip().rpartition(":")
            pattern = before if colon else pattern
            if not pattern or not rule:
                raise _usage(f"'{value}' must be PATTERN:RULES, such as tests/*.py:TC102")
            try:
                check_selectors((rule,))
            except SelectorError as error:
                raise _usage(str(error)) from error
            yield pattern, (rule,)


def _usage(message: str) -> click.ClickException:
    from tilecheck.cli.exit_status import UsageError

    return UsageError(message)
