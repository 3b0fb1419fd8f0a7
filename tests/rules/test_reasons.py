"""Every rule of a proof step and every reason of a verdict has one text."""

from __future__ import annotations

from tilecheck.interp.kernel.dialect.ownership import Construction
from tilecheck.obligations.reasons import Cause, because
from tilecheck.rules.messages.reasons import REASONS, reason_text, sentences
from tilecheck.symbolic import Bid, Counter, Mod, bid, cdiv, floordiv, lane, mod, of, symbol
from tilecheck.symbolic.steps import Lemma, ProofStep


def test_every_rule_has_a_text() -> None:
    assert set(REASONS) == {*Lemma, *Cause, *Construction}


def test_a_reason_is_one_sentence_for_each_step() -> None:
    low = mod(bid(0), symbol("N"))
    reason = (ProofStep(Lemma.DIGIT, (floordiv(bid(0), symbol("N")), low, of(symbol("N")))),
              ProofStep(Lemma.SAME, (of(Bid(0)),)))
    assert sentences(reason) == (
        "bid(0) // N is a digit of its own: bid(0) % N stays below N", "bid(0) is the same in both")
    assert reason_text((*because(Cause.FROM_DATA), *because(Cause.WOULD_PROVE, "injective(ids)"))) == (
        "the location depends on data; `injective(ids)` would prove it")


def test_both_copies_of_an_access_have_the_same_text() -> None:
    step = ProofStep(Lemma.SAME, (of(Counter("i@12", 1)) + lane(0, symbol("T")),))
    assert sentences((step,)) == ("i + lane is the same in both",)
    assert sentences((ProofStep(Lemma.CASES, (of(Bid(0)),)), ProofStep(Lemma.CASES, (of(Bid(0, 1)),)))) == (
        "by cases on bid(0)",)


def test_products_of_quotients_have_parentheses() -> None:
    tiles = cdiv(symbol("x.shape[0]"), symbol("T"))
    value = mod(bid(0), symbol("N")) * symbol("S") - of(Mod(bid(1), of(symbol("N")))) * tiles
    (text,) = sentences((ProofStep(Lemma.SAME, (value,)),))
    assert text == "(bid(0) % N)*S - (bid(1) % N)*cdiv(x.shape[0], T) is the same in both"
