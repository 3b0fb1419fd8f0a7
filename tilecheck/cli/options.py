"""Options that commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import click

__all__ = [
    "add_adoption", "add_compilation", "add_failure_levels", "add_fixes", "add_outputs", "add_selection",
    "add_settings", "rule_names",
]

Command: TypeAlias = Callable[..., Any]


def _add(command: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


def rule_names(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Codes and names of rules that begin with an incomplete word, for completion in a shell."""
    from tilecheck.rules.catalog import CODES, NAMES

    return sorted(name for name in (*NAMES, *CODES) if name.lower().startswith(incomplete.lower()))


def add_settings(command: Command) -> Command:
    """Add the options of every command that checks files."""
    return _add(command, (
        click.option(
            "--config",
            multiple=True,
            metavar="FILE|KEY=VALUE",
            help="Take settings from this file; or set one (the value as in TOML); repeatable.",
        ),
        click.option("--isolated", is_flag=True, help="Ignore all configuration files."),
        click.option(
            "--exclude", "--extend-exclude", multiple=True, metavar="PATTERN",
            help="Skip matching files (gitignore style); repeatable."
        ),
        click.option("--force-exclude", is_flag=True, help="Also skip them if they are named."),
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
            help="Folder of cached results.",
        ),
        click.option("--no-cache", is_flag=True, help="Neither read nor write cached results."),
    ))


def add_selection(command: Command) -> Command:
    """Add the options that select rules."""
    return _add(command, (
        click.option(
            "--select", multiple=True, metavar="RULES", shell_complete=rule_names,
            help="Rules to report: codes, prefixes, names or ALL; comma-separated.",
        ),
        click.option(
            "--extend-select", multiple=True, metavar="RULES", shell_complete=rule_names,
            help="Rules to report in addition to the configured ones.",
        ),
        click.option(
            "--ignore", "--extend-ignore", multiple=True, metavar="RULES", shell_complete=rule_names,
            help="Rules not to report.",
        ),
        click.option(
            "--per-file-ignores", multiple=True, metavar="PATTERN:RULES",
            help="Rules not to report in matching files, in place of the configured ones."
        ),
        click.option(
            "--extend-per-file-ignores", multiple=True, metavar="PATTERN:RULES",
            help="The same, in addition to the configured ones.",
        ),
    ))


def add_failure_levels(command: Command) -> Command:
    """Add the options that decide whether a run fails."""
    return _add(command, (
        click.option("--strict", is_flag=True, help="Report unproven obligations as errors."),
        click.option(
            "--fail-level", type=click.Choice(["error", "warning"]),
            help="The least severity that makes the exit status 1.  [default: error]"
        ),
        click.option("--error-on-warning", is_flag=True, help="The same as --fail-level warning."),
    ))


def add_outputs(command: Command) -> Command:
    """Add the options for the format and the destination of the report."""
    return _add(command, (
        click.option(
            "--format", "--output-format", "formats", multiple=True, metavar="FORMAT[:FILE]",
            envvar="TILECHECK_OUTPUT_FORMAT",
            help="text (default), concise, json, github, gitlab, junit or sarif; repeatable, with a file for all "
                 "but one.",
        ),
        click.option(
            "-o", "--output-file", type=click.Path(path_type=Path), metavar="FILE",
            help="Write the report to this file.",
        ),
    ))


def add_adoption(command: Command) -> Command:
    """Add the options for code with existing findings."""
    return _add(command, (
        click.option(
            "--baseline", type=click.Path(path_type=Path), metavar="FILE",
            help="Hide the findings that this file lists."
        ),
        click.option("--update-baseline", is_flag=True, help="Write the current findings to the baseline."),
        click.option("--prune-baseline", is_flag=True,
                     help="Remove findings from the baseline that are no longer found."),
        click.option(
            "--error-stale-baseline/--no-error-stale-baseline", default=None,
            help="Fail if the baseline has stale findings.  [default: if CI is set]"
        ),
        click.option("--add-ignore", metavar="REASON", help="Write a suppression with this reason for every finding."),
        click.option("--since", metavar="REV", help="Only report findings that can have changed since a git revision."),
    ))


def add_fixes(command: Command) -> Command:
    """Add the options for fixes."""
    return _add(command, (
        click.option("--fix", is_flag=True, help="Change files: apply safe fixes, and report the remaining findings."),
        click.option("--unsafe-fixes", is_flag=True,
                     help="Also apply fixes that may change the behaviour of defined code."),
        click.option("--diff", is_flag=True, help="Print the changes of --fix, and change nothing."),
        click.option("--fix-only", is_flag=True, help="Fix, and do not report the remaining findings."),
        click.option("--show-fixes", is_flag=True, help="List the applied fixes."),
        click.option("--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 if anything was fixed."),
        click.option(
            "--drop-bounds-checks", is_flag=True,
            help="With --fix or --diff: also pass check_bounds=False to accesses that are proved in bounds."
        ),
    ))


def add_compilation(command: Command) -> Command:
    """Add the options for the compiler of cuda.tile."""
    return _add(command, (
        click.option(
            "--compile", "compile_", is_flag=True,
            help="Also compile the kernels for the seen launches with cuda.tile, and prove launches from their Tile "
                 "IR. This imports the files: their module code runs. No GPU is needed."
        ),
        click.option(
            "--compile-timeout", type=click.FloatRange(min=0, min_open=True), default=60, show_default=True,
            metavar="SECONDS", help="With --compile: the time for each file that is imported."
        ),
    ))
