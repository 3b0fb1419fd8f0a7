"""The command line: commands by name, and how the process ends. A command is imported only when it runs."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from tilecheck import __version__
from tilecheck.cli.exit_status import EXIT_ABNORMAL, EXIT_CLEAN, UsageError
from tilecheck.cli.fast_exit import leave

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

PLUGIN_GROUP: Final = "tilecheck.commands"
_ALWAYS: Final = ("check", "contract", "explain", "rule", "rules", "show")
"""Words that always name a command."""
_OTHERS: Final = ("audit", "completion", "doctor", "server")
"""Words that name a command unless a file has that name."""
_BEFORE_FOLDERS: Final = frozenset({"build", "cache", "run", "server"})
"""Words that name a command even if a folder has that name; `./build` names the folder."""


class CommandGroup(click.Group):
    """Commands by name, including those of other packages. Without a name, the command is `check`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if ctx.resilient_parsing and not args:
            return super().parse_args(ctx, args)  # a shell completes the first word
        if not args or (args[0] not in ("--help", "-h", "--version") and not self._is_command(ctx, args[0])):
            args = ["check", *args]
        return super().parse_args(ctx, args)

    def _is_command(self, ctx: click.Context, word: str) -> bool:
        if word in _ALWAYS:
            return True
        exists = word not in _BEFORE_FOLDERS and os.path.exists(word)
        looks_like_path = word.startswith("-") or os.sep in word or "/" in word or exists
        return not looks_like_path and self.get_command(ctx, word) is not None

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        known = super().get_command(ctx, cmd_name)
        if known is not None:
            return known
        if cmd_name in (*_ALWAYS, *_OTHERS):
            from importlib import import_module

            own: click.Command = import_module(f"tilecheck.cli.commands.{cmd_name}").command
            return own
        found = next((entry for entry in _plugins() if entry.name == cmd_name), None)
        return None if found is None else _load(found)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *_ALWAYS, *_OTHERS, *(entry.name for entry in _plugins())})

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The names of commands, and the arguments of `check`, which is the default command."""
        check = self.get_command(ctx, "check")
        assert check is not None
        return [*super().shell_complete(ctx, incomplete), *check.shell_complete(ctx, incomplete)]


def _load(entry: Any) -> click.Command | None:
    """A command of another package; one that reports the missing part if the package cannot be imported."""
    try:
        loaded = entry.load()
    except ImportError as error:
        message = str(error)

        def explain(**_: Any) -> None:
            raise UsageError(message)

        rest = click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED)
        _, found, remedy = message.partition(": pip install ")
        short = f"(not available without pip install {remedy.split(', ')[0]})" if found else "(not available)"
        return click.Command(entry.name, {"ignore_unknown_options": True}, explain, [rest],
                             short_help=short, help=message)
    return loaded if isinstance(loaded, click.Command) else None


def _plugins() -> Iterable[Any]:
    from importlib.metadata import entry_points

    return entry_points(group=PLUGIN_GROUP)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    collecting = gc.isenabled()
    # nearly all objects live until the run ends: collecting cycles takes 8 % of the time and frees 2 % of the memory
    gc.disable()
    atexit.register(gc.freeze)  # avoids a collection at exit
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
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # avoids an error at exit
        return EXIT_ABNORMAL
    finally:
        if collecting:
            gc.enable()
    return result if isinstance(result, int) else EXIT_CLEAN


def run() -> NoReturn:
    """Run the command line and end the process."""
    gc.disable()  # or `main` enables it again, and a collection follows
    leave(main(), EXIT_ABNORMAL)


def _version(context: click.Context, on: bool) -> None:
    if on and not context.resilient_parsing:
        click.echo(f"tilecheck {__version__}")
        context.exit()


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=lambda c, _, on: _version(c, on),
              help="Show the version and exit.")
def cli() -> None:
    """Prove that the blocks of cuTile Python kernels do not race, or show a counterexample.

    `tilecheck PATHS` is short for `tilecheck check PATHS`; see `tilecheck check --help` for its options.
    """


if __name__ == "__main__":
    sys.exit(main())
