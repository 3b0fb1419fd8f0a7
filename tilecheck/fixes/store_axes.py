"""TC101: the index of a store gets the block coordinate that it lacks, or its parts in another order.

These are guesses: one is made only if it is the only one that leaves the kernel proved.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Final

import libcst as cst

from tilecheck.diagnostics import Diagnostic
from tilecheck.fixes.edits import Fix
from tilecheck.fixes.launched import name_of_block, names_by_block
from tilecheck.fixes.operations import index_of, operation
from tilecheck.fixes.syntax import Source, walk

_WRITES: Final = frozenset({"store", "scatter"})
_RANK: Final = 3
"""Orders of more parts are too many to mean anything."""


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
    for axis in range(3):
        if witness.first.block[axis] == witness.second.block[axis]:
            continue
        block = name_of_block(source, function, axis)
        names = dict.fromkeys((*([block] if block else []), *names_by_block(source, function, axis)))
        for name in names:
            if name in texts:
                continue
            for place, part in enumerate(parts):
                if isinstance(part, cst.Integer) or texts.count(texts[place]) > 1:
                    yield Fix(diagnostic.code, f"index axis {place} by `{name}`", "unsafe",
                              (source.replace(part, name),), only=True)
    if 1 < len(parts) <= _RANK and not any(isinstance(p, cst.Call) for part in parts for p in walk(part)):
        for order in list(permutations(texts))[1:]:
            edits = tuple(source.replace(part, text) for part, text in zip(parts, order, strict=True)
                          if source.code(part) != text)
            yield Fix(diagnostic.code, f"index by `({', '.join(order)})`", "unsafe", edits, only=True)
