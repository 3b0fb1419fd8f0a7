"""Where the analysing process begins. The process that starts it need not load what it does."""

from __future__ import annotations

from multiprocessing.connection import Connection

__all__ = ["analyse"]


def analyse(connection: Connection) -> None:
    """Analyse for the process at the other end."""
    from tilecheck.server.analysis.process import serve

    serve(connection)
