"""TC109 partial-nesting: nested tiles that do not divide the piece they are nested in."""

from __future__ import annotations

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.obligation import Settled

__all__ = ["diagnose"]

CODE = "TC109"


def diagnose(s: Settled, model: KernelModel) -> Diagnostic:
    fault = s.fault
    assert fault is not None
    array = fault.array
    if fault.how == "open":
        message = f"whether the tiles nested in a piece of `{array}` divide it is not known when the kernel is launched"
        return Diagnostic(CODE, "error", message, fault.span, model.name, (),
                          "nest tiles whose extents are constants of the kernel")
    axis, inner, outer = (int(w) for w in fault.words)
    last = outer // inner * inner
    message = (f"tiles of {inner} do not divide the piece of `{array}`, which is {outer} along axis {axis}: the last "
               f"one reaches {last + inner - outer} past its end, into the next block's piece")
    note = Note(f"block 0 owns the elements 0 to {outer - 1}, and its nested tile {last // inner} covers {last} to "
                f"{last + inner - 1}")
    return Diagnostic(CODE, "error", message, fault.span, model.name, (note,), _fix(inner, outer))


def _fix(inner: int, outer: int) -> str:
    fitting = max((d for d in (1 << k for k in range(inner.bit_length())) if d <= inner and outer % d == 0), default=1)
    rounded = -(-outer // inner) * inner
    return f"nest tiles of {fitting}, or make the piece {rounded} long"
