"""The loop of the analysing process."""

from __future__ import annotations

import gc
import os
import sys
import time
import traceback
from multiprocessing.connection import Connection
from typing import Final

from tilecheck.server.analysis.session import Session

__all__ = ["serve"]

_REST: Final = 1.0
"""Seconds without work or messages after which garbage is collected."""
_LONG: Final = 0.05
"""Seconds that a message may have to wait for that."""


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
    """Collect garbage. Where that takes long there is much that stays: it is not looked at again."""
    began = time.monotonic()
    gc.collect()
    if time.monotonic() - began > _LONG:
        gc.freeze()


def _leave_the_protocol_alone() -> None:
    """Standard output belongs to the editor's connection: nothing that is printed here may go there."""
    try:
        os.dup2(2, 1)
        with open(os.devnull, "rb") as nothing:
            os.dup2(nothing.fileno(), 0)
    except OSError:
        return  # one of them is closed
    sys.stdout = sys.stderr
