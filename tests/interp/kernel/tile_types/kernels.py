"""Small kernels that differ in their bodies, and what the checker says of them."""

from __future__ import annotations

from collections.abc import Sequence

from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.diagnostics import Diagnostic

__all__ = ["CODES", "HEAD", "findings", "list_flagged", "one", "source"]

CODES = ("TC501", "TC502", "TC503", "TC504", "TC505")

HEAD = "import cuda.tile as ct\n\n"
PARAMETERS = ("a", "b", "s", "n")
"""Two arrays of float32 with two axes, a number with a fraction and an integer."""


def source(bodies: Sequence[str]) -> str:
    """One kernel `k0`, `k1`, ... for each body; lines of a body are separated by `;` or newlines."""
    out = [HEAD]
    for number, body in enumerate(bodies):
        lines = [line.rstrip() for line in body.replace("; ", "\n").strip("\n").split("\n")]
        out.append(f"@ct.kernel\ndef k{number}({', '.join(PARAMETERS)}):\n")
        out += [f"    {line}\n" for line in lines]
        out.append("\n\n")
    return "".join(out)


def findings(text: str, name: str = "k.py") -> list[Diagnostic]:
    """The findings of these rules."""
    report = check_source(text, name, Config(use_cache=False))
    assert not report.failures, report.failures
    return [d for d in report.diagnostics if d.code in CODES]


def one(body: str) -> list[Diagnostic]:
    """Those in a kernel of one body, whose first line is line 5."""
    return findings(source([body]))


def list_flagged(text: str) -> dict[str, list[str]]:
    """Their codes and messages, by kernel."""
    out: dict[str, list[str]] = {}
    for d in findings(text):
        out.setdefault(d.kernel or "", []).append(f"{d.code}: {d.message}")
    return out
