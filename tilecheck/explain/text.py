"""An explanation as text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import Final

from tilecheck.explain.explanation import AtLaunch, ExplainedClause, ExplainedKernel, ExplainedObligation

__all__ = ["render_explanation"]

_WIDTH: Final = 110


def render_explanation(kernel: ExplainedKernel, steps: bool = False) -> str:
    """The explanation of a kernel as text. With `steps`, each obligation lists the steps that the prover recorded."""
    return "\n".join(_lines(kernel, steps)) + "\n"


def _lines(k: ExplainedKernel, steps: bool) -> Iterator[str]:
    yield f"{k.file}:{k.line}: {k.name}: {k.verdict}"
    if k.names:
        yield ""
        yield from _wrap_list("  where ", (f"`{name}` is {_quote(what)}" for name, what in k.names))
    for o in k.obligations:
        yield ""
        yield from _obligation(o)
        if steps:
            yield from (f"    step: {step}" for step in o.trace)
    if not k.obligations:
        yield ""
        yield "  there is nothing to prove here"
    if k.costs:
        yield ""
        yield "Not understood"
        for cost in k.costs:
            yield from _paragraph(f"{cost.place}: {cost.text}", "  ")
            yield f"      {cost.source}"
    yield ""
    yield from _contract(k)


def _quote(what: str) -> str:
    return what if " of " in what else f"`{what}`"


def _obligation(o: ExplainedObligation) -> Iterator[str]:
    yield f"{o.place}, `{o.array}`: {o.claim}: {o.verdict}"
    yield f"    {o.source}"
    if o.opening:
        yield from _paragraph(o.opening, "  ")
        yield from (f"      {i}" for i in o.index)
        for n, step in enumerate(o.steps, 1):
            yield from _paragraph(f"{n}. {_sentence(step)}", "  ", "     ")
        if o.conclusion:
            yield f"  {o.conclusion}"
    else:
        for step in o.steps:
            yield from _paragraph(_sentence(step), "  ")
    if o.needs:
        yield from _wrap_list("  needs: ", (f"`{c}`" for c in o.needs))
    if o.shown:
        yield from _paragraph(f"{'for example' if o.verdict != 'refuted' else 'witness'}: {o.shown[0]}", "  ", "    ")
        yield from (x for line in o.shown[1:] for x in _paragraph(line, "    "))
    for cost in o.costs:
        elsewhere = "" if cost.source == o.source else f": {cost.source}"
        yield from _paragraph(f"{cost.place}: {cost.text}{elsewhere}", "  ", "    ")
    for text in o.remedies:
        yield from _paragraph(f"{'to fix it' if o.verdict == 'refuted' else 'to prove it'}: {text}", "  ", "    ")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", ":")) else ".")


def _contract(k: ExplainedKernel) -> Iterator[str]:
    seen = "no seen launch" if not k.launches else (
        f"{k.launches} seen launch{'es' if k.launches > 1 else ''}")
    yield f"Contract ({seen})"
    if not k.contract:
        yield "  nothing"
    for c in k.contract:
        yield from _clause(c)


def _clause(c: ExplainedClause) -> Iterator[str]:
    yield f"  {c.clause}  [{c.kind}, {c.state}]"
    shown = c.origins[:3]
    for origin in shown:
        yield from _paragraph(origin, "      ")
    if len(c.origins) > len(shown):
        yield f"      and for {len(c.origins) - len(shown)} more"
    for at in c.launches:
        yield from _paragraph(_at(at), "      ", "        ")


def _at(at: AtLaunch) -> str:
    values = ", ".join(f"{n} = {v}" for n, v in at.values)
    clause = f": {at.text}" if at.text else ""
    return (f"{at.span.file}:{at.span.line}, {at.function}: {at.state}{clause}"
            f"{f', with {values}' if values else ''}")


def _paragraph(text: str, first: str, rest: str | None = None) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=first, subsequent_indent=rest or first,
                         break_long_words=False, break_on_hyphens=False)


def _wrap_list(label: str, parts: Iterable[str]) -> list[str]:
    return _paragraph(label + ", ".join(parts), "", " " * len(label))
