"""Branches, loops, helpers and locks."""

from __future__ import annotations

import pytest

from tests.interp.kernel.harness import guard, index, kernel, models, writes
from tilecheck.api import check_source
from tilecheck.config import Config

STORE = "ct.store(y, (i,), ct.zeros((T,), ct.float32))"


def test_early_return_and_branches() -> None:
    k = kernel(f"""
        i = ct.bid(0)
        if i >= n:
            return
        if n > 2 and x.shape[0] == 1:
            i = i + 1
        {STORE}
    """)
    assert "-bid(0) + n - 1 >= 0" in guard(k)
    assert index(k) == ["T*ite(n - 3 >= 0 and x.shape[0] - 1 == 0, bid(0) + 1, bid(0)) + lane0<T>"]


def test_a_branch_under_its_own_condition_is_decided() -> None:
    k = kernel("""
        t = ct.zeros((T,), ct.float32)
        if FLAG:
            t = t[:, None]
        if FLAG:
            ct.store(y, (0, 0), t)
        else:
            ct.store(x, (0,), t)
    """, params="x, y, T: Int, FLAG: ct.Constant[bool]")
    assert index(k) == ["lane1<T>", "0"]
    assert index(k, 1) == ["lane0<T>"]
    assert all(a.region.exact for a in writes(k))


def test_persistent_loops() -> None:
    for_loop = kernel(f"for i in range(ct.bid(0), n, ct.num_blocks(0)):\n    {STORE}")
    assert index(for_loop) == ["#i@6*T*grid[0] + T*bid(0) + lane0<T>"]
    assert "-#i@6*grid[0] - bid(0) + n - 1 >= 0" in guard(for_loop)
    assert writes(for_loop)[0].parallel == "i@6"
    while_loop = kernel(f"""
        i = ct.bid(0)
        while i < n:
            {STORE}
            i += ct.num_blocks(0)
    """)
    assert index(while_loop) == ["#while@8*T*grid[0] + T*bid(0) + lane0<T>"]
    assert "-#while@8*grid[0] - bid(0) + n - 1 >= 0" in guard(while_loop)
    assert writes(while_loop)[0].parallel is None
    assert writes(while_loop)[0].region.exact


def test_values_after_a_loop() -> None:
    k = kernel(f"""
        i = ct.bid(0)
        for j in range(4):
            i += n
        {STORE}
    """)
    assert index(k) == ["T*bid(0) + 4*T*n + lane0<T>"]


def test_congruence_induction() -> None:
    k = kernel(f"""
        i = ct.bid(0)
        for j in range(n):
            while i < j:
                {STORE}
                i += 4
    """)
    assert index(k) == ["4*#i.steps@8*T + 4*#while@9*T + T*bid(0) + lane0<T>"]


def test_uniform_carry_is_a_function_of_the_iteration() -> None:
    k = kernel(f"""
        i = 0
        for g in range(n):
            {STORE}
            i = i + x.shape[0] // (g + 1)
    """)
    assert index(k) == ["T*carry:i@g@8(#g@8) + lane0<T>"]
    assert not writes(k)[0].region.exact


def test_values_that_depend_on_history_are_unknown() -> None:
    k = kernel(f"""
        j = 0
        i = 0
        for g in range(n):
            {STORE}
            if ct.bid(0) == g:
                j += 1
            i = i + j * x.shape[0]
    """)
    assert "carry" not in index(k)[0]


def test_blocks_in_a_carry_are_arguments_of_it() -> None:
    k = kernel(f"""
        i = 0
        for g in range(n):
            {STORE}
            if ct.bid(0) > g:
                i = g
    """)
    assert index(k) == ["T*carry:i@g@8(#g@8, bid(0)) + lane0<T>"]


def test_break_and_continue() -> None:
    k = kernel("""
        for i in range(8):
            if i == 2:
                continue
            if x.shape[0] == i:
                break
            ct.store(y, (i,), ct.zeros((T,), ct.float32))
        ct.store(x, (ct.bid(0),), ct.zeros((T,), ct.float32))
    """)
    assert "#i@7 - 2 != 0" in guard(k)
    assert not writes(k)[0].region.exact
    assert guard(k, 1) == {"-T*bid(0) - lane0<T> + x.shape[0] - 1 >= 0"}


def test_arrays_swapped_in_a_loop() -> None:
    k = kernel("""
        a, b = x, y
        for i in range(n):
            a, b = b, a
            ct.store(a, (ct.bid(0),), ct.zeros((T,), ct.float32))
    """)
    assert {a.array.text for a in writes(k)} == {"x", "y"}
    assert not k.gaps


def test_static_iteration() -> None:
    k = kernel("""
        for k, arr in ct.static_iter(((0, x), (1, y))):
            ct.store(arr, (2 * ct.bid(0) + k,), ct.zeros((T,), ct.float32))
    """)
    assert [(a.array.text, a.region.index[0].key) for a in writes(k)] == [
        ("x", "2*T*bid(0) + lane0<T>"), ("y", "T + 2*T*bid(0) + lane0<T>")]


def test_helpers() -> None:
    k = kernel("""
        p, q = f(ct.bid(0), z=n)
        g = lambda v: v * 2
        def inner(v, *rest):
            return v + p + rest[0]
        h = functools.partial(inner, 3)
        ct.store(y, (p, q, g(n), h(5)), ct.zeros((1, 1, 1, T), ct.float32))
    """, before="""
        import functools
        def f(a, *, k=2, **kw):
            if a > 3:
                return a, k
            return a + 1, kw["z"]
    """)
    first = "ite(bid(0) - 4 >= 0, bid(0), bid(0) + 1)"
    assert index(k) == [first, "ite(bid(0) - 4 >= 0, 2, n)", "2*n", f"8*T + T*{first} + lane0<T>"]


def test_helpers_in_other_modules_and_recursion() -> None:
    found = models("""
        from helpers import store_at, depth

        @ct.kernel
        def k(y, T: Int):
            store_at(y, depth(ct.bid(0), 3), T)
    """, helpers="""
        import cuda.tile as ct

        def depth(a, d):
            if d == 0:
                return a
            return depth(a + 1, d - 1)

        @ct.function
        def store_at(array, i, size):
            ct.store(array, (i,), ct.zeros((size,), ct.float32))
    """)
    assert index(found["k"]) == ["3*T + T*bid(0) + lane0<T>"]
    assert len(writes(found["k"])[0].via) == 1


def test_endless_recursion_ends() -> None:
    k = kernel("f(y)", before="def f(a):\n    f(a)\n")
    assert any("y" in map(str, g.arrays) for g in k.gaps)


def test_factories_bind_scalars_and_helpers() -> None:
    found = models("""
        def factory(width, double):
            half = width // 2
            def scale(v):
                return v * half

            @ct.kernel
            def k(y, T: Int):
                if double:
                    ct.store(y, (scale(ct.bid(0)),), ct.zeros((T,), ct.float32))
            return k
    """)
    k = found["factory.k"]
    assert index(k) == ["(width)//(2)*T*bid(0) + lane0<T>"]
    assert "double != 0" in guard(k)


def test_classes() -> None:
    k = kernel("""
        p = P(ct.bid(0), t=y)
        if FLAG == Mode.A:
            ct.store(p.t, (p.off(C) + p.twice,), ct.zeros((T,), ct.float32))
        else:
            ct.store(x, (0,), ct.zeros((T,), ct.float32))
    """, before="""
        from dataclasses import dataclass
        from enum import Enum
        class Mode(Enum):
            A = 1
            B = 2
        FLAG = Mode.A
        C = 4
        @dataclass(frozen=True)
        class P:
            m: int
            t: object = None
            def off(self, k):
                return self.m * k
            @property
            def twice(self):
                return self.m * 2
    """)
    assert [(a.array.text, a.region.index[0].key) for a in writes(k)] == [("y", "6*T*bid(0) + lane0<T>")]


def test_questions_about_the_launch_are_functional() -> None:
    k = kernel("""
        if x is None:
            ct.scatter(y, 0, 1.0)
        elif x.dtype == ct.float32:
            ct.scatter(y, 1, 1.0)
        if x is not None:
            ct.scatter(y, 2, 1.0)
    """)
    asked = {c for g in range(3) for c in guard(k, g) if "None" in c}
    assert asked == {"<??x is None>", "not <??x is None>"}


LOCKS = [
    ("while ct.atomic_cas(x, i, 0, 1{acquire}) != 0:\n    pass", ""),
    ("while ct.atomic_cas(x, i, 0, 1{acquire}) == 1:\n    pass", ""),
    ("while True:\n    if ct.atomic_cas(x, i, 0, 1{acquire}) == 0:\n        break", ""),
    ("old = ct.atomic_cas(x, i, 0, 1{acquire})\nwhile old != 0:\n    old = ct.atomic_cas(x, i, 0, 1{acquire})", ""),
]


@pytest.mark.parametrize(("acquire", "release", "how"), [
    ("", "", "ordered"),
    (", memory_order=ct.MemoryOrder.ACQUIRE", ", memory_order=ct.MemoryOrder.RELEASE", "ordered"),
    (", memory_order=ct.MemoryOrder.RELAXED", "", "relaxed"),
    ("", ", memory_order=ct.MemoryOrder.RELAXED", "relaxed"),
    (", memory_scope=ct.MemoryScope.BLOCK", "", "relaxed"),
])
@pytest.mark.parametrize("spin", [s for s, _ in LOCKS])
def test_spin_locks(spin: str, acquire: str, release: str, how: str) -> None:
    body = "\n".join([
        "i = ct.bid(0) % n", spin.format(acquire=acquire), STORE, f"ct.atomic_xchg(x, i, 0{release})",
        "ct.store(y, (0,), ct.zeros((T,), ct.float32))",
    ])
    inside, after = (a for a in kernel(body).accesses if a.op == "store")
    assert [(str(a), [t.key for t in at], h) for a, at, h in inside.locks] == [("x", ["(bid(0))%(n)"], how)]
    assert after.locks == ()


def test_a_lock_that_is_never_released_protects_nothing() -> None:
    k = kernel(f"i = 0\nwhile ct.atomic_cas(x, 0, 0, 1) != 0:\n    pass\n{STORE}")
    assert next(a for a in k.accesses if a.op == "store").locks == ()


def test_another_element_is_another_lock() -> None:
    k = kernel(f"""
        i = ct.bid(0)
        while ct.atomic_cas(x, i, 0, 1) != 0:
            pass
        {STORE}
        ct.atomic_xchg(x, i + 1, 0)
    """)
    assert next(a for a in k.accesses if a.op == "store").locks == ()


def test_the_last_arriver_is_named() -> None:
    k = kernel(f"""
        i = 0
        count = ct.atomic_add(x, 0, 1)
        if count == n - 1:
            {STORE}
    """)
    assert "?atomic_add(x)@8 - n + 1 == 0" in guard(k, 1)


@pytest.mark.parametrize("body", [
    "for i in mystery(x):\n    ct.store(x, (i,), ct.zeros((T,), ct.float32))",
    "while mystery():\n    ct.store(x, (0,), ct.zeros((T,), ct.float32))",
    "x[0] = 3",
    "x.foo = 3",
    "del x",
    "a, b, c = n",
    "match n:\n    case 1:\n        ct.store(x, (0,), ct.zeros((T,), ct.float32))",
    "try:\n    pass\nfinally:\n    pass",
    "with x as z:\n    ct.store(z, (0,), ct.zeros((T,), ct.float32))",
    "ct.store()",
    "ct.load(x)",
    "ct.store(x, None, None)",
    "ct.gather(x, (1, 2), mask=3.5, padding_value='a')",
    "ct.reshape(ct.arange(T, dtype=ct.int32), (0,))",
    "ct.arange(0)[None, None, 3]",
    "n // 0 % 0 << -1",
    "range()[3]",
    "(lambda a: a)()",
    "f'{x}' + 3",
    "[i for i in range(n)][2]",
    "{**n}",
    "x @ y @ n",
    "ct.bid(n)",
    "ct.extract(ct.arange(8), (1, 2), (3,))",
    "1 << 10**9",
    "2 ** 10**9",
    "(1,) * 10**9",
])
def test_nothing_raises(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILECHECK_DEBUG", "1")
    kernel(body)


def test_too_large_kernels_lose_their_verdicts() -> None:
    k = kernel("\n".join(["def f0(a):\n    ct.scatter(a, 0, 1.0)"] + [
        f"def f{k}(a):\n" + f"    f{k - 1}(a)\n" * 8 for k in range(1, 11)] + ["f10(y)"]))
    assert any("y" in map(str, g.arrays) for g in k.gaps)


@pytest.mark.parametrize(("body", "verdict"), [
    # a `break` leaves the `else` out
    ("j = i // 2\nfor q in range(3):\n    if q == 2:\n        break\nelse:\n    j = i", "unproven"),
    ("j = i\nfor q in range(3):\n    if q == 2:\n        break\nelse:\n    j = i // 2", "unproven"),
    ("j = i // 2\nq = 0\nwhile q < 3:\n    if q == 2:\n        break\n    q += 1\nelse:\n    j = i", "unproven"),
    ("j = i // 2\nfor q in (0, 1, 2):\n    if q == 2:\n        break\nelse:\n    j = i", "refuted"),
    ("j = i // 2\nfor q in range(3):\n    pass\nelse:\n    j = i", "proved"),
    # an assignment expression in a comprehension binds a name of the function
    ("j = i\nt = [(j := q // 2) for q in (i, i)]", "unproven"),
    ("j = i\nt = [q for q in (i, i) if (j := q // 2) >= 0]", "unproven"),
    ("j = i\nt = [[(j := q // 2) for q in (i, i)] for p in (1, 2)]", "unproven"),
    ("j = i\nt = [j // 2 for j in (i, i)]", "proved"),
])
def test_missing_arguments_and_bound_names(body: str, verdict: str) -> None:
    lines = "".join(f"    {line}\n" for line in ("i = ct.bid(0)", *body.split("\n"), "ct.scatter(c, j, 1.0)"))
    (kernel,) = check_source(f"import cuda.tile as ct\n\n\n@ct.kernel\ndef k(c):\n{lines}", "m.py",
                             Config(use_cache=False)).kernels
    assert kernel.verdict == verdict


@pytest.mark.parametrize(("before", "known"), [
    ("class A:\n    n = 1\n", True),
    ("import enum\n\n\nclass A(enum.IntEnum):\n    m = 2\n    n = 1\n", True),
    ("class A:\n    n = 1\n    n = 2\n", False),
    ("class A:\n    n = 1\n    if True:\n        n = 2\n", False),
    ("class A:\n    n = 1\n    n += 1\n", False),
    ("class A:\n    n = 1\n    for n in (2,):\n        pass\n", False),
    ("class A:\n    n = 1\n\n\nB = A\nB.n = 2\n", False),
    ("class A:\n    n = 1\n\n    @classmethod\n    def f(cls):\n        cls.n = 2\n\n\nA.f()\n", False),
    ("class A:\n    n = 1\n\n\nsetattr(A, 'n', 2)\n", False),
    ("def d(c):\n    c.n = 2\n    return c\n\n\n@d\nclass A:\n    n = 1\n", False),
    ("class A:\n    n = 1\n\n\nclass B:\n    n = 2\n\n\nglobals()['A'] = B\n", False),
])
def test_class_attributes_are_known_if_no_other_code_sets_them(before: str, known: bool) -> None:
    source = (f"import cuda.tile as ct\n\n\n{before}\n\n@ct.kernel\ndef k(c):\n    i = ct.bid(0)\n"
              "    ct.scatter(c, i // A.n, 1.0)\n")
    (found,) = check_source(source, "m.py", Config(use_cache=False)).kernels
    assert (found.verdict == "proved") == known


def test_a_constant_that_is_set_by_way_of_globals() -> None:
    source = ("import cuda.tile as ct\n\nN = 1\nglobals()['N'] = 2\n\n\n@ct.kernel\ndef k(c):\n"
              "    ct.scatter(c, ct.bid(0) // N, 1.0)\n")
    (found,) = check_source(source, "m.py", Config(use_cache=False)).kernels
    assert found.verdict == "unproven"
