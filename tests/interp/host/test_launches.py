"""Launch sites: how they are written, and what they launch."""

from __future__ import annotations

import pytest

from tests.interp.host.hosts import PRELUDE, launch, launches
from tilecheck.interp.host.launches import find_launches_of_unknown
from tilecheck.project.project import Project


def kernels(source: str, **others: str) -> list[str]:
    return sorted(found.kernel[1] for found in launches(source, **others))


@pytest.mark.parametrize("body", [
    "ct.launch(0, (n,), k, (x, y, n, 1))",
    "ct.launch(0, grid=(n,), kernel=k, kernel_args=(x, y, n, 1))",
    "ct.launch(0, (n,), k.replace_hints(occupancy=2), (x, y, n, 1))",
    "ct.launch(0, (n,), ct.kernel(k._pyfunc, occupancy=2), (x, y, n, 1))",
    "ct.launch(0, (n,), ct.kernel(occupancy=2)(k._pyfunc), (x, y, n, 1))",
    "args = (x, y)\n    args = args + (n, 1)\n    ct.launch(0, (n,), k, args)",
    "head = (x, y)\n    ct.launch(0, (n,), k, (*head, n, 1))",
    "g = lambda: (n,)\n    ct.launch(0, g(), k, (x, y, n, 1))",
    "table = {'k': k}\n    ct.launch(0, (n,), table['k'], (x, y, n, 1))",
    "run = ct.launch\n    run(0, (n,), k, (x, y, n, 1))",
    "import tilecheck_runtime as tcr\n    tcr.launch(0, (n,), k, (x, y, n, 1))",
    "from tilecheck_runtime import launch\n    launch(0, (n,), k, (x, y, n, 1))",
])
def test_launches_in_every_form_are_found(body: str) -> None:
    found = launch(f"def run(x, y, n):\n    {body}\n")
    assert found.kernel == ("m.py", "k") and found.how == "launch" and found.wrapper == "run"
    assert found.grid[0] is not None and found.grid[0].key == "n"
    assert found.arguments is not None
    assert [a.text for a in found.arguments][:2] == ["x", "y"] and len(found.arguments) == 4


def test_a_launch_of_the_module_body() -> None:
    assert launch("x = torch.zeros(4)\nct.launch(0, (1,), k, (x, x, 1, 1))\n").wrapper == "<module>"


def test_the_launch_function_of_another_library_is_not_a_launch() -> None:
    body = "def run(x, y, n):\n    other_library.launch(0, (n,), k, (x, y, n, 1))\n"
    assert kernels(f"import other_library\n\n\n{body}") == []


def test_each_kernel_of_a_choice_is_launched_under_its_condition() -> None:
    source = """
def run(x, y, n):
    chosen = k if n % 2 == 0 else other
    T = 4 if n % 2 == 0 else 8
    ct.launch(0, (n,), chosen, (x, y, n, T))
"""
    by_kernel = {found.kernel[1]: found for found in launches(source)}
    assert set(by_kernel) == {"k", "other"}
    assert "(n)%(2) == 0" in by_kernel["k"].facts.key and "(n)%(2) != 0" in by_kernel["other"].facts.key
    for name, T in (("k", 4), ("other", 8)):
        arguments = by_kernel[name].arguments
        assert arguments is not None and arguments[3].term is not None and arguments[3].term.constant == T


def test_a_table_of_kernels() -> None:
    source = "KERNELS = {0: k, 1: other}\n\n\ndef run(x, y, n):\n    ct.launch(0, (n,), KERNELS[n], (x, y, n, 1))\n"
    assert kernels(source) == ["k", "other"]


def test_a_wrapper_launches_its_argument() -> None:
    source = """
def _go(kernel, grid, *args):
    ct.launch(torch.cuda.current_stream(), grid, kernel, args)


def run(x, y, n):
    _go(other, (n, 2), x, y, n, 4)
"""
    found = launch(source)
    assert (found.kernel[1], found.how, found.wrapper, found.span.line) == ("other", "wrapper", "run", 30)
    assert [t.key for t in found.grid if t is not None] == ["n", "2", "1"]


def test_a_wrapper_of_another_module_that_never_mentions_the_library_here() -> None:
    source = "from wrappers import go\nfrom kernels import deep\n\n\ndef run(x):\n    go(deep, x)\n"
    wrappers = "import cuda.tile as ct\n\n\ndef go(kernel, x):\n    ct.launch(0, (x.shape[0],), kernel, (x,))\n"
    deep = "import cuda.tile as ct\n\n\n@ct.kernel\ndef deep(x):\n    pass\n"
    found = launch(source, wrappers=wrappers, kernels=deep)
    assert found.kernel == ("kernels.py", "deep") and found.how == "wrapper" and found.span.file == "m.py"


def test_a_private_helper_is_seen_with_the_arguments_it_is_given() -> None:
    source = """
def _go(x, y, n, T):
    ct.launch(0, (n // T,), k, (x, y, n, T))


def run(x, y):
    _go(x, y, x.shape[0], 16)
"""
    found = launch(source)
    assert found.wrapper == "run" and found.grid[0] is not None and found.grid[0].key == "(x.shape[0])//(16)"
    assert found.span.line == 26


def test_a_helper_without_callers_is_analysed_by_itself() -> None:
    assert launch("def _go(x, n):\n    ct.launch(0, (n,), k, (x, x, n, 1))\n").wrapper == "_go"


def test_a_tuner_launches_every_configuration_and_the_cache_gives_one_of_them() -> None:
    source = """
_cache = {}


def configs():
    for block in (32, 64):
        yield SimpleNamespace(T=block, occupancy=1)


def run(x, y, n):
    key = (n, x.dtype)
    if key not in _cache:
        result = exhaustive_search(
            list(configs()), 0, lambda cfg: (ct.cdiv(n, cfg.T),), k, lambda cfg: (x, y, n, cfg.T),
            lambda cfg: {"occupancy": cfg.occupancy})
        best = result.best.config
        _cache[key] = (best, k.replace_hints(occupancy=best.occupancy))
    best, tuned = _cache[key]
    ct.launch(0, (ct.cdiv(n, best.T),), tuned, (x, y, n, best.T))
"""
    found = launches(source)
    assert [f.how for f in found] == ["tuner", "launch"] and {f.kernel[1] for f in found} == {"k"}
    for f in found:
        assert sorted(dict(case).popitem()[1] for case in f.cases) == [32, 64]
        assert f.arguments is not None and f.grid[0] is not None and f.arguments[3].term is not None
        name = f.arguments[3].term.key
        assert f.grid[0].key == f"(n - 1)//({name}) + 1"


def test_a_tuner_with_named_arguments() -> None:
    source = """
import tuner


def run(x, y, n):
    tuner.autotune_launch(
        0, grid_fn=lambda c: (n // c.T,), kernel=k, args_fn=lambda c: (x, y, n, c.T),
        search_space=[SimpleNamespace(T=8), SimpleNamespace(T=16)])
"""
    found = launch(source)
    assert found.how == "tuner" and found.cases == ((("c.T", 8),), (("c.T", 16),))


def test_the_best_of_several_kernels_found_in_a_loop() -> None:
    source = """
def run(x, y, n):
    best = None
    for kernel, T in ((k, 8), (other, 16)):
        time = measure(kernel)
        if best is None or time < best[0]:
            best = (time, kernel, T)
    _, chosen, T = best
    ct.launch(0, (n,), chosen, (x, y, n, T))
"""
    assert kernels(source) == ["k", "other"]


def test_a_kernel_from_a_factory_is_launched() -> None:
    source = """
@functools.lru_cache
def make(width):
    @ct.kernel
    def inner(x, y, n: ct.Constant[int], T: ct.Constant[int]):
        pass
    return inner


def run(x, y, n):
    ct.launch(0, (n,), make(n), (x, y, n, 1))
"""
    assert kernels(source) == ["make.inner"]


def test_autograd_functions_are_followed_from_apply() -> None:
    source = """
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, n):
        y = torch.empty_like(x)
        ct.launch(0, (n,), k, (x, y, n, 1))
        ctx.save_for_backward(x)
        return y

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        ct.launch(0, (x.shape[0],), other, (x, dy, 1, 1))


def run(x):
    return F.apply(x, 3)
"""
    assert [(f.kernel[1], f.wrapper) for f in launches(source)] == [("k", "run"), ("other", "F.backward")]


def test_symbols_stand_for_choices_of_callers() -> None:
    found = launch("def run(x, y, n):\n    ct.launch(0, (foo(),), k, (x, y, n, x.shape[0]))\n")
    assert {"x", "y", "n", "x.shape[0]"} <= found.free and "foo()" not in found.free


def test_arguments_that_are_not_visible() -> None:
    assert launch("def run(n, *args):\n    ct.launch(0, (n,), k, args)\n").arguments is None


def test_names_of_the_prelude_are_kernels() -> None:
    assert "def other(" in PRELUDE and launches("") == ()


def test_a_kernel_that_a_helper_keeps_with_hints_is_that_kernel() -> None:
    source = ("_kept = {}\n\n\ndef cached_replace_hints(kernel, **hints):\n"
              "    if id(kernel) not in _kept:\n        _kept[id(kernel)] = kernel.replace_hints(**hints)\n"
              "    return _kept[id(kernel)]\n\n\n"
              "def run(x, y, n, m, layout):\n    base = k if layout == 'a' else other\n"
              "    size = x.shape[0] if layout == 'a' else x.shape[1]\n"
              "    ct.launch(0, (size,), cached_replace_hints(base, occupancy=2), (x, y, n, m))\n")
    grids = {(x.kernel[1], x.grid[0].key) for x in launches(source) if x.grid[0] is not None}
    assert grids == {("k", "x.shape[0]"), ("other", "x.shape[1]")}


def test_the_elements_of_a_list_have_names_of_their_own() -> None:
    """Names are shortened together with those of the other arguments, so that two allocations stay two."""
    found = launch("""
def run(n):
    a, b, y = torch.empty(n), torch.empty(n), torch.empty(n)
    ct.launch(0, (4,), k, ([a, b], y, n, 16))
""")
    assert found.arguments is not None
    items, y = found.arguments[0].elements or (), found.arguments[1]
    assert len({a.identity for a in (*items, y)}) == 3
    assert len({root for a in (*items, y) for root in a.roots or ()}) == 3


def test_launches_of_kernels_that_are_not_known() -> None:
    text = PRELUDE + """
def run(x, y, kernel, n):
    ct.launch(0, (4,), kernel, (x, 16))
    ct.launch(0, (4,), k, (x, y, n, 16))
"""
    project = Project(["m.py"], contents={"m.py": text.encode()})
    (found,) = find_launches_of_unknown(project, project.module("m.py"))
    assert found.kernel == ("", "") and [a.text for a in found.arguments or ()] == ["x", "16"]
