"""TC303: integers padded with an infinity get the number of their type that means the same, or a neutral zero."""

from __future__ import annotations

from collections.abc import Iterator

from tilecheck.diagnostics import Diagnostic
from tilecheck.dtypes import DTYPES
from tilecheck.repair.edits import Fix
from tilecheck.repair.fixers.neutral import find_outcome
from tilecheck.repair.source.operations import identify_operation, spell_name
from tilecheck.repair.source.tree import Source


def fixes(source: Source, diagnostic: Diagnostic) -> Iterator[Fix]:
    call = source.call_at(diagnostic.span)
    if call is None or diagnostic.proposal is None:
        return
    padding, dtype = diagnostic.proposal.values
    name, _ = identify_operation(source, call)
    given = source.keyword(call, "padding_value" if name == "gather" else "padding_mode")
    if given is None:
        return
    if name == "gather":
        value = _get_limit(padding, dtype)
        if value is not None:
            # what the infinity stood for
            yield Fix(diagnostic.code, f"pad with {value}", "unsafe", (source.replace(given.value, str(value)),))
        return
    zero = spell_name(source, "PaddingMode.ZERO")
    if zero is not None and find_outcome(source, call, "ZERO", None) == "neutral":
        yield Fix(diagnostic.code, "load with padding_mode=ZERO", "safe", (source.replace(given.value, zero),))


def _get_limit(padding: str, dtype: str) -> int | None:
    """The least or greatest number of an integer type."""
    found = DTYPES.get(dtype)
    if found is None or found.limits is None:
        return None
    least, greatest = found.limits
    return {"NEG_INF": least, "POS_INF": greatest}.get(padding)
