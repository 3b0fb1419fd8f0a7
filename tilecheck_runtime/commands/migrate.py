"""`tilecheck migrate`: a raw kernel in the ownership dialect."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click

from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.syntax.text import SourceError
from tilecheck_runtime.dialect.dtypes import BY_NAME
from tilecheck_runtime.migrate.compare import compare_kernels
from tilecheck_runtime.migrate.module import Migrated, migrate_kernel
from tilecheck_runtime.migrate.pieces import find_pieces
from tilecheck_runtime.migrate.refusal import Absent, Refusal
from tilecheck_runtime.migrate.renaming import rename_bindings
from tilecheck_runtime.migrate.source_kernel import SourceKernel, read_kernel
from tilecheck_runtime.migrate.typecheck import type_errors

__all__ = ["command", "migrate"]

EXIT_CLEAN: Final = 0
EXIT_REFUSED: Final = 1

_DTYPES: Final = tuple(kind.__name__ for kind in BY_NAME.values())


@click.command(name="migrate")
@click.argument("target", metavar="PATH::KERNEL")
@click.option("-o", "--output-file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write the kernel there, to a file that does not exist.")
@click.option("--type", "types", multiple=True, metavar="NAME=TYPE", help="Element type of an array; repeatable.")
@click.option("--dtype", type=click.Choice(_DTYPES), default="f32", show_default=True, metavar="TYPE",
              help="Element type of the arrays that --type does not name.")
def command(target: str, output_file: Path | None, types: tuple[str, ...], dtype: str) -> int:
    """Rewrite a raw kernel in the ownership dialect, and try it against the original.

    The kernel must be proved. The new kernel is checked, also by mypy if it is installed, and both kernels run on the
    CPU on sample launches; if a result differs, nothing is written. The kernel and its helpers are executed; the rest
    of the file is not.

    Exit status: 0 when the kernel was migrated, 1 when it was not, 2 when it was not found.
    """
    path, separator, name = target.rpartition("::")
    if not separator or not name:
        raise click.UsageError(f"{target}: write the file and the kernel, as in `kernels.py::add`")
    if not Path(path).is_file():
        raise click.UsageError(f"{path}: there is no such file")
    if output_file is not None and output_file.exists():
        raise click.UsageError(f"{output_file}: is there already")
    try:
        made, launches, typed = migrate(path, name, _parse_types(types), dtype)
    except Absent as absent:
        raise click.UsageError(absent.message) from absent
    except Refusal as refusal:
        place = path if refusal.line is None else f"{path}:{refusal.line}"
        click.echo(f"not migrated: {place}: {refusal.message}", err=True)
        return EXIT_REFUSED
    except SourceError as error:
        raise click.UsageError(str(error)) from error
    if output_file is None:
        click.echo(made.text, nl=False)
    else:
        with output_file.open("x", encoding="utf-8") as stream:
            stream.write(made.text)
    click.echo(_summarize(made, launches, typed), err=True)
    return EXIT_CLEAN


def _parse_types(given: tuple[str, ...]) -> dict[str, str]:
    out = {}
    for text in given:
        name, separator, kind = text.partition("=")
        if not separator or kind not in _DTYPES:
            raise click.UsageError(f"--type {text}: write the array and its element type, as in `x=f16`; types are "
                                   f"{', '.join(_DTYPES)}")
        out[name] = kind
    return out


def migrate(path: str, name: str, types: Mapping[str, str], dtype: str) -> tuple[Migrated, int, bool]:
    """Returns the migrated kernel, the number of launches on which it matched the original, and whether its types were
    checked.

    Raises `Refusal`, and `SourceError` for a file that cannot be read.
    """
    raw = read_kernel(path, name)
    made = find_pieces(raw)
    dtypes = _dtypes_by_array(raw, types, dtype)
    new = migrate_kernel(raw, made, dtypes, Path(path).name)
    _check_proved(new)
    errors = type_errors(new.text)
    if errors and (text := rename_bindings(new.text)) != new.text and not type_errors(text):
        new.text, errors = text, []
        _check_proved(new)
    if errors:
        raise Refusal(f"mypy does not accept the new kernel, perhaps because a --type is missing: {errors[0]}")
    return new, compare_kernels(raw, new, dtypes), errors is not None


def _dtypes_by_array(raw: SourceKernel, types: Mapping[str, str], dtype: str) -> dict[str, str]:
    arrays = [p.name for p in raw.model.params if p.kind == "array"]
    for name in types:
        if name not in arrays:
            raise Refusal(f"--type {name}: the kernel has no such array; it has {', '.join(arrays)}")
    return {name: types.get(name, dtype) for name in arrays}


def _check_proved(new: Migrated) -> None:
    """Raises `Refusal` for a kernel that the checker does not prove."""
    report = check_source(new.text, "migrated.py", Config(use_cache=False))
    for failure in report.failures:
        raise Refusal(f"the new kernel cannot be checked: {failure.message}")
    for finding in report.diagnostics:
        line = new.text.split("\n")[finding.span.line - 1].strip()
        hint = ", perhaps because a --type is missing" if finding.code == "TC502" else ""
        raise Refusal(f"the new kernel has a finding{hint}: {finding.code}: {finding.message}, in `{line}`")
    kernel: Any = next((k for k in report.kernels if k.name == new.name), None)
    if kernel is None or kernel.verdict != "proved":
        raise Refusal(f"the new kernel is not proved but {kernel.verdict if kernel else 'missing'}")


def _summarize(made: Migrated, launches: int, typed: bool) -> str:
    """Describes the migration, and the changes that the host code needs."""
    first = made.made.found[0]
    tile = ", ".join(str(axis.extent) for axis in first.axes)
    how = f"{first.array}.partition({tile})"
    if made.made.persistent is not None:
        how += ".map(Linear(), blocks)"
    checked = "proved, type-checked" if typed else "proved"
    dropped = f"; without {', '.join(made.dropped)}, for it covers all of {first.array}" if made.dropped else ""
    return (f"{made.name}: {checked}, and the same as the original in {launches} sample launches; launch it with "
            f"{how}, from which the grid follows{dropped}")
