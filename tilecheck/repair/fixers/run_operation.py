"""TC404: an operation that is built by a statement of its own, and dropped, is run there."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tilecheck.diagnostics import Diagnostic
from tilecheck.repair.edits import Fix
from tilecheck.repair.source.tree import Source


def fixes(source: Source, diagnostic: Diagnostic) -> Iterator[Fix]:
    for node in source.nodes:
        if isinstance(node, cst.Expr) and isinstance(node.value, cst.Call) and not node.value.lpar:
            span = source.at.span(node.value)
            at = diagnostic.span
            if (span.line, span.column) == (at.line, at.column) and diagnostic.severity == "error":
                yield Fix(diagnostic.code, "run it with `.sync()`", "unsafe",
                          (source.insert_after(node.value, ".sync()"),))
