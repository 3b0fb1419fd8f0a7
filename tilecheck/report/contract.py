"""The contracts of kernels, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import PurePath
from typing import Final

from tilecheck.diagnostics import KernelReport, Obligation, Report
from tilecheck.report.json import kernel_object
from tilecheck.report.summary import describe_launches

CONSTRUCTED: Final = "cell"
"""The proof rule of obligations that the ownership dialect discharges by construction."""


def select_kernels(report: Report, wanted: Sequence[tuple[str, str]]) -> tuple[KernelReport, ...]:
    """The kernels in files below the wanted paths; if a path has a name, only the kernels with that name."""
    return tuple(
        k for k in report.kernels if any(_is_below(k.file, path) and _has_name(k.name, name) for path, name in wanted)
    )


def _is_below(file: str, path: str) -> bool:
    folder = PurePath(path)
    return folder == PurePath(".") or PurePath(file) == folder or folder in PurePath(file).parents


def _has_name(kernel: str, name: str) -> bool:
    return not name or kernel == name or kernel.endswith(f".{name}")


def render_contracts(kernels: Sequence[KernelReport]) -> str:
    """Each kernel with its clauses and the verdict on each of its obligations."""
    return "\n".join(_render(kernel) for kernel in kernels) if kernels else "no kernels\n"


def _render(kernel: KernelReport) -> str:
    out = [f"{kernel.file}:{kernel.line}: {kernel.name}: {kernel.verdict}"]
    width = max((len(clause.clause) for clause in kernel.contract), default=0)
    out += [f"  requires {c.clause:<{width}}  {c.kind}, {c.state}" for c in kernel.contract]
    if not kernel.contract:
        out.append("  requires nothing")
    out += [f"  {line}" for line in describe_launches(kernel)]
    rows = [(f"line {o.line}", o.kind, o.array, o.verdict + _construction(o)) for o in kernel.obligations]
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(3)]
    out += [f"  {row[0]:<{widths[0]}}  {row[1]:<{widths[1]}}  {row[2]:<{widths[2]}}  {row[3]}" for row in rows]
    return "\n".join(out) + "\n"


def _construction(obligation: Obligation) -> str:
    """The reason of an obligation that holds by construction; it has no proof steps, so the text prints it here."""
    return f": {obligation.why}" if CONSTRUCTED in obligation.rules else ""


def render_contracts_json(kernels: Sequence[KernelReport]) -> str:
    """The kernels in one object, in the form of the JSON report."""
    return json.dumps({"kernels": [kernel_object(k) for k in kernels]}, indent=2, ensure_ascii=False) + "\n"
