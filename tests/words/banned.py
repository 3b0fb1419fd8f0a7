"""The words and forms that prose and names of the project avoid, each with what to write instead.

The terms themselves are defined in `docs/glossary.md`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["ADJECTIVES", "NAME_WORDS", "NOT_PARTICIPLES", "PARTICIPLES", "PHRASES", "PUBLIC_NAMES",
           "Phrase"]


@dataclass(frozen=True)
class Phrase:
    """A form that prose avoids.

    pattern    matched against one sentence or paragraph, in any case
    instead    advice that is printed with a violation
    except_in  path prefixes where the form has another, accepted meaning
    """

    pattern: re.Pattern[str]
    instead: str
    except_in: tuple[str, ...] = ()


def _phrase(pattern: str, instead: str, *except_in: str) -> Phrase:
    return Phrase(re.compile(pattern, re.IGNORECASE), instead, except_in)


_SHADOW_MEMORY: Final = ("tilecheck_runtime/sanitizer", "tilecheck_runtime/cpu", "docs/sanitizer.md", "tests/runtime")

PHRASES: Final = (
    _phrase(r"\bmend(s|ed|ing)?\b", "fix"),
    _phrase(r"\b(hang|hangs|hung|hanging) (up)?on\b", "depend on"),
    _phrase(r"\btold\b", "reported, informed, distinguished"),
    _phrase(r"\btell(s|ing)? (of|apart)\b", "indicate, distinguish"),
    _phrase(r"\bsaid\b", "reported, declared, specified"),
    _phrase(r"\bkept\b", "cached, stored, retained"),
    _phrase(r"\bmade (of|from|out|for|by|into)\b", "built from, computed from, written for"),
    _phrase(r"\bplaced\b", "located, put"),
    _phrase(r"\bsettl(e|es|ed|ing|ement)\b", "prove, decide, resolve"),
    _phrase(r"\b(lent|lend|lends|lending)\b", "borrowed, borrow"),
    _phrase(r"\bmint(s|ed|ing)?\b", "issued by, issue"),
    _phrase(r"\bin view\b|\bvisible launch", "seen launch"),
    _phrase(r"\bgaps?\b", "unsupported construct; space between"),
    _phrase(r"\bshadow(s|ed|ing)?\b(?! memory)", "poison; hide (of a name)", *_SHADOW_MEMORY),
    _phrase(r"(?<![-\w])opt(ed|s|ing)?[- ]outs?(?![-\w])", "suppression"),
    _phrase(r"\bapart\b(?! from\b)", "disjoint, separate"),
    _phrase(r"\bnone of (theirs|ours|his|them at)\b|\b(is|are) none of\b", "not one of; does not apply"),
    _phrase(r"(?<!\bthere )\b(is|are|was|were) no (?!more\b|longer\b|less\b|fewer\b|worse\b|better\b|greater\b|"
            r"larger\b|smaller\b|later\b|earlier\b)", "is not a"),
    _phrase(r"\b(nobody|anybody|somebody)\b", "no code, the reader, unknown code"),
    _phrase(r"\bwhatever\b", "any, regardless of"),
    _phrase(r"\b(of|with|than|beside|besides|as|by|for|from|under|before|after) what\b", "name the thing"),
    _phrase(r"\bwhat (?:[\w`]+ ){1,6}that (is|are|was|it|they|has|have|does|do)\b", "name the thing"),
    _phrase(r"\b(?-i:what) (is|are|was|were) (not )?(\w+(ed|wn|ung)|given|written|taken|held|found|left|put|read|"
            r"done|meant|built|chosen|broken)\b(?! (by|to|from) (the|a|an)\b)", "name the thing: `the proved clauses`"),
    _phrase(r"(?:^|[.] )(?-i:What)(?:ever)? (?!if\b|about\b)[^.?]*\.(?: |$)", "begin with a subject or a verb"),
    _phrase(r", of which\b", "two sentences"),
    _phrase(r"\b(as it may|be it|stands? up to|held against|at fault|bears? (up)?on|gone through|goes through twice)\b",
            "say it plainly"),
    _phrase(r"\bhand(s|ed|ing)? (\w+ )?on\b", "pass"),
    _phrase(r"\b(go|goes|going|went) (both|the same|either) ways?\b", "take both branches, take the same branch"),
    _phrase(r", too\b", "also"),
)

_NAME_WORDS: Final = """
    apart kept lend lendable lent mend mended mint minted said settle settled settlement settles settling
    shaded shadowed told unsettled
"""

NAME_WORDS: Final = frozenset(_NAME_WORDS.split())
"""Words that no name of a function or class contains, as one of its parts."""

_PARTICIPLES: Final = """
    acting adopting asserting assuming bearing begun being broken built capturing chosen clashing colliding
    confirming covering doing done doubting drawn driven ending exceeding fallen felt filling fixing following
    foreseeing forgotten found given gone growing grown having held hidden holding known lacking launching
    left looking lost made meeting met misspelt moving multiplying noting opening outdone overridden overrun
    paid raising ran reaching reading rebound rebuilt remade replacing reporting rewritten rolling running
    seen selecting sent sharing shown shrunk spent spoken spun standing stepping taken telling thrown torn
    trusting understood undone waiting won worded working worn writing written
"""

PARTICIPLES: Final = frozenset(_PARTICIPLES.split())
"""Participles that do not end in `ed`. No function is named by one alone."""

_ADJECTIVES: Final = """
    able about above absolute active actual again ahead alike alive alone along always amiss any anything
    around astray bare beside better between beyond bigger both busy common concerned dead deadly different
    each early either else elsewhere endless every everything everywhere exact extreme faulty few fewest fine
    first foreign fresh further general good graver harmless here important impossible inside instead just
    largest last late later least less little longer longest loose many more most movable near nearest
    necessary negative never new none nothing now odd once only opaque opposite other others otherwise ours
    out outer outside over perhaps plain positive possible quick quiet ready relevant rest right rigid roomy
    same several short shortest silent simple since slowest small some sometimes soon steadily steady stray
    strong stronger strongest theirs then there through together too top twice typical unclear under uniform
    unread unreadable unrelated until useless usual weakest whole wide wider within without worse worst wrong
"""

ADJECTIVES: Final = frozenset(_ADJECTIVES.split())
"""Adjectives, adverbs and pronouns. No function is named by one alone."""

_NOT_PARTICIPLES: Final = """
    bed embed exceed feed need proceed seed shed speed spread succeed
"""

NOT_PARTICIPLES: Final = frozenset(_NOT_PARTICIPLES.split())
"""Words that end in `ed` and are verbs or nouns."""

PUBLIC_NAMES: Final = frozenset({
    "UnsettledKernelError", "broken", "done", "lend", "padded", "then", "transposed", "within",
})
"""Names of the public interface of the runtime, which are stable."""
