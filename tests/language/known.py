"""Kinds of programs on which compiler and checker disagree, each with its reason and a program that shows it."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["KNOWN", "OTHER", "Kind", "find_kind"]

_HEAD = "@ct.kernel\ndef k0(a, b, v, w, i, u, h, n, s, T: ct.Constant[int], F: ct.Constant[bool]):\n"


@dataclass(frozen=True)
class Kind:
    """
    words    a pattern of the words of the compiler
    reason   why the checker does not report the line of the compiler
    example  the body of a kernel with the parameters of the generated ones
    helper   a function that the example calls
    """

    words: str
    reason: str
    example: str
    helper: str = ""

    @property
    def program(self) -> str:
        return self.helper + _HEAD + "".join(f"    {line}\n" for line in self.example.splitlines())


KNOWN = (
    Kind("Expected a tuple$",
         "the compiler names the line where the variable was set, the checker the line that unpacks it",
         "c = n\nq, z = c"),
    Kind("Type of .* depends on path",
         "the compiler names the definition of the parameter that one path leaves as it is, the checker the statement "
         "that sets it",
         "if n > 3:\n    s = 1\nc = s + 1"),
    Kind("changed its type|potentially undefined",
         "a function with an early return is a loop for the compiler: it names the definition of the function",
         "t = help_k0(ct.load(v, (0,), (16,)), n)",
         "def help_k0(q, n):\n    if n > 3:\n        return q\n    z = SIZE\n    SIZE = 3\n    return q * 2\n\n\n"),
    Kind("Static(Exception|EvalError)|static_iter",
         "the compiler executes this expression with Python, and the checker does not report what Python raises",
         "for q in ct.static_iter(range(3) / 2):\n    c = q"),
    Kind("implementation for pow",
         "an integer power is refused if its value is used: the checker follows it to a store, and not to a condition",
         "if n ** 2 > 3:\n    ct.store(w, (0,), ct.load(v, (0,), (16,)))"),
    Kind("InvalidValueError",
         "an operation of constants that has no value, such as a division by zero",
         "c = ct.cdiv(T, 0)"),
)
"""The first that fits is the kind of a program."""

OTHER = "an operand of a kind that is not followed, or code under a condition that is not followed"


def find_kind(words: str) -> Kind | None:
    """The kind of a program that the compiler refuses with these words; None for any other."""
    return next((kind for kind in KNOWN if re.search(kind.words, words)), None)
