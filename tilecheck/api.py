"""The checker as a library."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from tilecheck.config import Config
from tilecheck.diagnostics import Report
from tilecheck.finish import finish
from tilecheck.progress import Progress, no_progress

__all__ = ["check_kernel", "check_paths", "check_source"]


def check_paths(paths: Iterable[str | Path], config: Config | None = None, progress: Progress = no_progress) -> Report:
    """Check files and folders. The report is the same for any number of worker processes, and from the cache."""
    from tilecheck.engine import analyse_paths

    settings = config or Config()
    return finish(analyse_paths([str(path) for path in paths], settings, progress), settings)


def check_source(text: str | bytes, filename: str = "<stdin>", config: Config | None = None) -> Report:
    """Check source text under a name. Modules that it imports are found as if the file stood there."""
    from tilecheck.engine import analyse_text

    settings = config or Config()
    data = text.encode() if isinstance(text, str) else text
    return finish(analyse_text(data, filename, settings), settings)


def check_kernel(path: str | Path, name: str, config: Config | None = None) -> Report:
    """Check one kernel of a file, by its qualified name. Only launches in that file are seen."""
    report = check_paths([path], config)
    return replace(
        report,
        diagnostics=tuple(d for d in report.diagnostics if d.kernel == name),
        kernels=tuple(k for k in report.kernels if k.name == name),
    )
