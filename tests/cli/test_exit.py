"""How a run of the command line ends."""

from __future__ import annotations

import os
import subprocess
import sys


def test_the_garbage_collector_is_off_at_exit() -> None:
    """Functions that are called at exit are called last first, so the first one sees what the others left."""
    code = (
        "import atexit, gc\n"
        "atexit.register(lambda: print('kept from the search:', gc.get_freeze_count() > 10_000))\n"
        "from tilecheck.cli.app import main\n"
        "main(['--version'])\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-1] == "kept from the search: True"


def _run_code(code: str, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], text=True, check=False, stderr=subprocess.PIPE,
                          **{"stdout": subprocess.PIPE, **more})  # type: ignore[call-overload, no-any-return]


LEFT = "import atexit, sys; atexit.register(lambda: print('at exit')); {}from tilecheck.cli.fast_exit import leave; "


def test_a_process_that_only_checked_ends_at_once_with_all_written() -> None:
    ended = _run_code(LEFT.format("") + "print('x' * 100_000); print('why', file=sys.stderr); leave(1, 2)")
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "x" * 100_000 + "\n", "why\n")


def test_exit_handlers_of_others_run() -> None:
    for other in ("import tilecheck_runtime; ", "sys.settrace(lambda *a: None); ", "import types; "
                  "sys.modules['coverage'] = types.ModuleType('coverage'); ", "import threading; "
                  "threading.Thread(target=threading.main_thread().join).start(); "):
        ended = _run_code(LEFT.format(other) + "leave(1, 2)")
        assert (ended.returncode, ended.stdout) == (1, "at exit\n"), other


def test_a_reader_that_went_away_is_an_abnormal_end() -> None:
    code = LEFT.format("") + "sys.stdin.readline(); print('x'); leave(1, 2)"
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen([sys.executable, "-c", code], text=True, env=buffered, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdout.close()
        process.stdin.write("\n")
        process.stdin.close()
        assert (process.wait(), process.stderr.read()) == (2, "")


def test_workers_end_with_the_command() -> None:
    code = ("import threading, sys, multiprocessing\n"
            "from tilecheck.pipeline.workspace import Workspace\nfrom tilecheck.pipeline.progress import no_progress\n"
            "from tilecheck.pipeline.pool import compute_in_parallel\n"
            "compute_in_parallel(Workspace({'a.py': b'', 'b.py': b''}, (), {}), ['a.py', 'b.py'], 2, no_progress)\n"
            "print(threading.active_count(), len(multiprocessing.active_children()))")
    assert _run_code(code).stdout == "1 0\n"
