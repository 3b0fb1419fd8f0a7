"""The command line. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from tilecheck import __version__
from tilecheck.cli import options
from tilecheck.cli.fast_exit import leave
from tilecheck.config import Config, ConfigError, load_config
from tilecheck.frozen import record
from tilecheck.rules.selection import SelectorError, check_selectors

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from tilecheck.diagnostics import Report
    from tilecheck.report.frame import Sources

EXIT_CLEAN: Final = 0
EXIT_FINDINGS: Final = 1
EXIT_ABNORMAL: Final = 2

PLUGIN_GROUP: Final = "tilecheck.commands"
_LAZY: Final = {
    "audit": "tilecheck.cli.commands.audit",
    "completion": "tilecheck.cli.commands.completion",
    "doctor": "tilecheck.cli.commands.doctor",
    "server": "tilecheck.cli.commands.server",
}
"""Our own commands by the module that has it as `command`."""
_COMMANDS: Final = frozenset({"build", "cache", "run", "server"})
"""Commands also where a folder has that name, as many a `build` does: `./build` means the folder."""


class UsageError(click.ClickException):
    """What the user asked for cannot be done. Shown as one line."""

    exit_code = EXIT_ABNORMAL


class CommandGroup(click.Group):
    """Commands by name, those of other packages included; without a name, `check`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if ctx.resilient_parsing and not args:
            return super().parse_args(ctx, args)  # a shell asks for the first word
        if not args or (args[0] not in ("--help", "-h", "--version") and not self._is_command(ctx, args[0])):
            args = ["check", *args]
        return super().parse_args(ctx, args)

    def _is_command(self, ctx: click.Context, word: str) -> bool:
        if word in self.commands:
            return True
        exists = word not in _COMMANDS and os.path.exists(word)
        looks_like_path = word.startswith("-") or os.sep in word or "/" in word or exists
        return not looks_like_path and self.get_command(ctx, word) is not None

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        known = super().get_command(ctx, cmd_name)
        if known is not None:
            return known
        if cmd_name in _LAZY:
            from importlib import import_module

            own: click.Command = import_module(_LAZY[cmd_name]).command
            return own
        found = next((entry for entry in _plugins() if entry.name == cmd_name), None)
        return None if found is None else _load(found)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *_LAZY, *(entry.name for entry in _plugins())})

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands, and what `check` takes, which is what is meant without one."""
        return [*super().shell_complete(ctx, incomplete), *check.shell_complete(ctx, incomplete)]


def _load(entry: Any) -> click.Command | None:
    """The command of another package; one that says what is missing when its package cannot be imported."""
    try:
        loaded = entry.load()
    except ImportError as error:
        message = str(error)

        def explain(**_: Any) -> None:
            raise UsageError(message)

        rest = click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED)
        _, told, remedy = message.partition(": pip install ")
        short = f"(not available without pip install {remedy.split(', ')[0]})" if told else "(not available)"
        return click.Command(entry.name, {"ignore_unknown_options": True}, explain, [rest],
                             short_help=short, help=message)
    return loaded if isinstance(loaded, click.Command) else None


def _plugins() -> Iterable[Any]:
    from importlib.metadata import entry_points

    return entry_points(group=PLUGIN_GROUP)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    collecting = gc.isenabled()
    # nearly all that a run makes is kept until it ends: looking for garbage in cycles takes a twelfth of its time and
    # gives back a fiftieth of its memory
    gc.disable()
    atexit.register(gc.freeze)  # or the interpreter, as it ends, looks for cycles among all that a run has made
    try:
        result = cli.main(
            args=list(sys.argv[1:] if arguments is None else arguments), prog_name="tilecheck", standalone_mode=False
        )
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        click.echo(f"error: {' '.join(error.format_message().split())}", err=True)
        return EXIT_ABNORMAL
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return EXIT_ABNORMAL
    except BrokenPipeError:  # the reader of our output went away
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter complains at exit
        return EXIT_ABNORMAL
    finally:
        if collecting:
            gc.enable()
    return result if isinstance(result, int) else EXIT_CLEAN


def run() -> NoReturn:
    """The command: `main`, and the end of the process."""
    gc.disable()  # or `main` would turn it on again, and all that a run has made would be looked through once more
    leave(main(), EXIT_ABNORMAL)


def _version(context: click.Context, on: bool) -> None:
    if on and not context.resilient_parsing:
        from tilecheck.native import compiled_library

        click.echo(f"tilecheck {__version__}{' (compiled)' if compiled_library() else ''}")
        context.exit()


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=lambda c, _, on: _version(c, on),
              help="Show the version and exit.")
def cli() -> None:
    """Prove that the blocks of cuTile Python kernels do not race, or show how they do.

    `tilecheck PATHS` is short for `tilecheck check PATHS`; see `tilecheck check --help` for its options.
    """


@cli.command()
@click.argument("paths", nargs=-1, metavar="[PATHS]...", type=click.Path())
@options.settings
@options.selecting
@options.failing
@options.reporting
@options.adopting
@options.fixing
@click.option("--stdin-filename", metavar="NAME", help="Name of what is read from standard input (path `-`).")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings.")
@click.option("--statistics", is_flag=True, help="Count findings by rule.")
@click.option("-w", "--watch", is_flag=True, help="Check again whenever a file changes, until interrupted.")
@click.option("--show-files", is_flag=True, help="List the files that would be checked, and stop.")
@click.option("--show-settings", is_flag=True, help="Print the settings that apply, and stop.")
@click.option("-q", "--quiet", is_flag=True, help="Print findings only.")
@click.option("-v", "--verbose", is_flag=True, help="Also print what was proved of each kernel, and how.")
def check(
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

    Exit status: 0 when there is no error, 1 when there are errors, 2 when a file could not be checked or the command
    line or configuration is wrong.
    """
    if quiet and verbose:
        raise UsageError("--quiet and --verbose exclude each other")
    places = paths or (".",)
    config = _selected(configured(paths, given), select, given)
    outputs = _outputs(formats, output_file)
    if given["show_files"] or given["show_settings"]:
        return _shown(places, config, given)
    level = 1 if verbose else -1 if quiet else 0

    def once() -> int:
        outcome = _outcome(places, config, stdin_filename, {**given, "quiet": quiet})
        if outcome.report is None:
            return outcome.status
        for form, file in outputs:
            text = _render(outcome.report, outcome.sources, form, file is None, level, statistics, config)
            _write(text, file, outcome.to_stderr)
        return _status(outcome.report, config, outcome.status, exit_zero)

    if not given["watch"]:
        return once()
    if "-" in places:
        raise UsageError("standard input cannot be watched")
    from tilecheck.cli.watch import watch

    return watch(places, config, once)


@record(frozen=True)
class _Outcome:
    """What is left to report, if anything, and the exit status whatever that is."""

    report: Report | None
    sources: Sources
    status: int = EXIT_CLEAN
    to_stderr: bool = False


def _outcome(
    places: Sequence[str], config: Config, stdin_filename: str | None, given: dict[str, Any]
) -> _Outcome:
    """Check, after fixing where that is asked for, and leave out what a baseline has."""
    adopting = any(given[name] not in (None, False) for name in _ADOPTING) or config.baseline is not None
    if given["fix"] or given["fix_only"] or given["diff"]:
        from tilecheck.cli.commands.fix import fix

        fixed = fix(places, config, stdin_filename, given)
        outcome = _Outcome(fixed.report, fixed.sources, fixed.status, fixed.wrote_text)
    else:
        outcome = _Outcome(*_run(places, config, stdin_filename))
    if outcome.report is None or not adopting:
        return outcome
    from tilecheck.cli.commands.adoption import adopt

    report, sources, fails = adopt(outcome.report, outcome.sources, places, config, given)
    return replace(outcome, report=report, sources=sources, status=EXIT_FINDINGS if fails else outcome.status)


def _shown(places: Sequence[str], config: Config, given: dict[str, Any]) -> int:
    from tilecheck.cli.commands.settings import render_files, render_settings

    if given["show_settings"]:
        click.echo(render_settings(config), nl=False)
    if given["show_files"]:
        click.echo(render_files(places, config), nl=False)
    return EXIT_CLEAN


def _status(report: Report, config: Config, status: int, exit_zero: bool) -> int:
    for failure in report.failures:
        place = f"{failure.file}:{failure.line}" if failure.line else failure.file
        click.echo(f"error: {place}: {failure.message}", err=True)
    if report.failures:
        return EXIT_ABNORMAL
    from tilecheck.diagnostics import at_least  # loaded long since

    if any(at_least(d.severity, config.fail_level) for d in report.diagnostics):
        status = EXIT_FINDINGS
    return EXIT_CLEAN if exit_zero else status


_ADOPTING: Final = ("update_baseline", "prune_baseline", "add_ignore", "since")


def _selected(config: Config, select: tuple[str, ...], given: dict[str, Any]) -> Config:
    """The settings with what the options of `check` say."""
    if select:
        config = replace(config, select=_rules(select), ignore=())
    if given["per_file_ignores"] or given["extend_per_file_ignores"]:
        from tilecheck.cli.commands.adoption import per_file_ignores

        config = per_file_ignores(config, given["per_file_ignores"], given["extend_per_file_ignores"])
    return replace(
        config,
        select=config.select + _rules(given["extend_select"]),
        ignore=config.ignore + _rules(given["ignore"]),
        strict=config.strict or given["strict"],
        fail_level="warning" if given["error_on_warning"] else given["fail_level"] or config.fail_level,
        baseline=given["baseline"] or config.baseline,
    )


def _outputs(formats: tuple[str, ...], output_file: Path | None) -> Iterable[tuple[str, Path | None]]:
    """The forms of the report, and where each goes: None is standard output."""
    if not formats:
        return (("text", output_file),)
    from tilecheck.report.outputs import OutputError, outputs

    try:
        return tuple((output.form, output.file) for output in outputs(formats, output_file))
    except OutputError as error:
        raise UsageError(str(error)) from error


def configured(paths: Sequence[str], given: dict[str, Any]) -> Config:
    """The settings of a run: those of its configuration file and the options of the command line. Raises UsageError."""
    files = [text for text in given["config"] if "=" not in text or os.path.isfile(text)]
    overrides = [text for text in given["config"] if text not in files]
    if len(files) > 1:
        raise UsageError("--config takes one file, and any number of KEY=VALUE")
    try:
        config = load_config(paths, Path(files[0]) if files else None, given["isolated"], overrides)
    except ConfigError as error:
        raise UsageError(str(error)) from error
    return replace(
        config,
        exclude=config.exclude + given["exclude"],
        force_exclude=config.force_exclude or given["force_exclude"],
        respect_gitignore=config.respect_gitignore and not given["no_respect_gitignore"],
        contracts=config.contracts + given["contracts"],
        jobs=given["jobs"] or config.jobs,
        cache_dir=given["cache_dir"] or config.cache_dir,
        use_cache=not given["no_cache"],
    )


def _rules(values: Iterable[str]) -> tuple[str, ...]:
    selectors = tuple(part.strip() for value in values for part in value.split(",") if part.strip())
    try:
        check_selectors(selectors)
    except SelectorError as error:
        raise UsageError(str(error)) from error
    return selectors


def _run(
    paths: Sequence[str], config: Config, stdin_filename: str | None
) -> tuple[Report, Sources]:
    from tilecheck import api
    from tilecheck.pipeline.progress import progress_on
    from tilecheck.text.sources import SourceLines

    try:
        if "-" in paths:
            if len(paths) > 1:
                raise UsageError("`-` cannot be combined with other paths")
            data = sys.stdin.buffer.read()
            name = stdin_filename or "<stdin>"
            return api.check_source(data, name, config), SourceLines({name: data})
        with progress_on(sys.stderr) as progress:
            return api.check_paths(paths, config, progress), SourceLines()
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
        # a name of a file may have bytes that are no text
        output_file.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"{output_file}: {error.strerror or error}") from error


@cli.command()
@click.argument("targets", nargs=-1, required=True, metavar="PATH[::KERNEL]...", type=click.Path())
@options.settings
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def contract(targets: tuple[str, ...], output_format: str, **given: Any) -> int:
    """Print what each kernel's proof assumes of its launch, and the verdict on each write.

    At the launches seen in PATH a clause is `discharged`, `broken` or `open`; else it is `declared` by the author, or
    `unseen` when no launch is seen.
    """
    from tilecheck.report.contract import render_contracts, render_contracts_json, select_kernels

    split = [target.rpartition("::") if "::" in target else (target, "", "") for target in targets]
    paths = [path for path, _, _ in split]
    report, _ = _run(list(dict.fromkeys(paths)), configured(paths, given), None)
    kernels = select_kernels(report, [(path, name) for path, _, name in split])
    render = render_contracts_json if output_format == "json" else render_contracts
    click.echo(render(kernels), nl=False)
    for failure in report.failures:
        click.echo(f"error: {failure.file}: {failure.message}", err=True)
    missing = [name for path, _, name in split if name and not select_kernels(report, [(path, name)])]
    if missing:
        raise UsageError(f"no kernel named '{missing[0]}' there")
    return EXIT_ABNORMAL if report.failures else EXIT_CLEAN


@cli.command()
@click.argument("target", metavar="PATH::KERNEL", type=click.Path())
@options.settings
@click.option("-o", "--output-file", "output", type=click.Path(path_type=Path), metavar="FILE",
              help="Where to write it: a page, or a drawing for a name in .svg (default: KERNEL.html).")
@click.option("--grid", metavar="N,M", help="Blocks on each axis of the grid.")
@click.option("--set", "sets", multiple=True, metavar="NAME=N", help="Value of a constant or scalar; repeatable.")
@click.option("--shape", "shapes", multiple=True, metavar="ARRAY=N,M", help="Extents of an array; repeatable.")
@click.option("--finding", type=click.IntRange(min=1), metavar="N", help="Open at the Nth finding of the kernel.")
def show(target: str, output: Path | None, grid: str | None, sets: tuple[str, ...], shapes: tuple[str, ...],
         finding: int | None, **given: Any) -> int:
    """Draw which block touches which tile of which array, in one small launch.

    The picture opens at the launch that shows the kernel's worst finding, or at small sizes that its contract allows.
    """
    from tilecheck.cli.commands.show import show as write

    return write(target, output, grid, sets, shapes, finding, given)


@cli.command()
@click.argument("target", metavar="PATH::KERNEL", type=click.Path())
@options.settings
@click.option("--line", type=click.IntRange(min=1), metavar="N", help="Only what stands on this line.")
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def explain(target: str, line: int | None, output_format: str, **given: Any) -> int:
    """Say why each obligation of a kernel has its verdict, and what would settle those that are open.

    Launches are seen in PATH, which may be a folder.
    """
    from tilecheck.cli.commands.explain import explain as write

    return write(target, line, output_format, given)


@cli.command()
@click.argument("rules", nargs=-1, metavar="CODE|NAME...", shell_complete=options.rule_names)
@click.option("--all", "every", is_flag=True, help="Explain all rules.")
def rule(rules: tuple[str, ...], every: bool) -> int:
    """Explain rules: what they find, why it is bad, and what to do instead."""
    from tilecheck.rules.pages import PageError, page
    from tilecheck.rules.registry import RULES

    names = tuple(RULES) if every else rules
    if not names:
        raise UsageError("name a rule, such as TC101 or overlapping-write, or pass --all")
    try:
        click.echo("\n".join(page(name) for name in names), nl=False)
    except PageError as error:
        raise UsageError(str(error)) from error
    return EXIT_CLEAN


@cli.command(name="rules")
def list_rules() -> int:
    """List all rules."""
    from tilecheck.rules.registry import RULES

    for known in RULES.values():
        click.echo(f"{known.code}  {known.name:<24}  {known.severity:<8} {known.summary}")
    return EXIT_CLEAN


if __name__ == "__main__":
    sys.exit(main())
