"""The function that is compiled and launched: it takes plain arrays and numbers, creates the dialect objects, and calls
the kernel.

It is generated, because its constants and the assignment of pieces to blocks differ by kernel and launch. Its source is
registered with `linecache`, where `cuda.tile` and tracebacks find it.
"""

from __future__ import annotations

import hashlib
import linecache
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType
from typing import Any, Final

from tilecheck_runtime.dialect.grid import grid
from tilecheck_runtime.dialect.plan import Output, Plan, PlanError
from tilecheck_runtime.dialect.schedules import Grouped, Linear, Range, Schedule, Single, Walk
from tilecheck_runtime.dialect.signature import Parameter, Signature, signature
from tilecheck_runtime.tile_language.kernels import AUTHORED

__all__ = ["Entry", "entry"]


@dataclass(frozen=True)
class Entry:
    """A specialized kernel.

    function    takes the arrays and numbers of all parameters except constants, then the constants
    parameters  names of the former, in order
    constants   names and values of the latter, in order
    plan        it was specialized for
    outputs     names of the mutable outputs
    """

    function: FunctionType
    parameters: tuple[str, ...]
    constants: tuple[tuple[str, int], ...]
    plan: Plan
    outputs: tuple[str, ...]

    def arguments(self, values: Mapping[str, Any]) -> tuple[Any, ...]:
        """The arguments of `function`, from the arrays and numbers by parameter name."""
        return (*(values[name] for name in self.parameters), *(value for _, value in self.constants))

    def grid(self, shapes: Mapping[str, Sequence[int]]) -> tuple[int, int, int]:
        """The grid that covers the outputs, from array shapes by parameter name.

        Raises PlanError, naming the outputs, if they do not agree on one, or a schedule does not fit.
        """
        given = {name: tuple(shapes[name]) for name in self.outputs}
        return grid(dict(zip(self.outputs, self.plan.outputs, strict=True)), given)


_INDENT: Final = " " * 4


@lru_cache(maxsize=4096)
def entry(function: FunctionType, plan: Plan) -> Entry:
    """Specializes a kernel for a plan; returns the same object for equal plans.

    Raises SignatureError for a kernel with parameters outside of the dialect, and PlanError for a plan that does not
    fit them.
    """
    known = signature(function)
    values = dict(plan.values)
    _check_plan(known, plan, values)
    runtime = tuple(p.name for p in known.parameters if p.kind != "constant")
    names = _constant_names(known, runtime)
    inner, resolved = _rewrite_loops(function, known, plan)
    source = _source(function.__name__, known, plan, resolved, names)
    made = _compile_source(function, inner, source, _name(function, source))
    constants = tuple((names[v], values[v]) for v in known.variables)
    return Entry(made, runtime, constants, plan, tuple(p.name for p in known.outputs))


def _rewrite_loops(function: FunctionType, known: Signature, plan: Plan) -> tuple[FunctionType, frozenset[str]]:
    """Returns the kernel, with loops over cells rewritten if the plan asks for it, and the outputs whose cells are
    resolved there."""
    if not plan.compact:
        return function, frozenset()
    from tilecheck_runtime.dialect.loops import rewrite_loops

    pairs = zip(known.outputs, plan.outputs, strict=True)
    made = rewrite_loops(function, {p.name: not isinstance(o.schedule, Single) for p, o in pairs})
    return made.function, made.resolved


def _check_plan(known: Signature, plan: Plan, values: Mapping[str, int]) -> None:
    missing = [name for name in known.variables if name not in values]
    if missing:
        raise PlanError(f"no value for type variable {missing[0]}")
    if len(plan.outputs) != len(known.outputs):
        raise PlanError(f"the kernel has {len(known.outputs)} outputs, the plan {len(plan.outputs)}")
    for parameter, output in zip(known.outputs, plan.outputs, strict=True):
        declared = tuple(values[e] if isinstance(e, str) else e for e in parameter.extents)
        if output.tile != declared:
            raise PlanError(f"'{parameter.name}' is declared with pieces of {declared} and partitioned into pieces of "
                            f"{output.tile}")
        if output.whole and len(output.whole) != len(declared):
            raise PlanError(f"'{parameter.name}' has {len(declared)} axes, its plan {len(output.whole)}")
        _check_schedule(parameter.name, output)


def _check_schedule(name: str, output: Output) -> None:
    rank = len(output.tile)
    base = _base(output.schedule)
    if isinstance(base, Single) != (output.blocks is None):
        raise PlanError(f"'{name}': a mapped output, and only that, has a number of blocks")
    if isinstance(base, Walk) and not 0 <= base.axis < rank:
        raise PlanError(f"'{name}' has {rank} axes; it cannot be walked along axis {base.axis}")
    if isinstance(base, Grouped) and (rank < 2 or base.size < 1):
        raise PlanError(f"'{name}' cannot be walked in groups of {base.size}: that takes two axes and at least one row")


def _base(schedule: Schedule) -> Single | Linear | Grouped | Walk:
    return schedule.schedule if isinstance(schedule, Range) else schedule


def _constant_names(known: Signature, taken: Sequence[str]) -> dict[str, str]:
    return {v: v if v not in taken else f"{v}_constant" for v in known.variables}


def _name(function: FunctionType, source: str) -> str:
    """A file name for the source. It is equal in every process, so that compiled code is found again."""
    digest = hashlib.sha256(source.encode()).hexdigest()[:12]
    return f"<entry {digest} of {function.__module__}.{function.__qualname__}>"


def _source(name: str, known: Signature, plan: Plan, resolved: frozenset[str], names: Mapping[str, str]) -> str:
    """The generated function."""
    runtime = [p.name for p in known.parameters if p.kind != "constant"]
    constants = [f"{names[v]}: _t_constant" for v in known.variables]
    outputs = dict(zip((p.name for p in known.outputs), plan.outputs, strict=True))
    lines = [f"def {name}({', '.join([*runtime, *constants])}):"]
    lines += [f"_t_b{axis} = _t_ct.bid({axis})" for axis in range(_axes(plan))]
    arguments = []
    for parameter in known.parameters:
        if parameter.kind == "mut":
            lines += _output(parameter, outputs[parameter.name], names, parameter.name not in plan.inside,
                             parameter.name in resolved)
        made = _MAKERS[parameter.kind](parameter, names, parameter.name not in plan.inside)
        arguments.append(made)
    lines.append(f"_t_kernel({', '.join(arguments)})")
    return f"\n{_INDENT}".join(lines) + "\n"


def _axes(plan: Plan) -> int:
    """The number of grid axes that the entry reads."""
    return max((min(len(o.tile), 3) if isinstance(o.schedule, Single) else 1 for o in plan.outputs), default=0)


_MAKERS: Final[Mapping[str, Callable[[Parameter, Mapping[str, str], bool], str]]] = {
    "mut": lambda p, names, check: f"_t_{p.name}",
    "ref": lambda p, names, check: _reference(p, check),
    "shared": lambda p, names, check: f"_t_Shared({p.name}, _t_scopes.{'SYS' if p.scope == 'system' else 'DEVICE'})",
    "constant": lambda p, names, check: names[str(p.extents[0])],
    "scalar": lambda p, names, check: p.name,
}


def _reference(parameter: Parameter, check: bool) -> str:
    axes = _tuple([str(k) for k in range(len(parameter.extents))])
    padding = "ZERO" if check else "UNDETERMINED"  # an unchecked access with padding does not compile
    return f"_t_Ref({parameter.name}, {axes}, {axes}, _t_padding.{padding}, {check})"


def _tuple(items: Sequence[str]) -> str:
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def _output(parameter: Parameter, output: Output, names: Mapping[str, str], check: bool, resolved: bool) -> list[str]:
    """Returns the lines that create the device object of an output."""
    name, rank = parameter.name, len(output.tile)
    whole = output.whole or (False,) * rank
    tile = [names[e] if isinstance(e, str) else str(e) for e in parameter.extents]
    tiles = [f"_t_{name}_n{k}" for k in range(rank)]
    counts = [f"{n} = 1" if one else f"{n} = _t_ct.cdiv({name}.shape[{k}], {t})"
              for k, (n, t, one) in enumerate(zip(tiles, tile, whole, strict=True))]
    lines, found = _placement_source(name, output, tiles, whole)
    placed = f"_t_Resolved({found})" if resolved else found
    made = (f"_t_{name} = _t_Mut({name!r}, {name}, {_tuple(tile)}, {placed}, {_tuple([str(w) for w in whole])}, "
            f"{check}, _t_digits{rank})")
    return [*counts, *lines, made]


def _placement_source(name: str, output: Output, tiles: Sequence[str], whole: Sequence[bool]) -> tuple[list[str], str]:
    """Returns the lines before, and an expression for, the placement of the block's pieces."""
    schedule = output.schedule
    base = _base(schedule)
    if isinstance(base, Single):
        return _single_source(name, tiles, whole)
    streams = [n for k, n in enumerate(tiles) if not (isinstance(base, Walk) and k == base.axis)]
    total = " * ".join(streams) or "1"
    start, stop = (schedule.start, str(schedule.stop)) if isinstance(schedule, Range) else (0, total)
    mark = repr((type(base).__name__, *vars(base).values(), *((start, stop) if isinstance(schedule, Range) else ())))
    return _MAPPED[type(base)](name, base, tiles, start, stop, mark)


def _single_source(name: str, tiles: Sequence[str], whole: Sequence[bool]) -> tuple[list[str], str]:
    """Grid axes are axes of the output; of more than three axes, the leading ones share grid axis 0."""
    lead = max(len(tiles) - 3, 0)
    blocks = [f"_t_b{k}" for k in range(min(len(tiles), 3))]
    lines = []
    if lead:
        lines = [f"_t_{name}_lead = _t_digits{lead + 1}(_t_b0, {_tuple(tiles[:lead + 1])})"]
        blocks[:1] = [f"_t_{name}_lead[{k}]" for k in range(lead + 1)]
    place = ["0" if one else b for b, one in zip(blocks, whole, strict=True)]
    return lines, f"_t_Single({_tuple(place)}, ('Single',))"


def _stepped_source(start: int, stop: str) -> str:
    first = f"_t_b0 + {start}" if start else "_t_b0"
    return f"{first}, {stop}, _t_ct.num_blocks(0)"


def _linear_source(name: str, base: Any, tiles: Sequence[str], start: int, stop: str, mark: str) -> tuple[list[str],
                                                                                                          str]:
    return [], f"_t_Linear({_stepped_source(start, stop)}, _t_digits{len(tiles)}, {_tuple(tiles)}, {mark})"


def _grouped_source(name: str, base: Any, tiles: Sequence[str], start: int, stop: str, mark: str) -> tuple[list[str],
                                                                                                           str]:
    radix = [*tiles[:-2], f"{tiles[-2]} * {tiles[-1]}"]
    return [], (f"_t_Grouped({_stepped_source(start, stop)}, _t_digits{len(radix)}, {_tuple(radix)}, {mark}, "
                f"{base.size}, "
                f"{_tuple(tiles[-2:])})")


def _walk_source(name: str, base: Any, tiles: Sequence[str], start: int, stop: str, mark: str) -> tuple[list[str], str]:
    order = [*(k for k in range(len(tiles)) if k != base.axis), base.axis]
    length = tiles[base.axis]
    lines, run = f"({stop})" if not start else f"({stop} - {start})", f"_t_{name}_run"
    first = f"_t_b0 * {run}" + (f" + {start}" if start else "")
    before = [
        f"{run} = _t_ct.cdiv({lines}, _t_ct.num_blocks(0))",
        f"_t_{name}_first = {first}",
        f"_t_{name}_stop = min({stop}, _t_{name}_first + {run})",
    ]
    back = _tuple([str(order.index(k)) for k in range(len(tiles))])
    return before, (f"_t_Walk(_t_{name}_first * {length}, _t_{name}_stop * {length}, 1, _t_digits{len(tiles)}, "
                    f"{_tuple([tiles[k] for k in order])}, {mark}, {back})")


_MAPPED: Final[Mapping[type, Callable[..., tuple[list[str], str]]]] = {
    Linear: _linear_source, Grouped: _grouped_source, Walk: _walk_source,
}


def _globals(function: FunctionType) -> dict[str, Any]:
    """Names that generated code uses. Imported here, because they need `cuda.tile` or its stand-in."""
    from tilecheck_runtime.dialect.device import digits, placement
    from tilecheck_runtime.dialect.device.cutile import ct
    from tilecheck_runtime.dialect.device.mutable import Mut
    from tilecheck_runtime.dialect.device.reference import Ref
    from tilecheck_runtime.dialect.device.shared import Shared

    return {
        "__name__": __name__, "_t_kernel": function, "_t_ct": ct, "_t_constant": ct.Constant[int],
        "_t_Mut": Mut, "_t_Ref": Ref, "_t_Shared": Shared, "_t_padding": ct.PaddingMode, "_t_scopes": ct.MemoryScope,
        **{f"_t_{kind}": getattr(placement, kind) for kind in placement.__all__},
        **{f"_t_{name}": getattr(digits, name) for name in digits.__all__},
    }


def _compile_source(function: FunctionType, inner: FunctionType, source: str, filename: str) -> FunctionType:
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    space = _globals(inner)
    exec(compile(source, filename, "exec", dont_inherit=True), space)
    made: FunctionType = space.pop(function.__name__)
    made.__qualname__ = function.__qualname__
    setattr(made, AUTHORED, function)
    return made
