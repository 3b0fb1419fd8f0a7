"""`tilecheck cache`: shows and clears the cache of compiled kernels."""

from __future__ import annotations

import json

import click

from tilecheck_runtime.kernel_cache.folder import VARIABLE, choose_folder
from tilecheck_runtime.kernel_cache.store import LIMIT, Info, Store

__all__ = ["command"]


@click.group(name="cache")
def command() -> None:
    """Compiled kernels on disk."""


@command.command()
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def info(output_format: str) -> int:
    """Show the folder and the number of compiled kernels."""
    found = _open_store()
    if found is None:
        click.echo("null" if output_format == "json" else f"compiled kernels are not cached: {VARIABLE} disables the "
                                                          "cache")
        return 0
    about = found.info()
    if output_format == "json":
        click.echo(json.dumps({"folder": str(about.folder), "kernels": about.kernels, "bytes": about.bytes,
                               "limit": about.limit}))
    else:
        click.echo(f"{about.folder}: {_summarize(about)}, of at most {_size(about.limit)} ({LIMIT})")
    return 0


@command.command()
def clear() -> int:
    """Remove them."""
    found = _open_store()
    if found is None:
        click.echo(f"compiled kernels are not cached: {VARIABLE} disables the cache")
        return 0
    click.echo(f"{found.folder}: removed {_summarize(found.clear())}")
    return 0


def _open_store() -> Store | None:
    folder = choose_folder()
    try:
        return None if folder is None else Store(folder)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _summarize(about: Info) -> str:
    return f"{about.kernels} kernel{'' if about.kernels == 1 else 's'}, {_size(about.bytes)}"


def _size(count: int) -> str:
    """Formats a number of bytes with the largest unit below it."""
    size, units = float(count), ["bytes", "KiB", "MiB", "GiB"]
    while size >= 1024 and len(units) > 1:
        size, units = size / 1024, units[1:]
    return f"{count} bytes" if units[0] == "bytes" else f"{size:.1f} {units[0]}"
