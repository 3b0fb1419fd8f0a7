"""TC101: the index of a store gets the block coordinate that it lacks.

Which coordinate belongs on which axis is read from the loads: an axis that a load counts by a coordinate is counted by
it in the store, too. These are guesses: one is made only if it is the only one that leaves the kernel proved. Another
order of the same parts is none of them: it says no more about the block.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import libcst as cst

from tilecheck.diagnostics import Diagnostic
from tilecheck.fixes.edits import Fix
from tilecheck.fixes.launched import follows_block
from tilecheck.fixes.operations import elements, index_of, operation
from tilecheck.fixes.syntax import Source, walk

_WRITES: Final = frozenset({"store", "scatter"})
_READS: Final = frozenset({"load", "gather"})


def fixes(source: Source, diagnostic: Diagnostic) -> Iterator[Fix]:
    store = source.call_at(diagnostic.span)
    function = None if store is None else source.function_around(store)
    witness = diagnostic.witness
    if store is None or function is None or witness is None or operation(source, store)[0] not in _WRITES:
        return
    index = index_of(source, store)
    if not isinstance(index, cst.Tuple) or any(isinstance(e, cst.StarredElement) for e in index.elements):
        return
    parts = [element.value for element in index.elements]
    texts = [source.code(part) for part in parts]
    differing = [axis for axis in range(3) if witness.first.block[axis] != witness.second.block[axis]]
    for place, part in enumerate(parts):
        if isinstance(part, cst.Integer) or texts.count(texts[place]) > 1:
            for text in dict.fromkeys(_read_by(source, function, place, len(parts), differing)):
                if text not in texts:
                    yield Fix(diagnostic.code, f"index axis {place} by `{text}`", "unsafe",
                              (source.replace(part, text),), only=True)


def _read_by(
    source: Source, function: cst.FunctionDef, place: int, rank: int, differing: list[int],
) -> Iterator[str]:
    """What loads index that axis by, where it follows a grid axis on which the two blocks differ."""
    for node in walk(function):
        if isinstance(node, cst.Call) and operation(source, node)[0] in _READS:
            index = index_of(source, node)
            parts = [] if index is None else elements(source, function, index)
            if len(parts) == rank and any(follows_block(source, function, parts[place], axis) for axis in differing):
                yield source.code(parts[place])
