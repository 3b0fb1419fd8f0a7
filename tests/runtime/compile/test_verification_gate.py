"""Kernels without a known verdict are not compiled, unless the author takes responsibility."""

from __future__ import annotations

import importlib.util
import sys

import pytest

from tests.cases import dialect as cases
from tests.runtime.compile import kernels
from tilecheck.decorators import unsafe
from tilecheck_runtime import Kernel
from tilecheck_runtime.compile.verification_gate import Verification, require_verified
from tilecheck_runtime.errors.compilation import UnsettledKernelError


def load_module(tmp_path, monkeypatch, text, name="fresh"):
    path = tmp_path / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["add", "axpy", "gemm", "copy", "long"])
def test_kernels_proved_under_a_contract_may_be_compiled(name):
    assert require_verified(getattr(kernels, name)._pyfunc) == Verification("contract")


def test_right_kernels_of_the_cases_may_be_compiled():
    for name in ("add", "gemm", "rms_norm", "gathers_rows", "two_outputs"):
        assert require_verified(getattr(cases, name)._pyfunc).how == "contract"


WRONG = ["store_to_input", "wrong_shape", "operands_swapped", "hand_made_index", "foreign_cell", "cell_lost_at_join",
         "raw_store_into_piece", "nested_does_not_divide"]


@pytest.mark.parametrize("name", WRONG)
def test_wrong_kernels_of_the_cases_may_not_be_compiled(name):
    kernel = getattr(cases, name)
    assert isinstance(kernel, Kernel)
    with pytest.raises(UnsettledKernelError, match=f"`{name}` is not compiled: the checker refuses it"):
        require_verified(kernel._pyfunc)


def test_the_error_contains_the_findings():
    with pytest.raises(UnsettledKernelError) as caught:
        require_verified(kernels.first_tile._pyfunc)
    text = str(caught.value)
    assert text.startswith("`first_tile` is not compiled: the checker refuses it\n  --> ")
    assert "= note: TC101 line " in text and 'take responsibility: @unsafe("why it is right")' in text
    with pytest.raises(UnsettledKernelError, match=r"is not compiled: it is not proved\n(?s:.)*TC102 line"):
        require_verified(kernels.scattered._pyfunc)


def test_suppressions_show_their_reasons():
    because = Verification("opt-out", ("every row is in the list once",))
    assert require_verified(kernels.scattered_by_promise._pyfunc) == because
    assert require_verified(kernels.scattered_by_comment._pyfunc) == because


HEAD = """
import cuda.tile as ct

"""
SCATTER = HEAD + """
@ct.kernel
def k(z, rows, T: ct.Constant[int]):
    i = ct.bid(0)
    lanes = i * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(z, ct.gather(rows, lanes), ct.zeros((T,), ct.float32)){comment}
"""


@pytest.mark.parametrize("comment", ["", "  # tilecheck: allow[TC304] another rule",
                                     "  # tilecheck: allow[TC102] only one of both"])
def test_a_suppression_of_another_rule_does_not_count(tmp_path, monkeypatch, comment):
    module = load_module(tmp_path, monkeypatch, SCATTER.format(comment=comment))
    with pytest.raises(UnsettledKernelError):
        require_verified(module.k._pyfunc)


def test_a_reason_that_comes_later_counts(tmp_path, monkeypatch):
    function = load_module(tmp_path, monkeypatch, SCATTER.format(comment=""), "later").k._pyfunc
    with pytest.raises(UnsettledKernelError):
        require_verified(function)
    assert require_verified(unsafe("looked at")(function)) == Verification("opt-out", ("looked at",))


def test_a_kernel_without_a_file_is_not_known():
    space = {}
    exec("def k(z): pass", space)
    with pytest.raises(UnsettledKernelError, match=r"the checker does not see it\n(?s:.)*the checker reads files"):
        require_verified(space["k"])


GOOD = HEAD + """
@ct.kernel
def k(x, z, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(z, (i,), ct.load(x, (i,), (T,), padding_mode=ct.PaddingMode.ZERO))
"""


def test_a_file_edited_after_loading_invalidates_the_proof(tmp_path, monkeypatch):
    module = load_module(tmp_path, monkeypatch, GOOD.replace("ct.store(z, (i,)", "ct.store(z, (0,)"), "edited")
    (tmp_path / "edited.py").write_text(GOOD)
    message = r"its source, or that of a helper, has changed since it was loaded\n(?s:.)*load it anew"
    with pytest.raises(UnsettledKernelError, match=message):
        require_verified(module.k._pyfunc)


HELPED = """
import cuda.tile as ct
from {helpers} import place


@ct.kernel
def k(x, z, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(z, (place(i),), ct.load(x, (i,), (T,), padding_mode=ct.PaddingMode.ZERO))
"""


def test_a_helper_edited_after_loading_invalidates_the_proof(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "wrong_helpers.py").write_text("def place(i):\n    return i // 2\n")
    module = load_module(tmp_path, monkeypatch, HELPED.format(helpers="wrong_helpers"), "helped")
    (tmp_path / "wrong_helpers.py").write_text("def place(i):\n    return i\n")
    with pytest.raises(UnsettledKernelError, match="its source, or that of a helper, has changed"):
        require_verified(module.k._pyfunc)
    (tmp_path / "right_helpers.py").write_text("def place(i):\n    return i\n")
    again = load_module(tmp_path, monkeypatch, HELPED.format(helpers="right_helpers"), "helped_right")
    assert require_verified(again.k._pyfunc).how == "contract"


def test_a_file_that_was_edited_and_loaded_again_is_looked_at_again(tmp_path, monkeypatch):
    # an edit of the same length in the same second is not seen in the compiled file
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert require_verified(load_module(tmp_path, monkeypatch, GOOD, "reloaded").k._pyfunc).how == "contract"
    wrong = load_module(tmp_path, monkeypatch, GOOD.replace("ct.store(z, (i,)", "ct.store(z, (0,)"), "reloaded")
    with pytest.raises(UnsettledKernelError, match="TC101"):
        require_verified(wrong.k._pyfunc)


def test_a_helper_that_was_edited_and_loaded_again_is_looked_at_again(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    for text, right in (("i", True), ("i // 2", False)):
        monkeypatch.delitem(sys.modules, "some_helpers", raising=False)
        (tmp_path / "some_helpers.py").write_text(f"def place(i):\n    return {text}\n")
        importlib.invalidate_caches()
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        module = load_module(tmp_path, monkeypatch, HELPED.format(helpers="some_helpers"), "helped_again")
        if right:
            assert require_verified(module.k._pyfunc).how == "contract"
        else:
            with pytest.raises(UnsettledKernelError, match="TC101"):
                require_verified(module.k._pyfunc)


SIZED = """
import cuda.tile as ct
TILE: int = 2 * 32
OTHER = 7


@ct.kernel
def k(x, z):
    i = ct.bid(0)
    ct.store(z, (i,), ct.load(x, (i,), (TILE,), padding_mode=ct.PaddingMode.ZERO))
"""


def test_a_changed_global_invalidates_the_proof(tmp_path, monkeypatch):
    module = load_module(tmp_path, monkeypatch, SIZED, "sized")
    module.OTHER = 8
    assert require_verified(module.k._pyfunc).how == "contract"
    module = load_module(tmp_path, monkeypatch, SIZED, "resized")
    module.TILE = 128
    with pytest.raises(UnsettledKernelError, match="its source, or that of a helper, has changed"):
        require_verified(module.k._pyfunc)


def test_a_global_changed_after_the_check_invalidates_the_proof(tmp_path, monkeypatch):
    module = load_module(tmp_path, monkeypatch, SIZED, "sized_later")
    assert require_verified(module.k._pyfunc).how == "contract"
    module.TILE = 128
    with pytest.raises(UnsettledKernelError, match="its source, or that of a helper, has changed"):
        require_verified(module.k._pyfunc)
    module.TILE = 64
    assert require_verified(module.k._pyfunc).how == "contract"


SWAPPED = """
import cuda.tile as ct


def place(i):
    return i


def other(i):
    return i // 2


@ct.kernel
def k(x, z, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(z, (place(i),), ct.load(x, (i,), (T,), padding_mode=ct.PaddingMode.ZERO))
"""


def test_a_replaced_helper_invalidates_the_proof(tmp_path, monkeypatch):
    """That it is written in the same file makes no difference: it is not the one that is named."""
    module = load_module(tmp_path, monkeypatch, SWAPPED, "swapped")
    assert require_verified(module.k._pyfunc).how == "contract"
    module.place = module.other
    with pytest.raises(UnsettledKernelError, match="its source, or that of a helper, has changed"):
        require_verified(module.k._pyfunc)


def test_a_helper_imported_under_another_name_is_recognised(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "named_helpers.py").write_text("def place(i):\n    return i\n")
    source = HELPED.format(helpers="named_helpers").replace("import place", "import place as put")
    source = source.replace("place(", "put(")
    assert require_verified(load_module(tmp_path, monkeypatch, source, "renamed").k._pyfunc).how == "contract"
