"""Fingerprints of findings, which are the same in every run: they depend on the statement, not on its line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Final

from tilecheck.diagnostics import Diagnostic
from tilecheck.report.frame import Sources
from tilecheck.report.statements import Statements

__all__ = ["Digests", "digest_of", "fingerprints"]


_OF_PAIRS: Final = "TC1"
"""Prefix of rules whose findings are about two accesses. A note has the location of the other access."""


class Digests:
    """Digests of the source of findings."""

    def __init__(self, sources: Sources) -> None:
        self._statements = Statements(sources)

    def __call__(self, diagnostic: Diagnostic) -> str:
        """The digest of the statement of a finding and, if it is about a pair, of the other statement."""
        span = diagnostic.span
        parts = [self._statements.at(span.file, span.line)]
        # only for these rules: an edit of a launch must not change the fingerprint of a finding in the kernel
        if diagnostic.code.startswith(_OF_PAIRS):
            other = next((n.span for n in diagnostic.notes if n.span is not None and not n.origin), None)
            parts += [] if other is None else [self._statements.at(other.file, other.line)]
        return digest_of(*parts)


def digest_of(*parts: str) -> str:
    """A digest of 64 bits in hexadecimal."""
    state = blake2b(digest_size=8)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        state.update(len(data).to_bytes(8, "little") + data)
    return state.hexdigest()


def fingerprints(diagnostics: Iterable[tuple[str, Diagnostic]], sources: Sources) -> Iterator[str]:
    """A distinct fingerprint for each finding, given with the path of its file. Equal findings are numbered."""
    digests, seen = Digests(sources), Counter[str]()
    for path, diagnostic in diagnostics:
        mark = digest_of(path, diagnostic.kernel or "", diagnostic.code, digests(diagnostic))
        seen[mark] += 1
        yield digest_of(mark, str(seen[mark]))
