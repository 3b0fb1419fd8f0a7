"""Lists and objects that Python changes while the compiler executes it: their contents are not known."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilecheck.api import check_paths
from tilecheck.config import Config
from tilecheck.diagnostics import KernelReport

CHANGED = {
    "append": "r = []\nfor k in range(q):\n    r.append(k)\nreturn len(r)",
    "an alias": "r = s = [1]\ns.append(2)\nreturn len(r)",
    "an addition in place": "r = s = [1]\nr += [2]\nreturn len(s)",
    "a method as a value": "r = [1]\nadd = r.append\nadd(2)\nreturn len(r)",
    "a list in a list": "r = [[1], [2]]\nr[0].append(2)\nreturn len(r[0])",
    "an item": "r = [1, 2]\nr[0] = 5\nreturn r[0]",
    "a deleted item": "r = [1, 2]\ndel r[0]\nreturn len(r)",
    "a nested function": "r = [1]\ndef add():\n    r.append(2)\nadd()\nreturn len(r)",
    "a function of another library": "r = [1, 2]\nbisect.insort(r, 3)\nreturn len(r)",
    "one of two lists": "r = [1]\ns = [2]\n(r if q > 3 else s).append(2)\nreturn len(r)",
    "code in a string": "r = [1]\nexec('r.append(2)')\nreturn len(r)",
    "a match": "match q:\n    case 16:\n        return 3\n    case _:\n        return 0",
    "an object": "r = Counter()\nr.up()\nreturn r.v",
}
KNOWN = {
    "a list that stays": "r = [1, 2, 3]\nreturn len(r)",
    "a loop": "r = 0\nfor k in range(3):\n    r += 1\nreturn r",
    "a deleted name": "r = 3\ndel q\nreturn r",
}
HEADER = """\
import bisect

import cuda.tile as ct


class Counter:
    def __init__(self):
        self.v = 0

    def up(self):
        self.v += 1


"""


def check_kernel(path: Path, body: str, expression: str = "compute(T)") -> KernelReport:
    inner = "".join(f"    {line}\n" for line in body.splitlines())
    path.write_text(
        f"{HEADER}def compute(q):\n{inner}\n\n@ct.kernel\ndef k(w, T: ct.Constant[int]):\n"
        f"    ct.store(w, (ct.static_eval({expression}),), ct.zeros((16,), ct.float32))\n", encoding="utf-8")
    (kernel,) = check_paths([str(path)], Config(use_cache=False, jobs=1)).kernels
    return kernel


@pytest.mark.parametrize("name", CHANGED)
def test_changed_objects_are_not_known(name: str, tmp_path: Path) -> None:
    kernel = check_kernel(tmp_path / "k.py", CHANGED[name])
    assert kernel.verdict == "unproven"
    assert not [c.clause for c in kernel.contract if c.clause.startswith("w.shape[0] >=")]


def test_a_lambda_may_change_its_argument(tmp_path: Path) -> None:
    kernel = check_kernel(tmp_path / "k.py", "return 0", "(lambda l: (l.append(3), len(l))[1])([1])")
    assert kernel.verdict == "unproven"


@pytest.mark.parametrize("name", KNOWN)
def test_unchanged_objects_are_known(name: str, tmp_path: Path) -> None:
    kernel = check_kernel(tmp_path / "k.py", KNOWN[name])
    assert "w.shape[0] >= 49" in [c.clause for c in kernel.contract]


def test_a_generator_is_not_none(tmp_path: Path) -> None:
    text = (HEADER + "def twice(q):\n    for k in range(q):\n        yield k * 2\n\n\n@ct.kernel\ndef k(w):\n"
            "    for k in ct.static_iter(twice(3)):\n        ct.store(w, (k,), 1.0)\n")
    (tmp_path / "k.py").write_text(text, encoding="utf-8")
    report = check_paths([str(tmp_path / "k.py")], Config(use_cache=False, jobs=1))
    assert not [d.code for d in report.diagnostics if d.code.startswith("TC6")]
