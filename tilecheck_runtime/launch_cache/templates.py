"""Templates of launches that differ only in the memory of their arguments.

Checks and compilation depend on facts: of each array its kind, type, extents, strides, pieces and alignment; the values
of numbers; and which arrays share memory. Launches on new memory, such as that of results, have equal facts. The caller
checks who holds the memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from tilecheck.decorators import ATTRIBUTE
from tilecheck_runtime.backends.interface import Backend, Job, PackedLaunch
from tilecheck_runtime.backends.selection.select import backend_of
from tilecheck_runtime.dialect.kernel import DialectKernel
from tilecheck_runtime.errors.locations import NOWHERE
from tilecheck_runtime.launches.launch import Ready, replacement_text
from tilecheck_runtime.ownership.handles import Handle, as_strided
from tilecheck_runtime.ownership.storage import Mode
from tilecheck_runtime.tile_language.kernels import function_of

__all__ = ["TEMPLATES", "LaunchTemplate", "find_template", "record_template"]

_MOST: Final = 1024
"""Templates of one kernel before all of them are forgotten."""
_ALIGNED: Final = 256
"""Bytes. No generated code assumes a larger alignment."""


class LaunchTemplate:
    """The common part of launches with equal facts.

    job        one of the launches, without its arguments
    taken      positions of the arguments of the compiled kernel among those of the call
    constants  constants that follow these arguments
    floats     positions of floats in the call
    outputs    positions of moved arguments, each with the text that suggests a replacement
    borrowed   positions of the other arrays, each with the mode in which a launch holds it
    numbers    positions, types and values of the remaining arguments; the value of a float does not matter
    declared   declarations of the author, an attribute of the function
    """

    def __init__(self, kernel: DialectKernel, args: Sequence[Any], ready: Ready, taken: Sequence[int],
                 constants: Sequence[Any]) -> None:
        job, known, function = ready.job, kernel.signature.parameters, function_of(kernel)
        assert isinstance(job, Job)
        self.backend: Backend = ready.backend
        self._function, self._grid, self._hints, self._prepared = job.function, job.grid, job.hints, ready.prepared
        self.name = function.__name__
        self.what = f"the launch of `{self.name}`"
        self.waiting = f"{self.what}, which has not run"
        self._taken, self._constants = tuple(taken), tuple(constants)
        self.floats = tuple(n for n, value in enumerate(args) if type(value) is float)
        self._packed = [self._taken.index(n) for n in self.floats]
        self.outputs = tuple((n, replacement_text(p.name, self.name)) for n, p in enumerate(known) if p.kind == "mut")
        self.borrowed = tuple((n, Mode.READING if p.kind == "ref" else Mode.WRITING) for n, p in enumerate(known)
                              if p.kind in ("ref", "shared"))
        self.numbers = tuple((n, type(v), v) for n, v in enumerate(args) if not isinstance(v, Handle))
        self.attributes: Mapping[str, Any] = vars(function)
        self.declared = self.attributes.get(ATTRIBUTE)

    def instantiate(self, args: Sequence[Any], once: bool) -> PackedLaunch:
        """Packs a launch on other memory. With `once` it can be launched one time only."""
        arguments = tuple([as_strided(v) if isinstance(v, Handle) else v for n in self._taken for v in (args[n],)])
        job = Job(self._function, self._grid, (*arguments, *self._constants), self.name, NOWHERE, self._hints)
        found = self.backend.pack_launch(job, self._prepared, self._packed, once)
        assert found is not None
        return found


TEMPLATES: Final[dict[object, dict[tuple[Any, ...], LaunchTemplate]]] = {}
"""By kernel, then by `_layout_key`."""
_KERNELS: Final = 1024
"""Kernels before all of them are forgotten."""


def find_template(kernel: DialectKernel, args: Sequence[Any]) -> LaunchTemplate | None:
    """Returns the template of a call; None if there is none."""
    known = TEMPLATES.get(kernel)
    key = None if known is None else _layout_key(args)
    found = None if known is None or key is None else known.get(key)
    return None if found is None or found.attributes.get(ATTRIBUTE) is not found.declared else found


def record_template(kernel: DialectKernel, args: Sequence[Any], ready: Ready, parameters: Sequence[str],
                    constants: Sequence[Any]) -> LaunchTemplate | None:
    """Records a template after a successful launch. Returns None if the next launch could differ without a visible
    difference, or if the backend gains nothing from it. `parameters` and `constants` are those of the compiled
    kernel."""
    key, names = _layout_key(args), [p.name for p in kernel.signature.parameters]
    if key is None or not ready.backend.ordered or len(args) != len(names):
        return None
    if len(TEMPLATES) >= _KERNELS:
        TEMPLATES.clear()
    known = TEMPLATES.setdefault(kernel, {})
    if len(known) >= _MOST:
        known.clear()
    made = known[key] = LaunchTemplate(kernel, args, ready, [names.index(name) for name in parameters], constants)
    return made


def _layout_key(args: Sequence[Any]) -> tuple[Any, ...] | None:
    """Returns everything that a launch depends on except its memory; for arrays that may share memory, the distance
    between them. None if an argument can change without a visible difference."""
    key: list[Any] = []
    arrays: list[Handle] = []
    for value in args:
        kind = type(value)
        if kind is float:
            key.append(float)  # code and guards do not depend on the value
        elif kind is int or kind is bool:
            key.append((kind, value))
        elif isinstance(value, Handle):
            key.append(value._core.facts or _compute_facts(value))
            arrays.append(value)
        else:
            return None
    for one, other in combinations(arrays, 2):
        a, b = one._core.storage.memory, other._core.storage.memory
        together = a is b or (a.address < b.address + b.nbytes and b.address < a.address + a.nbytes)
        key.append(one.region.address - other.region.address if together else None)
    return tuple(key)


def _compute_facts(handle: Handle) -> tuple[Any, ...]:
    core = handle._core
    layout, memory = core.layout, core.storage.memory
    facts = core.facts = (type(handle), layout.dtype.name, layout.shape, layout.strides, core.cut, core.readonly,
                  (memory.address + layout.offset) % _ALIGNED, backend_of(memory.device))
    return facts
