"""An explanation as JSON."""

from __future__ import annotations

import json
from typing import Any

from tilecheck.explain.explanation import Cost, ExplainedClause, ExplainedKernel, ExplainedObligation
from tilecheck.report.json import witness_object

__all__ = ["render_explanation_json"]


def render_explanation_json(k: ExplainedKernel) -> str:
    """One object with the kernel, its `obligations`, its `contract` and `not_understood` constructs."""
    return json.dumps({
        "kernel": k.name, "file": k.file, "line": k.line, "verdict": k.verdict, "names": dict(k.names),
        "obligations": [_obligation(o) for o in k.obligations], "contract": [_clause(c) for c in k.contract],
        "launches": k.launches,
        "not_understood": [_cost(c) for c in k.costs],
    }, indent=2, ensure_ascii=False) + "\n"


def _obligation(o: ExplainedObligation) -> dict[str, Any]:
    return {
        "kind": o.kind, "line": o.line, "place": o.place, "array": o.array, "verdict": o.verdict, "claim": o.claim,
        "source": o.source,
        "opening": o.opening, "index": list(o.index), "steps": list(o.steps), "conclusion": o.conclusion,
        "needs": list(o.needs), "settles": list(o.remedies), "example": list(o.shown),
        "witness": witness_object(o.witness) if o.witness is not None and o.shown else None,
        "not_understood": [_cost(c) for c in o.costs],
    }


def _cost(c: Cost) -> dict[str, Any]:
    return {"line": c.line, "place": c.place, "what": c.text, "source": c.source}


def _clause(c: ExplainedClause) -> dict[str, Any]:
    return {
        "clause": c.clause, "kind": c.kind, "state": c.state, "origins": list(c.origins),
        "launches": [{
            "file": at.span.file, "line": at.span.line, "function": at.function, "state": at.state, "clause": at.text,
            "values": dict(at.values),
        } for at in c.launches],
    }
