"""Runs both kernels on the CPU, on the same arguments."""

from __future__ import annotations

import importlib.util
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from tilecheck_runtime.dialect.dtypes import BY_NAME
from tilecheck_runtime.migrate.dependencies import collect_dependencies
from tilecheck_runtime.migrate.module import Migrated
from tilecheck_runtime.migrate.refusal import Refusal
from tilecheck_runtime.migrate.samples import Sample, samples
from tilecheck_runtime.migrate.source_kernel import SourceKernel

__all__ = ["compare_kernels"]

_OF_TORCH: Final = re.compile(rf"\btorch\.({'|'.join(BY_NAME)})\b")
_SPREAD: Final[Mapping[str, float]] = {"f16": 4e-3, "bf16": 4e-2, "f64": 1e-12, "f8e4m3": 0.2, "f8e5m2": 0.4}
"""Relative tolerance of results by type; 1e-5 for other floats, zero for integers."""


def compare_kernels(subject: SourceKernel, migrated: Migrated, dtypes: Mapping[str, str]) -> int:
    """Returns the number of launches on which both kernels gave equal results. Raises `Refusal`, with the shapes, if
    they differ or the sanitizer reports an error in the new kernel."""
    from tilecheck_runtime.hooks.install import cpu_launches

    done = 0
    with tempfile.TemporaryDirectory(prefix="tilecheck-migrate-") as folder, cpu_launches():
        original = _load_module(Path(folder), "original", _original_text(subject))
        new = _load_module(Path(folder), "migrated", migrated.text)
        raw, kernel = (getattr(module, migrated.name) for module in (original, new))
        for number, sample in enumerate(samples(subject, migrated.made)):
            done += _sample(subject, migrated, raw, kernel, sample, dtypes, number)
    if not done:
        raise Refusal("no sample launch was found that the original kernel is right for, so nothing could be compared")
    return done


def _original_text(subject: SourceKernel) -> str:
    """The original with its dependencies. If torch is not installed, element types of torch are replaced by those of
    `cuda.tile`."""
    text = collect_dependencies(subject.source.text, [subject.function.name.value]).text()
    if importlib.util.find_spec("torch") is None:
        text = re.sub(r"^import torch$", "", _OF_TORCH.sub(rf"{subject.source.tile_module()}.\1", text), flags=re.M)
    return text


@contextmanager
def _without_bytecode() -> Iterator[None]:
    before = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


def _load_module(folder: Path, name: str, text: str) -> ModuleType:
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(f"_tilecheck_migrate_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        with _without_bytecode():
            spec.loader.exec_module(module)
    except Exception as error:
        raise Refusal(f"the {name} kernel cannot be loaded by itself: {type(error).__name__}: {error}") from error
    finally:
        sys.modules.pop(spec.name, None)
    return module


def _sample(
    subject: SourceKernel, migrated: Migrated, raw: Any, kernel: Any, sample: Sample, dtypes: Mapping[str, str],
    number: int,
) -> int:
    for chosen in sample.numbers:
        arrays = _arrays(sample, dtypes, number)
        wanted = _run_original(subject, migrated, raw, sample, chosen, arrays)
        if wanted is None:
            continue
        for blocks in (None,) if migrated.made.persistent is None else (None, 3):
            found = _run_new(migrated, kernel, sample, chosen, arrays, blocks)
            _check_equal(migrated, sample, chosen, wanted, found, dtypes)
        return 1
    return 0


def _arrays(sample: Sample, dtypes: Mapping[str, str], number: int) -> dict[str, Any]:
    import ml_dtypes
    import numpy as np

    names = {kind.__name__: name for name, kind in BY_NAME.items()}
    generator = np.random.default_rng(number)
    out = {}
    for array, shape in sample.shapes.items():
        name = names[dtypes[array]].removesuffix("_")
        dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
        if dtype.kind in "iub":
            out[array] = generator.integers(0, 7, shape).astype(dtype)
        else:
            out[array] = generator.standard_normal(shape).astype(dtype)
    return out


def _run_original(
    subject: SourceKernel, migrated: Migrated, raw: Any, sample: Sample, chosen: Mapping[str, int],
    arrays: Mapping[str, Any],
) -> dict[str, Any] | None:
    """The outputs of the original; None if it fails for this launch, or does not write a part of an output."""
    import numpy as np

    results = []
    for fill in (3, 5):
        given = _fill_outputs(migrated, arrays, fill)
        values = [given.get(p.name, {**sample.constants, **chosen}.get(p.name)) for p in subject.model.params]
        if not _runs_clean(raw, _grid(subject, migrated, sample), values):
            return None
        results.append(_written_arrays(migrated, given))
    for piece in migrated.made.found:
        if not piece.loaded and not np.array_equal(*(r[piece.array] for r in results)):
            return None
    return results[0]


def _fill_outputs(migrated: Migrated, arrays: Mapping[str, Any], fill: int) -> dict[str, Any]:
    """Copies arrays. Outputs that are only written contain a number that no result depends on."""
    out = {name: array.copy() for name, array in arrays.items()}
    for piece in migrated.made.found:
        if not piece.loaded:
            out[piece.array].fill(fill)
    return out


def _runs_clean(kernel: Any, grid: tuple[int, int, int], values: Any) -> bool:
    from tilecheck_runtime.cpu.execution.execute import sanitize

    try:
        return not sanitize(kernel, grid, values).events
    except Exception:  # the numbers do not match the shapes
        return False


def _grid(subject: SourceKernel, migrated: Migrated, sample: Sample) -> tuple[int, int, int]:
    """The grid of the original: an axis that is a coordinate itself has as many blocks as there are pieces along it;
    another axis that it reads has the rest."""
    from tilecheck.repair.source.grid_names import find_axis

    first = migrated.made.found[0]
    if migrated.made.persistent is not None:
        axes = sorted(subject.model.axes_read)
        return tuple(2 if k in axes else 1 for k in range(3))  # type: ignore[return-value]
    grid = [1, 1, 1]
    rest = 1
    direct: set[int] = set()
    loops = {loop.node.target.value for loop in migrated.made.loops if hasattr(loop.node.target, "value")}
    for axis, count in zip(first.axes, sample.tiles, strict=True):
        if axis.coordinate is None or axis.coordinate in loops:
            continue
        values = subject.source.values_of(subject.function, axis.coordinate)
        place = int(axis.coordinate[4:-1]) if axis.coordinate.startswith("bid(") else None
        if len(values) == 1 and values[0] is not None:
            place = find_axis(subject.source, subject.function, values[0])
        if place is None:
            rest *= count
        else:
            grid[place] = count
            direct.add(place)
    for k in sorted(subject.model.axes_read - direct)[:1]:
        grid[k] = rest
    return grid[0], grid[1], grid[2]


def _run_new(
    migrated: Migrated, kernel: Any, sample: Sample, chosen: Mapping[str, int], arrays: Mapping[str, Any],
    blocks: int | None,
) -> dict[str, Any]:
    from tilecheck_runtime.cpu.execution.execute import sanitize
    from tilecheck_runtime.dialect.plan import Output, Plan
    from tilecheck_runtime.dialect.schedules import Linear

    names = migrated.rewritten.names
    given = _fill_outputs(migrated, arrays, 4)
    known = {**sample.constants, **chosen}
    outputs = []
    total = 1
    for count in sample.tiles:
        total *= count
    for piece in sorted(migrated.made.found, key=lambda piece: migrated.parameters.index(piece.array)):
        tile = tuple(a.extent if isinstance(a.extent, int) else known[a.extent] for a in piece.axes)
        outputs.append(Output(tile, Linear(), min(blocks, total)) if blocks else Output(tile))
    values = {variable: known[name] for name, variable in names.variables.items() if name in known}
    used = {v for p in kernel.signature.parameters for v in p.extents if isinstance(v, str)}
    plan = Plan(tuple((v, n) for v, n in values.items() if v in used), tuple(outputs))
    numbers = {names.locals.get(name, name): value for name, value in known.items()}
    report = None
    try:
        entry = kernel.entry(plan)
        grid = entry.grid({piece.array: given[piece.array].shape for piece in migrated.made.found})
        report = sanitize(entry.function, grid, entry.arguments({**numbers, **given}))
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        raise Refusal(f"the new kernel fails with {_shapes(sample, chosen)}: {what}") from error
    if report.events:
        raise Refusal(f"with {_shapes(sample, chosen)} the new kernel does what it should not: {report.events[0].code}")
    return _written_arrays(migrated, given)


def _written_arrays(migrated: Migrated, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays that a kernel wrote, including accumulators."""
    names = dict.fromkeys((*(piece.array for piece in migrated.made.found), *(a for a, _ in migrated.made.shared)))
    return {name: given[name] for name in names}


def _check_equal(
    migrated: Migrated, sample: Sample, chosen: Mapping[str, int], wanted: Mapping[str, Any], found: Mapping[str, Any],
    dtypes: Mapping[str, str],
) -> None:
    import numpy as np

    for array in wanted:
        one, two = (np.asarray(side[array]) for side in (wanted, found))
        if one.tobytes() == two.tobytes():
            continue
        exact = one.dtype.kind in "iub"
        spread = 0.0 if exact else _SPREAD.get(dtypes[array], 1e-5)
        a, b = one.astype(np.float64), two.astype(np.float64)
        if not np.allclose(a, b, rtol=spread, atol=spread, equal_nan=True):
            apart = np.argwhere(~np.isclose(a, b, rtol=spread, atol=spread, equal_nan=True))[0]
            place = ", ".join(map(str, apart))
            raise Refusal(f"the two kernels differ with {_shapes(sample, chosen)}: {array}[{place}] is "
                          f"{a[tuple(apart)]:g} in the original and {b[tuple(apart)]:g} in the new one")


def _shapes(sample: Sample, chosen: Mapping[str, int]) -> str:
    shapes = (f"{name} of shape {shape}" for name, shape in sample.shapes.items())
    numbers = (f"{name} = {value}" for name, value in {**sample.constants, **chosen}.items())
    return ", ".join((*shapes, *numbers))
