"""How a run of the command line ends."""

from __future__ import annotations

import subprocess
import sys


def test_the_interpreter_has_nothing_to_search_as_it_ends() -> None:
    """Functions that are called at exit are called last first, so the first one sees what the others left."""
    code = (
        "import atexit, gc\n"
        "atexit.register(lambda: print('kept from the search:', gc.get_freeze_count() > 10_000))\n"
        "from tilecheck.cli import main\n"
        "main(['--version'])\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-1] == "kept from the search: True"
