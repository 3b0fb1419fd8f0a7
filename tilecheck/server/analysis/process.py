"""The loop of the analysing process."""

from __future__ import annotations

import gc
import os
import sys
import traceback
from multiprocessing.connection import Connection
from typing import Final

from tilecheck.server.analysis.session import Session

__all__ = ["serve"]

_REST: Final = 1.0
"""Seconds without work or messages after which garbage is collected."""
_MUCH: Final = 200_000
"""Objects that are looked through in some hundredths of a second."""


def serve(connection: Connection) -> None:
    """Analyse for the process at the other end, until it sends None or is gone."""
    _leave_the_protocol_alone()
    gc.disable()  # steps leave few cycles behind; they are collected while nothing is to be done
    session = Session(connection.send)
    busy = False
    try:
        while True:
            if busy and not connection.poll():
                busy = session.step()
                continue
            if not busy and not connection.poll(_REST):
                _collect()
                connection.poll(None)
            while connection.poll():
                request = connection.recv()
                if request is None:
                    return
                session.take(request)
            busy = True
    except (EOFError, BrokenPipeError, ConnectionResetError, KeyboardInterrupt):
        return
    except Exception:
        traceback.print_exc()
        raise


def _collect() -> None:
    """Collect garbage. Where much was made since the last time, most of it stays, and to look through it would take
    longer than a message may wait: it is never looked at."""
    if gc.get_count()[0] > _MUCH:
        gc.freeze()
    else:
        gc.collect()


def _leave_the_protocol_alone() -> None:
    """Standard output belongs to the editor's connection: nothing that is printed here may go there."""
    try:
        os.dup2(2, 1)
        with open(os.devnull, "rb") as nothing:
            os.dup2(nothing.fileno(), 0)
    except OSError:
        return  # one of them is closed
    sys.stdout = sys.stderr
