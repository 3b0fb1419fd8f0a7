"""Kernels that do not pass the checker are launched or not, as it was asked."""

from __future__ import annotations

import importlib.util
import warnings

import pytest

import tilecheck_runtime as tcr
from tests.runtime.launches import kernels as k
from tests.runtime.launches import unproven as u
from tests.runtime.launches.refusals import check_refused
from tilecheck.diagnostics import ContractClause, KernelReport
from tilecheck_runtime import KernelFaultError, LaunchArgumentError, UnprovenError, UnprovenWarning, f32, i32, unsafe
from tilecheck_runtime.backends.cpu.backend import CPU
from tilecheck_runtime.contracts import contract, guard
from tilecheck_runtime.contracts.checking import Findings
from tilecheck_runtime.contracts.contract import Contract


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Removes the setting and forgets all earlier warnings."""
    monkeypatch.delenv(guard.VARIABLE, raising=False)
    monkeypatch.setattr(guard, "_WARNED", set())


def _pieces() -> tcr.Partition:
    return tcr.zeros((8,), f32).partition(4)


def _findings(verdict: str, *clauses: str) -> Findings:
    contract = tuple(ContractClause(clause, "structural", "unseen") for clause in clauses)
    return Findings(KernelReport("k.py", "k", 1, verdict, contract, ()), (), (), ())


def _collect_warnings(call) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        call()
    return said


def test_a_watched_launch_warns_once_a_kernel():
    x, where = tcr.arange(8, dtype=f32), tcr.zeros((1,), i32)
    results = []
    said = _collect_warnings(lambda: [results.append(u.placed(_pieces(), x, where).sync()) for _ in range(3)])
    (warned,) = said
    assert warned.category is UnprovenWarning and warned.filename == __file__
    text = str(warned.message)
    assert text.startswith("TC201 `placed` does not pass the checker: could not prove that the index `where[0]` along "
                           "axis 0 of `x` stays inside")
    assert "unproven.py:21" in text and "= help: if it does, say so in the kernel" in text
    assert [r.numpy().tolist() for r in results] == [[0, 1, 2, 3] * 2] * 3


def test_an_unproved_launch_still_reports_faults():
    with pytest.warns(UnprovenWarning, match="TC105 `racing` does not pass the checker"):
        operation = u.racing(_pieces(), tcr.ones((8,), f32))
    with pytest.raises(KernelFaultError, match="TC101 two blocks write element"):
        operation.sync()


def test_the_guard_can_be_disabled(monkeypatch):
    monkeypatch.setenv("TILECHECK_GUARD", "off")
    assert _collect_warnings(lambda: u.placed(_pieces(), tcr.ones((8,), f32), tcr.zeros((1,), i32)).sync()) == []


def test_error_refuses_and_moves_nothing(monkeypatch):
    monkeypatch.setenv("TILECHECK_GUARD", "error")
    p, x = _pieces(), tcr.ones((8,), f32)
    error = check_refused(UnprovenError, lambda: u.racing(p, x))
    assert error.code == "TC105" and error.summary == (
        "`racing` does not pass the checker: `ct.store` writes to the whole array behind `z`, which bypasses the "
        "pieces that blocks own")
    assert error.before.file == u.__file__ and error.before.line == 16
    assert error.fix == 'write through `z`, or take responsibility: @unsafe("why no two blocks write one element")'
    assert k.add(p, x, x).sync().numpy().tolist() == [2] * 8


def test_suppressed_and_proved_kernels_pass(monkeypatch):
    monkeypatch.setenv("TILECHECK_GUARD", "error")
    x = tcr.ones((8,), f32)
    assert u.trusted(_pieces(), x).sync().numpy().tolist() == [1] * 8
    assert k.add(_pieces(), x, x).sync().numpy().tolist() == [2] * 8


def _typed_in() -> tcr.Kernel:
    space = dict(vars(u))
    exec("@kernel\ndef typed(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:\n    z.store(x.load_like(z))\n", space)
    return space["typed"]


def test_a_kernel_that_the_checker_does_not_see(monkeypatch):
    typed, x = _typed_in(), tcr.ones((8,), f32)
    assert _collect_warnings(lambda: typed(_pieces(), x).sync()) == []  # the sanitizer sees all of it
    monkeypatch.setenv("TILECHECK_GUARD", "error")
    error = check_refused(UnprovenError, lambda: typed(_pieces(), x))
    assert error.summary == "the checker could not look at `typed`: its source is in no file, or not as it was imported"
    assert error.fix == "write the kernel in a module, with `@kernel` above its `def`"


@pytest.mark.parametrize("setting", ["", "off", "warn", "error"])
def test_an_unwatched_launch_is_refused_under_every_setting(setting, monkeypatch):
    monkeypatch.setenv("TILECHECK_GUARD", setting)
    monkeypatch.setattr(CPU, "watches", False)
    x = tcr.ones((8,), f32)
    check_refused(UnprovenError, lambda: u.racing(_pieces(), x))
    check_refused(UnprovenError, lambda: _typed_in()(_pieces(), x))
    assert u.trusted(_pieces(), x).sync().numpy().tolist() == [1] * 8
    assert u.allowed(_pieces(), x, tcr.zeros((1,), i32)).sync().numpy().tolist() == [1] * 8
    assert unsafe("it is short")(_typed_in())(_pieces(), x).sync().numpy().tolist() == [1] * 8


def test_an_unknown_setting_is_an_error(monkeypatch):
    monkeypatch.setenv("TILECHECK_GUARD", "yes")
    x = tcr.ones((8,), f32)
    error = check_refused(LaunchArgumentError, lambda: k.add(_pieces(), x, x))
    assert error.summary == "TILECHECK_GUARD is 'yes'" and error.fix == "set it to off, warn, error"


SOURCE = """
from typing import TypeVar
import cuda.tile as ct
from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel
B = TypeVar("B", bound=int)
@kernel
def changing(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    {body}
"""
GOOD, BAD = "z.store(x.load_like(z))", "ct.store(z.array, (0,), x.load_like(z))"


def _import_changing(path, name="changing_module"):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True), vars(module))
    return module.changing


def test_a_kernel_that_is_edited_is_looked_at_again(tmp_path, monkeypatch):
    monkeypatch.setenv("TILECHECK_GUARD", "error")
    path, x = tmp_path / "changing_module.py", tcr.ones((8,), f32)
    path.write_text(SOURCE.format(body=GOOD), encoding="utf-8")
    before = _import_changing(path)
    assert before(_pieces(), x).sync().numpy().tolist() == [1] * 8
    path.write_text(SOURCE.format(body=BAD), encoding="utf-8")
    error = check_refused(UnprovenError, lambda: _import_changing(path)(_pieces(), x))
    assert error.code == "TC105"
    assert before(_pieces(), x).sync().numpy().tolist() == [1] * 8  # known from when it was looked at


def test_a_file_that_was_edited_after_import_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setenv("TILECHECK_GUARD", "error")
    path, x = tmp_path / "edited_module.py", tcr.ones((8,), f32)
    path.write_text(SOURCE.format(body=BAD), encoding="utf-8")
    bad = _import_changing(path)
    path.write_text(SOURCE.format(body=GOOD), encoding="utf-8")
    error = check_refused(UnprovenError, lambda: bad(_pieces(), x))
    assert error.summary == ("the checker could not look at `changing`: its source is in no file, or not as it was "
                             "imported")


def test_a_proof_with_an_unknown_assumption_is_not_enough():
    assumed = Contract(_findings("conditional", "where[0] <= 3"), (), ("where[0] <= 3",))
    guard.check_guard(k.add.__wrapped__, assumed, True)
    error = check_refused(UnprovenError, lambda: guard.check_guard(k.add.__wrapped__, assumed, False))
    assert error.summary == "the proof of `add` assumes `where[0] <= 3`, which no launch can know"
    assert error.fix == "declare what it follows from: `@requires(...)`"
    guard.check_guard(u.trusted.__wrapped__, assumed, False)


def test_unreadable_clauses_are_retained(monkeypatch):
    def check_types(z, x):
        """Nothing is known of it but what follows."""

    monkeypatch.setattr(contract, "findings_on", lambda _: _findings("conditional", "a[b[0]] <= 3", "n <= 3"))
    found = contract.contract_of(check_types)
    assert found.unread == ("a[b[0]] <= 3",) and [d.text for d in found.demands] == ["n <= 3"]


def test_disabled_rules_are_not_proofs():
    silenced = Contract(_findings("refuted"), ())
    guard.check_guard(u.racing.__wrapped__, silenced, True)
    error = check_refused(UnprovenError, lambda: guard.check_guard(u.racing.__wrapped__, silenced, False))
    assert error.summary == "`racing` is not proved, and the project's configuration silences its findings"
    guard.check_guard(u.trusted.__wrapped__, Contract(_findings("unproven"), ()), False)
    guard.check_guard(k.add.__wrapped__, Contract(_findings("proved"), ()), False)
