"""TC602 refused-syntax: a statement or an expression that the device language does not have.

## What it does

Reports Python that has no place in a kernel or in a function that a kernel calls: lists, sets, dicts and
comprehensions, `try`, `raise`, `assert`, `del`, `import`, `class`, `match`, `global`, `yield`, `async`, assignment
expressions, `else` of a loop, starred assignment targets, assignment to attributes, decorators of nested functions,
`break`, `continue` and `return` inside a loop over `ct.static_iter`, and variadic parameters of a kernel.

The compiler translates each function whole, so code that is never reached counts. The arguments of `ct.static_eval`,
`ct.static_assert` and `ct.static_iter` are Python that the compiler executes: everything is allowed there.

## Why is this bad?

The kernel does not compile, which shows at its first launch on a GPU: a kernel is not executed by Python, and the
compiler translates a subset of it.

## Example

```python
import cuda.tile as ct


@ct.kernel
def add_two(x, y, n: int, T: ct.Constant[int]):
    i = ct.bid(0)
    tiles = [ct.load(x, (i + k,), (T,)) for k in range(2)]  # error: TC602
    ct.store(y, (i,), tiles[0] + tiles[1])
```

## Use instead

```python
import cuda.tile as ct


@ct.kernel
def add_two(x, y, n: int, T: ct.Constant[int]):
    i = ct.bid(0)
    tiles = tuple(ct.load(x, (i + k,), (T,)) for k in ct.static_iter(range(2)))
    ct.store(y, (i,), tiles[0] + tiles[1])
```

## How to suppress it

`# tilecheck: allow[TC602] the function is replaced before it is compiled` on the line or above the
kernel. It needs a reason.
"""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import Final

from tilecheck.rules.messages.refusals import Texts, refusal_findings
from tilecheck.rules.rule import Rule

CODE: Final = "TC602"

TEXTS: Final[Texts] = MappingProxyType({
    "variadic": (
        "`{0}` of a kernel: a launch passes a fixed number of arguments",
        "name each parameter, or pass a tuple"),
    "keyword parameter": (
        "`{0}` can be passed by name only: a launch passes arguments by position",
        "move it before the `*`"),
    "parameter type": (
        "`{0}` is annotated as {1}: a kernel takes arrays, `int`, `float`, `bool` and constants",
        "annotate it as `int`, `float` or `bool`, or compute with it in the host code"),
    "generic element": (
        "`{0}` has elements of the type variable `{1}`: a kernel is compiled for one element type",
        "name the element type, as in `f32`, and write one kernel for each"),
    "starred target": (
        "a starred target in an assignment: the compiler unpacks a tuple into single names",
        "name each item, or take a slice of the tuple: `rest = t[1:]`"),
    "attribute target": ("an assignment to an attribute: objects do not change inside a kernel", "use a variable"),
    "loop else": (
        "`else` of a `{0}` loop: the compiler does not translate it",
        "set a flag in the loop and test it afterwards"),
    "static jump": (
        "`{0}` in a loop over `ct.static_iter`: the compiler repeats the body for every item",
        "put the rest of the body under an `if`, or loop over a `range`"),
    "generator return": (
        "`return` in a function that `contextmanager` decorates",
        "let the function end after its `yield`"),
    "raise": (
        "`raise` of an exception at run time: a kernel has none",
        "use `ct.assert_(condition)`; while the kernel is compiled, `raise ct.static_exception(error)`"),
    "async": ("`async` and `await`: a kernel has no event loop", "write a plain function"),
    "nested decorator": (
        "a decorator of a function inside a function",
        "define the function at module level, or call the decorator on it before the kernel is defined"),
    "statement": (
        "this statement has no counterpart in the device language: {0}",
        "compute the value before the launch and pass it"),
    "scope": ("`{0}`: a kernel does not change variables of other scopes", "return the value, or store it in an array"),
    "del": ("`del`: variables of a kernel are not deleted", "delete the line: the compiler frees unused values"),
    "match": ("`match`: the compiler does not translate it", "use `if` and `elif`"),
    "try": ("`try`: nothing is raised inside a kernel", "delete the `try` and test the condition that would raise"),
    "assert": (
        "`assert`: the compiler does not translate it",
        "use `ct.assert_(condition)`, or `ct.static_assert(condition)` for constants"),
    "class": ("a class that is defined inside a function", "define a frozen dataclass at module level"),
    "import": ("`import` inside a function", "import at module level"),
    "static arguments": (
        "`ct.{0}` with a wrong number of arguments",
        "pass one expression; `ct.static_assert` takes a message as well"),
    "static_iter": ("`ct.static_iter` outside of a `for`", "write `for x in ct.static_iter(...)`"),
    "static_exception": ("`ct.static_exception` outside of `raise`", "write `raise ct.static_exception(...)`"),
    "generator": (
        "this generator expression runs over something other than `ct.static_iter`",
        "write `tuple(... for x in ct.static_iter(...))`"),
    "list": ("a list: the device language has tuples only", "write a tuple: `(a, b)`"),
    "set": ("a set: the device language has tuples only", "write a tuple: `(a, b)`"),
    "dict": (
        "a dict: the device language has tuples only",
        "use variables or a frozen dataclass; `ct.static_eval` may use a dict of constants"),
    "comprehension": (
        "a comprehension: the device language has tuples only",
        "write `tuple(... for x in ct.static_iter(...))`"),
    "walrus": ("an assignment expression", "assign on a line of its own"),
    "yield": ("`yield`: a function that a kernel calls returns once", "return a tuple"),
    "format conversion": ("`!r`, `!s` or `!a` in a formatted string", "leave the conversion out"),
    "format spec": ("a format that is computed in a formatted string", "write the format as text"),
})

RULE: Final = Rule(
    code=CODE,
    name="refused-syntax",
    summary="a statement or an expression that the device language does not have",
    severity="error",
    mypy="tile-language",
    kernel=partial(refusal_findings, code=CODE, texts=TEXTS),
)
