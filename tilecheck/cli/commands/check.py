"""`tilecheck check`: check files and folders, fix them where asked, and print reports."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from msgspec import Struct
from msgspec.structs import replace

from tilecheck.cli import options
from tilecheck.cli.configure import load_settings, parse_selectors
from tilecheck.cli.exit_status import EXIT_ABNORMAL, EXIT_CLEAN, EXIT_FINDINGS, UsageError
from tilecheck.config import Config, ConfigError

if TYPE_CHECKING:
    from tilecheck.diagnostics import Report
    from tilecheck.pipeline.run import Pipeline
    from tilecheck.report.frame import Sources

__all__ = ["check_paths", "command"]

_ADOPTION_OPTIONS: Final = ("update_baseline", "prune_baseline", "add_ignore", "since")


@click.command(name="check")
@click.argument("paths", nargs=-1, metavar="[PATHS]...", type=click.Path())
@options.add_settings
@options.add_selection
@options.add_failure_levels
@options.add_outputs
@options.add_adoption
@options.add_fixes
@options.add_compilation
@click.option("--stdin-filename", metavar="NAME", help="Name for standard input (path `-`) in reports.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings.")
@click.option("--statistics", is_flag=True, help="Count findings by rule.")
@click.option("-w", "--watch", is_flag=True, help="Check again whenever a file changes, until interrupted.")
@click.option("--show-files", is_flag=True, help="List the files that would be checked, and stop.")
@click.option("--show-settings", is_flag=True, help="Print the settings that apply, and stop.")
@click.option("-q", "--quiet", is_flag=True, help="Print findings only.")
@click.option("-v", "--verbose", is_flag=True, help="Also print the proof of each kernel.")
def command(
    paths: tuple[str, ...],
    select: tuple[str, ...],
    formats: tuple[str, ...],
    output_file: Path | None,
    stdin_filename: str | None,
    exit_zero: bool,
    statistics: bool,
    quiet: bool,
    verbose: bool,
    **given: Any,
) -> int:
    """Check files and folders (default: the current one); `-` reads standard input.

    Exit status: 0 if there is no error, 1 if there are errors, 2 if a file could not be checked or the command
    line or configuration is invalid.
    """
    if quiet and verbose:
        raise UsageError("--quiet and --verbose exclude each other")
    places = paths or (".",)
    limit = _parse_compilation(places, given)
    config = _apply_selection(load_settings(paths, given), select, given)
    outputs = _parse_outputs(formats, output_file)
    if given["show_files"] or given["show_settings"]:
        return _print_settings(places, config, given)
    level = 1 if verbose else -1 if quiet else 0

    def run_once(pipeline: Pipeline | None = None) -> int:
        outcome = _check_and_fix(places, config, stdin_filename, {**given, "quiet": quiet, "limit": limit}, pipeline)
        if outcome.report is None:
            return outcome.status
        for form, file in outputs:
            text = _render(outcome.report, outcome.sources, form, file is None, level, statistics, config)
            _write(text, file, outcome.to_stderr)
        return _decide_status(outcome.report, config, outcome.status, exit_zero)

    if not given["watch"]:
        return run_once()
    if "-" in places:
        raise UsageError("standard input cannot be watched")
    from tilecheck.cli.watch import watch
    from tilecheck.pipeline.run import Pipeline

    pipeline = Pipeline()  # caches its results, so that each check computes only the changed units
    return watch(places, config, lambda: run_once(pipeline))


class _Outcome(Struct, frozen=True):
    """A report to print, or None, and the exit status so far."""

    report: Report | None
    sources: Sources
    status: int = EXIT_CLEAN
    to_stderr: bool = False


def _check_and_fix(
    places: Sequence[str], config: Config, stdin_filename: str | None, given: dict[str, Any],
    pipeline: Pipeline | None = None,
) -> _Outcome:
    """Check the paths, after fixing them if an option says so, and leave out the findings of a baseline."""
    adopting = any(given[name] not in (None, False) for name in _ADOPTION_OPTIONS) or config.baseline is not None
    if given["fix"] or given["fix_only"] or given["diff"]:
        from tilecheck.cli.commands.fix import fix

        fixed = fix(places, config, stdin_filename, given)
        outcome = _Outcome(fixed.report, fixed.sources, fixed.status, fixed.wrote_text)
    else:
        outcome = _Outcome(*check_paths(places, config, stdin_filename, pipeline, given["limit"]))
    if outcome.report is None or not adopting:
        return outcome
    from tilecheck.cli.commands.adoption import adopt

    report, sources, fails = adopt(outcome.report, outcome.sources, places, config, given)
    return replace(outcome, report=report, sources=sources, status=EXIT_FINDINGS if fails else outcome.status)


def _parse_compilation(places: Sequence[str], given: dict[str, Any]) -> float | None:
    """The seconds for each file that is imported; None if none is. Raises `UsageError`."""
    if not given["compile_"]:
        return None
    other = next((name for name in ("fix", "fix_only", "diff") if given[name]), None)
    if other is not None:
        raise UsageError(f"--compile and --{other.replace('_', '-')} exclude each other")
    if "-" in places:
        raise UsageError("--compile imports files: standard input cannot be imported")
    from tilecheck.pipeline.compile_runs import find_missing_package

    missing = find_missing_package()
    if missing is not None:
        raise UsageError(f"--compile needs the package {missing}: pip install 'tilecheck[cpu]' 'cuda-tile>=1.7'")
    return float(given["compile_timeout"])


def _print_settings(places: Sequence[str], config: Config, given: dict[str, Any]) -> int:
    from tilecheck.cli.commands.settings import render_files, render_settings

    if given["show_settings"]:
        click.echo(render_settings(config), nl=False)
    if given["show_files"]:
        click.echo(render_files(places, config), nl=False)
    return EXIT_CLEAN


def _decide_status(report: Report, config: Config, status: int, exit_zero: bool) -> int:
    for failure in report.failures:
        place = f"{failure.file}:{failure.line}" if failure.line else failure.file
        click.echo(f"error: {place}: {failure.message}", err=True)
    if report.failures:
        return EXIT_ABNORMAL
    from tilecheck.diagnostics import at_least

    if any(at_least(d.severity, config.fail_level) for d in report.diagnostics):
        status = EXIT_FINDINGS
    return EXIT_CLEAN if exit_zero else status


def _apply_selection(config: Config, select: tuple[str, ...], given: dict[str, Any]) -> Config:
    """The settings with the options of `check` applied."""
    if select:
        config = replace(config, select=parse_selectors(select), ignore=())
    if given["per_file_ignores"] or given["extend_per_file_ignores"]:
        from tilecheck.cli.commands.adoption import per_file_ignores

        config = per_file_ignores(config, given["per_file_ignores"], given["extend_per_file_ignores"])
    return replace(
        config,
        select=config.select + parse_selectors(given["extend_select"]),
        ignore=config.ignore + parse_selectors(given["ignore"]),
        strict=config.strict or given["strict"],
        fail_level="warning" if given["error_on_warning"] else given["fail_level"] or config.fail_level,
        baseline=given["baseline"] or config.baseline,
    )


def _parse_outputs(formats: tuple[str, ...], output_file: Path | None) -> Iterable[tuple[str, Path | None]]:
    """The formats of the report, each with its file; None is standard output."""
    if not formats:
        return (("text", output_file),)
    from tilecheck.report.outputs import OutputError, outputs

    try:
        return tuple((output.form, output.file) for output in outputs(formats, output_file))
    except OutputError as error:
        raise UsageError(str(error)) from error


def check_paths(
    paths: Sequence[str], config: Config, stdin_filename: str | None = None, pipeline: Pipeline | None = None,
    limit: float | None = None,
) -> tuple[Report, Sources]:
    """Check files and folders, or standard input for `-`. With a `limit`, also import the files and compile the kernels
    for the seen launches, for at most so many seconds a file. Raises `UsageError`."""
    from tilecheck import api
    from tilecheck.pipeline.policy import finish
    from tilecheck.pipeline.progress import progress_on
    from tilecheck.pipeline.run import Pipeline, analyse_paths
    from tilecheck.text.sources import SourceLines

    try:
        if "-" in paths:
            if len(paths) > 1:
                raise UsageError("`-` cannot be combined with other paths")
            data = sys.stdin.buffer.read()
            name = stdin_filename or "<stdin>"
            return api.check_source(data, name, config), SourceLines({name: data})
        with progress_on(sys.stderr) as progress:
            pipeline = pipeline or Pipeline()
            analysis = analyse_paths(paths, config, progress, pipeline=pipeline)
        if limit is not None:
            from tilecheck.pipeline.compiled_launches import compile_seen_launches

            analysis = compile_seen_launches(analysis, paths, config, pipeline, limit)
        return finish(analysis, config), SourceLines()
    except ConfigError as error:
        raise UsageError(str(error)) from error


def _render(
    report: Report,
    sources: Callable[[str], Sequence[str]],
    form: str,
    to_stdout: bool,
    verbosity: int,
    statistics: bool,
    config: Config,
) -> str:
    from tilecheck.report.formats import View, render
    from tilecheck.report.style import wants_colour

    colour = to_stdout and wants_colour(sys.stdout)
    known = config.baseline is not None
    return render(form, View(report, sources, colour, verbosity, statistics, config.fail_level, known))


def _write(text: str, output_file: Path | None, to_stderr: bool = False) -> None:
    if output_file is None:
        click.echo(text, nl=False, color=True, err=to_stderr)
        return
    try:
        # a file name may contain bytes that are not valid text
        output_file.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"{output_file}: {error.strerror or error}") from error
