"""The known facts at the start of a `backward`."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.interp.host.hosts import PARAMS, launches
from tilecheck.contracts import parse
from tilecheck.interp.host.discharge import Discharge, discharge

LAUNCH = "ct.launch(0, (x.shape[0],), k, (x, g, n, m))"


def at(
    clause: str, forward: str, backward: str, grads: str = "g", base: str = "torch.autograd.Function",
    before: str = "", decorators: str = "",
) -> Discharge:
    """Returns the discharge of a clause at the launch of `backward`."""
    def body(text: str) -> str:
        return "".join(f"        {line}\n" for line in text.splitlines())

    source = (f"{before}\nclass F({base}):\n"
              f"    @staticmethod\n{decorators}    def forward(ctx, x, n, m):\n{body(forward)}"
              f"    @staticmethod\n{decorators}    def backward(ctx, {grads}):\n{body(backward)}")
    (found,) = (x for x in launches(source) if x.wrapper == "F.backward")
    (parsed,) = parse(clause)
    parsed = replace(parsed, kind="structural") if parsed.cond is not None else parsed
    return discharge(parsed, PARAMS, found, {"x": 2, "y": 2})


SAVED = "ctx.save_for_backward(x)\nctx.n, ctx.m = n, m\nreturn torch.empty_like(x)"
READ = f"(x,) = ctx.saved_tensors\nn, m = ctx.n, ctx.m\n{LAUNCH}"


@pytest.mark.parametrize(("clause", "forward", "backward"), [
    # the gradient of a result is as large as the result
    ("grid[0] <= y.shape[0]", SAVED, READ),
    ("x.shape[1] <= y.shape[1]", SAVED, READ),
    ("grid[0] <= y.shape[0]", "ctx.save_for_backward(x)\nreturn torch.empty((x.shape[0], 4)), n",
     f"x, = ctx.saved_tensors\nn = m = 1\n{LAUNCH}"),
    # ... also in another view of it, and when it is no longer what it was
    ("x.shape[1] <= y.shape[1]",
     "s = x.shape\nx = x.view(-1, s[-1])\ny = torch.empty_like(x)\nctx.save_for_backward(x)\nreturn y.view(*s)",
     f"x, = ctx.saved_tensors\nn = m = 1\ng = g.contiguous().view(-1, g.shape[-1])\n{LAUNCH}"),
    # an assertion of that time still holds
    ("n <= T", f"assert n <= m\n{SAVED}", READ),
    ("grid[0] <= n", f"assert x.shape[0] == n\n{SAVED}", READ),
    # on every path
    ("grid[0] <= y.shape[0]",
     "ctx.save_for_backward(x)\nif n:\n    return torch.empty_like(x)\nreturn torch.zeros(x.shape)",
     f"x, = ctx.saved_tensors\nn = m = 1\n{LAUNCH}"),
    # a value of the context as it was last assigned
    ("n <= T", "ctx.n = m + 1\nctx.n = n\nctx.m = n + 2\nctx.save_for_backward(x)\nreturn x", READ),
    ("n <= T", "ctx.sizes = (n, n + 1)\nctx.save_for_backward(x)\nreturn x",
     f"x, = ctx.saved_tensors\nn, m = ctx.sizes\n{LAUNCH}"),
])
def test_a_backward_reads_the_state_that_its_forward_saved(clause: str, forward: str, backward: str) -> None:
    assert at(clause, forward, backward).state == "discharged"


def test_gradients_taken_together() -> None:
    found = at("grid[0] <= y.shape[0]", "ctx.save_for_backward(x)\nreturn n, torch.empty_like(x)",
               f"x, = ctx.saved_tensors\ng = grads[1]\nn = m = 1\n{LAUNCH}", grads="*grads")
    assert found.state == "discharged"


def test_gradients_are_not_arguments_of_the_forward() -> None:
    source = ("class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, *args):\n"
              "        x, n = args[0], args[1]\n        assert x.shape[0] == n\n        ctx.n = n\n"
              "        return torch.empty(args[2], 4), torch.empty_like(x)\n"
              "    @staticmethod\n    def backward(ctx, *args):\n"
              "        ct.launch(0, (ctx.n,), k, (args[0], args[1], 1, 1))\n")
    (found,) = launches(source)
    states = [discharge(replace(parse(text)[0], kind="structural"), PARAMS, found, {"x": 2, "y": 2}).state
              for text in ("grid[0] <= x.shape[0]", "grid[0] <= y.shape[0]", "x.shape[1] <= 4")]
    assert states == ["open", "discharged", "discharged"]


WRAP = """
def contiguous(f):
    @functools.wraps(f)
    def inner(ctx, *args, **kwargs):
        def one(a):
            return a.contiguous() if isinstance(a, torch.Tensor) else a
        return f(ctx, *[one(a) for a in args], **{k: one(v) for k, v in kwargs.items()})
    return inner
"""


def test_functions_behind_a_decorator() -> None:
    behind = "    @contiguous\n"
    assert at("grid[0] <= y.shape[0]", SAVED, READ, before=WRAP, decorators=behind).state == "discharged"
    assert at("n <= T", f"assert n <= m\n{SAVED}", READ, before=WRAP, decorators=behind).state == "discharged"
    # one that gives the function something else
    other = WRAP.replace("a.contiguous() if", "a[1:] if")
    assert at("grid[0] <= y.shape[0]", SAVED, READ, before=other, decorators=behind).state == "open"
    # and one that is not seen
    assert at("grid[0] <= y.shape[0]", SAVED, READ, decorators="    @foo\n").state == "open"


@pytest.mark.parametrize(("clause", "forward", "backward"), [
    # larger on one path than on the other
    ("grid[0] <= y.shape[0]",
     "ctx.save_for_backward(x)\nif n:\n    return torch.empty_like(x)\nreturn torch.zeros(m, 2)",
     f"x, = ctx.saved_tensors\nn = m = 1\n{LAUNCH}"),
    # asserted on one path
    ("n <= T", f"if x.shape[0] == 3:\n    assert n <= m\n{SAVED}", READ),
    # saved on one path
    ("grid[0] <= y.shape[0]",
     "if n:\n    ctx.save_for_backward(x)\nelse:\n    ctx.save_for_backward(torch.empty(m, 4))\nreturn x + 0",
     f"x, = ctx.saved_tensors\nn = m = 1\n{LAUNCH}"),
    # the other result
    ("grid[0] <= y.shape[0]", "ctx.save_for_backward(x)\nreturn torch.empty(n, 4), torch.empty_like(x)",
     f"x, = ctx.saved_tensors\nn = m = 1\n{LAUNCH}"),
    # a gradient may be missing
    ("grid[0] <= y.shape[0]", f"ctx.set_materialize_grads(False)\n{SAVED}", READ),
    # a result that may be no array has perhaps no gradient
    ("grid[0] <= y.shape[0]", "ctx.save_for_backward(x)\nreturn foo(x)",
     f"x, = ctx.saved_tensors\nn = m = 1\n{LAUNCH}"),
    # what is mutable may have changed
    ("n <= T", "ctx.sizes = [n, n + 1]\nctx.save_for_backward(x)\nreturn x",
     f"x, = ctx.saved_tensors\nn, m = ctx.sizes\n{LAUNCH}"),
    ("n <= T", "assert m.low <= m.high\nctx.cfg = m\nctx.save_for_backward(x)\nreturn x",
     f"x, = ctx.saved_tensors\nn, m = ctx.cfg.low, ctx.cfg.high\n{LAUNCH}"),
    # the context went to code that is not seen
    ("n <= T", "ctx.n, ctx.m = n, n + 1\nctx.save_for_backward(x)\nfoo(ctx)\nreturn x", READ),
    ("n <= T", "ctx.n, ctx.m = n, n + 1\nctx.save_for_backward(x)\nsetattr(ctx, 'n', m)\nreturn x", READ),
    ("n <= T", SAVED.replace("n, m\n", "n, n + 1\n"), f"ctx.n = foo()\n{READ}"),
    # the shape of a saved array is known, and its memory layout is unknown
    ("x.strides[1] == 1", f"assert x.stride(1) == 1\n{SAVED}", READ),
    ("x.strides[0] == 4", "x = torch.empty(n, 4)\nctx.save_for_backward(x)\nreturn x",
     f"x, = ctx.saved_tensors\nn = m = 1\n{LAUNCH}"),
    # a result may come back as the gradient
    ("disjoint(x, y)", "y = torch.empty_like(x)\nctx.save_for_backward(y)\nreturn y",
     f"x, = ctx.saved_tensors\nn = m = 1\n{LAUNCH}"),
    ("disjoint(x, y)", "y = torch.empty_like(x)\nctx.y = y\nreturn y", f"x = ctx.y\nn = m = 1\n{LAUNCH}"),
])
def test_a_backward_sees_no_other_values(clause: str, forward: str, backward: str) -> None:
    assert at(clause, forward, backward).state == "open"


def test_only_autograd_functions_have_a_backward() -> None:
    assert at("grid[0] <= y.shape[0]", SAVED, READ, base="Mine").state == "open"
    assert at("grid[0] <= y.shape[0]", SAVED, READ, base="Function").state == "discharged"


def test_the_launches_of_a_forward_are_seen_once() -> None:
    source = ("class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x, y, n, m):\n"
              "        ct.launch(0, (n,), k, (x, y, n, m))\n        return x\n"
              "    @staticmethod\n    def backward(ctx, g):\n        ct.launch(0, (1,), other, (g, g, 1, 1))\n")
    assert [(x.wrapper, x.kernel[1]) for x in launches(source)] == [("F.forward", "k"), ("F.backward", "other")]
