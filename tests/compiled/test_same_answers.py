"""What is compiled says what its sources say, and neither takes what the other one kept for its own.

Only the innermost modules are compiled here, without optimisation, which takes seconds; with TILECHECK_WHOLE_CORPUS all
that a release has, as it has it.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from native_build import MODULES, widen_fields

from tests.corpus.part import WHOLE, part
from tests.robust.kernels import SOURCES
from tilecheck.api import check_paths
from tilecheck.config import Config
from tilecheck.pipeline import cache

ROOT = Path(__file__).parents[2]
INNERMOST = ("tilecheck/symbolic", "tilecheck/solver/inequalities", "tilecheck/symbolic/footprint.py",
             "tilecheck/contracts/printing.py", "tilecheck/interp/kernel/path_simplify.py")
"""With the modules that derive a class from one of theirs: a class that is not compiled cannot."""

COMPILER = str(sysconfig.get_config_var("CC") or "cc").split()[0]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which(COMPILER) is None, reason="needs a C compiler"),
]


def python(where: Path, *arguments: str | Path) -> str:
    """What an interpreter prints that finds the package in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(where)}
    command = [sys.executable, "-P", *arguments]
    done = subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert not done.stderr, done.stderr
    return done.stdout


def report(where: Path, *arguments: str | Path) -> dict[str, object]:
    out = python(where, "-m", "tilecheck", "--isolated", "--no-respect-gitignore", "--format", "json", *arguments)
    found: dict[str, object] = json.loads(out)
    return found


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package as a release has it: extension modules next to their sources."""
    folder = tmp_path_factory.mktemp("compiled")
    shutil.copytree(ROOT / "tilecheck", folder / "tilecheck", ignore=shutil.ignore_patterns("__pycache__"))
    how = [] if os.environ.get(WHOLE) else [*INNERMOST, "--level", "0"]
    done = subprocess.run([sys.executable, ROOT / "native_build.py", folder, *how], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


MODULE = "import sys, tilecheck.symbolic.polynomials as m; print(m.__file__.endswith('.py'))"


def test_nothing_compiled_is_recomputed_that_should_be_kept() -> None:
    """To mypyc a `cached_property` is a property: the same values, computed whenever they are asked for."""
    sources = [file for path in MODULES
               for file in ([ROOT / path] if path.endswith(".py") else (ROOT / path).rglob("*.py"))]
    assert len(sources) > 40
    assert [file for file in sources if "@cached_property" in file.read_text(encoding="utf-8")] == []


def test_no_class_that_is_interpreted_has_a_compiled_base() -> None:
    own: dict[str, bool] = {}
    bases: list[tuple[str, str]] = []
    for file in (ROOT / "tilecheck").rglob("*.py"):
        place = file.relative_to(ROOT).as_posix()
        compiled = file.name != "__init__.py" and any(place == p or place.startswith(f"{p}/") for p in MODULES)
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.ClassDef):
                own[node.name] = own.get(node.name, False) or compiled
                bases += [] if compiled else [(b.id, node.name) for b in node.bases if isinstance(b, ast.Name)]
    assert own["Substitution"] and not own["Project"]
    assert [pair for pair in bases if own.get(pair[0])] == []


def test_no_generator_is_endless() -> None:
    """Compiled, an expression that generates makes a list of all there is."""
    endless = {"count", "cycle", "repeat"}
    for path in (file for name in MODULES for file in _files(ROOT / name)):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.GeneratorExp | ast.ListComp):
                called = {n.func.id for c in node.generators for n in ast.walk(c.iter)
                          if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
                assert not called & endless, f"{path}:{node.lineno}"


def _files(path: Path) -> list[Path]:
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


def test_classes_that_are_not_there_yet_are_not_loaded_for_fields(tmp_path: Path) -> None:
    source = tmp_path / "m.py"
    source.write_text("""\
from elsewhere import There
if TYPE_CHECKING:
    from elsewhere import Late, Other as Later
@record(frozen=True)
class C:
    late: Late
    later: Later = field(default=None)  # why
    there: There
    any: object
    several: tuple[Late, ...] = ()
def f(late: Late) -> Late: ...
""")
    before = source.read_text().splitlines()
    widen_fields(source)
    changed = [new for old, new in zip(before, source.read_text().splitlines(), strict=True) if new != old]
    assert changed == ["    late: Late | Late", "    later: Later | Later = field(default=None)  # why",
                       "    any: object | object"]


def test_the_compiled_modules_are_the_ones_in_use(compiled: Path) -> None:
    assert python(compiled, "-c", MODULE) == "False\n"
    assert python(ROOT, "-c", MODULE) == "True\n"
    assert python(compiled, "-m", "tilecheck", "--version").endswith(" (compiled)\n")
    assert not python(ROOT, "-m", "tilecheck", "--version").endswith(" (compiled)\n")
    answers = json.loads(python(compiled, "-m", "tilecheck", "doctor", "--format", "json"))["answers"]
    assert answers[0]["text"].endswith(", compiled")


def test_cases_have_the_same_report(compiled: Path) -> None:
    cases = ROOT / "tests" / "cases"
    plain = report(ROOT, "--no-cache", cases)
    assert plain["diagnostics"] and plain["kernels"]
    assert report(compiled, "--no-cache", cases) == plain


def test_real_kernels_have_the_same_report(
    compiled: Path, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Written by workers, which send what they found as pickles, and then from what was kept of it."""
    files = ("ops/cutile/moe.py", "ops/cutile/attention.py", "ops/cutile/softmax.py", "ops/cutile/bmm.py",
             "suites/liger/cutile/group_norm.py")
    tree = part(corpus, tmp_path, *files)
    monkeypatch.setattr("tilecheck.pipeline.pool.analyse_spread", lambda *_: pytest.fail("several processes"))
    with pytest.raises(pytest.fail.Exception, match="several processes"):  # this many files are spread
        check_paths([tree], Config(use_cache=False, jobs=2))
    plain = report(ROOT, "--no-cache", tree)
    assert plain["kernels"]
    kept = ["--jobs", "2", "--cache-dir", tmp_path / "kept"]
    assert report(compiled, *kept, tree) == plain
    assert report(compiled, *kept, tree) == plain


DEEP = ("deep blocks", "elif", "parentheses", "signs", "attributes", "a long sum", "an f-string", "tuples in tuples",
        "recursion", "recursion without end", "helpers of helpers", "doubles", "10,000 terms")


def test_what_is_deep_ends_no_process(compiled: Path, tmp_path: Path) -> None:
    """Compiled code meets no recursion limit, and the processor's stack ends without a word. It may go deeper than the
    sources, and then says more; never something else."""
    for number, name in enumerate(DEEP):
        (tmp_path / f"k{number}.py").write_text(SOURCES[name], encoding="utf-8")
    for depth in (50, 200, 300, 400, 500, 800, 1600, 3000):
        text = SOURCES["a long sum"].replace("+1" * 50_000, "+n*j" * depth)
        (tmp_path / f"sum{depth}.py").write_text(text, encoding="utf-8")
    verdicts = []
    for where in (ROOT, compiled):
        command = [sys.executable, "-P", "-m", "tilecheck", "--isolated", "--no-cache", "--format", "json", tmp_path]
        done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(where)}, cwd=where, capture_output=True,
                              text=True, check=False)
        assert done.returncode in (0, 1, 2), done.stderr  # no signal
        verdicts.append({kernel["file"]: kernel["verdict"] for kernel in json.loads(done.stdout)["kernels"]})
    plain, own = verdicts
    assert plain.keys() <= own.keys()
    assert [path for path in plain if plain[path] not in ("unproven", own[path])] == []


VALUES = """
import pickle, sys
from tilecheck.symbolic import TRUE, bid, conj, floordiv, ge, grid, lane, maximum, mod, ne, symbol
n, t = symbol("n"), symbol("t")
terms = (n * 3 - 1, floordiv(bid(0) * t + lane(0, t), t + 1), mod(n, t), maximum(n, t, n + 5))
values = (*terms, TRUE, conj(ge(n, t), ne(bid(1), grid(1) - 1)))
"""
WRITES = VALUES + "sys.stdout.write(pickle.dumps(values).hex())"
READS = VALUES + """
read = pickle.loads(bytes.fromhex(sys.argv[1]))
assert read == values and read[-2] is TRUE, read
assert [type(v) for v in read] == [type(v) for v in values]
assert all(a.single is b.single for a, b in zip(read[:4], values))
"""


RECORDS = """
import pickle
from tilecheck.syntax.tree import Constant, Span
from tilecheck.symbolic.footprint import BlockPoint, Region
from tilecheck.symbolic import TRUE, bid
place = Span("m.py", 1, 2, 3, 4)
for made in (Region((bid(0),), TRUE), BlockPoint((1, 2, 3), (), ()), place, Constant("", place)):
    read = pickle.loads(pickle.dumps(made))
    assert (read, type(read)) == (made, type(made)), read
    try:
        read.index = read.block = read.span = read.line = ()
    except AttributeError:
        continue
    raise AssertionError("it could be changed")
"""


def test_records_are_sent_between_processes(compiled: Path) -> None:
    for where in (compiled, ROOT):
        python(where, "-c", RECORDS)


def test_what_either_pickles_the_other_reads(compiled: Path) -> None:
    for writer, reader in ((compiled, ROOT), (ROOT, compiled)):
        python(reader, "-c", READS, python(writer, "-c", WRITES))


def test_results_kept_by_the_other_are_not_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    library = tmp_path / "library.so"
    library.write_bytes(b"code")
    signatures = []
    for found in (None, library):
        monkeypatch.setattr(cache, "compiled_library", lambda found=found: found)
        signatures.append(cache.tool_signature.__wrapped__())
    assert signatures[0] != signatures[1]
