"""Loading one kernel, for commands about a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilecheck.cli.exit_status import UsageError

if TYPE_CHECKING:
    from tilecheck.config import Config
    from tilecheck.pipeline.single_kernel import Study

__all__ = ["load_kernel"]


def load_kernel(target: str, config: Config) -> Study:
    """The kernel that `PATH::KERNEL` names, with its proof and its seen launches. Raises `UsageError`."""
    from tilecheck.config import ConfigError
    from tilecheck.pipeline.single_kernel import NotOneKernel, study
    from tilecheck.syntax.text import SourceError

    try:
        return study(target, config)
    except (SourceError, NotOneKernel, ConfigError) as error:
        raise UsageError(str(error)) from error
