"""Random host code: an argument that is shown to be an integer is one in every run."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from random import Random
from types import SimpleNamespace
from typing import Final

from tests.interp.host.hosts import launches
from tests.seeds import VARIABLE, source_seed

PROGRAMS: Final = 150
_FORMS: Final = (
    "{} + {}", "{} - {}", "{} * {}", "{} // {}", "{} % {}", "{} / {}", "max({}, {})", "min({}, {})", "int({})",
    "abs({})", "math.floor({})", "math.ceil({})", "-{}", "({} if {} > 1 else {})", "round({})", "sum([{}, {}])",
    "divmod({}, {})[0]", "({} and {})", "({} or {})", "({}) ** 2", "{} ** {}", "len([{}, {}])", "float({})",
    "math.prod([{}, {}])", "{} & {}", "{} << 1", "[{}, {}][0]", "({}, {})[1]", "bool({})", "not {}",
)


def _generate_number(random: Random, depth: int, names: list[str]) -> str:
    if depth == 0 or random.random() < 0.15:
        return random.choice([*names, *names, "0", "1", "2", "0.5"])
    form = random.choice(_FORMS)
    return "(" + form.format(*(_generate_number(random, depth - 1, names) for _ in range(form.count("{}")))) + ")"


def _generate_body(random: Random) -> list[str]:
    names, lines = ["x.shape[0]", "n", "m", "y"], []
    for target in [*(random.choice(["q", "a", "m", "n"]) for _ in range(random.randint(0, 2))), "q"]:
        lines.append(f"    {target} = {_generate_number(random, 2, names)}")
        names += [target] if target not in names else []
    if random.random() < 0.3:
        test, other = _generate_number(random, 1, ["m", "n"]), _generate_number(random, 1, ["m", "n", "y"])
        lines.insert(random.randrange(len(lines)), f"    if {test} > 1:\n        m = {other}")
    return lines


def _find_types(body: list[str]) -> set[type]:
    """The types that the argument has in the runs that do not fail."""
    namespace: dict[str, object] = {"math": math}
    exec("\n".join(["def run(x, n, m: int, y: float):", *body, "    return q"]), namespace)
    return {type(found) for arguments in _list_arguments() for found in _run(namespace["run"], arguments)}


def _list_arguments() -> Iterator[tuple[object, ...]]:
    for extent in (1, 2, 5):
        for n in (0.5, 2, -1.5, 3, 0):
            for m in (1, 3, -2, 0):
                yield SimpleNamespace(shape=(extent, 4)), n, m, 0.5 if m == 1 else 2.0


def _run(function: object, arguments: tuple[object, ...]) -> Iterator[object]:
    assert callable(function)
    try:
        yield function(*arguments)
    except (ArithmeticError, TypeError, ValueError):
        return


def test_an_integer_is_an_integer_in_every_run() -> None:
    first, shown = source_seed(), 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(first, first + PROGRAMS):
            body = _generate_body(Random(seed))
            types = _find_types(body)
            text = "\n".join(["def run(x, n, m: int, y: float):", *body, "    ct.launch(0, (4,), k, (x, x, q, 1))", ""])
            for found in launches(text):
                argument = (found.arguments or ())[2]
                assert argument.integral is not True or types <= {int}, f"{VARIABLE}={seed}: {types}\n{text}"
                assert argument.integral is not False or int not in types, f"{VARIABLE}={seed}: {types}\n{text}"
                shown += argument.integral is True
    assert shown >= PROGRAMS // 10
