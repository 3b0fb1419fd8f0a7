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
    """Check files and folders. The report is the same for any number of worker processes, and from the cache."""
    from tilecheck.pipeline.run import analyse_paths

    settings = config or Config()
    return finish(analyse_paths([str(path) for path in paths], settings, progress), settings)


def check_source(text: str | bytes, filename: str = "<stdin>", config: Config | None = None) -> Report:
    """Check source text under a name. Modules that it imports are found as if the file stood there."""
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
    """The types of tiles in the kernels of a file, for an editor to show: `Tile[float32, BM, 64]` by the place of each
    expression, and of each variable where it is set, that is a tile.

    Lines of places count from 1, columns from 0, in characters. An element type that is not known is `?`, or `a.dtype`
    when it is that of the array `a`; a shape that is not known is `...`; a scalar is shown by its type alone, `int32`.
    Of a place that is executed with tiles of several types these are joined by ` | `. `text` is what stands in the
    file where it is not saved. Nothing of this is computed by a check.

    Raises `tilecheck.syntax.text.SourceError` when the file cannot be read or parsed.
    """
    from tilecheck.pipeline.tile_types import types_of_module
    from tilecheck.project.project import Project

    name = str(path)
    data = text.encode() if isinstance(text, str) else text
    project = Project((name,), (), {} if data is None else {name: data})
    return types_of_module(project, project.module(name))
