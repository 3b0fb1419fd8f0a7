"""`tilecheck show`: a picture of the elements that each block accesses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tilecheck.cli import options
from tilecheck.cli.commands.common import load_kernel
from tilecheck.cli.configure import load_settings
from tilecheck.cli.exit_status import UsageError

__all__ = ["command"]


@click.command(name="show")
@click.argument("target", metavar="PATH::KERNEL", type=click.Path())
@options.add_settings
@click.option("-o", "--output-file", "output", type=click.Path(path_type=Path), metavar="FILE",
              help="Where to write it: a page, or a drawing for a name in .svg (default: KERNEL.html).")
@click.option("--grid", metavar="N,M", help="Blocks on each axis of the grid.")
@click.option("--set", "sets", multiple=True, metavar="NAME=N", help="Value of a constant or scalar; repeatable.")
@click.option("--shape", "shapes", multiple=True, metavar="ARRAY=N,M", help="Extents of an array; repeatable.")
@click.option("--finding", type=click.IntRange(min=1), metavar="N", help="Open at the Nth finding of the kernel.")
def command(target: str, output: Path | None, grid: str | None, sets: tuple[str, ...], shapes: tuple[str, ...],
            finding: int | None, **given: Any) -> int:
    """Draw which block touches which tile of which array, in one small launch.

    The picture opens at the launch that shows the kernel's worst finding, or at small sizes that its contract allows.
    """
    return _write_picture(target, output, grid, sets, shapes, finding, given)


def _write_picture(target: str, output: Path | None, grid: str | None, sets: tuple[str, ...], shapes: tuple[str, ...],
                   finding: int | None, settings: dict[str, Any]) -> int:
    """Write the picture and print its path."""
    from tilecheck.visualize.page import render_page
    from tilecheck.visualize.plain import render_svg
    from tilecheck.visualize.present import Request, present
    from tilecheck.visualize.setting import CannotDraw
    from tilecheck.visualize.values import given_values

    study = load_kernel(target, load_settings([target.partition("::")[0]], settings))
    try:
        scene = present(study, Request(given_values(study.model, grid, sets, shapes), finding))
    except CannotDraw as error:
        raise UsageError(str(error)) from error
    path = output or Path(f"{study.model.name}.html")
    text = render_svg(scene) if path.suffix.lower() == ".svg" else render_page(scene)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error
    click.echo(f"{path}: {scene.summary}")
    if scene.breach:
        click.echo(f"  {scene.breach}")
    if scene.headline is not None:
        click.echo(f"  {scene.headline.code}: {scene.headline.what}")
    return 0
