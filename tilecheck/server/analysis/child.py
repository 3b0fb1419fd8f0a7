"""The entry point of the analysing process. Importing it loads no analysis."""

from __future__ import annotations

from multiprocessing.connection import Connection

__all__ = ["analyse"]


def analyse(connection: Connection) -> None:
    """Serve the process at the other end of the connection until it closes."""
    from tilecheck.server.analysis.process import serve

    serve(connection)
