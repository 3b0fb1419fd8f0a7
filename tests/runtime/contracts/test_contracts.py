"""The preconditions of kernels on their launches."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

import tilecheck_runtime as tcr
from tests.cases import dialect
from tests.runtime.launches import kernels as k
from tests.runtime.launches.refusals import check_refused
from tilecheck.contracts import ContractError as TextError
from tilecheck.contracts import annotation_of, parse
from tilecheck_runtime import ContractError, f16, f32, i32
from tilecheck_runtime.contracts.annotations import find_contradiction
from tilecheck_runtime.contracts.contract import contract_of
from tilecheck_runtime.contracts.shape_requirements import infer_requirements
from tilecheck_runtime.launches import launch

pytestmark = pytest.mark.filterwarnings("error")


def test_a_declared_clause_holds_at_every_launch():
    p = tcr.zeros((6,), f32).partition(2)
    error = check_refused(ContractError, lambda: k.declared(p, 1))
    assert error.code == "TC405" and error.names == ("z",)
    assert error.summary == ("`declared` declares `z.shape[0] % 4 == 0`; here z.shape[0] = 6: 2 == 0 is false")
    assert error.fix == "it holds with `z.shape[0]` = 4, for instance"
    q = tcr.zeros((8,), f32).partition(2)
    error = check_refused(ContractError, lambda: k.declared(q, 9))
    assert error.summary == "`declared` declares `n <= 8`; here n = 9: 9 <= 8 is false"
    assert error.fix == "it holds with `n` = 8, for instance"
    assert k.declared(q, 8).sync().numpy().tolist() == [8] * 8


def test_a_clause_that_no_near_value_meets():
    p = tcr.zeros((8,), f32).partition(2)
    error = check_refused(ContractError, lambda: k.declares_the_impossible(p, 3))
    assert error.summary == "`declares_the_impossible` declares `n * n == 2`; here n = 3: 9 == 2 is false"
    assert error.fix == "pass arrays and values for which it holds"


def test_alternatives_are_shown_as_they_are_written():
    p = tcr.zeros((6,), f32).partition(2)
    error = check_refused(ContractError, lambda: k.declares_alternatives(p, 1))
    assert error.summary == ("`declares_alternatives` declares `n == 0 or z.shape[0] % 4 == 0`; here n = 1, "
                             "z.shape[0] = 6")
    assert k.declares_alternatives(p, 0).sync().numpy().tolist() == [0] * 6


def test_a_clause_without_a_subject_is_refused():
    error = check_refused(ContractError, lambda: k.declares_nonsense(tcr.zeros((8,), f32).partition(2)))
    assert error.summary == "`declares_nonsense` declares `m < 4`; a launch has no `m` that is an integer"
    assert error.fix == "speak of parameters, of their `shape` and `strides`, of type variables and of `grid`"


def test_inputs_reach_as_far_as_outputs():
    short = tcr.ones((7,), f32)
    x = tcr.ones((9,), f32)
    error = check_refused(ContractError, lambda: k.add(tcr.zeros((8,), f32).partition(4), x, short))
    assert error.summary == ("`add` needs `z.shape[0] <= y.shape[0]`; here z.shape[0] = 8, y.shape[0] = 7: 8 <= 7 is "
                             "false")
    assert error.fix == "it holds with `y.shape[0]` = 8, for instance"
    assert k.add(tcr.zeros((8,), f32).partition(4), x, x).sync().numpy().tolist() == [2] * 8


def test_inner_extents_of_a_product_agree():
    x, y = tcr.ones((64, 128), f16), tcr.ones((64, 64), f16)
    p = tcr.zeros((64, 64), f32).partition(16, 16)
    error = check_refused(ContractError, lambda: dialect.gemm(p, x, y, 16))
    assert error.fix == "it holds with `y.shape[0]` = 128, for instance"
    assert error.summary.startswith("`gemm` needs `") and "x.shape[1] = 128" in error.summary
    assert "y.shape[0] = 64" in error.summary and set(error.names) >= {"x", "y"}
    made = dialect.gemm(p, x, tcr.ones((128, 64), f16), 16).sync()
    assert (made.numpy() == 128).all()


def test_a_contract_on_data_is_checked_on_the_data():
    x = tcr.arange(8, dtype=f32)
    rows = tcr.from_numpy(np.array([1, 2, 5, 2], np.int32))
    error = check_refused(ContractError, lambda: k.picked(tcr.zeros((4,), f32).partition(2), x, rows).sync())
    assert error.summary == "`picked` declares `injective(rows)`; here rows[1] and rows[3] are both 2"
    assert error.fix == "pass data for which it holds"
    rows = tcr.from_numpy(np.array([1, 2, 5, 8], np.int32))
    error = check_refused(ContractError, lambda: k.picked(tcr.zeros((4,), f32).partition(2), x, rows).sync())
    assert error.summary == "`picked` declares `range(rows, 0, x.shape[0])`; here rows[3] is 8"
    assert rows.dtype is i32


@pytest.mark.parametrize(("text", "arrays", "how"), [
    ("injective(a)", {"a": [3, 1, 2]}, None),
    ("injective(a)", {"a": [3, -1, -1]}, "a[1] and a[2] are both -1"),
    ("injective(a, 4)", {"a": [3, -1, -1, 9, 9]}, None),
    ("injective(a, 4)", {"a": [9, 2, 9, 2]}, "a[1] and a[3] are both 2"),
    ("injective(a)", {"a": []}, None),
    ("monotone(a)", {"a": [0, 0, 4]}, None),
    ("monotone(a)", {"a": [0, 5, 4]}, "a[1] is 5 and a[2] is 4"),
    ("range(a, 0, 3)", {"a": [0, 2]}, None),
    ("range(a, 0, 3)", {"a": [0, 3]}, "a[1] is 3"),
    ("range(a, 0, 3)", {"a": [-1]}, "a[0] is -1"),
    ("multiple(a, 4)", {"a": [0, 8]}, None),
    ("multiple(a, 4)", {"a": [0, 6]}, "a[1] is 6"),
    ("segments(a)", {"a": [0, 3, 2]}, "a[1] is 3 and a[2] is 2"),
    ("segments(a, b)", {"a": [4, 0], "b": [2, 4]}, None),
    ("segments(a, b)", {"a": [4, 0], "b": [2, 5]}, "segment 1 is 0 to 5 and segment 0 is 4 to 6"),
    ("segments(a, b)", {"a": [4, 4], "b": [0, 5]}, None),
    ("ticket(a)", {"a": [1, 1]}, None),
    ("injective(b)", {"a": [1, 1]}, None),
])
def test_annotations_on_data(text, arrays, how):
    (clause,) = parse(text)
    annotation = annotation_of(clause)
    terms = [int(t.constant) for t in annotation.terms]
    assert find_contradiction(annotation, {n: np.array(v, np.int32) for n, v in arrays.items()}, terms) == how


def test_guards_are_worked_out_once_for_arguments_of_one_shape(monkeypatch):
    asked = []
    monkeypatch.setattr(launch, "enforce", lambda *args: asked.append(args[2]))
    launch._KNOWN.clear()
    x = tcr.ones((8,), f32)
    for _ in range(3):
        k.add(tcr.zeros((8,), f32).partition(4), x, x).sync()
    k.add(tcr.zeros((8,), f32).partition(2), x, x).sync()
    k.add(tcr.zeros((4,), f32).partition(2), x, x).sync()
    assert len(asked) == 3
    launch._KNOWN.clear()


def test_contracts_are_worked_out_once_a_kernel():
    assert contract_of(k.add._pyfunc) is contract_of(k.add._pyfunc)
    texts = {c.text for c in contract_of(k.declared._pyfunc).demands}
    assert {"z.shape[0] % 4 == 0", "n <= 8"} <= texts


@pytest.mark.parametrize(("kernel", "clauses"), [
    (dialect.add, ("z.shape[0] <= x.shape[0]", "z.shape[0] <= y.shape[0]")),
    (dialect.gemm, ("cdiv(z.shape[0], BM) <= cdiv(x.shape[0], BM)", "cdiv(x.shape[1], bk) <= cdiv(y.shape[0], bk)",
                    "cdiv(z.shape[1], BN) <= cdiv(y.shape[1], BN)")),
    (k.walked, ("cdiv(z.shape[0], B) <= cdiv(x.shape[0], B)",)),
    (k.walked2, ("cdiv(z.shape[0], B) <= cdiv(x.shape[0], B)", "cdiv(z.shape[1], C) <= cdiv(x.shape[1], C)")),
    (k.sixteen, ("z.shape[0] <= x.shape[0]",)),
    (k.outside, ()),
])
def test_operations_have_needs_of_their_own(kernel, clauses):
    assert infer_requirements(kernel._pyfunc) == clauses


def test_a_kernel_inside_a_function_has_its_verdict():
    contract = contract_of(_make_kernels()._pyfunc)
    assert contract.verdict == "proved" and "z.shape[0] <= x.shape[0]" in {d.text for d in contract.demands}


def _make_kernels():
    @tcr.kernel
    def inner(z: tcr.Mut[f32, k.B], x: tcr.Ref[f32, tcr.Dyn]) -> None:
        z.store(x.load_like(z))

    return inner


def test_a_kernel_without_a_file_is_checked_for_the_needs_of_its_operations():
    space = {"__name__": "typed_in"}
    text = ("from tests.runtime.launches.kernels import B, Dyn, Mut, Ref, f32, kernel\n\n\n@kernel\n"
            "def typed(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:\n    z.store(x.load_like(z))\n")
    linecache.cache["<typed in>"] = (len(text), None, text.splitlines(keepends=True), "<typed in>")
    exec(compile(text, "<typed in>", "exec"), space)
    kernel = space["typed"]
    assert contract_of(kernel._pyfunc).verdict is None
    p, x = tcr.zeros((8,), f32).partition(4), tcr.ones((4,), f32)
    error = check_refused(ContractError, lambda: kernel(p, x))
    assert error.summary == ("`typed` needs `z.shape[0] <= x.shape[0]`; here z.shape[0] = 8, x.shape[0] = 4: 8 <= 4 is "
                             "false")


def test_conditions_need_nothing():
    assert infer_requirements(sometimes._pyfunc) == ()


@tcr.kernel
def sometimes(z: tcr.Mut[f32, k.B], x: tcr.Ref[f32, tcr.Dyn], flag: int) -> None:
    t = z.load()
    if flag > 0:
        t = x.load_like(z)
    for _ in range(flag):
        t = x.load_like(z)
    z.store(t)


def test_an_invalid_contract_is_reported():
    from tilecheck import requires

    wrong = requires("z.shape[0] <")(lambda z: None)
    with pytest.raises(TextError):
        contract_of(wrong)


def test_a_type_variable_and_a_parameter_of_one_name_are_two_numbers():
    p, x = tcr.zeros((8,), f32).partition(4), tcr.arange(8, dtype=f32)
    error = check_refused(ContractError, lambda: k.shifted(p, x, 2))
    assert error.summary == ("`shifted` needs `n < cdiv(x.shape[0], n_)`; here n = 2, x.shape[0] = 8, n_ = 4: "
                             "2 < 2 is false")
    assert k.shifted(p, x, 1).sync().numpy().tolist() == [4, 5, 6, 7] * 2


def test_without_the_checker_they_are_two_numbers_as_well():
    assert infer_requirements(k.walked_by.__wrapped__) == ("cdiv(z.shape[0], n_) <= cdiv(x.shape[0], n)",)


def test_a_type_variable_that_is_called_like_a_number_is_another():
    kernel = k.a_number_called_like_a_type_variable
    assert kernel(tcr.zeros((8,), f32).partition(4), 3).sync().numpy().tolist() == [3] * 8
    assert kernel(tcr.zeros((8,), f32).partition(4), -1).sync().numpy().tolist() == [-1] * 8
    error = check_refused(ContractError, lambda: kernel(tcr.zeros((8,), f32).partition(1), 4))
    assert error.summary.startswith("`a_number_called_like_a_type_variable` needs `B_ % 2 == 0 or z.shape[0] <= B_`")
