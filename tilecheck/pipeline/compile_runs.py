"""Processes that import files and compile kernels. Each has one file and a time limit.

The output of a file is dropped, so that it does not mix with a report.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

import msgspec

from tilecheck.pipeline.compile_messages import Answer, Request

__all__ = ["find_missing_package", "run_requests"]

_MODULE: Final = "tilecheck_runtime.seen_launches"
_PACKAGES: Final = ("cuda-tile", "numpy", "ml_dtypes")


def find_missing_package() -> str | None:
    """A package that is needed and not installed."""
    for name in _PACKAGES:
        try:
            distribution(name)
        except PackageNotFoundError:
            return name
    return None


def run_requests(
    requests: Sequence[tuple[str, Request]], seconds: float, workers: int,
) -> tuple[dict[int, Answer], list[tuple[str, str]]]:
    """The answers by number, and the files that failed with the reason, in the order of the requests."""
    answers: dict[int, Answer] = {}
    failed: list[tuple[str, str]] = []
    running: set[subprocess.Popen[bytes]] = set()
    with ThreadPoolExecutor(max(1, workers)) as pool:
        try:
            for (home, _), (found, why) in zip(
                    requests, pool.map(lambda pair: _run(pair[1], seconds, running), requests), strict=True):
                answers.update(found)
                if why:
                    failed.append((home, why))
        except BaseException:  # such as KeyboardInterrupt
            pool.shutdown(wait=False, cancel_futures=True)
            for process in tuple(running):
                _end(process)
            raise
    return answers, failed


def _run(
    request: Request, seconds: float, running: set[subprocess.Popen[bytes]],
) -> tuple[dict[int, Answer], str]:
    with tempfile.TemporaryDirectory(prefix="tilecheck-") as folder:
        asked, answered = Path(folder, "request.json"), Path(folder, "answers.jsonl")
        try:
            asked.write_bytes(msgspec.json.encode(request))
        except UnicodeEncodeError:
            return {}, "its path is not valid text"
        answered.touch()
        status = _execute([sys.executable, "-P", "-B", "-m", _MODULE, str(asked), str(answered)], seconds, running)
        return _read(answered.read_bytes(), status, seconds, request)


def _execute(command: Sequence[str], seconds: float, running: set[subprocess.Popen[bytes]]) -> int | None:
    """The exit status of a process; None if the time was up. Its children end with it."""
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True)
    running.add(process)
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        _end(process)
        running.discard(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process, and where the system has process groups those that it started."""
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _decode(line: bytes) -> Answer | None:
    """An answer; None for a line that an imported file garbled."""
    try:
        return msgspec.json.decode(line, type=Answer)
    except msgspec.DecodeError:
        return None


def _read(
    data: bytes, status: int | None, seconds: float, request: Request,
) -> tuple[dict[int, Answer], str]:
    """The answers, and why there are not all."""
    lines = data.split(b"\n")[:-1]  # the last line may be incomplete
    found = {a.number: a for a in map(_decode, lines) if a is not None}
    imported = found.pop(-1, None)
    if imported is not None and imported.state == "failed":
        return {}, imported.why
    answers = {number: a for number, a in found.items() if a.state != "started"}
    if len(answers) == len(request.asked):
        return answers, ""
    doing = "it is imported" if imported is None else "its kernels are compiled"
    if status is None:
        return answers, f"the time limit of {seconds:g} s is exceeded while {doing}"
    return answers, f"the process ends with status {status} while {doing}"
