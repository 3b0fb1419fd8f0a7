"""Settings of a run: `[tool.tilecheck]` of the nearest pyproject.toml, overridden by the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from tilecheck.rules.selection import Selection, SelectorError, check_selectors
from tilecheck.text.did_you_mean import did_you_mean

if TYPE_CHECKING:
    from tilecheck.diagnostics import Severity

__all__ = ["Config", "ConfigError", "config_file", "load_config"]

CACHE_FOLDER: Final = ".tilecheck_cache"


class ConfigError(ValueError):
    """A setting that is unknown, of the wrong type or not readable. The message is one line."""


class Config(Struct, frozen=True):
    """Settings of a run.

    root               folder that patterns and relative paths are relative to
    exclude            gitignore-style patterns of files not to check
    contracts          overlay files that declare contracts for kernels one cannot edit
    per_file_ignores   (gitignore-style pattern, selectors) pairs
    jobs               worker processes; 0 means one for each core
    cache_dir          None: a folder in `root`
    use_cache          whether results are kept and reused
    force_exclude      whether `exclude` is also for files that are named
    baseline           file of known findings, or None
    fail_level         the least severity that makes a run fail
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
    force_exclude: bool = False
    baseline: Path | None = None
    fail_level: Severity = "error"

    @property
    def selection(self) -> Selection:
        return Selection(self.select, self.ignore)

    @property
    def workers(self) -> int:
        return self.jobs or _available_cores()

    @property
    def cache_folder(self) -> Path:
        return self.cache_dir or self.root / CACHE_FOLDER


def load_config(
    paths: Sequence[str | Path] = (), file: Path | None = None, isolated: bool = False, overrides: Sequence[str] = ()
) -> Config:
    """The settings that apply to `paths`: those of `file`, else of the nearest pyproject.toml that has any.

    `overrides` are `KEY=VALUE` in TOML, which win; paths in them are relative to the working directory.
    """
    config = _configured(paths, file, isolated)
    for override in overrides:
        config = replace(_overridden(replace(config, root=Path.cwd()), override), root=config.root)
    return config


def _configured(paths: Sequence[str | Path], file: Path | None, isolated: bool) -> Config:
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


def _overridden(config: Config, override: str) -> Config:
    import tomllib

    key, _, value = override.partition("=")
    try:
        table = tomllib.loads(override)
    except tomllib.TOMLDecodeError:
        try:
            table = tomllib.loads(f"{key} = '{value.strip()}'")  # a string without quotes, as shells leave it
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(f"--config {override}: {error}") from error
    return _with_table(config, table, "--config", False)


def _from_table(table: Mapping[str, Any], path: Path) -> Config:
    return _with_table(Config(root=path.parent), table, str(path), True)


def _with_table(config: Config, table: Mapping[str, Any], path: str, inside: bool) -> Config:
    """Settings with those of a table; `inside` when a file that it names to be written must lie in its folder."""
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
    if inside and config.baseline is not None and not _is_below(config.baseline, config.root):
        raise ConfigError(f"{path}: baseline must be a file in this folder; `--baseline` may name any")
    if inside and config.cache_dir is not None and not _is_below(config.cache_dir, config.root):
        raise ConfigError(f"{path}: cache-dir must be a folder in this folder; `--cache-dir` may name any")
    return config


def _is_below(path: Path, folder: Path) -> bool:
    """Whether a path lies in a folder, also when links on the way are followed."""
    return path.parent.resolve().is_relative_to(folder.resolve())


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


def _level(value: object) -> Severity:
    if value not in ("error", "warning"):
        raise TypeError("'error' or 'warning'")
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
    "baseline": lambda config, value: replace(config, baseline=_path(value, config.root)),
    "fail-level": lambda config, value: replace(config, fail_level=_level(value)),
    "force-exclude": lambda config, value: replace(config, force_exclude=_flag(value)),
    "jobs": lambda config, value: replace(config, jobs=_count(value)),
    "cache-dir": lambda config, value: replace(config, cache_dir=_path(value, config.root)),
}


def _available_cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
