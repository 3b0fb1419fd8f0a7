"""A part of the corpus, where one run over all of it is left to tests that count what is in it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

__all__ = ["WHOLE", "part"]

WHOLE = "TILECHECK_WHOLE_CORPUS"
"""Set, the environment variable has tests that take a part take all."""


def part(corpus: Path, folder: Path, *wanted: str) -> Path:
    """Copies the given files or folders of the corpus into a folder; returns the path of the copy."""
    source, target = corpus / "tilegym", folder / "tilegym"
    if os.environ.get(WHOLE):
        shutil.copytree(source, target)
        return target
    for name in wanted:
        if (source / name).is_dir():
            shutil.copytree(source / name, target / name, dirs_exist_ok=True)
        else:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, target / name)
        for above in (target / name).relative_to(target).parents:
            package = source / above / "__init__.py"
            if package.is_file():
                shutil.copy2(package, target / above / "__init__.py")
    return target
