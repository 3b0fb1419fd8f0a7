"""The checker reports single edits that break a kernel, in the good cases and in external kernels."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from tests.cases.expectations import FOLDER, cases
from tests.cases.launches import GOOD
from tests.mutation import straying
from tests.mutation.edits import edits
from tests.mutation.launches import Candidate, Signature, draws, explore, signature
from tests.mutation.mutate import mutants
from tests.mutation.study import (
    Study,
    Subject,
    check_text,
    corpus_loader,
    isolate_kernel,
    judge,
    list_colliding_mutants,
    subjects,
)
from tests.oracle.aspects import COMPLETE
from tests.oracle.loading import load_text

KERNELS = 40
"""Of the corpus, one of each file before the second of any."""
SAMPLES = [16, pytest.param(KERNELS, marks=pytest.mark.nightly)]
"""Kernels of one run."""
FLAGGED_OF_FEW = 0.75
"""The floor for a small sample, in which the kernels that are hard are too large a share."""
EACH = 6
FLAGGED = 0.9
"""Share of faulty mutants of the corpus that are flagged, as a lower limit. The rest are:

* loops one tile too long where a launch does not relate the extents of several arrays, or its choices are not seen;
* ends that are not clamped any more where a grid is rounded up, or where lengths are read from memory;
* starts of windows, and masks of rows, that depend on data: only the data distinguishes a wrong one from a right one.
"""
SAMPLE = """import cuda.tile as ct

@ct.kernel
def kernel(c, n, T: ct.Constant[int]):
    for p in range(ct.bid(0), n, ct.num_blocks(0)):
        offs = (p // 2) * T + ct.arange(T, dtype=ct.int32)
        ct.scatter(c, (p % 2, offs), 1.0, mask=offs < n)
"""


REACHING = """import cuda.tile as ct

@ct.kernel
def kernel(x, c, n, T: ct.Constant[int]):
    i = ct.bid(0)
    for k in range(ct.num_tiles(x, 1, (1, T))):
        t = ct.load(x, (i, min(k, 3)), (1, T), padding_mode=ct.PaddingMode.ZERO)
        ct.scatter(c, (i, ct.arange(T, dtype=ct.int32)), ct.where(t > 0, t, 0.0), mask=ct.arange(T) < n)
"""


def _load_kernels(text: str, path: Path):
    return load_text(text, str(path))


def _case_subjects():
    path = FOLDER / "raw_good.py"
    text = path.read_text(encoding="utf-8")
    loaded = load_text(text, str(path))
    for case in cases("raw_good.py"):
        kernel = loaded[case.name]
        known, good = explore(kernel, wanted=8)
        given = [_candidate(kernel, known, grid, spec) for grid, spec in GOOD[case.name]]
        yield Subject(path, text, case.name, known, (*given, *good))


def _candidate(kernel, known: Signature, grid, spec) -> Candidate:
    shapes = {n: v for n, v in spec.items() if isinstance(v, tuple)}
    known.kinds.update({n: "array" for n in shapes if known.kinds.get(n) == "unknown"})
    known.ranks.update({n: len(v) for n, v in shapes.items()})
    numbers = {n: v for n, v in spec.items() if n not in shapes}
    return Candidate((*grid, 1, 1)[:3], shapes, numbers, 1)


def _study(subjects_with_loaders, each: int) -> Study:
    verdicts, count = [], 0
    for subject, loader in subjects_with_loaders:
        count += 1
        verdicts += [judge(subject, m, check_text) for m in list_colliding_mutants(subject, loader, each)]
    return Study(tuple(verdicts), count)


def test_edits_are_single_and_parse():
    made = list(mutants(SAMPLE, "kernel"))
    kinds = {m.what for m in made}
    assert kinds == {"index dropped", "axes swapped", "wrong step", "mask dropped", "term dropped", "step halved",
                     "divisor doubled", "modulus halved"}
    for m in made:
        compile(m.text, "mutant", "exec")
    assert len({m.text for m in made}) == len(made)


def test_edits_past_the_end_are_single_and_parse():
    made = list(edits(REACHING, "kernel"))
    assert {m.what for m in made} == {"padding dropped", "clamp dropped", "tile index times tile", "loop end + 1",
                                      "mask dropped"}
    for m in made:
        compile(m.text, "mutant", "exec")
    assert len({m.text for m in made}) == len(made)
    assert "padding_mode" not in next(m.text for m in made if m.what == "padding dropped")


COPYING = """import cuda.tile as ct
import torch

@ct.kernel
def other(x):
    ct.store(x, (ct.bid(0),), ct.zeros((1,), ct.float32))

@ct.kernel
def kernel(x, c, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(x, (i,), (T,), padding_mode=ct.PaddingMode.ZERO))

def run(x, k):
    c = {made}
    ct.launch(0, (ct.cdiv(x.shape[0], 8), 1, 1), kernel, (x, c, 8))
    ct.launch(0, (1, 1, 1), other, (c,))
"""


@pytest.mark.parametrize(("made", "harmless"), [
    ("torch.empty_like(x)", True),
    ("torch.empty((x.shape[0],))", True),
    # a store beyond the end of x is reported
    ("torch.empty((x.shape[0] + 1,))", False),
    ("torch.empty((k,))", False),
    # nothing lies beyond it: that nothing went wrong says nothing
    ("x = torch.empty((64,))", False),
])
def test_a_mutant_that_no_launch_exposes_is_harmless(made, harmless, tmp_path):
    path = tmp_path / "module.py"
    path.write_text(COPYING.format(made=made), encoding="utf-8")
    text = path.read_text(encoding="utf-8")
    original = load_text(text, str(path))["kernel"]
    known, _ = explore(original, wanted=2)
    subject = Subject(path, text, "kernel", known, ())
    (mutant,) = (m for m in edits(text, "kernel") if m.what == "padding dropped")
    assert straying.is_harmless(subject, original, load_text(mutant.text, str(path))["kernel"]) is harmless


def test_other_kernels_do_nothing_and_are_launched_as_before():
    text = COPYING.format(made="torch.empty_like(x)")
    shell = isolate_kernel(text, "kernel")
    assert shell.count("\n") == text.count("\n")
    assert "zeros" not in shell and "@ct.kernel\ndef other(x):\n    pass" in shell
    report = check_text(shell, Path("module.py"))
    assert [k.name for k in report.kernels] == ["other", "kernel"]
    assert {c.state for k in report.kernels if k.name == "kernel" for c in k.contract} >= {"discharged"}


def test_exploring_finds_the_kinds_of_parameters():
    kernel = load_text(SAMPLE)["kernel"]
    assert list(inspect.signature(kernel._pyfunc).parameters) == ["c", "n", "T"]
    assert signature(kernel).kinds == {"c": "unknown", "n": "unknown", "T": "int"}
    known, good = explore(kernel, wanted=5)
    assert known.kinds == {"c": "array", "n": "scalar", "T": "int"}
    assert known.ranks == {"c": 2}
    assert len(good) == 5


@pytest.mark.slow
def test_mutants_of_cases_are_noticed(capsys):
    study = _study(((s, _load_kernels) for s in _case_subjects()), 2 * EACH)
    with capsys.disabled():
        print(f"\ncases: {study.summary()}")
    assert len(study.verdicts) >= 30
    assert study.share("refuted", "noticed") >= 0.95, study.summary()
    assert study.share("refuted") >= 0.70, study.summary()


@pytest.mark.slow
@pytest.mark.parametrize("kernels", SAMPLES)
def test_mutants_of_the_corpus_are_noticed(kernels, corpus, capsys):
    found = subjects(corpus, kernels)
    study = _study(((s, corpus_loader(loader)) for s, loader in found), EACH)
    with capsys.disabled():
        print(f"\ncorpus: {study.summary()}")
    assert study.subjects == kernels
    assert len(study.verdicts) >= 2.5 * kernels
    assert study.share("refuted", "noticed") >= 0.95, study.summary()
    assert study.share("refuted") >= 0.70, study.summary()


def _collect_study(found, each: int) -> Study:
    verdicts, count = [], 0
    for subject, original, loader in found:
        count += 1
        before = check_text(subject.text, subject.path)
        verdicts += [straying.judge(subject, bad, before, original, loader, check_text)
                     for bad in straying.find_straying_mutants(subject, original, before, loader, each)]
    return Study(tuple(verdicts), count)


@pytest.mark.slow
def test_mutants_of_cases_that_leave_arrays_are_noticed(capsys):
    found = ((s, load_text(s.text, str(s.path))[s.name], _load_kernels) for s in _case_subjects())
    study = _collect_study(found, EACH)
    with capsys.disabled():
        print(f"\ncases: {straying.summary(study)}")
    assert len(study.verdicts) >= 15
    if {"bounds", "padding"} == COMPLETE:
        assert study.share("flagged") >= 0.85, straying.summary(study)
        assert study.share("flagged", "excluded") >= 0.9, straying.summary(study)


@pytest.mark.slow
@pytest.mark.parametrize("kernels", SAMPLES)
def test_mutants_of_the_corpus_that_leave_arrays_are_noticed(kernels, corpus, capsys):
    found = ((s, vars(loader.module(_module_name(corpus, s.path)))[s.name], corpus_loader(loader))
             for s, loader in subjects(corpus, kernels, launches=12))
    study = _collect_study(found, 2)
    with capsys.disabled():
        print(f"\ncorpus: {straying.summary(study)}")
    assert len(study.verdicts) >= 1.5 * kernels
    if {"bounds", "padding"} == COMPLETE:
        floor = FLAGGED if kernels == KERNELS else FLAGGED_OF_FEW
        assert study.share("flagged") >= floor, straying.summary(study)
        assert study.share("flagged", "excluded") >= floor, straying.summary(study)


def _module_name(root: Path, path: Path) -> str:
    return ".".join(path.relative_to(root).with_suffix("").parts)


@pytest.mark.slow
@pytest.mark.parametrize("kernels", SAMPLES)
def test_no_proof_of_the_corpus_is_contradicted(kernels, corpus):
    """In launches at random, most of which leave some array."""
    found: list[str] = []
    reports = {}
    for subject, loader in subjects(corpus, 3 * kernels, launches=2):
        report = reports.get(subject.path) or check_text(subject.text, subject.path)
        reports[subject.path] = report
        kernel = vars(loader.module(_module_name(corpus, subject.path)))[subject.name]
        found += straying.contradictions(subject, kernel, report, draws(subject.known, subject.name, 30))
    assert not found, found[0]
