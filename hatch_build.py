"""Adds compiled modules to a wheel where that is asked for: `TILECHECK_COMPILE=1 pip install .`"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NEEDED = ["mypy>=2,<3", "setuptools>=65"]


def _asked() -> bool:
    return os.environ.get("TILECHECK_COMPILE", "0") not in ("", "0")


class CompiledModules(BuildHookInterface):  # type: ignore[type-arg]
    """Nothing at all, unless it is asked for: a wheel without compiled modules needs no compiler and runs anywhere."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return NEEDED if _asked() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "standard" or not _asked():
            return
        self._folder = tempfile.TemporaryDirectory()
        out = Path(self._folder.name)
        # in a process of its own: it changes the folder that it works in
        subprocess.run([sys.executable, str(Path(self.root) / "native_build.py"), str(out)], check=True)
        build_data["force_include"].update(
            {str(file): file.relative_to(out).as_posix() for file in sorted(out.rglob("*")) if file.is_file()})
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
