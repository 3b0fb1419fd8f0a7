"""`tilecheck doctor`: lists installed packages, mismatches between them, and remedies."""

from __future__ import annotations

import ast
import importlib.metadata
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import click
from msgspec import Struct
from msgspec.structs import asdict

from tilecheck import __version__
from tilecheck.config import ConfigError, config_file, load_config
from tilecheck.ops.releases import KNOWN_RELEASES, is_known
from tilecheck.text.plural import pluralize

__all__ = ["Answer", "command", "examine"]

State: TypeAlias = Literal["ok", "absent", "wrong"]

_EXTRAS: Final = {
    "mypy": ("mypy",),
    "smt": ("z3-solver",),
    "cpu": ("numpy", "ml_dtypes"),
    "gpu": ("cuda-tile", "cuda-python"),
    "server": ("pygls",),
}
"""The packages of each extra. A part of tilecheck does not work without them."""

_VARIABLES: Final = (
    "TILECHECK_BACKEND", "TILECHECK_CACHE", "TILECHECK_CACHE_DIR", "TILECHECK_DUMP", "TILECHECK_GUARD",
    "TILECHECK_LOG", "TILECHECK_OUTPUT_FORMAT", "TILECHECK_STREAMS", "TILECHECK_TILEIRAS",
)


class Answer(Struct, frozen=True):
    """One line of the output. `absent` marks a missing optional part, `wrong` one that does not work."""

    topic: str
    state: State
    text: str
    remedy: str | None = None


@click.command(name="doctor")
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(output_format: str) -> int:
    """List installed packages, the cuda-tile operations that the checker knows, the driver and the GPU.

    Exit status: 0 if all installed parts work, 1 if one does not.
    """
    answers = tuple(examine())
    render = _render_json if output_format == "json" else _render_text
    click.echo(render(answers), nl=False)
    return 1 if any(answer.state == "wrong" for answer in answers) else 0


def examine() -> Iterator[Answer]:
    """All answers, in order. An exception of a question is an answer as well."""
    for topic, question in _QUESTIONS.items():
        try:
            yield from question()
        except Exception as error:
            what = " ".join(f"{type(error).__name__}: {error}".split())
            yield Answer(topic, "wrong", what[:300])


def _check_installation() -> Iterator[Answer]:
    where = Path(__file__).resolve().parents[2]
    yield Answer("tilecheck", "ok", f"{__version__} in {where}")
    machine = f"{platform.system()} {platform.machine()}"
    yield Answer("python", "ok", f"{platform.python_version()} ({machine}), {sys.executable}")


def _check_settings() -> Iterator[Answer]:
    try:
        config, source = load_config(), config_file()
    except ConfigError as error:
        yield Answer("settings", "wrong", str(error), "fix the file, or pass --isolated")
        return
    yield Answer("settings", "ok", "none; the defaults apply" if source is None else str(source))
    yield _check_cache(config.cache_folder)
    given = [f"{name}={os.environ[name]}" for name in _VARIABLES if os.environ.get(name)]
    if given:
        yield Answer("environment", "ok", ", ".join(given))


def _check_cache(folder: Path) -> Answer:
    from tilecheck.pipeline.cache import open_cache

    cache = open_cache(folder)
    if cache is not None:
        cache.store("doctor", "trial", __version__)
    loaded = None if cache is None else cache.load("doctor", "trial")
    if loaded != __version__:
        return Answer("results", "wrong", f"{folder} cannot be used: every run checks all files again",
                      "name a folder that you can write: --cache-dir DIR or TILECHECK_CACHE_DIR")
    return Answer("results", "ok", f"cached in {folder}")


def _check_extras() -> Iterator[Answer]:
    for extra, packages in _EXTRAS.items():
        found = {package: _version(package) for package in packages}
        listed = ", ".join(f"{package} {version}" for package, version in found.items() if version)
        missing = [package for package, version in found.items() if version is None]
        remedy = f"pip install 'tilecheck[{extra}]'"
        if not missing:
            yield Answer(f"extra {extra}", "ok", listed)
        else:
            has = f"{listed}; " if listed else ""
            yield Answer(f"extra {extra}", "absent", f"{has}not installed: {', '.join(missing)}", remedy)


def _check_operations() -> Iterator[Answer]:
    version = _version("cuda-tile")
    releases = ", ".join(KNOWN_RELEASES)
    if version is None:
        yield Answer("cuda.tile", "absent", f"not installed; the checker knows the operations of cuda-tile {releases}")
        return
    names = public_names()
    if names is None:
        yield Answer("cuda.tile", "wrong", f"cuda-tile {version} is installed, but its source was not found",
                     "pip install --force-reinstall cuda-tile")
        return
    unknown = sorted(name for name in names if not is_known(name))
    if unknown:
        yield Answer("cuda.tile", "wrong",
                     f"cuda-tile {version} has unknown names (known releases: {releases}): {', '.join(unknown)}; "
                     "kernels that use one are not proved", "pip install --upgrade tilecheck")
        return
    matches = ".".join(version.split(".")[:2]) in KNOWN_RELEASES
    other = "" if matches else f", an untested release (tested: {releases})"
    yield Answer("cuda.tile", "ok", f"{version}{other}: all {len(names)} public names are known")


def public_names() -> tuple[str, ...] | None:
    """`cuda.tile.__all__` of the installed package, read without an import; None if it is not found."""
    try:
        spec = find_spec("cuda")
    except (ImportError, ValueError):
        return None
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        file = Path(folder, "tile", "__init__.py")
        if file.is_file():
            return _all_of(ast.parse(file.read_bytes()))
    return None


def _all_of(tree: ast.Module) -> tuple[str, ...]:
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__"
                                                     for t in statement.targets):
            return tuple(ast.literal_eval(statement.value))
    return ()


def _check_compiler() -> Iterator[Answer]:
    if _version("cuda-tile") is None:
        return
    try:
        from tilecheck_runtime.compile.toolchain import find_toolchain
        from tilecheck_runtime.errors.compilation import CompileError
    except ImportError as error:
        yield Answer("compiler", "absent", str(error), "pip install 'tilecheck[gpu]'")
        return
    try:
        tools = find_toolchain()
    except CompileError as error:
        yield Answer("compiler", "absent", error.summary, error.fix or None)
        return
    version = ".".join(map(str, tools.version))
    yield Answer("compiler", "ok", f"tileiras {version}, bytecode {tools.bytecode}, {tools.tileiras}")
    yield Answer("compiler", "ok", f"generates code for {', '.join(tools.architectures) or 'unknown architectures'}")


def _check_devices() -> Iterator[Answer]:
    if _version("cuda-python") is None:
        yield Answer("gpu", "absent", "not checked: this needs the package cuda-python", "pip install 'tilecheck[gpu]'")
        return
    from tilecheck_runtime.backends.cuda.driver import driver, format_version
    from tilecheck_runtime.backends.cuda.errors import NoGPUError

    try:
        found = driver()
    except NoGPUError as error:
        yield Answer("gpu", "absent", str(error))
        return
    yield Answer("gpu", "ok", f"driver for CUDA {format_version(found.version())}")
    for ordinal in range(found.count()):
        yield Answer("gpu", "ok", f"{ordinal}: {found.name(ordinal)}, {found.arch(ordinal)}")


_QUESTIONS: Final[dict[str, Callable[[], Iterator[Answer]]]] = {
    "tilecheck": _check_installation,
    "settings": _check_settings,
    "extras": _check_extras,
    "cuda.tile": _check_operations,
    "compiler": _check_compiler,
    "gpu": _check_devices,
}


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


_MARKS: Final = {"ok": "  ", "absent": "- ", "wrong": "! "}


def _render_text(answers: Sequence[Answer]) -> str:
    width = max(len(answer.topic) for answer in answers)
    lines = []
    for answer in answers:
        lines.append(f"{_MARKS[answer.state]}{answer.topic:<{width}}  {answer.text}")
        if answer.remedy:
            lines.append(f"  {'':<{width}}  -> {answer.remedy}")
    wrong = sum(answer.state == "wrong" for answer in answers)
    lines.append("")
    lines.append("no problems" if not wrong else f"{pluralize(wrong, 'problem')} (!)")
    return "\n".join(lines) + "\n"


def _render_json(answers: Sequence[Answer]) -> str:
    rendered: list[dict[str, Any]] = [asdict(answer) for answer in answers]
    return json.dumps({"answers": rendered}, indent=2, ensure_ascii=False) + "\n"
