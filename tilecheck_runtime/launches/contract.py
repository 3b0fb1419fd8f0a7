"""What a kernel demands of its launches, and whether one meets it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType
from typing import Any, Final

from tilecheck.declare import declaration_of
from tilecheck.proof.contract import ContractError as TextError
from tilecheck.proof.contract import annotation_of, evaluate, parse
from tilecheck.proof.region import Clause
from tilecheck_runtime.launches.arguments import Given
from tilecheck_runtime.launches.structure import needed
from tilecheck_runtime.ownership.errors import ContractError
from tilecheck_runtime.ownership.places import here

__all__ = ["Contract", "contract_of", "enforce", "scalars"]

_SETTLED: Final = frozenset({"proved", "conditional", "atomic", "single-block"})


@dataclass(frozen=True)
class Contract:
    """What is known of a kernel.

    verdict   of the checker; None when it could not look at the kernel
    clauses   that a launch must meet, declared ones first
    declared  how many of them the author wrote
    """

    verdict: str | None
    clauses: tuple[Clause, ...]
    declared: int


def contract_of(function: FunctionType) -> Contract:
    """The contract of a kernel: its `@requires`, and what the checker inferred. Worked out once for a function.

    Raises tilecheck's ContractError for a declared clause that is none.
    """
    return _contract(function, declaration_of(function).requires)


@lru_cache(maxsize=1024)
def _contract(function: FunctionType, requires: tuple[str, ...]) -> Contract:
    declared = [clause for text in requires for clause in parse(text)]
    verdict, texts = _inferred(function)
    inferred = [clause for text in texts for clause in parse(text)]
    known = {clause.text: clause for clause in (*declared, *inferred)}
    return Contract(verdict, tuple(known.values()), len({c.text for c in declared}))


def _inferred(function: FunctionType) -> tuple[str | None, tuple[str, ...]]:
    """The verdict and the clauses of the checker; where it could not settle the kernel, also the clauses that its
    operations need by themselves."""
    report = _report(function)
    if report is None:
        return None, needed(function)
    clauses = tuple(c.clause for c in report.contract)
    return report.verdict, clauses if report.verdict in _SETTLED else (*clauses, *needed(function))


def _report(function: FunctionType) -> Any:
    file = function.__code__.co_filename
    if not os.path.exists(file):
        return None  # typed in, or generated
    from tilecheck.api import check_kernel

    found = [k for k in check_kernel(file, function.__qualname__).kernels if k.line <= _last_line(function)]
    return found[-1] if found else None


def _last_line(function: FunctionType) -> int:
    return max((line for *_, line in function.__code__.co_lines() if line is not None),
               default=function.__code__.co_firstlineno)


def scalars(given: Given, variables: Mapping[str, int], grid: tuple[int, int, int] | None) -> dict[str, int]:
    """Everything that contracts speak of, by the name it has there."""
    values: dict[str, int] = dict(variables)
    values.update({name: int(n) for name, n in given.numbers.items() if isinstance(n, int)})
    if grid is not None:
        values.update({f"grid[{axis}]": n for axis, n in enumerate(grid)})
    for name, handle in given.arrays.items():
        values.update({f"{name}.shape[{axis}]": n for axis, n in enumerate(handle.shape)})
        values.update({f"{name}.strides[{axis}]": n for axis, n in enumerate(handle.strides)})
    return values


def enforce(kernel: str, contract: Contract, values: Mapping[str, int]) -> None:
    """Raises ContractError for the first clause that does not hold, with the values it speaks of. Clauses on the
    contents of arrays are left to the sanitizer."""
    for number, clause in enumerate(contract.clauses):
        if annotation_of(clause) is not None or _holds(clause, values):
            continue
        origin = "declares" if number < contract.declared else "needs"
        spoken = ", ".join(f"{name} = {values[name]}" for name in _names(clause.text) if name in values)
        sides = _sides(clause.text, values)
        raise ContractError(f"`{kernel}` {origin} `{clause.text}`; here {spoken}" + (f": {sides}" if sides else ""),
                            names=tuple(dict.fromkeys(n.partition(".")[0] for n in _names(clause.text))), use=here(),
                            fix="pass arrays and values for which it holds")


def _holds(clause: Clause, values: Mapping[str, int]) -> bool:
    try:
        return evaluate(clause, values)
    except KeyError:
        return True  # about something that this launch does not have, such as the length of a list
    except TextError:
        return True


_NAME: Final = re.compile(r"[A-Za-z_]\w*(?:\.(?:shape|strides)\[\d+\])?(?:\[\d+\])?")
_FUNCTIONS: Final = frozenset({"cdiv", "min", "max", "and", "or", "not", "if", "else", "abs", "numel", "len"})


def _names(text: str) -> Iterator[str]:
    return iter(dict.fromkeys(n for n in _NAME.findall(text) if n not in _FUNCTIONS))


_COMPARISON: Final = re.compile(r"\s(<=|>=|==|!=|<|>)\s")


def _sides(text: str, values: Mapping[str, int]) -> str:
    """Both sides of a single comparison in numbers: "8 <= 4 is false"."""
    from tilecheck.proof.contract import parse_term
    from tilecheck.proof.contract.checking import Scalars
    from tilecheck.proof.terms import evaluate as value_of

    parts = _COMPARISON.split(text)
    if len(parts) != 3 or " and " in text or " or " in text:
        return ""
    try:
        left, right = (value_of(parse_term(side), Scalars(values)) for side in (parts[0], parts[2]))
    except (TextError, KeyError, ArithmeticError):
        return ""
    return f"{left} {parts[1]} {right} is false"
