"""Exit statuses, and the error that ends a command with one line of text."""

from __future__ import annotations

from typing import Final

import click

__all__ = ["EXIT_ABNORMAL", "EXIT_CLEAN", "EXIT_FINDINGS", "UsageError"]

EXIT_CLEAN: Final = 0
EXIT_FINDINGS: Final = 1
EXIT_ABNORMAL: Final = 2


class UsageError(click.ClickException):
    """The command line asks for something that cannot be done. Shown as one line."""

    exit_code = EXIT_ABNORMAL
