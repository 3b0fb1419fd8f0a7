"""TC205, TC405: an access of the kernel has its index in the wrong order for the arrays of a launch.

These are guesses: one is applied only if it alone leaves kernel and launch without a finding.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import libcst as cst

from tilecheck.diagnostics import Diagnostic
from tilecheck.repair.edits import Fix
from tilecheck.repair.source.operations import get_index, identify_operation
from tilecheck.repair.source.tree import Source, walk

_ACCESSES: Final = frozenset({"load", "store", "gather", "scatter"})
_MOST: Final = 8
"""Orders that are tried: each costs a check of the file."""


def fixes(source: Source, diagnostic: Diagnostic) -> Iterator[Fix]:
    kernel = source.function(diagnostic.kernel)
    if kernel is None or source.call_at(diagnostic.span) is None:
        return
    found = [
        fix
        for node in walk(kernel)
        if isinstance(node, cst.Call) and identify_operation(source, node)[0] in _ACCESSES
        for fix in _propose_orders(source, diagnostic, node)
    ]
    yield from found if len(found) <= _MOST else ()


def _propose_orders(source: Source, diagnostic: Diagnostic, call: cst.Call) -> Iterator[Fix]:
    index = get_index(source, call)
    if not isinstance(index, cst.Tuple) or any(isinstance(e, cst.StarredElement) for e in index.elements):
        return
    parts = [element.value for element in index.elements]
    texts = [source.code(part) for part in parts]
    for second, part in enumerate(parts):
        for first in range(second):
            if texts[first] != texts[second] and not isinstance(part, cst.Integer) and not isinstance(
                    parts[first], cst.Integer):
                edits = (source.replace(parts[first], texts[second]), source.replace(part, texts[first]))
                line = source.at.span(call).line
                title = f"swap axes {first} and {second} of the index in line {line}"
                yield Fix(diagnostic.code, title, "unsafe", edits, only=True)
