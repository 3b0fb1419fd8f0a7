"""TC101: a loop that begins at the block's own coordinate steps by the number of blocks."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tilecheck.diagnostics import Diagnostic
from tilecheck.fixes.edits import Fix
from tilecheck.fixes.launched import axis_of, name_of_count
from tilecheck.fixes.syntax import Source, dotted


def fixes(source: Source, diagnostic: Diagnostic) -> Iterator[Fix]:
    store = source.call_at(diagnostic.span)
    function = None if store is None else source.function_around(store)
    if store is None or function is None:
        return
    for loop in source.around(store):
        if loop is function:
            return
        if not isinstance(loop, cst.For) or not isinstance(loop.iter, cst.Call) or dotted(loop.iter.func) != "range":
            continue
        args = loop.iter.args
        if len(args) not in (2, 3) or any(arg.star or arg.keyword is not None for arg in args):
            continue
        axis = axis_of(source, function, args[0].value)
        count = None if axis is None else name_of_count(source, function, axis)
        if count is not None:
            edit = (source.insert_after(args[1], f", {count}") if len(args) == 2 else
                    source.replace(args[2].value, count))
            yield Fix(diagnostic.code, f"step the loop by `{count}`", "unsafe", (edit,), only=True)
