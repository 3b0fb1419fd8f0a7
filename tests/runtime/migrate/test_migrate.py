"""Raw kernels in the dialect: what becomes of each shape of kernel, and that what is not the same is refused.

`migrate` itself checks the new kernel, asks mypy, and compares both kernels on the CPU: a result is one that passed.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.docs.markdown import ROOT
from tilecheck_runtime.commands.migrate import migrate
from tilecheck_runtime.migrate import compare
from tilecheck_runtime.migrate.refusal import Refusal

CASES = ROOT / "tests" / "cases" / "raw_good.py"
EXAMPLES = ROOT / "examples"

MIGRATED = [
    *((EXAMPLES / file, name) for file, name in [
        ("vector_add.py", "vector_add"), ("softmax.py", "softmax_rows"), ("transpose.py", "transpose_tiles"),
        ("flat_scatter.py", "scale"), ("grouped_gemm.py", "gemm"), ("head_permutation.py", "permute_heads"),
    ]),
    *((CASES, name) for name in [
        "mixed_radix", "flat_scatter", "rows_2d_scatter", "persistent", "grouped_gemm", "persistent_grouped",
        "in_place_own_tile", "padded_softmax", "undefined_padding_never_observed", "masked_after_load",
    ]),
]
REFUSED = [
    (EXAMPLES / "head_permutation.py", "permute_heads_racy", "the kernel has a finding: TC101"),
    (CASES, "even_odd", "`c` is written here and in line 96; an output of the dialect is written in one place"),
    (CASES, "only_block_zero_writes", "the index of `c` has no block coordinate in it"),
    (CASES, "histogram", "nothing is written in pieces, so there is no output that a grid would follow from"),
    (CASES, "halves_of_a_row", "`o` is written here and in line"),
    (CASES, "single_block", "the index of `c` has no block coordinate in it"),
    (CASES, "grouped", "has no kernel `grouped`; it has vadd, transpose"),
]


@pytest.mark.parametrize(("path", "name"), MIGRATED, ids=lambda value: getattr(value, "stem", value))
def test_a_proved_kernel_is_migrated(path: Path, name: str) -> None:
    made, launches, typed = migrate(str(path), name, {}, "f32")
    assert typed and launches >= 4
    assert "ct.bid" not in made.text and "num_blocks" not in made.text


@pytest.mark.parametrize(("path", "name", "why"), REFUSED, ids=lambda value: getattr(value, "stem", None))
def test_unsupported_kernels_are_refused_with_the_reason(path: Path, name: str, why: str) -> None:
    with pytest.raises(Refusal) as refusal:
        migrate(str(path), name, {}, "f32")
    assert why in refusal.value.message


HEAD = """\
import math

import cuda.tile as ct
from cuda.tile import RoundingMode as RMd
from tilecheck import requires

Int = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


def twice(t):
    return t * FACTOR


FACTOR = 2.0

"""


def kernel(tmp_path: Path, text: str, types: dict[str, str] | None = None) -> str:
    """The migrated text of the kernel `k`, from the line of its decorators on."""
    path = tmp_path / "raw.py"
    path.write_text(HEAD + textwrap.dedent(text))
    made, _, _ = migrate(str(path), "k", types or {}, "f32")
    lines = made.text.split("\n")
    first = next(n for n, line in enumerate(lines) if line.startswith(("@requires", "@kernel")))
    return "\n".join(lines[first:])


def refusal(tmp_path: Path, text: str, types: dict[str, str] | None = None) -> str:
    with pytest.raises(Refusal) as found:
        kernel(tmp_path, text, types)
    return found.value.message


def test_element_wise_kernels_have_no_index_left(tmp_path: Path) -> None:
    assert kernel(tmp_path, """
        @ct.kernel
        def k(x, y, out, T: Int):
            \"\"\"Adds.\"\"\"
            i = ct.bid(0)
            # both tiles
            a = ct.load(x, (i,), (T,))
            ct.store(out, (i,), a + ct.load(y, (i,), (T,)))
    """) == textwrap.dedent("""\
        @kernel
        def k(x: Ref[f32, Dyn], y: Ref[f32, Dyn], out: Mut[f32, T]) -> None:
            \"\"\"Adds.\"\"\"
            # both tiles
            a = x.load_like(out)
            out.store(a + y.load_like(out))
    """)


def test_a_persistent_product_walks_the_cells(tmp_path: Path) -> None:
    assert kernel(tmp_path, """
        @ct.kernel
        def k(A, B, C, tm: Int, tn: Int, BLOCK_K: Int):
            columns = ct.cdiv(C.shape[1], tn)
            total = ct.cdiv(C.shape[0], tm) * columns
            for p in range(ct.bid(0), total, ct.num_blocks(0)):
                i, j = p // columns, p % columns
                acc = ct.zeros((tm, tn), ct.float32)
                for n in range(ct.num_tiles(A, axis=1, shape=(tm, BLOCK_K))):
                    a = ct.load(A, (i, n), (tm, BLOCK_K), padding_mode=ZERO)
                    acc = ct.mma(a, ct.load(B, (n, j), (BLOCK_K, tn), padding_mode=ZERO), acc)
                ct.store(C, (i, j), ct.astype(acc, C.dtype))
    """, {"A": "f16", "B": "f16", "C": "f16"}) == textwrap.dedent("""\
        @kernel
        def k(A: Ref[f16, Dyn, Dyn], B: Ref[f16, Dyn, Dyn], C: Mut[f16, TM, TN], block_k: BLOCK_K) -> None:
            tm, tn = C.tile
            pa = A.partition(tm, block_k)
            pb = B.partition(block_k, tn)
            for cell in C.cells():
                i, j = C.coords(cell)
                acc = ct.zeros((tm, tn), ct.float32)
                for n in range(pa.tiles(1)):
                    a = pa[i, n]
                    acc = ct.mma(a, pb[n, j], acc)
                C[cell] = ct.astype(acc, ct.float16)
    """)


def test_rows_with_a_norm_and_numbers(tmp_path: Path) -> None:
    made = kernel(tmp_path, """
        @ct.kernel
        def k(x, w, out, n: int, eps: float, T: Int):
            row = ct.bid(0)
            t = ct.load(x, (row, 0), (1, T), padding_mode=ZERO)
            r = ct.rsqrt(ct.sum(t * t, axis=1, keepdims=True) / n + eps)
            ct.store(out, (row, 0), twice(t) * r * ct.load(w, (0,), (T,), padding_mode=ZERO))
    """)
    assert "x: Ref[f32, Dyn, Dyn], w: Ref[f32, Dyn], out: Mut[f32, Literal[1], T], n: int, eps: float" in made
    assert '@requires("out.shape[1] <= T")' in made
    assert "x.load_like(out)" in made and "twice(t) * r" in made


def test_helpers_and_constants_are_migrated(tmp_path: Path) -> None:
    path = tmp_path / "raw.py"
    path.write_text(HEAD + "raise SystemExit('nothing but the kernel is executed')\n" + textwrap.dedent("""
        @ct.kernel
        def k(x, out, T: Int):
            i = ct.bid(0)
            ct.store(out, (i,), ct.exp(twice(ct.load(x, (i,), (T,))) + math.pi, rounding_mode=RMd.APPROX))
    """))
    made, _, _ = migrate(str(path), "k", {}, "f32")
    assert "def twice(t: Any) -> Any:\n    return t * FACTOR\n" in made.text
    assert "FACTOR = 2.0" in made.text and "import math\n" in made.text
    assert "from cuda.tile import RoundingMode as RMd\n" in made.text
    assert "SystemExit" not in made.text and "ZERO" not in made.text


@pytest.mark.parametrize(("body", "expected"), [
    ("ct.store(out, (i, 0), ct.load(x, (i, 0), (1, T), order=(1, 0)))",
     "out.store(x.permute(1, 0).load((i, 0), out.tile))"),
    ("row = ct.gather(x, (i, lanes), padding_value=-math.inf)\n"
     "ct.scatter(out, (i, lanes), ct.exp(row - ct.max(row)))",
     "out.store(ct.reshape(ct.exp(row - ct.max(row)), out.tile))"),
    ("ct.scatter(out, (i, lanes), ct.gather(x, (i, lanes), mask=lanes < n), mask=lanes < n)",
     "out.scatter((0, ct.arange(t, dtype=ct.int32)), "
     "ct.where(lanes < n, x.gather((i, lanes)), 0), lanes < n)"),
    ("ct.store(out, (i, 0), ct.load(out, (i, 0), (1, T)) + ct.load(x, (i, 0), (1, T)))",
     "out.store(out.load() + x.load_like(out))"),
    ("pad = ct.PaddingMode.NEG_INF\nt = ct.load(x, (i, 0), (1, T), padding_mode=pad)\n"
     "ct.store(out, (i, 0), t - ct.max(t, axis=1, keepdims=True))",
     "x.padded(ct.PaddingMode.NEG_INF).load_like(out)"),
])
def test_accesses_of_all_kinds(tmp_path: Path, body: str, expected: str) -> None:
    lanes = "    lanes = ct.arange(T, dtype=ct.int32)\n" if "lanes" in body else ""
    text = f"@ct.kernel\ndef k(x, out, n: int, T: Int):\n    i = ct.bid(0)\n{lanes}{textwrap.indent(body, '    ')}\n"
    assert expected in kernel(tmp_path, text)


def test_a_name_that_is_bound_to_other_types_gets_others(tmp_path: Path) -> None:
    made = kernel(tmp_path, """
        @ct.kernel
        def k(A, B, C, tm: Int, tn: Int, tk: Int):
            q, i, j = ct.bid(0), ct.bid(1), ct.bid(2)
            acc = ct.zeros((tm, tn), ct.float32)
            for n in range(ct.num_tiles(A, axis=2, shape=(1, tm, tk))):
                a = ct.load(A, (q, i, n), (1, tm, tk), padding_mode=ZERO)
                a = ct.reshape(a, (tm, tk))
                b = ct.load(B, (q, n, j), (1, tk, tn), padding_mode=ZERO)
                b = ct.reshape(b, (tk, tn))
                acc = ct.mma(a, b, acc)
            acc = ct.reshape(acc, (1, tm, tn))
            ct.store(C, (q, i, j), acc)
    """)
    assert "a_1 = pa[q, i, n]\n        a = ct.reshape(a_1, (tm, tk))\n" in made
    assert "acc = ct.mma(a, b, acc)\n    acc_1 = ct.reshape(acc, C.tile)\n    C.store(acc_1)" in made


def test_two_outputs_and_an_accumulator(tmp_path: Path) -> None:
    made = kernel(tmp_path, """
        @ct.kernel
        def k(x, biggest, out, total, T: Int):
            i = ct.bid(0)
            t = ct.load(x, (i, 0), (1, T), padding_mode=ZERO)
            ct.store(out, (i, 0), t * 2.0)
            ct.store(biggest, (i,), ct.max(t, axis=1))
            ct.atomic_add(total, (0,), ct.sum(t))
    """)
    for line in ("biggest: Mut[f32, Literal[1]]", "out: Mut[f32, Literal[1], T]", "total: Shared[f32, Dyn]"):
        assert f"    {line},\n" in made
    assert "total.add((0,), ct.sum(t))" in made


def test_sums_over_blocks_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
@ct.kernel
def k(x, out, total, T: Int):
    i = ct.bid(0)
    t = ct.load(x, (i,), (T,), padding_mode=ZERO)
    ct.store(out, (i,), t)
    ct.atomic_add(total, (0,), ct.sum(t))
"""
    assert "total.add((0,), ct.sum(t))" in kernel(tmp_path, text)
    load = compare._load_module
    monkeypatch.setattr(compare, "_load_module", lambda folder, name, text: load(
        folder, name, text.replace("total.add((0,), ct.sum(t))", "total.add((0,), 2.0 * ct.sum(t))")))
    assert "total[0] is" in refusal(tmp_path, text)


REASONS = {
    "the number of blocks": ("i = ct.bid(0)\nct.store(out, (i,), ct.load(x, (i,), (T,)) * ct.num_blocks(0))",
                             "`ct.num_blocks(0)` is used for more than the place of a piece"),
    "a place that is no coordinate": ("i = ct.bid(0)\nct.store(out, (i + 1,), ct.load(x, (i,), (T,)))",
                                      "`i + 1` in an index is not a plain block coordinate"),
    "what a loop carries": (
        "acc = ct.zeros((T,), ct.float32)\nfor i in range(ct.bid(0), ct.num_tiles(x, 0, (T,)), ct.num_blocks(0)):\n"
        "    acc = acc + ct.load(x, (i,), (T,))\n    ct.store(out, (i,), acc)",
        "`acc` is carried through the loop"),
    "the extent of an output": ("i = ct.bid(0)\nct.store(out, (i,), ct.load(x, (i,), (T,)) * out.shape[0])",
                                "a kernel of the dialect knows only its own piece, not the extent `out.shape[0]`"),
    "another piece": ("i = ct.bid(0)\nif i == 0:\n    ct.store(out, (i,), ct.load(x, (i,), (T,)) + "
                      "ct.load(out, (0,), (T,)))", "is written, and read here at another index"),
    "an atomic's result": ("i = ct.bid(0)\nn = ct.atomic_add(x, (0,), 1.0)\n"
                           "ct.store(out, (i,), ct.zeros((T,), ct.float32) + n)",
                           "which depends on the order of blocks"),
    "a tile of no constant extent": ("i = ct.bid(0)\nct.store(out, (i,), ct.load(x, (i,), (2 * T,)))",
                                     "an extent of the tile stored to `out` is neither a number nor a constant"),
    "a helper that stores": ("i = ct.bid(0)\nput(out, i, ct.load(x, (i,), (T,)))", "a helper accesses `out`"),
    "an input of no known extent": (
        "i = ct.bid(0)\nct.store(out, (i,), ct.gather(x, ct.arange(T, dtype=ct.int32) * 2))",
        "no sample can be generated for `x`"),
}


@pytest.mark.parametrize("name", REASONS)
def test_reasons_are_precise(tmp_path: Path, name: str) -> None:
    body, why = REASONS[name]
    helper = "def put(c, i, t):\n    ct.store(c, (i,), t)\n\n\n"
    text = f"{helper}@ct.kernel\ndef k(x, out, T: Int):\n{textwrap.indent(body, '    ')}\n"
    assert why in refusal(tmp_path, text)


ADD = """
@ct.kernel
def k(x, y, out, T: Int):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(x, (i,), (T,)) - ct.load(y, (i,), (T,)))
"""


@pytest.mark.parametrize(("right", "wrong", "why"), [
    (" - y.load_like(out)", " + y.load_like(out)", "the two kernels differ with x of shape ("),
    (" - y.load_like(out)", " - y.load_like(out) * 1.001", "the two kernels differ with"),
    ("x.load_like(out)", "x.load((out.coords(out.cell())[0] + 1,), out.tile)",
     "the new kernel does what it should not"),
    ("x.load_like(out)", "x.load((0,), out.tile)", "the two kernels differ with"),
])
def test_a_kernel_with_other_results_is_refused(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, right: str, wrong: str, why: str) -> None:
    load = compare._load_module

    def load_spoiled(folder: Path, name: str, text: str) -> object:
        if name == "migrated":
            assert right in text
            text = text.replace(right, wrong)
        return load(folder, name, text)

    monkeypatch.setattr(compare, "_load_module", load_spoiled)
    assert why in refusal(tmp_path, ADD)


def test_a_type_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    why = refusal(tmp_path, ADD, {"out": "f16"})
    assert why == ("the new kernel has a finding, perhaps because a --type is missing: TC502: a tile of float32 is "
                   "stored "
                   "to a piece of `out`, whose elements are float16, in `out.store(x.load_like(out) - "
                   "y.load_like(out))`")
    assert "the kernel has no such array; it has x, y, out" in refusal(tmp_path, ADD, {"z": "f16"})


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f64", "i32", "u8"])
def test_arrays_of_any_type(tmp_path: Path, dtype: str) -> None:
    text = kernel(tmp_path, ADD, dict.fromkeys(["x", "y", "out"], dtype))
    assert f"out: Mut[{dtype}, T]" in text


def test_a_kernel_that_the_samples_do_not_fit_is_refused(tmp_path: Path) -> None:
    text = ADD.replace("@ct.kernel", '@requires("x.shape[0] == 7919")\n@ct.kernel')
    # the new kernel has the clause, so that the remaining launches are not the compared ones
    assert '@requires("x.shape[0] == 7919")' in kernel(tmp_path, text)
