"""The settings of a run, and the files that it would check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from tilecheck.config import Config
from tilecheck.pipeline.run import discover_files

__all__ = ["render_files", "render_settings"]

_SHOWN: Final[dict[str, Callable[[Config], object]]] = {
    "root": lambda config: str(config.root),
    "select": lambda config: list(config.select),
    "ignore": lambda config: list(config.ignore),
    "per-file-ignores": lambda config: {pattern: list(rules) for pattern, rules in config.per_file_ignores},
    "exclude": lambda config: list(config.exclude),
    "force-exclude": lambda config: config.force_exclude,
    "respect-gitignore": lambda config: config.respect_gitignore,
    "baseline": lambda config: None if config.baseline is None else str(config.baseline),
    "fail-level": lambda config: config.fail_level,
    "strict": lambda config: config.strict,
    "contracts": lambda config: [str(path) for path in config.contracts],
    "jobs": lambda config: config.workers,
    "cache-dir": lambda config: str(config.cache_folder) if config.use_cache else None,
}
"""Keys of the configuration in the order of the output."""


def render_settings(config: Config) -> str:
    """One `key = value` a line, as TOML; unset values are omitted."""
    rows = ((key, read(config)) for key, read in _SHOWN.items())
    return "".join(f"{key} = {_toml(value)}\n" for key, value in rows if value is not None)


def _toml(value: object) -> str:
    import json

    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_toml(k)} = {_toml(v)}" for k, v in value.items()) + " }" if value else "{}"
    return json.dumps(value, ensure_ascii=False)


def render_files(paths: Sequence[str], config: Config) -> str:
    """The files that a run of `paths` checks, one a line."""
    return "".join(f"{file}\n" for file in discover_files(paths, config).files)
