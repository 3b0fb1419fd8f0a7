"""Type checks a migrated kernel with mypy, if it is installed."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["type_errors"]


CACHE: Path | None = None
"""The cache folder of mypy; None for a temporary one."""


def type_errors(text: str) -> list[str] | None:
    """Returns the errors of `mypy --strict`, one per line; None if mypy is not installed."""
    if importlib.util.find_spec("mypy") is None:
        return None
    root = Path(__file__).parents[2]
    # in a checkout the stubs lie beside the packages; installed, mypy finds them by itself
    places = [str(place) for place in (root / "typings", root) if (root / "typings").is_dir()]
    path = os.pathsep.join([*places, *filter(None, [os.environ.get("MYPYPATH")])])
    with tempfile.TemporaryDirectory(prefix="tilecheck-migrate-") as folder:
        file = Path(folder) / "migrated.py"
        file.write_text(text, encoding="utf-8")
        config = Path(folder) / "mypy.ini"
        config.write_text("[mypy]\nstrict = True\n", encoding="utf-8")
        cache = CACHE or Path(folder) / "cache"
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--config-file", str(config), "--cache-dir", str(cache), "--follow-imports",
             "silent", "--no-error-summary", "--hide-error-context", "--no-color-output", file.name],
            cwd=folder, env={**os.environ, "MYPYPATH": path}, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return []
    return [line for line in (done.stdout or done.stderr).splitlines() if ": error: " in line] or [done.stderr.strip()]
