"""`tilecheck build`: compiles kernels to cubins ahead of time."""

from __future__ import annotations

import importlib.util
import os
import sys
from functools import reduce
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import click

from tilecheck_runtime.api.compile_ahead import compile_for_sketch
from tilecheck_runtime.compile.artifact import Artifact, manifest_entry
from tilecheck_runtime.compile.manifest import write_manifest
from tilecheck_runtime.compile.toolchain import EXTRA
from tilecheck_runtime.dialect.plan import PlanError
from tilecheck_runtime.dialect.signature import SignatureError
from tilecheck_runtime.errors.compilation import CompileError
from tilecheck_runtime.errors.ownership import OwnershipError

__all__ = ["command"]

EXIT_CLEAN: Final = 0
EXIT_FAILED: Final = 1


@click.command(name="build")
@click.argument("target", metavar="PATH::KERNEL")
@click.option("--arch", "architectures", multiple=True, required=True, metavar="ARCH",
              help="Architecture to compile for, such as sm_90; may be repeated, or given by commas.")
@click.option("--sig", "sketches", multiple=True, required=True, metavar="ARGUMENTS",
              help="Arguments like those of the launches, such as 'z=[4096]/[512], x=[4096]'; may be repeated.")
@click.option("-o", "--out", "folder", type=click.Path(file_okay=False, path_type=Path), default=Path("cubins"),
              show_default=True, help="Folder for cubins and manifest.json.")
@click.option("--sanitize", type=click.Choice(["memcheck"]), help="Add the checks that compute-sanitizer reads.")
@click.option("--unchecked", metavar="WHY", help="Compile a kernel that the checker does not accept, and say why.")
def command(target: str, architectures: tuple[str, ...], sketches: tuple[str, ...], folder: Path,
            sanitize: str | None, unchecked: str | None) -> int:
    """Compile a kernel of a file for GPUs, with or without one here.

    The file is imported. Machine code depends on facts of the arguments, such as alignment and divisibility, so --sig
    describes arguments like those that the kernel will be launched with.

    Exit status: 0 when everything was compiled, 1 when something was not, 2 when the kernel was not found.
    """
    kernel = _find_kernel(target)
    names = [a for given in architectures for a in given.split(",") if a]
    done: list[tuple[dict[str, Any], bytes]] = []
    failed = False
    for sketch in sketches:
        for arch in names:
            try:
                made = compile_for_sketch(kernel, sketch, arch, unchecked, sanitize)
            except (CompileError, OwnershipError, SignatureError, PlanError) as error:
                click.echo(f"error: {error}", err=True)
                failed = True
                continue
            entry = manifest_entry(target, sketch, made)
            done.append((entry, made.compiled.cubin))
            click.echo(_summarize(entry, made))
    if done:
        click.echo(f"{write_manifest(folder, done)}: {len(done)} kernel{'' if len(done) == 1 else 's'}")
    return EXIT_FAILED if failed else EXIT_CLEAN


def _summarize(entry: dict[str, Any], made: Artifact) -> str:
    how = "cached" if made.compiled.cached else f"{1000 * made.compiled.seconds:.0f} ms"
    inside = f", no bounds checks on {', '.join(entry['unchecked'])}" if entry["unchecked"] else ""
    return f"{entry['file']}: {entry['bytes']} bytes, {how}, {_WORDS[made.verification.how]}{inside}"


_WORDS: Final = {"proved": "proved", "contract": "proved under its contract", "opt-out": "not checked"}


def _find_kernel(target: str) -> Any:
    path, separator, name = target.rpartition("::")
    if not separator or not name:
        raise click.UsageError(f"{target}: write the file and the kernel, as in `kernels.py::add`")
    if not os.path.isfile(path):
        raise click.UsageError(f"{path}: there is no such file")
    module = _import_file(path)
    try:
        found = reduce(getattr, name.split("."), module)
    except AttributeError:
        found = None
    if not hasattr(found, "_pyfunc"):
        known = sorted(n for n, value in vars(module).items() if hasattr(value, "_pyfunc"))
        raise click.UsageError(f"{path} has no kernel `{name}`; it has {', '.join(known) or 'none'}")
    return found


def _import_file(path: str) -> ModuleType:
    """Imports a file as a module. Imports in it search its own folder first, as when it is run."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec = importlib.util.spec_from_file_location(Path(path).stem, os.path.abspath(path))
    if spec is None or spec.loader is None:
        raise click.UsageError(f"{path}: this is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        absent = isinstance(error, ModuleNotFoundError) and error.name in ("cuda", "cuda.tile")
        what = f"cuda-tile is not installed: {EXTRA}" if absent else f"{type(error).__name__}: {error}"
        raise click.UsageError(f"{path} cannot be imported: {what}") from error
    return module
