"""The checker as a library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tilecheck.config import Config
from tilecheck.diagnostics import Report
from tilecheck.pipeline.policy import finish
from tilecheck.pipeline.progress import Progress, no_progress

if TYPE_CHECKING:
    from tilecheck.syntax.tree import Span

__all__ = ["check_kernel", "check_paths", "check_source", "tile_types"]


def check_paths(paths: Iterable[str | Path], config: Config | None = None, progress: Progress = no_progress) -> Report:
    """Check files and folders. The report does not depend on the number of worker processes or on the cache."""
    from tilecheck.pipeline.run import analyse_paths

    settings = config or Config()
    return finish(analyse_paths([str(path) for path in paths], settings, progress), settings)


def check_source(text: str | bytes, filename: str = "<stdin>", config: Config | None = None) -> Report:
    """Check source text under a name. Modules that it imports are found as if the file were located there."""
    from tilecheck.pipeline.run import analyse_text

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


def tile_types(path: str | Path, text: str | bytes | None = None) -> Mapping[Span, str]:
    """The types of tiles in the kernels of a file, for an editor: `Tile[float32, BM, 64]` by location.

    The result has each expression that is a tile, and each variable at its assignment. Lines count from 1, columns
    from 0, in characters. An unknown element type is `?`, or `a.dtype` if it is that of the array `a`. An unknown shape
    is `...`. A scalar has its type alone, `int32`. If a location executes with tiles of several types, they are joined
    by ` | `. `text` replaces the contents of the file, for unsaved changes. A check computes none of this.

    Raises `tilecheck.syntax.text.SourceError` if the file cannot be read or parsed.
    """
    from tilecheck.pipeline.tile_types import types_of_module
    from tilecheck.project.project import Project

    name = str(path)
    data = text.encode() if isinstance(text, str) else text
    project = Project((name,), (), {} if data is None else {name: data})
    return types_of_module(project, project.module(name))
