"""The installed compiler for Tile IR: its path, its abilities, and its environment.

The tool runs with the libraries beside it and without the rest of the environment. Another CUDA installation, which
`CUDA_HOME`, `CUDA_PATH` or `LD_LIBRARY_PATH` name, could substitute an older code generator, which fails without an
explanation.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from tilecheck_runtime.errors.compilation import ArchitectureError, MissingToolError, ToolVersionError

__all__ = [
    "EXTRA",
    "LEAST_DRIVER",
    "OVERRIDE",
    "Toolchain",
    "check_architecture_name",
    "check_supported",
    "environment",
    "find_toolchain",
]

OVERRIDE: Final = "TILECHECK_TILEIRAS"
"""Environment variable with the path of the `tileiras` to use."""
EXTRA: Final = "pip install 'tilecheck[gpu]'"
LEAST_DRIVER: Final = 13000
"""The minimal `cuDriverGetVersion` for cubins of Tile IR: driver r580."""
OLDEST: Final = 80
"""The oldest architecture."""
LEAST_CUDA_TILE: Final = (1, 7)
LEAST_TILEIRAS: Final = (13, 3)
"""The first version that compiles for every architecture from sm_80."""
_BYTECODES: Final = ("13.4", "13.3")
"""Versions of Tile IR bytecode that can be written, best first."""
_PACKAGES: Final = ("nvidia-cuda-tileiras", "nvidia-cuda-nvcc", "nvidia-nvvm")
"""The pip packages of the compiler, which must have equal versions."""
_KEPT: Final = ("HOME", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "USERPROFILE")
"""Environment variables that tools receive."""
_SECONDS: Final = 60
"""Time limit of a query to a tool."""


@dataclass(frozen=True)
class Toolchain:
    """An installed compiler.

    tileiras  path of the program
    root      of its installation
    version   such as (13, 4)
    bytecode  the version of Tile IR that is passed to it
    identity  everything that can change its output: versions of all its parts, and the host
    """

    tileiras: str
    root: str
    version: tuple[int, ...]
    bytecode: str
    identity: tuple[str, ...]

    @property
    def architectures(self) -> tuple[str, ...]:
        """The supported architectures, such as "sm_90"; empty if the compiler does not list them. Runs the compiler,
        which is slow."""
        return _architectures(self.tileiras)

    @property
    def unchecked(self) -> bool:
        """Whether it can omit bounds checks."""
        return _parse_version(self.bytecode) >= (13, 4)

    def tool(self, name: str) -> str | None:
        """The path of another program of the installation."""
        return shutil.which(name, path=os.path.dirname(self.tileiras))


def environment(tileiras: str, variables: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment of a tool: the minimum of a process, and its own folder as PATH."""
    return {**{name: variables[name] for name in _KEPT if name in variables}, "PATH": os.path.dirname(tileiras)}


def find_toolchain() -> Toolchain:
    """Returns the compiler to use: the one in `TILECHECK_TILEIRAS`, else that of the extra `gpu`, else that of a CUDA
    toolkit. Searched once for each value of these variables.

    Raises MissingToolError and ToolVersionError.
    """
    return _find_toolchain(os.environ.get(OVERRIDE, ""), os.environ.get("PATH", ""))


def check_architecture_name(arch: str) -> None:
    """Raises ArchitectureError for a text that does not name an architecture that runs Tile IR."""
    if re.fullmatch(r"sm_\d{2,3}", arch) is None:
        wanted = re.fullmatch(r"(?:sm_?|compute_?)?(\d{2,3})[a-z]?", arch)
        raise ArchitectureError(f"`{arch}` is not an architecture",
                                fix=f"write `sm_{wanted[1]}`" if wanted else "write sm_ and a number, as in `sm_90`")
    if int(arch[3:]) < OLDEST:
        raise ArchitectureError(f"GPUs of {arch} do not run kernels in Tile IR",
                                fix=f"they run on sm_{OLDEST} (Ampere) and later")


def check_supported(arch: str, tools: Toolchain) -> None:
    """Raises ArchitectureError for an architecture that a compiler does not support."""
    known = tools.architectures
    if known and arch not in known:
        newer = int(arch[3:]) > max(int(a[3:]) for a in known)
        raise ArchitectureError(f"tileiras {_format_version(tools.version)} does not generate code for {arch}",
                                notes=[f"it does for {', '.join(known)}"],
                                fix=f"update it: {EXTRA} --upgrade" if newer else "choose one of these")


@lru_cache(maxsize=16)
def _find_toolchain(override: str, path: str) -> Toolchain:
    _cuda_tile()
    if override:
        if not os.access(override, os.X_OK):
            raise MissingToolError(f"{OVERRIDE} names `{override}`, which is not a program",
                                   fix="unset it, or let it name the `tileiras` of an installation of CUDA")
        return _query_toolchain(override)
    installed = _find_installed()
    if installed is not None:
        return installed
    for candidate in _toolkits(path):
        return _query_toolchain(candidate)
    raise MissingToolError(
        "`tileiras`, which makes machine code of Tile IR, is not installed",
        notes=[f"looked for the packages {', '.join(_PACKAGES)}, and for a CUDA toolkit on PATH and in /usr/local"],
        fix=EXTRA)


def _cuda_tile() -> str:
    """The version of `cuda.tile`."""
    try:
        version = importlib.metadata.version("cuda-tile")
    except importlib.metadata.PackageNotFoundError:
        raise MissingToolError("`cuda.tile`, which makes Tile IR of kernels, is not installed", fix=EXTRA) from None
    if _parse_version(version) < LEAST_CUDA_TILE:
        raise ToolVersionError(f"cuda-tile {version} is too old: {_format_version(LEAST_CUDA_TILE)} or later is needed",
                               fix=f"{EXTRA} --upgrade")
    return version


def _find_installed() -> Toolchain | None:
    """Returns the compiler that pip installed, if there is one."""
    versions = {}
    for package in _PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[package] = importlib.metadata.version(package)
    if _PACKAGES[0] not in versions:
        return None
    listed = ", ".join(f"{p} {versions.get(p, 'missing')}" for p in _PACKAGES)
    if len(versions) < len(_PACKAGES):
        raise MissingToolError(f"the packages of the compiler are incomplete: {listed}", fix=EXTRA)
    if len({_parse_version(v)[:2] for v in versions.values()}) > 1:
        wanted = ".".join(versions[_PACKAGES[0]].split(".")[:2])
        raise ToolVersionError(
            f"the packages of the compiler have different versions: {listed}",
            fix="pip install " + " ".join(f"'{p}=={wanted}.*'" for p in _PACKAGES))
    files = importlib.metadata.files(_PACKAGES[0]) or ()
    for file in files:
        if file.name in ("tileiras", "tileiras.exe"):
            path = str(Path(str(file.locate())).resolve())
            return _make_toolchain(path, _parse_version(versions[_PACKAGES[0]]),
                                   tuple(f"{p} {v}" for p, v in versions.items()))
    raise MissingToolError(f"the package {_PACKAGES[0]} {versions[_PACKAGES[0]]} has no `tileiras`",
                           fix=f"install it anew: pip install --force-reinstall {_PACKAGES[0]}")


def _toolkits(path: str) -> Iterator[str]:
    """Yields compilers of CUDA toolkits: on PATH, then the newest in /usr/local."""
    on_path = shutil.which("tileiras", path=path)
    if on_path:
        yield os.path.realpath(on_path)
    places = sorted(Path("/usr/local").glob("cuda*/bin/tileiras"), key=lambda p: _parse_version(p.parts[-3]),
                    reverse=True)
    yield from (str(p.resolve()) for p in places)


def _query_toolchain(tileiras: str) -> Toolchain:
    """Returns a toolchain from the output of `tileiras --version`."""
    banner = _version(tileiras)
    release = re.search(r"release (\d+)\.(\d+)", banner)
    if release is None:
        raise ToolVersionError(f"`{tileiras} --version` does not say which version it is",
                               notes=[banner.strip()[:200] or "the output is empty"], fix=EXTRA)
    assembler = _version(os.path.join(os.path.dirname(tileiras), "ptxas"))
    return _make_toolchain(tileiras, (int(release[1]), int(release[2])), (banner, assembler))


def _version(program: str) -> str:
    """Returns the version output of a program. It is stored for each version of the file, because running a program
    takes longer than the rest of a launch."""
    from tilecheck_runtime.kernel_cache.checker_results import load_result, store_result

    try:
        found = os.stat(program)
    except OSError:
        return _run_tool(program, "--version")
    parts = os.path.realpath(program), str(found.st_size), str(found.st_mtime_ns), str(found.st_ino)
    known = load_result("version", *parts)
    if isinstance(known, str):
        return known
    said = _run_tool(program, "--version")
    store_result(said, "version", *parts)
    return said


def _make_toolchain(tileiras: str, version: tuple[int, ...], parts: tuple[str, ...]) -> Toolchain:
    if version < LEAST_TILEIRAS:
        raise ToolVersionError(f"tileiras {_format_version(version)} at `{tileiras}` is too old: "
                               f"{_format_version(LEAST_TILEIRAS)} or later is needed", fix=f"{EXTRA} --upgrade")
    bytecode = next(b for b in _BYTECODES if _parse_version(b) <= version)
    identity = (*parts, f"cuda-tile {_cuda_tile()}", f"bytecode {bytecode}",
                f"{platform.system()} {platform.machine()}")
    return Toolchain(tileiras, str(Path(tileiras).parent.parent), version, bytecode, identity)


@lru_cache(maxsize=16)
def _architectures(tileiras: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(re.findall(r"=(sm_\d+)", _run_tool(tileiras, "--help"))))


def _run_tool(program: str, option: str) -> str:
    try:
        return subprocess.run([program, option], env=environment(program), capture_output=True, text=True,
                              timeout=_SECONDS, check=False).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MissingToolError(f"`{program}` cannot be run: {error}", fix=f"install it anew: {EXTRA}") from error


def _parse_version(text: str) -> tuple[int, ...]:
    """Returns the first two numbers of a version."""
    found = re.findall(r"\d+", text)
    return tuple(int(n) for n in found[:2])


def _format_version(version: Sequence[int]) -> str:
    return ".".join(map(str, version))
