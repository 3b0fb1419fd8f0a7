"""Settings of a command: the configuration file, overridden by the options of the command line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from tilecheck.cli.exit_status import UsageError
from tilecheck.config import Config, ConfigError, load_config
from tilecheck.rules.selection import SelectorError, check_selectors

__all__ = ["load_settings", "parse_selectors"]


def load_settings(paths: Sequence[str], given: dict[str, Any]) -> Config:
    """The settings for `paths`. `given` has the options of `options.add_settings`. Raises `UsageError`."""
    files = [text for text in given["config"] if "=" not in text or os.path.isfile(text)]
    overrides = [text for text in given["config"] if text not in files]
    if len(files) > 1:
        raise UsageError("--config takes one file, and any number of KEY=VALUE")
    try:
        config = load_config(paths, Path(files[0]) if files else None, given["isolated"], overrides)
    except ConfigError as error:
        raise UsageError(str(error)) from error
    return replace(
        config,
        exclude=config.exclude + given["exclude"],
        force_exclude=config.force_exclude or given["force_exclude"],
        respect_gitignore=config.respect_gitignore and not given["no_respect_gitignore"],
        contracts=config.contracts + given["contracts"],
        jobs=given["jobs"] or config.jobs,
        cache_dir=given["cache_dir"] or config.cache_dir,
        use_cache=not given["no_cache"],
    )


def parse_selectors(values: Iterable[str]) -> tuple[str, ...]:
    """The rule selectors in option values, each a list separated by commas. Raises `UsageError` for an unknown one."""
    selectors = tuple(part.strip() for value in values for part in value.split(",") if part.strip())
    try:
        check_selectors(selectors)
    except SelectorError as error:
        raise UsageError(str(error)) from error
    return selectors
