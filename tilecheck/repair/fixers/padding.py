"""TC301: a load whose padding is used gets a padding mode."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tilecheck.diagnostics import Diagnostic
from tilecheck.repair.edits import Edit, Fix
from tilecheck.repair.fixers.neutral import PADDINGS, find_outcome
from tilecheck.repair.source.operations import identify_operation, spell_name
from tilecheck.repair.source.tree import Source

__all__ = ["add_padding", "fixes"]


def fixes(source: Source, diagnostic: Diagnostic) -> Iterator[Fix]:
    proposal = diagnostic.proposal
    if proposal is None or not proposal.values:
        return
    load = source.call_at(proposal.span)
    if load is None:
        return
    found = {mode: find_outcome(source, load, mode, diagnostic.span) for mode in (*proposal.values, *PADDINGS)}
    neutral = [mode for mode in found if found[mode] == "neutral"]
    # zero hides no more than the undefined values do; infinities become NaN elsewhere
    unknown = [mode for mode in proposal.values
               if found[mode] == "floats" or (mode, found[mode]) == ("ZERO", "unknown")]
    for mode in neutral[:1] or unknown[:1]:
        edit = add_padding(source, load, mode)
        if edit is not None:
            yield Fix(diagnostic.code, f"load with padding_mode={mode}", "safe" if neutral else "unsafe", (edit,))


def add_padding(source: Source, load: cst.Call, mode: str) -> Edit | None:
    """The edit that adds a padding mode to a load; None if the load has one, or is not understood."""
    name, method = identify_operation(source, load)
    value = spell_name(source, f"PaddingMode.{mode}")
    call: cst.Call | None = load
    if method and name == "load" and isinstance(load.func, cst.Attribute):
        function = source.function_around(load)
        view = load.func.value if function is None else source.resolve_name(function, load.func.value)
        made = isinstance(view, cst.Call) and identify_operation(source, view) == ("tiled_view", True)
        call = view if made and isinstance(view, cst.Call) else None
    elif method or name not in ("load", "load_advanced_indexing"):
        call = None
    if call is None or value is None:
        return None
    present = source.keyword(call, "padding_mode")
    if present is not None and not source.code(present.value).endswith("UNDETERMINED"):
        return None
    return source.set_keyword(call, "padding_mode", value)
