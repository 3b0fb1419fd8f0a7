"""Programs before the compiler and before the checker: what each has against them, and where they disagree."""

from __future__ import annotations

import ast
import importlib.util
import random
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from tests.interp.kernel.tile_types.compiled import load_module
from tests.language.front_end import CRASHED, Refused, judge
from tests.language.grammar import HEADER, build_launch, build_program
from tests.language.mutations import mutate
from tilecheck.interp.host.launches import find_launches
from tilecheck.kernel_model.driver import execute
from tilecheck.obligations.operand_types import find_type_faults
from tilecheck.obligations.refusals import find_refused
from tilecheck.obligations.variants import compile_variants
from tilecheck.pipeline.analyze import executor
from tilecheck.pipeline.units import by_kernel
from tilecheck.project.project import Project

__all__ = ["Compared", "compare", "generate"]

BATCH = 25
LATER = "stored_rank"
"""The front end accepts this one: `tileiras` refuses it when it reads the Tile IR."""


@dataclass(frozen=True)
class Found:
    """Something that the checker refuses."""

    code: str
    how: str
    line: int
    words: str


@dataclass(frozen=True)
class Compared:
    """A program with the objections of the compiler and of the checker. Lines count from its first line."""

    text: str
    theirs: Refused | str | None
    mine: tuple[Found, ...]
    first: int

    @property
    def agrees(self) -> bool:
        """Whether both accept the program, or both refuse it, the checker on the line of the compiler at least."""
        if not isinstance(self.theirs, Refused):
            return self.theirs == CRASHED or not self.is_wrong
        lines = {d.line for d in self.mine}
        return self.theirs.line in lines or (self.theirs.line == 0 and bool(lines))

    @property
    def is_wrong(self) -> bool:
        """Whether the checker refuses what the compiler accepts."""
        return self.theirs is None and any(found.how != LATER for found in self.mine)

    def describe(self) -> str:
        lines = self.text.splitlines()
        theirs = self.theirs
        if isinstance(theirs, Refused):
            at = theirs.line - self.first
            where = lines[at].strip() if 0 <= at < len(lines) else f"line {theirs.line}"
            head = f"{theirs.words} | {where}"
        else:
            head = f"{theirs or 'accepted'}"
        found = "; ".join(
            f"{d.code} {d.how} ({d.words}): {lines[d.line - self.first].strip()}"
            if 0 <= d.line - self.first < len(lines) else f"{d.code} {d.how} line {d.line}" for d in self.mine)
        return f"{head} || {found}"


def generate(seed: int, count: int) -> Iterator[str]:
    """Programs with kernels `k0`, `k1` and so on, the same for the same seed. One of four is not changed."""
    rng = random.Random(seed)
    made = 0
    while made < count:
        text = build_program(rng, f"k{made}")
        changes = rng.choice((0, 1, 1, 1, 1, 2, 2, 3))
        text = mutate(text, rng, changes) if changes else text
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                compile(text, "program", "exec")
            except (SyntaxError, ValueError):
                continue
        if f"def k{made}(" in text:
            made += 1
            yield text


def compare(programs: Sequence[str], folder: Path) -> Iterator[Compared]:
    """Compares the programs, some in a file at a time."""
    for start in range(0, len(programs), BATCH):
        yield from _compare_batch(programs[start : start + BATCH], folder / f"programs{start}.py")


def _load(path: Path, text: str) -> ModuleType:
    """The programs as a module. Nothing in it calls torch, which need not be installed."""
    absent = "torch" not in sys.modules and importlib.util.find_spec("torch") is None
    if absent:
        sys.modules["torch"] = ModuleType("torch")
    try:
        return load_module(path, text)
    finally:
        if absent:
            del sys.modules["torch"]


def _compare_batch(programs: Sequence[str], path: Path) -> Iterator[Compared]:
    text, firsts, names = HEADER, [], []
    for program in programs:
        firsts.append(text.count("\n") + 1)
        kernel = next(n for n in ast.parse(program).body if isinstance(n, ast.FunctionDef) and n.name.startswith("k"))
        names.append(kernel.name)
        text += program + build_launch(kernel.name) + "\n\n"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = _load(path, text)
        found = find_all(path)
        for place, (program, name) in enumerate(zip(programs, names, strict=True)):
            yield Compared(program, judge(getattr(module, name)), found[name], firsts[place])


def find_all(path: Path) -> dict[str, tuple[Found, ...]]:
    """Finds the refusals of the checker in each kernel of a file, launched as the file shows. Nothing is proved."""
    project = Project((str(path),))
    module = project.module(str(path))
    launches = by_kernel(find_launches(project, module))
    out = {}
    for site in module.kernels():
        model = execute(project, site)
        assert not any(gap.what.startswith("internal") for gap in model.gaps), model.gaps
        mine = launches.get((site.module.path, site.qualname), ())
        compiled = tuple(compile_variants(model, mine, executor(project, site)))
        out[site.qualname] = (
            *(Found(f.misfit.code, f.misfit.how, f.use.span.line, f.use.op)
              for f in find_type_faults(model, mine, compiled=compiled)),
            *(Found(r.refusal.code, r.refusal.how, r.refusal.span.line, ", ".join(r.refusal.words))
              for r in find_refused(model, mine, compiled)))
    return out
