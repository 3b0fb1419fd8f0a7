"""`tilecheck show`: a picture of which block touches what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tilecheck.cli.commands.common import refuse, settings_of, studied

__all__ = ["show"]


def show(target: str, output: Path | None, grid: str | None, sets: tuple[str, ...], shapes: tuple[str, ...],
         finding: int | None, settings: dict[str, Any]) -> int:
    """Write the picture and say where it is."""
    from tilecheck.visualize.page import render_page
    from tilecheck.visualize.plain import render_svg
    from tilecheck.visualize.present import Request, present
    from tilecheck.visualize.setting import CannotDraw
    from tilecheck.visualize.values import given_values

    study = studied(target, settings_of([target.partition("::")[0]], settings))
    try:
        scene = present(study, Request(given_values(study.model, grid, sets, shapes), finding))
    except CannotDraw as error:
        raise refuse(str(error)) from error
    path = output or Path(f"{study.model.name}.html")
    text = render_svg(scene) if path.suffix.lower() == ".svg" else render_page(scene)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise refuse(f"{path}: {error.strerror or error}") from error
    click.echo(f"{path}: {scene.summary}")
    if scene.breach:
        click.echo(f"  {scene.breach}")
    if scene.headline is not None:
        click.echo(f"  {scene.headline.code}: {scene.headline.what}")
    return 0
