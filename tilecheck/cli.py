"""The command line. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from tilecheck import __version__
from tilecheck.config import Config, ConfigError, load_config
from tilecheck.selection import SelectorError, check_selectors

if TYPE_CHECKING:
    from tilecheck.diagnostics import Report

EXIT_CLEAN: Final = 0
EXIT_FINDINGS: Final = 1
EXIT_ABNORMAL: Final = 2

PLUGIN_GROUP: Final = "tilecheck.commands"
_LAZY: Final = {
    "server": "tilecheck.commands.server",
}
"""Our own commands by the module that has it as `command`."""
_COMMANDS: Final = frozenset({"build", "cache", "run", "server"})
"""Commands, also where a folder has that name, as many a `build` does: `./build` means the folder."""


class UsageError(click.ClickException):
    """What the user asked for cannot be done. Shown as one line."""

    exit_code = EXIT_ABNORMAL


class CommandGroup(click.Group):
    """Commands by name, those of other packages included; without a name, `check`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
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


def _load(entry: Any) -> click.Command | None:
    """The command of another package; one that says what is missing when its package cannot be imported."""
    try:
        loaded = entry.load()
    except ImportError as error:
        message = str(error)

        def explain(**_: Any) -> None:
            raise UsageError(message)

        rest = click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED)
        return click.Command(entry.name, {"ignore_unknown_options": True}, explain, [rest],
                             short_help="(not available)", help=message)
    return loaded if isinstance(loaded, click.Command) else None


def _plugins() -> Iterable[Any]:
    from importlib.metadata import entry_points

    return entry_points(group=PLUGIN_GROUP)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    collecting = gc.isenabled()
    gc.disable()  # what is imported, and made of a few files, is hardly ever garbage in cycles
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


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="tilecheck", message="%(prog)s %(version)s")
def cli() -> None:
    """Prove that the blocks of cuTile Python kernels do not race, or show how they do.

    `tilecheck PATHS` is short for `tilecheck check PATHS`; see `tilecheck check --help` for its options.
    """


Command = Callable[..., Any]


def _settings(command: Command) -> Command:
    """Options of every command that checks files."""
    options = (
        click.option(
            "--config",
            "config_file",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Take settings from this file.",
        ),
        click.option("--isolated", is_flag=True, help="Ignore all configuration files."),
        click.option(
            "--exclude", multiple=True, metavar="PATTERN", help="Skip files that match (gitignore style); repeatable."
        ),
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
    )
    for option in reversed(options):
        command = option(command)
    return command


def _fixing(command: Command) -> Command:
    """Options about fixes."""
    options = (
        click.option("--fix", is_flag=True, help="Change files: make the safe fixes, and report what is left."),
        click.option("--unsafe-fixes", is_flag=True, help="Also make fixes that may change what defined code does."),
        click.option("--diff", is_flag=True, help="Print what --fix would change, and change nothing."),
        click.option("--fix-only", is_flag=True, help="Fix, and do not report what is left."),
        click.option("--show-fixes", is_flag=True, help="List the fixes that were made."),
        click.option("--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 if anything was fixed."),
        click.option("--drop-bounds-checks", is_flag=True,
                     help="With --fix or --diff: also check_bounds=False where accesses are proved in bounds."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@cli.command()
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@_settings
@click.option(
    "--select", multiple=True, metavar="RULES", help="Rules to report: codes, prefixes, names or ALL; comma-separated."
)
@click.option("--ignore", multiple=True, metavar="RULES", help="Rules not to report.")
@click.option("--strict", is_flag=True, help="What is not proved is an error.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "concise", "json"]),
    default="text",
    show_default=True,
    envvar="TILECHECK_OUTPUT_FORMAT",
)
@click.option("-o", "--output-file", type=click.Path(path_type=Path), metavar="FILE", help="Write the report there.")
@click.option("--stdin-filename", metavar="NAME", help="Name of what is read from standard input (path `-`).")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings.")
@click.option("--statistics", is_flag=True, help="Count findings by rule.")
@_fixing
@click.option("-q", "--quiet", is_flag=True, help="Print findings only.")
@click.option("-v", "--verbose", is_flag=True, help="Also print what was proved of each kernel, and how.")
def check(
    paths: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    strict: bool,
    output_format: str,
    output_file: Path | None,
    stdin_filename: str | None,
    exit_zero: bool,
    statistics: bool,
    quiet: bool,
    verbose: bool,
    **settings: Any,
) -> int:
    """Check files and folders (default: the current one); `-` reads standard input.

    Exit status: 0 when there is no error, 1 when there are errors, 2 when a file could not be checked or the command
    line or configuration is wrong.
    """
    if quiet and verbose:
        raise UsageError("--quiet and --verbose exclude each other")
    config = _config(paths, settings)
    config = replace(config, strict=config.strict or strict)
    if select:
        config = replace(config, select=_rules(select), ignore=())
    config = replace(config, ignore=config.ignore + _rules(ignore))
    if settings["fix"] or settings["fix_only"] or settings["diff"]:
        from tilecheck.fixes.command import fix

        fixed = fix(paths or (".",), config, stdin_filename, settings)
        if fixed.report is None:
            return fixed.status
        report, sources, fixed_status, to_stderr = fixed.report, fixed.sources, fixed.status, fixed.wrote_text
    else:
        fixed_status, to_stderr = EXIT_CLEAN, False
        report, sources = _run(paths or (".",), config, stdin_filename)
    stream_is_file = output_file is not None
    text = _render(report, sources, output_format, not stream_is_file, 1 if verbose else -1 if quiet else 0, statistics)
    _write(text, output_file, to_stderr)
    for failure in report.failures:
        place = f"{failure.file}:{failure.line}" if failure.line else failure.file
        click.echo(f"error: {place}: {failure.message}", err=True)
    if report.failures:
        return EXIT_ABNORMAL
    failed = not exit_zero and any(d.severity == "error" for d in report.diagnostics)
    return EXIT_FINDINGS if failed else fixed_status


def _config(paths: Sequence[str], settings: dict[str, Any]) -> Config:
    try:
        config = load_config(paths, settings["config_file"], settings["isolated"])
    except ConfigError as error:
        raise UsageError(str(error)) from error
    return replace(
        config,
        exclude=config.exclude + settings["exclude"],
        respect_gitignore=config.respect_gitignore and not settings["no_respect_gitignore"],
        contracts=config.contracts + settings["contracts"],
        jobs=settings["jobs"] or config.jobs,
        cache_dir=settings["cache_dir"] or config.cache_dir,
        use_cache=not settings["no_cache"],
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
) -> tuple[Report, Callable[[str], Sequence[str]]]:
    from tilecheck import api
    from tilecheck.progress import progress_on
    from tilecheck.report.sources import SourceLines

    try:
        if "-" in paths:
            if len(paths) > 1:
                raise UsageError("`-` cannot be combined with other paths")
            data = sys.stdin.buffer.read()
            name = stdin_filename or "<stdin>"
            return api.check_source(data, name, config), SourceLines({name: data})
        if any(os.path.isdir(path) for path in paths):
            gc.freeze()
            gc.set_threshold(50_000, 20, 100)  # much is allocated and little of it is garbage in cycles
            gc.enable()
        with progress_on(sys.stderr) as progress:
            return api.check_paths(paths, config, progress), SourceLines()
    except ConfigError as error:
        raise UsageError(str(error)) from error


def _render(
    report: Report,
    sources: Callable[[str], Sequence[str]],
    output_format: str,
    to_stdout: bool,
    verbosity: int,
    statistics: bool,
) -> str:
    if output_format == "json":
        from tilecheck.report.json import render_json

        return render_json(report)
    if output_format == "concise":
        from tilecheck.report.concise import render_concise

        return render_concise(report, statistics)
    from tilecheck.report.style import wants_colour
    from tilecheck.report.text import render_text

    return render_text(report, sources, to_stdout and wants_colour(sys.stdout), verbosity, statistics)


def _write(text: str, output_file: Path | None, to_stderr: bool = False) -> None:
    if output_file is None:
        click.echo(text, nl=False, color=True, err=to_stderr)
        return
    try:
        output_file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{output_file}: {error.strerror or error}") from error


@cli.command()
@click.argument("targets", nargs=-1, required=True, metavar="PATH[::KERNEL]...")
@_settings
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def contract(targets: tuple[str, ...], output_format: str, **settings: Any) -> int:
    """Print what each kernel's proof assumes of its launch, and the verdict on each write.

    At the launches seen in PATH a clause is `discharged`, `broken` or `open`; else it is `declared` by the author, or
    `unseen` when no launch is seen.
    """
    from tilecheck.report.contract import render_contracts, render_contracts_json, select_kernels

    split = [target.rpartition("::") if "::" in target else (target, "", "") for target in targets]
    paths = [path for path, _, _ in split]
    report, _ = _run(list(dict.fromkeys(paths)), _config(paths, settings), None)
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
@click.argument("rules", nargs=-1, metavar="CODE|NAME...")
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
