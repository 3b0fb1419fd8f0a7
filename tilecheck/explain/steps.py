"""The steps of a proof in sentences. A proof compares two blocks that touch one element, and shows they are equal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Final

from tilecheck.contracts import render
from tilecheck.explain.names import Names
from tilecheck.obligations.reasons import Cause
from tilecheck.rules.messages.reasons import Words, sentence_of
from tilecheck.symbolic import Bid, Cond, Term
from tilecheck.symbolic.steps import Lemma, ProofStep, Reason

__all__ = ["sentences", "shorten_terms", "trace_reason"]


def _axis(x: Term) -> str:
    return f" (block coordinate on grid axis {x.single.axis})" if isinstance(x.single, Bid) else ""


_SENTENCES: Final[Mapping[Enum, Callable[..., str]]] = {
    Lemma.DIGIT: lambda s, high, low, base:
        f"`{s(high)}` can be read off the index, because the rest, `{s(low)}`, stays below `{s(base)}`",
    Lemma.SAME: lambda s, x: f"`{s(x)}` is the same for both{_axis(x)}",
    Lemma.INVERSE: lambda s, x, d:
        f"`{s(x)}` follows from its quotient and its remainder by `{s(d)}`, which are both known",
    Lemma.CONGRUENT: lambda s, x, d:
        f"`{s(x)}` is known up to multiples of `{s(d)}`, and lies in a range that has only one such value",
    Lemma.ZERO: lambda s, x: f"the conditions under which this is done leave one value for `{s(x)}`",
    Lemma.FIXED: lambda s, x: f"the conditions under which this is done leave one value for `{s(x)}`",
    Lemma.OUT_OF_RANGE: lambda s, x: f"`{s(x)}` is never equal for the two: their ranges do not meet",
    Lemma.BELOW: lambda s, x, d: f"`{s(x)}` stays below `{s(d)}`, so that dividing by `{s(d)}` leaves it as it is",
    Lemma.DIVIDES: lambda s, d, x: f"`{s(d)}` divides `{s(x)}`",
    Lemma.VALUE: lambda s, x, value: f"`{s(x)}` must be `{s(value)}`",
    Lemma.NEVER_ZERO: lambda s, number: f"equal indices would need `{number} == 0`",
    Lemma.INCONGRUENT: lambda s, difference, modulus:
        f"the indices of the two differ by {difference} up to multiples of {modulus}, so that they are never equal",
    Lemma.INJECTIVE: lambda s, array: f"`{array}` holds no value twice, as is declared",
    Lemma.SEGMENTS: lambda s, array: f"the segments of `{array}` do not overlap, as is declared",
    Lemma.TICKET: lambda s, counter: f"`{counter}` gives no two blocks the same value, as is declared",
    Lemma.CASES: lambda s, what: f"both cases of `{s(what)}` lead to this",
}
"""The text of steps for which a report has a shorter text."""
_LONG: Final = 150
"""The longest sentence, in characters, whose terms are not shortened."""


def sentences(reason: Reason, names: Names) -> Iterator[str]:
    """A reason, one sentence for each step, without the declaration that would complete the proof."""
    words = Words(names.spelling, names.clause)
    found = dict.fromkeys(_sentence(step, words) for step in reason if step.rule is not Cause.WOULD_PROVE)
    for number, (text, follows) in enumerate(found):
        yield shorten_terms(f"so {text}" if follows and number else text)


def trace_reason(reason: Reason) -> tuple[str, ...]:
    """The steps of a reason as they were recorded, `RULE(operand, ...)`, for those who debug the prover."""
    return tuple(f"{step.rule.name}({', '.join(map(_show_operand, step.operands))})" for step in reason)


def _show_operand(operand: object) -> str:
    return render(operand) if isinstance(operand, Term | Cond) else str(operand)


def _sentence(step: ProofStep, words: Words) -> tuple[str, bool]:
    """The text of a step, and whether it follows from the step before it."""
    template = _SENTENCES.get(step.rule)
    text = sentence_of(step, words) if template is None else template(words.step, *step.operands)
    return text, step.rule is Lemma.SAME


def shorten_terms(text: str) -> str:
    """A sentence with its long terms shortened; the source has them in full."""
    if len(text) <= _LONG:
        return text
    return re.sub(r"`([^`]{60,})`", lambda m: f"`{m[1][:46].rstrip()} ...`", text)
