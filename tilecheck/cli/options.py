"""Options that commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import click

__all__ = ["adopting", "failing", "fixing", "reporting", "rule_names", "selecting", "settings"]

Command: TypeAlias = Callable[..., Any]


def _with(command: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


def rule_names(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """What a shell may complete a rule to."""
    from tilecheck.rules.catalog import CODES, NAMES

    return sorted(name for name in (*NAMES, *CODES) if name.lower().startswith(incomplete.lower()))


def settings(command: Command) -> Command:
    """Those of every command that checks files."""
    return _with(command, (
        click.option(
            "--config",
            multiple=True,
            metavar="FILE|KEY=VALUE",
            help="Take settings from this file; or set one (the value as in TOML); repeatable.",
        ),
        click.option("--isolated", is_flag=True, help="Ignore all configuration files."),
        click.option(
            "--exclude", "--extend-exclude", multiple=True, metavar="PATTERN",
            help="Skip files that match (gitignore style); repeatable."
        ),
        click.option("--force-exclude", is_flag=True, help="Skip them also where they are named."),
        click.option("--no-respect-gitignore", is_flag=True, help="Also check files that .gitignore excludes."),
        click.option(
            "--contracts",
            multiple=True,
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Overlay file with contracts of kernels; repeatable.",
        ),
        click.option(
            "-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="Worker processes (default: one a core)."
        ),
        click.option(
            "--cache-dir",
            type=click.Path(path_type=Path),
            envvar="TILECHECK_CACHE_DIR",
            metavar="DIR",
            help="Where results are kept.",
        ),
        click.option("--no-cache", is_flag=True, help="Neither use nor keep results."),
    ))


def selecting(command: Command) -> Command:
    """Which rules are reported."""
    return _with(command, (
        click.option(
            "--select", multiple=True, metavar="RULES", shell_complete=rule_names,
            help="Rules to report: codes, prefixes, names or ALL; comma-separated.",
        ),
        click.option(
            "--extend-select", multiple=True, metavar="RULES", shell_complete=rule_names,
            help="Rules to report besides those configured.",
        ),
        click.option(
            "--ignore", "--extend-ignore", multiple=True, metavar="RULES", shell_complete=rule_names,
            help="Rules not to report.",
        ),
        click.option(
            "--per-file-ignores", multiple=True, metavar="PATTERN:RULES",
            help="Rules not to report in files that match, in place of those configured."
        ),
        click.option(
            "--extend-per-file-ignores", multiple=True, metavar="PATTERN:RULES",
            help="The same, besides those configured.",
        ),
    ))


def failing(command: Command) -> Command:
    """What makes a run fail."""
    return _with(command, (
        click.option("--strict", is_flag=True, help="What is not proved is an error."),
        click.option(
            "--fail-level", type=click.Choice(["error", "warning"]),
            help="What makes the exit status 1.  [default: error]"
        ),
        click.option("--error-on-warning", is_flag=True, help="The same as --fail-level warning."),
    ))


def reporting(command: Command) -> Command:
    """In which form, and where."""
    return _with(command, (
        click.option(
            "--format", "--output-format", "formats", multiple=True, metavar="FORMAT[:FILE]",
            envvar="TILECHECK_OUTPUT_FORMAT",
            help="text (default), concise, json, github, gitlab, junit or sarif; repeatable, with a file for all "
                 "but one.",
        ),
        click.option(
            "-o", "--output-file", type=click.Path(path_type=Path), metavar="FILE",
            help="Write the report there.",
        ),
    ))


def adopting(command: Command) -> Command:
    """For code that has findings already."""
    return _with(command, (
        click.option(
            "--baseline", type=click.Path(path_type=Path), metavar="FILE",
            help="Do not report the findings that it has."
        ),
        click.option("--update-baseline", is_flag=True, help="Write what is found now to the baseline."),
        click.option("--prune-baseline", is_flag=True, help="Remove from the baseline what is no longer found."),
        click.option(
            "--error-stale-baseline/--no-error-stale-baseline", default=None,
            help="Fail when the baseline has findings that are gone.  [default: where CI is set]"
        ),
        click.option("--add-ignore", metavar="REASON", help="Write an opt-out with this reason for every finding."),
        click.option("--since", metavar="REV", help="Only report what can have changed since a git revision."),
    ))


def fixing(command: Command) -> Command:
    """About fixes."""
    return _with(command, (
        click.option("--fix", is_flag=True, help="Change files: make the safe fixes, and report what is left."),
        click.option("--unsafe-fixes", is_flag=True, help="Also make fixes that may change what defined code does."),
        click.option("--diff", is_flag=True, help="Print what --fix would change, and change nothing."),
        click.option("--fix-only", is_flag=True, help="Fix, and do not report what is left."),
        click.option("--show-fixes", is_flag=True, help="List the fixes that were made."),
        click.option("--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 if anything was fixed."),
        click.option(
            "--drop-bounds-checks", is_flag=True,
            help="With --fix or --diff: also check_bounds=False where accesses are proved in bounds."
        ),
    ))
