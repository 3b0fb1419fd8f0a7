"""Settings of a run: `[tool.tilecheck]` of the nearest pyproject.toml, overridden by the command line."""

from __future__ import annotations

import os
import re
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

    root               base of patterns and relative paths
    exclude            gitignore-style patterns of files not to check
    contracts          overlay files that declare contracts for kernels whose source cannot be edited
    per_file_ignores   (gitignore-style pattern, selectors) pairs
    jobs               worker processes; 0 means one for each core
    cache_dir          None: a folder in `root`
    use_cache          whether results are cached
    force_exclude      whether `exclude` also applies to named files
    baseline           file that lists existing findings, or None
    fail_level         the least severity that makes a run fail
    cuda_tile          the release of cuda-tile that the project requires; empty if it does not say
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
    cuda_tile: str = ""

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
    """The settings that apply to `paths`: those of `file`, otherwise of the nearest pyproject.toml with settings.

    `overrides` are `KEY=VALUE` in TOML and take precedence; paths in them are relative to the working directory.
    Raises `ConfigError`.
    """
    config = _load_file(paths, file, isolated)
    for override in overrides:
        config = replace(_apply_override(replace(config, root=Path.cwd()), override), root=config.root)
    return config


def _load_file(paths: Sequence[str | Path], file: Path | None, isolated: bool) -> Config:
    found = None if isolated else file or config_file(paths)
    if found is None:
        return Config(root=Path.cwd())
    table = _read_table(found)
    release = _required_release(found)
    if table is None:
        if file is not None:
            raise ConfigError(f"{found}: there is no [tool.tilecheck] table")
        return Config(root=found.parent, cuda_tile=release)
    return _apply_table(Config(root=found.parent, cuda_tile=release), table, str(found), True)


def config_file(paths: Sequence[str | Path] = ()) -> Path | None:
    """The nearest pyproject.toml with settings, searched upwards from the common folder of all paths."""
    resolved = [os.path.abspath(p) for p in paths if str(p) != "-"] or [os.getcwd()]
    try:
        common = Path(os.path.commonpath(resolved))
    except ValueError:  # paths on different drives
        common = Path.cwd()
    for folder in (common, *common.parents):
        candidate = folder / "pyproject.toml"
        try:
            mentioned = b"tilecheck" in candidate.read_bytes()  # avoids parsing most files
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


_RELEASE: Final = re.compile(r"^cuda[-_.]tile(?![\w.-])[^;]*?(?:>=|==|~=|>)\s*(\d+\.\d+)", re.IGNORECASE)


def _required_release(path: Path) -> str:
    """The release of cuda-tile that the dependencies of a project require; empty if they do not say."""
    import tomllib

    try:
        project = tomllib.loads(path.read_text(encoding="utf-8")).get("project", {})
        groups = [project.get("dependencies", ()), *project.get("optional-dependencies", {}).values()]
    except (OSError, ValueError, AttributeError):
        return ""
    found = (_RELEASE.match(item) for group in groups for item in group if isinstance(item, str))
    return next((match[1] for match in found if match is not None), "")


def _apply_override(config: Config, override: str) -> Config:
    import tomllib

    key, _, value = override.partition("=")
    try:
        table = tomllib.loads(override)
    except tomllib.TOMLDecodeError:
        try:
            table = tomllib.loads(f"{key} = '{value.strip()}'")  # shells remove the quotes of a string
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(f"--config {override}: {error}") from error
    return _apply_table(config, table, "--config", False)


def _apply_table(config: Config, table: Mapping[str, Any], path: str, inside: bool) -> Config:
    """Apply a table to settings. With `inside`, files that tilecheck writes must lie in the folder of the table."""
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
    """Whether a path lies in a folder after links are resolved."""
    return path.parent.resolve().is_relative_to(folder.resolve())


def _read_strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TypeError("a list of strings")
    return tuple(value)


def _read_selectors(value: object) -> tuple[str, ...]:
    selectors = _read_strings(value)
    check_selectors(selectors)
    return selectors


def _read_flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError("true or false")
    return value


def _read_count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError("a whole number, 0 for one process a core")
    return value


def _read_level(value: object) -> Severity:
    if value not in ("error", "warning"):
        raise TypeError("'error' or 'warning'")
    return value


def _read_release(value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"\d+\.\d+(\.\d+)*", value):
        raise TypeError("a release, as in '1.7'")
    return value


def _read_path(value: object, root: Path) -> Path:
    if not isinstance(value, str):
        raise TypeError("a path")
    return root / value


def _read_ignores(value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise TypeError("a table of pattern = [rules]")
    return tuple((pattern, _read_selectors(rules)) for pattern, rules in value.items())


_KEYS: Final[Mapping[str, Callable[[Config, object], Config]]] = {
    "select": lambda config, value: replace(config, select=_read_selectors(value)),
    "ignore": lambda config, value: replace(config, ignore=_read_selectors(value)),
    "exclude": lambda config, value: replace(config, exclude=_read_strings(value)),
    "respect-gitignore": lambda config, value: replace(config, respect_gitignore=_read_flag(value)),
    "strict": lambda config, value: replace(config, strict=_read_flag(value)),
    "contracts": lambda config, value: replace(config, contracts=tuple(config.root / p for p in _read_strings(value))),
    "per-file-ignores": lambda config, value: replace(config, per_file_ignores=_read_ignores(value)),
    "baseline": lambda config, value: replace(config, baseline=_read_path(value, config.root)),
    "fail-level": lambda config, value: replace(config, fail_level=_read_level(value)),
    "force-exclude": lambda config, value: replace(config, force_exclude=_read_flag(value)),
    "jobs": lambda config, value: replace(config, jobs=_read_count(value)),
    "cuda-tile": lambda config, value: replace(config, cuda_tile=_read_release(value)),
    "cache-dir": lambda config, value: replace(config, cache_dir=_read_path(value, config.root)),
}


def _available_cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not available on every system
        return os.cpu_count() or 1
