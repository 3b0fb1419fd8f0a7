"""`tilecheck server`: the language server."""

from __future__ import annotations

import gc
import logging
import sys
from importlib.util import find_spec

import click

from tilecheck.cli.exit_status import EXIT_ABNORMAL, EXIT_CLEAN, EXIT_FINDINGS, UsageError

__all__ = ["command"]


@click.command(name="server")
@click.option("--stdio", is_flag=True, help="Use standard input and output (the default).")
@click.option("--tcp", is_flag=True, help="Listen for one editor to connect.")
@click.option("--host", default="127.0.0.1", show_default=True, help="With --tcp: the address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="With --tcp: the port.")
def command(stdio: bool, tcp: bool, host: str, port: int) -> int:
    """Serve an editor: findings as you type, hover, and code actions.

    The editor starts it, and speaks the Language Server Protocol. docs/editors.md has settings for several editors.
    """
    if stdio and tcp:
        raise UsageError("--stdio and --tcp exclude each other")
    if find_spec("pygls") is None:
        raise UsageError("the server needs the extra `server`: pip install 'tilecheck[server]'")
    from tilecheck.server.analysis.child import analyse
    from tilecheck.server.link import Link

    logging.basicConfig(level=logging.ERROR, stream=sys.stderr)
    gc.enable()  # short commands disable it
    link = Link(analyse)
    try:
        from tilecheck.server.editor import Editor

        editor = Editor(link)
        if tcp:
            editor.server.start_tcp(host, port)
        else:
            editor.server.start_io()
    except OSError as error:
        if not tcp:
            return EXIT_FINDINGS  # the editor is gone
        click.echo(f"error: {host}:{port}: {error.strerror or error}", err=True)
        return EXIT_ABNORMAL
    finally:
        link.close()
    # the protocol requires a failure status if the editor exits without a request to stop
    return EXIT_CLEAN if editor.asked_to_stop else EXIT_FINDINGS
