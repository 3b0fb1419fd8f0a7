"""Where the sizes of the launch that is drawn come from, in words."""

from __future__ import annotations

from tilecheck.interp.host.launch import Argument, Launch
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.pipeline.single_kernel import Study
from tilecheck.symbolic import Extent, GridDim, Size, Stride, Symbol, Term
from tilecheck.visualize.build import BY
from tilecheck.visualize.setting import Setting

__all__ = ["launch_words"]

_MOST = 3
"""Launches that are named."""


def launch_words(study: Study, setting: Setting, asked: bool) -> str:
    """Whether it is a launch of the files, with its place, or made up; `asked` when sizes were given by the user."""
    same = next((x for x in study.launches if _is(x, study.model, setting)), None)
    if same is not None:
        return f"drawn is the launch at {_place(same)}"
    chosen = "sizes as asked for, others chosen by tilecheck" if asked else "sizes chosen by tilecheck to be small"
    places = list(dict.fromkeys(_place(x) for x in study.launches))
    if not places:
        return f"no seen launch: {chosen}"
    more = f" and {len(places) - _MOST} more places" if len(places) > _MOST else ""
    return f"{chosen}; the kernel is launched at {', '.join(places[:_MOST])}{more}"


def _place(launch: Launch) -> str:
    grid = [_number(n) for n in launch.grid]
    while len(grid) > 1 and grid[-1] == 1:
        grid.pop()
    told = f" (grid {BY.join(map(str, grid))})" if None not in grid else ""
    return f"{launch.span.file}:{launch.span.line}{told}"


def _number(term: Term | None) -> int | None:
    return None if term is None else term.constant


def _is(launch: Launch, model: KernelModel, setting: Setting) -> bool:
    """Whether a launch has every size of the picture."""
    if launch.arguments is None or tuple(map(_number, launch.grid)) != setting.grid:
        return False
    given = dict(zip((p.name for p in model.params), launch.arguments, strict=False))
    return all(_has(given, symbol, v) for symbol, v in setting.scalars.items()
               if not isinstance(symbol, (GridDim, Size, Stride)))


def _has(given: dict[str, Argument], symbol: Symbol, value: int) -> bool:
    if isinstance(symbol, Extent):
        argument = given.get(symbol.array.text)
        extents = (argument.shape if argument is not None else None) or ()
        return symbol.axis < len(extents) and _number(extents[symbol.axis]) == value
    argument = given.get(symbol.key)
    return argument is not None and _number(argument.term) == value
