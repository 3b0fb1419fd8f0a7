"""Programs whose size is a number, for each quantity that a program can have much of. `scaling.py` measures them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

__all__ = ["FAMILIES", "Family", "Files"]

Files = Mapping[str, str]
"""The text of each file by its name."""


class Family(NamedTuple):
    """Programs that differ in one number.

    counted   what the number counts
    make      the files of a program
    sizes     the numbers that are measured
    """

    counted: str
    make: Callable[[int], Files]
    sizes: tuple[int, ...]


_IMPORTS: Final = "import torch\nimport cuda.tile as ct\n"
_ATTEND: Final = """

@ct.kernel
def attend(q, k, v, out, lse, scale: float, heads: int, length: int, start: int, TM: ct.Constant[int],
           TN: ct.Constant[int], D: ct.Constant[int], GROUP: ct.Constant[int], causal: ct.Constant[bool],
           even: ct.Constant[bool]):
    m = ct.bid(0)
    batch, head = ct.bid(1) // heads, ct.bid(1) % heads
    rows = m * TM + ct.arange(TM, dtype=ct.int32) + start
    top = ct.full((TM, 1), -1e30, ct.float32)
    total = ct.full((TM, 1), 0.0, ct.float32)
    acc = ct.full((TM, D), 0.0, ct.float32)
    x = ct.load(q, (batch, head, m, 0), (1, 1, TM, D)).reshape((TM, D))
    end = min(length, start + (m + 1) * TM) if causal else length
    for n in range(ct.cdiv(end, TN)):
        y = ct.load(k, (batch, head // GROUP, 0, n), (1, 1, D, TN), order=(0, 1, 3, 2)).reshape((D, TN))
        s = ct.mma(x, y, ct.full((TM, TN), 0.0, ct.float32)) * scale
        cols = n * TN + ct.arange(TN, dtype=ct.int32)
        if causal or not even:
            keep = ct.full((TM, TN), True, ct.bool_)
            if not even:
                keep = keep & (cols[None, :] < length)
            if causal:
                keep = keep & (rows[:, None] >= cols[None, :])
            s = ct.where(keep, s, -1e30)
        new = max(top, ct.max(s, axis=-1, keepdims=True))
        p = ct.exp2(s - new)
        fade = ct.exp2(top - new)
        total = total * fade + ct.sum(p, axis=-1, keepdims=True)
        z = ct.load(v, (batch, head // GROUP, n, 0), (1, 1, TN, D)).reshape((TN, D))
        acc = ct.mma(p.astype(q.dtype), z, acc * fade)
        top = new
    ct.store(out, (batch, head, m, 0), (acc / total).reshape((1, 1, TM, D)).astype(out.dtype))
    ct.store(lse, (batch, head, m), (top + ct.log2(total)).reshape((1, 1, TM)))
"""
"""A kernel with a contract of about forty clauses."""
_ROWS: Final = """

@ct.kernel
def norm(x, w, out, n: int, BLOCK: ct.Constant[int]):
    row = ct.bid(0)
    offsets = ct.arange(BLOCK, dtype=ct.int32)
    t = ct.gather(x, (row, offsets), mask=offsets < n, padding_value=0)
    g = ct.gather(w, offsets, mask=offsets < n, padding_value=0)
    ct.scatter(out, (row, offsets), t * g / n, mask=offsets < n)
"""
_HEAD: Final = _IMPORTS + _ATTEND + _ROWS
_CONSTANTS: Final = "D ** -0.5, H, S, 0, 128, 64, D, 1, True, S % 64 == 0"


def _indent(depth: int, *lines: str) -> str:
    return "".join(f"{'    ' * depth}{line}\n" for line in lines)


def _make_operands(batch: object, heads: object, length: object, depth: object = 64) -> tuple[str, ...]:
    return (f"B, H, S, D = {batch}, {heads}, {length}, {depth}",
            'q, k, v = (torch.rand((B, H, S, D), device="cuda") for _ in range(3))',
            "out = torch.empty_like(q)", 'lse = torch.empty((B, H, S), device="cuda")')


_SHAPE: Final = "B, H, S, D = q.shape"


def _launch(constants: str = _CONSTANTS, rows: object = 128) -> str:
    return (f"ct.launch(torch.cuda.current_stream(), (ct.cdiv(S, {rows}), B * H, 1), attend, "
            f"(q, k, v, out, lse, {constants}))")


def plain_launches(size: int) -> Files:
    """One function that launches on one set of operands after the other."""
    body = "".join(_indent(1, *_make_operands(1 + q % 3, 1 + q % 16, 64 * (q + 1)), _launch()) for q in range(size))
    return {"m.py": f"{_HEAD}\n\ndef run():\n{body}"}


def equal_launches(size: int) -> Files:
    """One function that launches on the same arguments again and again."""
    return {"m.py": f"{_HEAD}\n\ndef run(q, k, v, out, lse):\n" + _indent(1, _SHAPE, *[_launch()] * size)}


def launching_functions(size: int) -> Files:
    """Functions that launch once each, on arguments of their callers."""
    head = "\n\ndef run{q}(q, k, v, causal=False):\n"
    body = _indent(
        1, _SHAPE, "assert k.shape == v.shape == q.shape", "out = torch.empty_like(q)",
        'lse = torch.empty((B, H, S), device="cuda")',
        _launch("D ** -0.5, H, S, 0, 128, 64, D, 1, causal, S % 64 == 0"), "return out")
    return {"m.py": _HEAD + "".join(head.replace("{q}", str(q)) + body for q in range(size))}


def launches_over_a_list(size: int) -> Files:
    """A loop that launches once for each size of a list."""
    sizes = ", ".join(f"({q % 3 + 1}, {q % 30 + 1}, {32 * (q % 70 + 1)})" for q in range(size))
    return {"m.py": f"{_HEAD}\nSIZES = [{sizes}]\n\n\ndef run():\n" + _indent(1, "for b, h, s in SIZES:") + _indent(
        2, *_make_operands("b", "h", "s"), _launch())}


def launching_loops(size: int) -> Files:
    """Loops one after the other, each of which launches for a few sizes."""
    body = "".join(_indent(1, f"for s in ({q + 1}, {128 * (q + 1)}, 4096, n):") + _indent(
        2, *_make_operands(2, 8, "s"), _launch()) for q in range(size))
    return {"m.py": f"{_HEAD}\n\ndef run(n):\n{body}"}


def looping_functions(size: int) -> Files:
    """Functions with loops in loops over sizes and flags, whose innermost one launches 32 times."""
    body = _indent(1, "for b in (1, 2, 4, 8):") + _indent(2, "for s in (128, 512, 1000, 4096):") + _indent(
        3, "for causal in (False, True):") + _indent(
        4, *_make_operands("b", 8, "s"), _launch("D ** -0.5, H, S, 0, 128, 64, D, 1, causal, S % 64 == 0"))
    return {"m.py": _HEAD + "".join(f"\n\ndef run{q}():\n{body}" for q in range(size))}


def nested_loops(size: int) -> Files:
    """Loops in loops over lists of sizes and flags, whose innermost one launches; the number counts its runs."""
    each = max(2, round((size / 2) ** (1 / 3)))
    body = _indent(1, f"for b in {list(range(1, each + 1))}:") + _indent(
        2, f"for h in {[4 * q for q in range(1, each + 1)]}:") + _indent(
        3, f"for s in {[96 * q for q in range(1, each + 1)]}:") + _indent(4, "for causal in (False, True):") + _indent(
        5, *_make_operands("b", "h", "s"), _launch("D ** -0.5, H, S, 0, 128, 64, D, 1, causal, S % 64 == 0"))
    return {"m.py": f"{_HEAD}\n\ndef run():\n{body}"}


def launching_branches(size: int) -> Files:
    """A loop that launches in one of many branches."""
    arms = "".join(_indent(2, f'if kind == "k{q}":') + _indent(
        3, f"tm, tn = {16 * (q % 8 + 1)}, {16 * (q % 4 + 1)}",
        _launch("D ** -0.5, H, S, 0, tm, tn, D, 1, False, S % tn == 0", "tm")) for q in range(size))
    return {"m.py": f"{_HEAD}\n\ndef run(kinds):\n" + _indent(1, "for kind in kinds:") + _indent(
        2, *_make_operands(2, 8, 1024)) + arms}


def checked_launches(size: int) -> Files:
    """One function that asserts relations of its arguments before each launch."""
    body = "".join(_indent(
        1, f"assert q.shape[2] % {q + 1} == 0 or k.shape[2] > {q}", f"if S > {q}:") + _indent(2, _launch())
        for q in range(size))
    return {"m.py": f"{_HEAD}\n\ndef run(q, k, v, out, lse):\n{_indent(1, _SHAPE)}{body}"}


def lambdas(size: int) -> Files:
    """Lambdas that launch, each passed to a function that measures it."""
    body = "".join(_indent(1, *_make_operands(2, 8, 64 * (q + 1)), f"print(bench(lambda: {_launch()}))")
                   for q in range(size))
    return {"m.py": f"{_HEAD}\n\ndef bench(f):\n    f()\n    return f()\n\n\ndef run():\n{body}"}


def lambdas_for_others(size: int) -> Files:
    """Lambdas that launch, each passed to a function of another package."""
    body = "".join(_indent(1, *_make_operands(2, 8, 64 * (q + 1)), f"print(testing.do_bench(lambda: {_launch()}))")
                   for q in range(size))
    return {"m.py": f"from triton import testing\n{_HEAD}\n\ndef run():\n{body}"}


def tuned_configurations(size: int) -> Files:
    """One tuned launch with that many configurations."""
    configs = "".join(_indent(1, f"Config({16 * (q % 32 + 1)}, {16 * (q // 32 + 1)}),") for q in range(size))
    return {"m.py": f"""from dataclasses import dataclass
{_HEAD}

@dataclass
class Config:
    TM: int
    TN: int


CONFIGS = [
{configs}]


def run(q, k, v, out, lse):
    {_SHAPE}
    ct.tune.exhaustive_search(
        CONFIGS, torch.cuda.current_stream(), lambda cfg: (ct.cdiv(S, cfg.TM), B * H, 1), attend,
        lambda cfg: (q, k, v, out, lse, 1.0, H, S, 0, cfg.TM, cfg.TN, D, 1, False, False), lambda cfg: {{}})
"""}


def tuners(size: int) -> Files:
    """Tuned launches, one function each, whose configurations come from loops."""
    head = """

def configs():
    for tm in (32, 64, 128):
        for tn in (32, 64, 128):
            yield SimpleNamespace(TM=tm, TN=tn)
"""
    each = """

def run{q}(q, k, v, causal):
    B, H, S, D = q.shape
    out = torch.empty_like(q)
    lse = torch.empty((B, H, S), device="cuda")
    ct.tune.exhaustive_search(
        list(configs()), torch.cuda.current_stream(), lambda cfg: (ct.cdiv(S, cfg.TM), B * H, 1), attend,
        lambda cfg: (q, k, v, out, lse, 1.0, H, S, 0, cfg.TM, cfg.TN, D, 1, causal, S % cfg.TN == 0), lambda cfg: {})
    return out
"""
    return {"m.py": f"from types import SimpleNamespace\n{_HEAD}{head}" + "".join(
        each.replace("{q}", str(q)) for q in range(size))}


def _one_kernel(name: str, q: int) -> str:
    return f"""

@ct.kernel
def {name}(x, y, out, n: int, T: ct.Constant[int]):
    i = ct.bid(0)
    t = ct.load(x, (i,), (T,)) + ct.load(y, (i,), (T,)) * {q}
    ct.store(out, (i,), t / n)
"""


def _one_launch(kernel: str, name: str) -> str:
    return f"\n\ndef {name}(x, y):\n" + _indent(
        1, "out = torch.empty_like(x)", "n = x.shape[0]",
        f"ct.launch(torch.cuda.current_stream(), (ct.cdiv(n, 256),), {kernel}, (x, y, out, n, 256))", "return out")


def kernels(size: int) -> Files:
    """Kernels of one file that nothing launches."""
    return {"m.py": _IMPORTS + "".join(_one_kernel(f"k{q}", q) for q in range(size))}


def launched_kernels(size: int) -> Files:
    """Kernels of one file, each launched by a function of its own."""
    return {"m.py": _IMPORTS + "".join(
        _one_kernel(f"k{q}", q) + _one_launch(f"k{q}", f"run{q}") for q in range(size))}


def read_arrays(size: int) -> Files:
    """A kernel that adds up that many arrays."""
    names = ", ".join(f"a{q}" for q in range(size))
    body = _indent(1, "i = ct.bid(0)", "t = ct.full((T,), 0, ct.float32)", *(
        f"t = t + ct.load(a{q}, (i,), (T,))" for q in range(size)), "ct.store(out, (i,), t)")
    return {"m.py": f"{_IMPORTS}\n\n@ct.kernel\ndef k({names}, out, T: ct.Constant[int]):\n{body}" + _run_arrays(names)}


def written_arrays(size: int) -> Files:
    """A kernel that writes that many arrays."""
    names = ", ".join(f"a{q}" for q in range(size))
    body = _indent(1, "i = ct.bid(0)", "t = ct.load(x, (i,), (T,))", *(
        f"ct.store(a{q}, (i,), t * {q})" for q in range(size)))
    return {"m.py": f"{_IMPORTS}\n\n@ct.kernel\ndef k({names}, x, T: ct.Constant[int]):\n{body}" + _run_arrays(
        names, "x")}


def _run_arrays(names: str, last: str = "out") -> str:
    return f"\n\ndef run({names}):\n" + _indent(
        1, f"{last} = torch.empty_like(a0)",
        f"ct.launch(torch.cuda.current_stream(), (ct.cdiv(a0.shape[0], 128),), k, ({names}, {last}, 128))")


def stores(size: int) -> Files:
    """A kernel that stores that many tiles of one array."""
    body = _indent(1, "i = ct.bid(0)", *(
        f"ct.store(out, (i, {q}), ct.load(x, (i, {q}), (T, T)))" for q in range(size)))
    return {"m.py": f"{_IMPORTS}\n\n@ct.kernel\ndef k(x, out, T: ct.Constant[int]):\n{body}"}


def chained_files(size: int) -> Files:
    """Files each of which imports the one before, and launches through it."""
    first = _IMPORTS + _one_kernel("k0", 0) + _one_launch("k0", "run0")
    later = (f"{_IMPORTS}from m{q - 1} import run{q - 1}\n{_one_kernel(f'k{q}', q)}{_one_launch(f'k{q}', f'own{q}')}"
             f"\n\ndef run{q}(x, y):\n    return run{q - 1}(own{q}(x, y), y)\n" for q in range(1, size))
    return {f"m{q}.py": text for q, text in enumerate((first, *later))}


def star_of_files(size: int) -> Files:
    """Files that all import one, which has a kernel and launches it."""
    center = _IMPORTS + _one_kernel("k", 0) + _one_launch("k", "run")
    return {"center.py": center, **{
        f"m{q}.py": f"import torch\nfrom center import run\n\n\ndef main{q}():\n"
                    f'    run(torch.ones({q + 1}, device="cuda"), torch.ones({q + 1}, device="cuda"))\n'
        for q in range(size)}}


def star_of_launches(size: int) -> Files:
    """Files that all import a kernel of one, and launch it."""
    return {"center.py": _IMPORTS + _one_kernel("k", 0), **{
        f"m{q}.py": f"{_IMPORTS}from center import k\n" + _one_launch("k", f"run{q}") for q in range(size)}}


def gathering_file(size: int) -> Files:
    """One file that imports all others, each of which has a kernel and launches it."""
    parts = {f"m{q}.py": _IMPORTS + _one_kernel(f"k{q}", q) + _one_launch(f"k{q}", f"run{q}") for q in range(size)}
    main = "".join(f"from m{q} import run{q}\n" for q in range(size)) + "\n\ndef main(x, y):\n" + _indent(
        1, *(f"run{q}(x, y)" for q in range(size)))
    return {"main.py": main, **parts}


def nested_calls(size: int) -> Files:
    """Functions each of which calls the next; the last one launches."""
    last = f"\n\ndef f{size}(q, k, v, out, lse):\n{_indent(1, _SHAPE, _launch())}"
    return {"m.py": _HEAD + last + "".join(
        f"\n\ndef f{q}(q, k, v, out, lse):\n    f{q + 1}(q, k, v, out, lse)\n" for q in reversed(range(size)))}


def doubled_calls(size: int) -> Files:
    """Functions each of which calls the next one twice; the last one launches."""
    last = f"\n\ndef f{size}(q, k, v, out, lse):\n{_indent(1, _SHAPE, _launch())}"
    return {"m.py": _HEAD + last + "".join(
        f"\n\ndef f{q}(q, k, v, out, lse):\n    f{q + 1}(q, k, v, out, lse)\n    f{q + 1}(q, v, k, out, lse)\n"
        for q in reversed(range(size)))}


def nested_definitions(size: int) -> Files:
    """Functions defined in functions; the innermost one launches."""
    down = "".join(_indent(q, f"def f{q}(q, k, v, out, lse):") for q in range(size))
    up = "".join(_indent(q, f"f{q}(q, k, v, out, lse)") for q in reversed(range(1, size)))
    return {"m.py": f"{_HEAD}\n\n{down}{_indent(size, _SHAPE, _launch())}{up}"}


def nested_helpers(size: int) -> Files:
    """Functions of the device, each of which calls the next one twice."""
    first = f"\n\ndef h{size}(t):\n    return t + 1\n"
    rest = "".join(f"\n\ndef h{q}(t):\n    return h{q + 1}(t) * h{q + 1}(t + {q})\n" for q in reversed(range(size)))
    kernel = _indent(1, "i = ct.bid(0)", "ct.store(out, (i,), h0(ct.load(x, (i,), (T,))))")
    return {"m.py": f"{_IMPORTS}{first}{rest}\n\n@ct.kernel\ndef k(x, out, T: ct.Constant[int]):\n{kernel}"}


_MANY: Final = (10, 30, 100, 300, 1000)
_HUNDRED: Final = (1, 3, 10, 30, 100)
_DEEP: Final = (1, 2, 5, 10, 20)

FAMILIES: Final[Mapping[str, Family]] = {
    make.__name__: Family(counted, make, sizes) for counted, sizes, makers in (
        ("launches", _MANY, (
            plain_launches, equal_launches, launching_functions, launches_over_a_list, launching_loops, nested_loops,
            launching_branches, checked_launches, lambdas, lambdas_for_others)),
        ("functions", _HUNDRED, (looping_functions,)),
        ("configurations", _MANY, (tuned_configurations,)),
        ("tuners", _MANY, (tuners,)),
        ("kernels", _MANY, (kernels, launched_kernels)),
        ("arrays", _HUNDRED, (read_arrays, written_arrays)),
        ("stores", _HUNDRED, (stores,)),
        ("files", _MANY, (chained_files, star_of_files, star_of_launches, gathering_file)),
        ("levels", _DEEP, (nested_calls, doubled_calls, nested_definitions, nested_helpers)),
    ) for make in makers}
