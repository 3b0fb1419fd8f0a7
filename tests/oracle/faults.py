"""Faults planted in the prover, each in one rule: what a wrong side condition would do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final

from msgspec.structs import replace

from tilecheck.solver import queries as questions
from tilecheck.solver.disjointness import cases
from tilecheck.solver.disjointness.state import State
from tilecheck.solver.inequalities import Facts
from tilecheck.symbolic import ZERO, ge
from tilecheck.symbolic.steps import Lemma, ProofStep

derive: Any = import_module("tilecheck.solver.disjointness.derive")
"""The module, which the function of the same name hides in its package."""

Rule = Callable[[State], bool]


@contextmanager
def _facts(name: str, answer: Callable[..., Any]) -> Iterator[None]:
    """`Facts.name` answers otherwise for a while."""
    original = getattr(Facts, name)
    setattr(Facts, name, lambda self, *args: answer(lambda *a: original(self, *a), *args))
    try:
        yield
    finally:
        setattr(Facts, name, original)


def _while(rule: str, name: str, answer: Callable[..., Any]) -> None:
    """While one rule runs, `Facts.name` answers otherwise."""
    original = derive.RULES[rule]

    def answer_wrongly(state: State) -> bool:
        with _facts(name, answer):
            return original(state)

    derive.RULES[rule] = answer_wrongly


def peel_up_to_the_radix() -> None:
    """-d <= r <= d is enough."""
    _while("peel", "below", lambda ask, small, bound, *rest: ask(small, bound + 1, *rest))


def factor_of_any_sign() -> None:
    """The factor may be 0."""
    _while("factor", "at_least", lambda ask, atom, bound: frozenset())


def merge_despite_an_offset() -> None:
    """a == a' + c counts as a == a'."""
    original = derive.RULES["merge"]

    def answer_wrongly(state: State) -> bool:
        state.equations = [e - e.offset if len(e.monos) == 3 else e for e in state.equations]
        return original(state)

    derive.RULES["merge"] = answer_wrongly


def inverse_of_the_quotient_alone() -> None:
    """Equal quotients are enough."""
    def answer_wrongly(state: State) -> bool:
        for x, y, d in state.equal_quotients():
            if (x - y).monos and (x - y) not in state.equations:
                state.equations.append(x - y)
                state.use("inverse", ProofStep(Lemma.INVERSE, (x, d)))
                return True
        return False

    derive.RULES["inverse"] = answer_wrongly


def congruent_at_any_distance() -> None:
    """Equal remainders are enough."""
    _while("congruent", "below", lambda ask, *args: frozenset())


def quotient_forgets_the_divisor() -> None:
    """Equal quotients bound the difference by 1 instead of by the divisor."""
    def answer_wrongly(state: State) -> bool:
        for x, y, _ in state.equal_quotients():
            news = [c for c in (ge(ZERO, x - y), ge(ZERO, y - x)) if c not in state.conds and c.op != "true"]
            if news:
                state.use("quotient", "")
                for c in news:
                    state.add_cond(c)
                return True
        return False

    derive.RULES["quotient"] = answer_wrongly


def solve_with_the_wrong_sign() -> None:
    """a + t == 0 gives a == t."""
    original_rule, original_substitute = derive.RULES["solve"], State.substitute

    def answer_wrongly(state: State) -> bool:
        State.substitute = lambda self, mapping: original_substitute(self, {a: -t for a, t in mapping.items()})
        try:
            return original_rule(state)
        finally:
            State.substitute = original_substitute

    derive.RULES["solve"] = answer_wrongly


def reduce_without_a_range() -> None:
    """x % d is x for every x."""
    _while("reduce", "prove", lambda ask, *args: frozenset())


def squeeze_from_one_side() -> None:
    """p >= 0 is enough for p == 0."""
    original = derive.RULES["squeeze"]

    def answer_wrongly(state: State) -> bool:
        for g in state.facts.inequalities:
            if g.varying and g not in state.equations and len(g.monos) <= 2:
                state.equations.append(g)
                state.use("squeeze", "")
                return True
        return original(state)

    derive.RULES["squeeze"] = answer_wrongly


def range_that_touches() -> None:
    """p >= 0 is enough for p != 0."""
    _while("range", "positive", lambda ask, p, *rest: ask(p + 1, *rest))


def exclusive_without_the_negation() -> None:
    """Any `!=` of the two copies excludes them."""
    original = derive.RULES["exclusive"]

    def answer_wrongly(state: State) -> bool:
        if any(c.varying and c.op == "ne" for c in state.facts.conds):
            state.absurd = True
            state.use("exclusive", "")
            return True
        return original(state)

    derive.RULES["exclusive"] = answer_wrongly


def split_forgets_the_other_case() -> None:
    """One case stands for all of them."""
    original = cases.case_splits
    derive.case_splits = lambda state: ((what, found[:1]) for what, found in original(state))


def data_of_any_array() -> None:
    """Elements read outside the array differ too."""
    original = derive.RULES["data"]

    def answer_wrongly(state: State) -> bool:
        with _facts("prove", lambda ask, *args: frozenset()):
            return original(state)

    derive.RULES["data"] = answer_wrongly


def segment_of_any_element() -> None:
    """Starts of segments that matter to one element are one."""
    original = derive.RULES["segment"]

    def answer_wrongly(state: State) -> bool:
        with _facts("prove", lambda ask, *args: frozenset()):
            return original(state)

    derive.RULES["segment"] = answer_wrongly


def clauses_forgotten() -> None:
    """The assumptions about the launch are not reported."""
    original = derive.derive
    def answer_wrongly(*args: Any, **kwargs: Any) -> Any:
        return replace(original(*args, **kwargs), clauses=())

    questions.derive = answer_wrongly


FAULTS: Final[dict[str, tuple[Callable[[], None], tuple[str, ...]]]] = {
    "peel": (peel_up_to_the_radix, ("lanes overlap", "row stride one short", "radix one short")),
    "factor": (factor_of_any_sign, ("times a scalar",)),
    "merge": (merge_despite_an_offset, ("reads the neighbour", "reads what it writes", "stores meet")),
    "inverse": (inverse_of_the_quotient_alone, ("wrong modulus", "wrong radix")),
    "congruent": (congruent_at_any_distance, ("wrong modulus", "wrong divisor")),
    "quotient": (quotient_forgets_the_divisor, ("digit halved", "wrong group arithmetic", "wrong modulus")),
    "solve": (solve_with_the_wrong_sign, ("only_one_block", "stores meet", "reads the neighbour")),
    "reduce": (reduce_without_a_range, ("wrong modulus", "wrong divisor")),
    "squeeze": (squeeze_from_one_side, ("guard lets several through", "only_one_block")),
    "range": (range_that_touches, ("stores meet", "reads the neighbour", "halves meet")),
    "exclusive": (exclusive_without_the_negation, ("under_block_guard", "guard lets several through")),
    "split": (split_forgets_the_other_case, ("one branch repeats a digit", "one branch halves", "clamp_digit")),
    "data": (data_of_any_array, ("row_of_index",)),
    "segment": (segment_of_any_element, ("segment one too long", "segment of two", "own_segment")),
    "clauses": (clauses_forgotten, ("unmasked_row", "row_scatter", "linear_of_grid")),
}
"""A fault for a rule, and the constructs whose kernels are tried first."""

