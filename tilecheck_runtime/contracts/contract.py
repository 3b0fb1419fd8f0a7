"""The contract of a kernel, and whether a launch satisfies it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from types import FunctionType, MappingProxyType
from typing import Final

from tilecheck.contracts import Annotation, annotation_of, evaluate, parse, parse_term
from tilecheck.contracts import ContractError as TextError
from tilecheck.contracts.checking import Scalars
from tilecheck.decorators import declaration_of
from tilecheck.symbolic import Cond, atoms_of
from tilecheck.symbolic import evaluate as value_of
from tilecheck.symbolic.footprint import Clause
from tilecheck_runtime.contracts.annotations import DECIDABLE
from tilecheck_runtime.contracts.checking import ACCEPTED_VERDICTS, Findings, findings_on, hold_checker
from tilecheck_runtime.contracts.shape_requirements import infer_requirements
from tilecheck_runtime.errors.locations import current_location
from tilecheck_runtime.errors.ownership import ContractError

__all__ = ["Contract", "Demand", "contract_of", "contradiction", "enforce"]

_NO_FLOATS: Final[Mapping[str, float]] = MappingProxyType({})


@dataclass(frozen=True)
class Demand:
    """One clause that a launch must satisfy.

    text        as it is printed: as the author wrote it, if declared
    annotation  the fact about the contents of arrays or the types of numbers, if there is one
    declared    whether the author wrote it
    """

    text: str
    clause: Clause
    annotation: Annotation | None
    declared: bool


@dataclass(frozen=True)
class Contract:
    """The checker's result for a kernel.

    findings  of the checker; None if it could not analyze the kernel
    demands   declared ones first
    unread    clauses about values that no launch knows, such as an element of an array
    """

    findings: Findings | None
    demands: tuple[Demand, ...]
    unread: tuple[str, ...] = ()

    @property
    def verdict(self) -> str | None:
        """The checker's verdict; None without findings."""
        return None if self.findings is None else self.findings.verdict

    @property
    def looks(self) -> bool:
        """Whether a clause refers to contents of arrays that can be checked."""
        return any(d.annotation is not None and d.annotation.name in DECIDABLE for d in self.demands)


def contract_of(function: FunctionType) -> Contract:
    """Returns the contract of a kernel: its `@requires`, and the inferred clauses. Computed once for a function.

    Raises tilecheck's ContractError for an invalid declared clause.
    """
    with hold_checker():
        return _contract(function, declaration_of(function).requires)


@lru_cache(maxsize=1024)
def _contract(function: FunctionType, requires: tuple[str, ...]) -> Contract:
    findings = findings_on(function)
    texts = _inferred_clauses(findings, function)
    found = [d for text in requires for d in _make_demands(text, parse(text), True)]
    found += [d for text in texts for d in _make_demands(text, _parse_printed(text), False)]
    demands = tuple({d.clause.text: d for d in reversed(found)}.values())[::-1]
    return Contract(findings, demands, tuple(text for text in texts if not _parse_printed(text)))


def _make_demands(text: str, clauses: Sequence[Clause], declared: bool) -> list[Demand]:
    return [Demand(text if len(clauses) == 1 else c.text, c, annotation_of(c), declared) for c in clauses]


def _parse_printed(text: str) -> tuple[Clause, ...]:
    """Parses a clause that the checker printed. Returns nothing for clauses about values that no launch knows, such as
    an element of an array, which the sanitizer checks."""
    try:
        return parse(text)
    except TextError:
        return ()


def _inferred_clauses(found: Findings | None, function: FunctionType) -> tuple[str, ...]:
    """Returns the clauses of the checker; for a kernel that it could not prove, also the clauses that its operations
    require."""
    if found is None:
        return infer_requirements(function)
    return found.clauses if found.verdict in ACCEPTED_VERDICTS else (*found.clauses, *infer_requirements(function))


def enforce(
    kernel: str, contract: Contract, values: Mapping[str, int], complete: bool = True,
    floats: Mapping[str, float] = _NO_FLOATS,
) -> None:
    """Raises ContractError for the first clause on shapes and numbers that does not hold, with the values in it.

    complete  whether `values` has all values; otherwise inferred clauses about other values are skipped
    floats    numbers that are not in `values`: an inferred clause has to hold for the integers on both sides of each
    """
    for demand in contract.demands:
        if demand.annotation is not None and demand.annotation.name == "integer":
            _enforce_integer(kernel, demand, demand.annotation.arrays[0].root, values, floats)
        if demand.clause.cond is None:
            continue
        rounded = (values,) if demand.declared else _round_floats(demand.clause.cond, values, floats)
        for numbers in (n for known in rounded for n in _instantiate(demand.text, known)):
            try:
                if evaluate(demand.clause, numbers):
                    continue
            except KeyError as error:
                if not complete and not demand.declared and _missing_name(error) not in floats:
                    continue
                raise _unknown_name_error(kernel, demand, error) from None
            said = ", ".join(f"{name} = {numbers[name]}" for name in _names_in(demand.text) if name in numbers)
            sides = _show_sides(demand.text, numbers)
            values_shown = f"here {said}" + (f": {sides}" if sides else "")
            raise contradiction(kernel, demand, values_shown, _suggest_value(demand, numbers))


def _enforce_integer(
    kernel: str, demand: Demand, name: str, values: Mapping[str, int], floats: Mapping[str, float],
) -> None:
    found = values.get(name, floats.get(name))
    if not isinstance(found, int) or isinstance(found, bool):
        how = f"`{name}` is not an integer" if found is None else f"`{name}` is {found!r}"
        raise contradiction(kernel, demand, f"here {how}", "pass an integer: `int(...)`")


def _round_floats(
    cond: Cond, values: Mapping[str, int], floats: Mapping[str, float],
) -> Iterator[Mapping[str, int]]:
    """Yields the values with the integers below and above each float that a condition mentions: the checker follows a
    number that may be a fraction as one of the two. An infinite number has none."""
    names = sorted(a.key for a in atoms_of(cond) if a.key in floats and math.isfinite(floats[a.key]))
    for chosen in product(*((math.floor(floats[name]), math.ceil(floats[name])) for name in names)):
        yield {**values, **dict(zip(names, chosen, strict=True))}


def _instantiate(text: str, values: Mapping[str, int]) -> Iterator[Mapping[str, int]]:
    """Yields the values to evaluate a clause with: one set for each index of the lists that it mentions with `[*]`."""
    lists = tuple(dict.fromkeys(_EVERY.findall(text)))
    places = sorted({int(m["place"]) for name in values if (m := _MEMBER.match(name)) and m["list"] in lists})
    if not places:
        yield values
    for place in places:
        yield {**values, **{f"{m['list']}[*]{m['rest']}": n for name, n in values.items()
                            if (m := _MEMBER.match(name)) and m["list"] in lists and int(m["place"]) == place}}


_EVERY: Final = re.compile(r"(\w+)\[\*\]")
_MEMBER: Final = re.compile(r"(?P<list>\w+)\[(?P<place>\d+)\](?P<rest>\..*)")


def _suggest_value(demand: Demand, values: Mapping[str, int]) -> str:
    """Suggests one value that would satisfy a clause if nothing else changed: an extent if possible, preferably a value
    that the clause already contains."""
    names = [n for n in _names_in(demand.text) if n in values and ".strides" not in n][::-1]
    known = {values[n] for n in names} | {int(n) for n in re.findall(r"\b\d+\b", demand.text)}
    for name in sorted(names, key=lambda n: ".shape" not in n):
        now = values[name]
        tried = (*sorted(known), *range(now + 1, now + _NEAR), *range(now - 1, now - _NEAR, -1))
        for value in tried:
            if value > 0 and evaluate(demand.clause, {**values, name: value}):
                return f"it holds with `{name}` = {value}, for instance"
    return "pass arrays and values for which it holds"


_NEAR: Final = 64


def contradiction(kernel: str, demand: Demand, how: str, fix: str) -> ContractError:
    """The error of a launch that breaks a clause. `how` says which values break it."""
    about = demand.annotation
    names = tuple(dict.fromkeys(
        n.partition(".")[0] for n in (_names_in(demand.text) if about is None else (a.root for a in about.arrays))))
    verb = "declares" if demand.declared else "needs"
    return ContractError(f"`{kernel}` {verb} `{demand.text}`; {how}", names=names, use=current_location(), fix=fix)


def _missing_name(error: KeyError) -> str:
    return str(getattr(error.args[0], "name", error.args[0]))


def _unknown_name_error(kernel: str, demand: Demand, error: KeyError) -> ContractError:
    return contradiction(kernel, demand, f"a launch has no `{_missing_name(error)}` that is an integer",
                   "speak of parameters, of their `shape` and `strides`, of type variables and of `grid`")


_NAME: Final = re.compile(r"[A-Za-z_]\w*(?:\[\*\])?(?:\.(?:shape|strides)\[\d+\])?(?:\[\d+\])?")
_FUNCTIONS: Final = frozenset({"cdiv", "min", "max", "and", "or", "not", "if", "else", "abs", "numel", "len"})


def _names_in(text: str) -> Iterator[str]:
    return iter(dict.fromkeys(n for n in _NAME.findall(text) if n not in _FUNCTIONS))


_COMPARISON: Final = re.compile(r"\s(<=|>=|==|!=|<|>)\s")


def _show_sides(text: str, values: Mapping[str, int]) -> str:
    """Shows both sides of a single comparison in numbers: "8 <= 4 is false"."""
    parts = _COMPARISON.split(text)
    if len(parts) != 3 or " and " in text or " or " in text:
        return ""
    try:
        left, right = (value_of(parse_term(side), Scalars(values)) for side in (parts[0], parts[2]))
    except (TextError, KeyError, ArithmeticError):
        return ""
    return f"{left} {parts[1]} {right} is false"
