"""Why nothing is proved of a place that is computed through a number which may have wrapped."""

from __future__ import annotations

from tilecheck.interp.kernel.tile_types.dtypes import BITS
from tilecheck.symbolic import WRAPPED, App, Load, atoms_in
from tilecheck.symbolic.footprint import Region
from tilecheck.text.wording import spelled

__all__ = ["unbounded"]


def unbounded(*regions: Region) -> str | None:
    """The number in words, if there is one."""
    atoms = {a for r in regions for a in atoms_in(*r.index, r.guard)}
    found = min((a for a in atoms if isinstance(a, App) and a.fn in WRAPPED), key=lambda a: (len(a.key), a.key),
                default=None)
    if found is None:
        return None
    (number,) = found.args
    read = min((a.array for a in atoms_in(number) if isinstance(a, Load)), default=None)
    help_ = (
        f"; declaring `range({read}, lo, hi)`, with numbers between which it lies, would bound it" if read is not None
        else "")
    return f"`{spelled(number)}` is computed in {BITS[found.fn]} bits, and nothing bounds it{help_}"
