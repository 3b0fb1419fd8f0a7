"""What commands about one kernel have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tilecheck.config import Config
    from tilecheck.pipeline.single_kernel import Study

import click

__all__ = ["refuse", "settings_of", "studied"]


def refuse(message: str) -> click.ClickException:
    """What ends a command that cannot be done, with the exit status for that."""
    from tilecheck.cli.app import UsageError

    return UsageError(message)


def settings_of(paths: Sequence[str], settings: dict[str, Any]) -> Config:
    """The configuration of a command with the options of every command that checks files."""
    from tilecheck.cli.app import configured

    return configured(paths, settings)


def studied(target: str, config: Config) -> Study:
    """The kernel that a target names, studied; what the user can mend is said in one line."""
    from tilecheck.config import ConfigError
    from tilecheck.pipeline.single_kernel import NotOneKernel, study
    from tilecheck.syntax.text import SourceError

    try:
        return study(target, config)
    except (SourceError, NotOneKernel, ConfigError) as error:
        raise refuse(str(error)) from error
