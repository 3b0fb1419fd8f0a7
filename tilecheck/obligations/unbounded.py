"""Why nothing is proved of a place that is computed through a number which may have wrapped."""

from __future__ import annotations

from tilecheck.dtypes import DTYPES
from tilecheck.obligations.reasons import Cause, because
from tilecheck.symbolic import WRAPPED, App, Load, atoms_in
from tilecheck.symbolic.footprint import Region
from tilecheck.symbolic.steps import Reason

__all__ = ["find_unbounded"]


def find_unbounded(*regions: Region) -> Reason | None:
    """The number as a reason, if there is one."""
    atoms = {a for r in regions for a in atoms_in(*r.index, r.guard)}
    found = min((a for a in atoms if isinstance(a, App) and a.fn in WRAPPED), key=lambda a: (len(a.key), a.key),
                default=None)
    if found is None:
        return None
    (number,) = found.args
    read = min((a.array for a in atoms_in(number) if isinstance(a, Load)), default=None)
    help_ = () if read is None else because(Cause.WOULD_BOUND, read)
    return (*because(Cause.WRAPS, number, DTYPES[str(found.fn)].bits), *help_)
