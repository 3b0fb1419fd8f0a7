"""Settings of a run: `[tool.tilecheck]` of the nearest pyproject.toml, overridden by the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any, Final

from tilecheck.records import record
from tilecheck.selection import Selection, SelectorError, check_selectors
from tilecheck.suggest import did_you_mean

__all__ = ["Config", "ConfigError", "config_file", "load_config"]

CACHE_FOLDER: Final = ".tilecheck_cache"


class ConfigError(ValueError):
    """A setting that is unknown, of the wrong type or not readable. The message is one line."""


@record(frozen=True)
class Config:
    """Settings of a run.

    root               folder that patterns and relative paths are relative to
    exclude            gitignore-style patterns of files not to check
    contracts          overlay files that declare contracts for kernels one cannot edit
    per_file_ignores   (gitignore-style pattern, selectors) pairs
    jobs               worker processes; 0 means one for each core
    cache_dir          None: a folder in `root`
    use_cache          whether results are kept and reused
    """

    root: Path = field(default_factory=Path.cwd)
    select: tuple[str, ...] = ("ALL",)
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    respect_gitignore: bool = True
    strict: bool = False
    contracts: tuple[Path, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    jobs: int = 0
    cache_dir: Path | None = None
    use_cache: bool = True

    @property
    def selection(self) -> Selection:
        return Selection(self.select, self.ignore)

    @property
    def workers(self) -> int:
        return self.jobs or _available_cores()

    @property
    def cache_folder(self) -> Path:
        return self.cache_dir or self.root / CACHE_FOLDER


def load_config(paths: Sequence[str | Path] = (), file: Path | None = None, isolated: bool = False) -> Config:
    """The settings that apply to `paths`: those of `file`, else of the nearest pyproject.toml that has any."""
    found = None if isolated else file or config_file(paths)
    if found is None:
        return Config(root=Path.cwd())
    table = _read_table(found)
    if table is None:
        if file is not None:
            raise ConfigError(f"{found}: there is no [tool.tilecheck] table")
        return Config(root=found.parent)
    return _from_table(table, found)


def config_file(paths: Sequence[str | Path] = ()) -> Path | None:
    """The nearest pyproject.toml with settings, looking upwards from what all paths have in common."""
    resolved = [os.path.abspath(p) for p in paths if str(p) != "-"] or [os.getcwd()]
    try:
        common = Path(os.path.commonpath(resolved))
    except ValueError:  # paths on different drives
        common = Path.cwd()
    for folder in (common, *common.parents):
        candidate = folder / "pyproject.toml"
        try:
            mentioned = b"tilecheck" in candidate.read_bytes()  # parsing TOML is not free
        except OSError:
            continue
        if mentioned and _read_table(candidate) is not None:
            return candidate
    return None


def _read_table(path: Path) -> Mapping[str, Any] | None:
    import tomllib

    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error
    tool = document.get("tool", {})
    table = tool.get("tilecheck") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigError(f"{path}: tool.tilecheck must be a table")
    return table


def _from_table(table: Mapping[str, Any], path: Path) -> Config:
    config = Config(root=path.parent)
    for key, value in table.items():
        reader = _KEYS.get(key)
        if reader is None:
            raise ConfigError(f"{path}: unknown key '{key}' in [tool.tilecheck]{did_you_mean(key, _KEYS)}")
        try:
            config = reader(config, value)
        except SelectorError as error:
            raise ConfigError(f"{path}: {key}: {error}") from error
        except TypeError as error:
            raise ConfigError(f"{path}: {key} must be {error}") from error
    return config


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TypeError("a list of strings")
    return tuple(value)


def _selectors(value: object) -> tuple[str, ...]:
    selectors = _strings(value)
    check_selectors(selectors)
    return selectors


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError("true or false")
    return value


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError("a whole number, 0 for one process a core")
    return value


def _path(value: object, root: Path) -> Path:
    if not isinstance(value, str):
        raise TypeError("a path")
    return root / value


def _ignores(value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise TypeError("a table of pattern = [rules]")
    return tuple((pattern, _selectors(rules)) for pattern, rules in value.items())


_KEYS: Final[Mapping[str, Callable[[Config, object], Config]]] = {
    "select": lambda config, value: replace(config, select=_selectors(value)),
    "ignore": lambda config, value: replace(config, ignore=_selectors(value)),
    "exclude": lambda config, value: replace(config, exclude=_strings(value)),
    "respect-gitignore": lambda config, value: replace(config, respect_gitignore=_flag(value)),
    "strict": lambda config, value: replace(config, strict=_flag(value)),
    "contracts": lambda config, value: replace(config, contracts=tuple(config.root / p for p in _strings(value))),
    "per-file-ignores": lambda config, value: replace(config, per_file_ignores=_ignores(value)),
    "jobs": lambda config, value: replace(config, jobs=_count(value)),
    "cache-dir": lambda config, value: replace(config, cache_dir=_path(value, config.root)),
}


def _available_cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
