"""`mypy --strict` on kernels of other projects: its reports, and that none of them is the fault of the stubs.

`corpus.json` has the number of errors of each kind; `UPDATE_TYPES=1` writes it anew. Packages that happen to be
installed make no difference, but the version of mypy does: with another one, only the faults of the stubs count.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.corpus.wheel import WHEEL
from tests.stubs.checkers import TYPINGS

pytestmark = pytest.mark.slow
KEPT = Path(__file__).with_name("corpus.json")
FAULT = "fault of the stubs"
_OURS = (r"\b(Tile|TiledView|Array|DType|kernel|_\w+Tile)\[|cuda\.tile|Module has no attribute"
         r"|\b(float|int|bool_|uint)\d+\b")
"""Texts that have to do with types of `cuda.tile`."""
KINDS = (
    # kind, codes, text
    ("annotations that the code lacks",
     "no-untyped-def|no-untyped-call|type-arg|no-any-return|var-annotated|untyped-decorator", ""),
    ("a base class or decorator of a package that is not installed", "misc", "Class cannot subclass"),
    ("a name that cuda.tile 1.7 does not have", "attr-defined", r'Module has no attribute "sigmoid"'),
    ("a variable with one element type on one path and another on another", "assignment",
     r'expression has type "Tile\[(\w+), (.*)\]", variable has type "Tile\[(?!\1)\w+, \2\]"'),
    ("a variable that is a number on one path and a tile on another", "assignment",
     r'expression has type "(int|float)", variable has type "Tile'
     r'|expression has type "Tile.*variable has type "(int|float)"'),
    ("a variable with one rank on one path and another on another", "assignment",
     r'expression has type "Tile\[.*", variable has type "Tile\['),
    ("one variable for kernels with different parameters", "assignment|return-value", r"kernel\[\["),
    ("None where a tile is due", "arg-type", r'"mma" has incompatible type "Tile.* \| None"'),
    ("the builtins min and max of a number and a tile", "call-overload|operator", "SupportsDunder"),
    (FAULT, ".*", _OURS),
    ("not about cuda.tile", ".*", ""),
)
_ERROR = re.compile(r"^(?P<where>\S+?:\d+): error: (?P<text>.+?)  \[(?P<code>[\w-]+)\]$", re.M)


def kind(code: str, text: str) -> str:
    return next(name for name, codes, pattern in KINDS if re.fullmatch(codes, code) and re.search(pattern, text))


@pytest.fixture(scope="module")
def errors(corpus, tmp_path_factory) -> list[tuple[str, str, str]]:
    """Place, code and text."""
    folder = tmp_path_factory.mktemp("corpus")
    config = folder / "mypy.ini"
    config.write_text(f"[mypy]\nstrict = True\nmypy_path = {TYPINGS}\nignore_missing_imports = True\n",
                      encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(config), "--no-site-packages", "--no-color-output",
         "--cache-dir", str(folder / "cache"), "tilegym"],
        cwd=corpus, capture_output=True, text=True, check=False)
    found = [(m["where"], m["code"], m["text"]) for m in _ERROR.finditer(done.stdout)]
    assert found, done.stderr
    return found


def test_no_error_is_the_fault_of_the_stubs(errors):
    faults = [f"{where}: {text} [{code}]" for where, code, text in errors if kind(code, text) == FAULT]
    assert not faults, "\n".join(faults)


def test_errors_equal_the_recorded_ones(errors):
    counts = Counter((kind(code, text), code) for _, code, text in errors)
    names = [name for name, _, _ in KINDS if name != FAULT]
    found = {name: {code: n for (k, code), n in sorted(counts.items()) if k == name} for name in names}
    mypy = version("mypy")
    if os.environ.get("UPDATE_TYPES"):
        kept = {"wheel": WHEEL, "mypy": mypy, "errors": found}
        KEPT.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    assert kept["wheel"] == WHEEL
    if kept["mypy"] != mypy:
        pytest.skip(f"kept for mypy {kept['mypy']}, this is {mypy}")
    assert found == kept["errors"]


def test_an_error_in_the_stubs_would_fail():
    assert kind("arg-type", 'Argument 2 to "load" has incompatible type "str"; expected "int | Tile[Any]"') == FAULT
    assert kind("attr-defined", 'Module has no attribute "num_tiles"') == FAULT
    assert kind("operator", 'Unsupported operand types for + ("Tile[Any, int]" and "Tile[Any, int]")') == FAULT
    assert kind("arg-type", 'Argument 1 to "f" has incompatible type "None"; expected "int"') == "not about cuda.tile"
