"""Changes of a program, most of which the compiler refuses."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator

__all__ = ["mutate"]

Mutation = Callable[[ast.Module, random.Random], bool]
"""Changes a tree in place; returns whether it did."""


def mutate(text: str, rng: random.Random, count: int) -> str:
    """The program after so many changes. The result can be parsed."""
    tree = ast.parse(text)
    done = 0
    for _ in range(20 * count):
        if done == count:
            break
        done += rng.choice(_MUTATIONS)(tree, rng)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n\n\n"


# --- places ----------------------------------------------------------------------------------------------------------


def _bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body and not isinstance(node, ast.Module):
                yield body


def _nodes(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes in the bodies of functions."""
    for function in tree.body:
        if isinstance(function, ast.FunctionDef):
            for statement in function.body:
                yield from ast.walk(statement)


def _expressions(tree: ast.AST) -> list[tuple[ast.AST, str, int | None, ast.expr]]:
    """Each expression that is loaded in a function, with its parent, field and position."""
    out: list[tuple[ast.AST, str, int | None, ast.expr]] = []
    for parent in _nodes(tree):
        if isinstance(parent, ast.JoinedStr | ast.FormattedValue):
            continue
        for name, value in ast.iter_fields(parent):
            if name not in ("annotation", "targets", "target", "decorator_list"):
                children = enumerate(value) if isinstance(value, list) else ((None, value),)
                out += [(parent, name, position, child) for position, child in children if _is_loaded(child)]
    return out


def _is_loaded(node: object) -> bool:
    if not isinstance(node, ast.expr) or isinstance(node, ast.Slice | ast.Starred):
        return False
    if isinstance(node, ast.Tuple) and any(isinstance(item, ast.Slice) for item in node.elts):
        return False
    return not isinstance(getattr(node, "ctx", None), ast.Store)


def _replace(place: tuple[ast.AST, str, int | None, ast.expr], new: ast.expr) -> None:
    parent, name, position, _ = place
    if position is None:
        setattr(parent, name, new)
    else:
        getattr(parent, name)[position] = new


def _parse(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


# --- expressions -----------------------------------------------------------------------------------------------------

VALUES = (
    "None",
    "'text'",
    "1.5",
    "3",
    "(1, 2)",
    "[1, 2]",
    "{1: 2}",
    "{1, 2}",
    "undefined",
    "ct.float32",
    "ct.sigmoid(s)",
    "ROWS",
    "TABLE",
    "NAMES",
    "WIDTHS",
    "Pair(1, 2)",
    "Loose(1)",
    "Plain()",
    "Plain.width",
    "Mode.ON",
    "a",
    "v",
    "scale",
    "b'x'",
    "3j",
    "...",
    "True",
    "lambda: 1",
    "a.shape",
    "range(3)",
    "ct.bid(3)",
    "ct.bid(n)",
    "n",
    "s",
    "T",
    "F",
    "ct.load(u, (0,), (16,))",
    "ct.load(h, (0,), (16,))",
    "ct.load(a, (0, 0), (16, 16))",
    "np.zeros(3)",
    "ct.PaddingMode.NINF",
    "u",
    "h",
    "cached(n)",
    "host_only(n)",
    "math.sin(1.0)",
    "np.sin(s)",
    "torch.exp(s)",
    "random.random()",
    "ct.bid",
    "(n := 3)",
    "ct.load(v, (0,), (3,))",
    "ct.load(v, (0,), (n,))",
    "ct.zeros((16,), float)",
    "ct.gather(u, 0)",
)
WRAPPERS = (
    "sum({})",
    "len({})",
    "list({})",
    "tuple({})",
    "int({})",
    "float({})",
    "bool({})",
    "str({})",
    "min({}, 1, 2)",
    "min({})",
    "max({}, 2)",
    "abs({})",
    "round({})",
    "pow({}, 2)",
    "isinstance({}, int)",
    "type({})",
    "enumerate({})",
    "zip({}, {})",
    "reversed({})",
    "sorted({})",
    "any({})",
    "all({})",
    "[{}]",
    "({},)",
    "{{{}}}",
    "[{} for q in range(2)]",
    "-{}",
    "~{}",
    "not {}",
    "+{}",
    "{}[0]",
    "{}[0:1]",
    "{}[n]",
    "{}.foo",
    "{}.T",
    "{}.sum()",
    "{}.shape",
    "{}.dtype",
    "{}.item()",
    "{}.astype(ct.int32)",
    "{}()",
    "{}(1)",
    "math.sqrt({})",
    "np.exp({})",
    "torch.relu({})",
    "ct.relu({})",
    "ct.exp({})",
    "ct.sum({})",
    "ct.sum({}, axis=3)",
    "ct.static_eval({})",
    "{} ** 2",
    "{} ** n",
    "2 ** {}",
    "{} + None",
    "{} + 'x'",
    "{} is n",
    "{} is None",
    "{} == None",
    "{} + (1,)",
    "{} @ {}",
    "{} if n > 3 else None",
    "{} if n > 3 else s",
    "{} and 1",
    "{} or {}",
    "({} for q in (1, 2))",
    "(lambda q: q)({})",
    "(lambda q, z: q)({})",
    "ct.maximum({}, a)",
    "ct.log({}, 2)",
    "ct.exp(x={})",
    "scale({}, 1, 2)",
    "scale({}, of=1)",
    "first(*{})",
    "f'{{{}}}'",
    "{} << 1",
    "{} & 1",
    "{} / 2",
    "ct.where({}, 1, 2)",
    "ct.reshape({}, (4, 4))",
    "ct.reshape({}, (3, 5))",
    "ct.astype({}, float)",
    "{} < 'x'",
    "1 in {}",
    "{}[None, :]",
    "{}[:, None]",
    "ct.transpose({})",
    "ct.load({}, (0,), (16,))",
    "ct.load(v, ({},), (16,))",
    "ct.full((16,), {}, ct.float32)",
    "ct.cat(({}, {}), 0)",
    "ct.bitcast({}, ct.int32)",
    "ct.expand_dims({}, 0)",
    "ct.ensure_constant({})",
    "getattr({}, 'shape')",
)


def _replace_value(tree: ast.Module, rng: random.Random) -> bool:
    places = _expressions(tree)
    if places:
        _replace(rng.choice(places), _parse(rng.choice(VALUES)))
    return bool(places)


def _wrap(tree: ast.Module, rng: random.Random) -> bool:
    places = _expressions(tree)
    if not places:
        return False
    place = rng.choice(places)
    text = ast.unparse(place[3])
    pattern = rng.choice(WRAPPERS)
    if pattern.startswith("f'") and ("'" in text or '"' in text or "{" in text):
        return False
    try:
        new = _parse(pattern.replace("{}", f"({text})") if "{{" not in pattern else pattern.format(text))
    except SyntaxError:  # a formatted string cannot hold every expression
        return False
    _replace(place, new)
    return True


def _swap_names(tree: ast.Module, rng: random.Random) -> bool:
    names = [n for n in _expressions(tree) if isinstance(n[3], ast.Name)]
    if len(names) < 2:
        return False
    place, other = rng.choice(names), rng.choice(names)
    _replace(place, ast.Name(other[3].id, ast.Load()))  # type: ignore[attr-defined]
    return True


def _change_operator(tree: ast.Module, rng: random.Random) -> bool:
    found = [n for n in _nodes(tree) if isinstance(n, ast.BinOp)]
    if found:
        rng.choice(found).op = rng.choice(
            (ast.Add, ast.Pow, ast.Div, ast.FloorDiv, ast.Mod, ast.BitAnd, ast.LShift, ast.MatMult, ast.BitXor, ast.Sub)
        )()
    return bool(found)


def _change_constant(tree: ast.Module, rng: random.Random) -> bool:
    found = [n for n in _expressions(tree) if isinstance(n[3], ast.Constant)]
    if found:
        _replace(rng.choice(found), ast.Constant(rng.choice((0, 1, 2, 3, 16, -1, 1.0, 8, True, None, "x", 32))))
    return bool(found)


def _misspell(tree: ast.Module, rng: random.Random) -> bool:
    found = [n for n in _nodes(tree) if isinstance(n, ast.Attribute)]
    if found:
        node = rng.choice(found)
        node.attr = rng.choice((node.attr + "s", node.attr[:-1] or "x", "foo", node.attr.upper(), "shape", "load"))
    return bool(found)


def _change_arguments(tree: ast.Module, rng: random.Random) -> bool:
    found = [n for n in _nodes(tree) if isinstance(n, ast.Call)]
    if not found:
        return False
    node = rng.choice(found)
    how = rng.randrange(5)
    if how == 0 and node.args:
        node.args.pop(rng.randrange(len(node.args)))
    elif how == 1:
        node.args.append(_parse(rng.choice(("1", "n", "None"))))
    elif how == 2:
        node.keywords.append(
            ast.keyword(rng.choice(("axis", "foo", "dtype", "x")), _parse(rng.choice(("0", "n", "ct.float32"))))
        )
    elif how == 3 and len(node.args) > 1:
        node.args.reverse()
    elif node.keywords:
        node.keywords.pop()
    else:
        return False
    names = [k.arg for k in node.keywords]
    if len(names) != len(set(names)):
        node.keywords.pop()
    return True


def _change_function(tree: ast.Module, rng: random.Random) -> bool:
    found = [n for n in _nodes(tree) if isinstance(n, ast.Call)]
    if found:
        rng.choice(found).func = _parse(
            rng.choice(
                (
                    "ct.exp",
                    "ct.sinn",
                    "np.sin",
                    "ct.sum",
                    "scale",
                    "Pair",
                    "min",
                    "sum",
                    "undefined",
                    "ct.store",
                    "n",
                    "ct.abs",
                    "Loose",
                    "ct.float32",
                    "ct.load",
                    "first",
                    "print",
                    "pick",
                )
            )
        )
    return bool(found)


def _list_for_tuple(tree: ast.Module, rng: random.Random) -> bool:
    found = [n for n in _expressions(tree) if isinstance(n[3], ast.Tuple)]
    if found:
        place = rng.choice(found)
        _replace(place, ast.List(place[3].elts, ast.Load()))  # type: ignore[attr-defined]
    return bool(found)


# --- statements ------------------------------------------------------------------------------------------------------

STATEMENTS = (
    "try:\n    q = 1\nexcept ValueError:\n    q = 2",
    "assert n > 3",
    "raise ValueError('x')",
    "del n",
    "import math",
    "global SIZE",
    "class Local:\n    pass",
    "with open('x') as q:\n    pass",
    "match n:\n    case 1:\n        pass",
    "q, *z = 1, 2, 3",
    "a.x = 3",
    "a[0] = 3",
    "v[0] += 1",
    "return 3",
    "return",
    "for q in (1, 2):\n    z = q",
    "for q in a.shape:\n    z = q",
    "for q in enumerate(range(3)):\n    z = q",
    "for q in range(3, 0, -1):\n    z = q",
    "for q in range(3):\n    pass\nelse:\n    q = 1",
    "while n > 3:\n    n = n - 1\nelse:\n    pass",
    "q = undefined",
    "for q in range(s):\n    z = q",
    "for q, z in range(3):\n    pass",
    "async def local():\n    pass",
    "q: int = 3",
    "q: int",
    "@functools.cache\ndef local(q):\n    return q",
    "def local(q):\n    return [q]",
    "def local(q):\n    return undefined",
    "def local(q):\n    yield q",
    "q = [1, 2]",
    "q = {'x': n}",
    "q = [z for z in range(3)]",
    "q = (z := n)",
    "q = n\nn = 1.5",
    "q, z = n, 1\nq, z = z, q",
    "q, z = n",
    "q, z = 1, 2, 3",
    "if n > 3:\n    q = 1\nz = q",
    "for q in range(n):\n    z = q\nq = z",
    "if n > 3:\n    q = 1\nelse:\n    q = 1.5\nz = q",
    "if n > 3:\n    q = 1\nelse:\n    q = None\nz = q",
    "if T > 3:\n    q = 1\nz = q",
    "if T > 3:\n    q = 1\nelse:\n    q = 'x'\nz = q",
    "if F:\n    q = [1]",
    "if False:\n    q = undefined",
    "q = 0\nfor z in range(n):\n    q = q + 1.5",
    "q = 0\nfor z in range(n):\n    q = ct.load(v, (z,), (16,))",
    "q = ()\nfor z in range(n):\n    q = q + (z,)",
    "q = ()\nfor z in ct.static_iter(range(3)):\n    q = q + (z,)",
    "for q in ct.static_iter(WIDTHS):\n    break",
    "for q in ct.static_iter(range(n)):\n    pass",
    "q = ct.static_iter((1, 2))",
    "for q in ct.static_iter((1, 2)):\n    if n > q:\n        continue",
    "q = sum((1, 2))",
    "q = min(1, 2, n)",
    "q = float(n)",
    "if a.shape:\n    pass",
    "if ct.load(v, (0,), (16,)) > 0:\n    pass",
    "if a:\n    pass",
    "while True:\n    q = 1\n    break\nz = q",
    "while n > 3:\n    q = 1\n    break\nz = q",
    "from math import pi",
    "print(n, file=None)",
    "ct.printf('%d %d', n)",
    "q = pow(n, 2)",
    "q = n ** 2\nct.store(i, (0,), ct.full((16,), q, ct.int32))",
    "z = q\nq = 3",
    "nonlocal_value = SIZE\nSIZE = 3",
    "raise ct.static_exception(ValueError('x'))",
    "if T == 8:\n    raise ct.static_exception(ValueError('x'))",
    "q = f'{n!r}'",
    "q = f'{n:{n}}'",
    "ct.static_assert(n > 3)",
    "ct.static_assert(T == 8)",
    "q = scale\nz = q(n)",
    "k = cached\nq = k(n)",
    "q = tuple(z for z in (1, 2))",
    "q = tuple(z * n for z in ct.static_iter((1, 2)) if z > 1)",
    "q = lambda *r: r\nz = q(n)",
    "q = NAMES[0]\nz = q == 'one'",
    "q = WIDTHS[n]",
    "q = WIDTHS[3]",
    "q = 'a' + 'b'",
    "q = 'a'.upper()",
    "q = b'x'",
    "q = ROWS",
    "q = ROWS[0]",
    "q = TABLE['one']",
    "q = len(ROWS)",
    "q = ct.static_eval(ROWS[0])",
    "q = Mode.ON\nz = q.value",
    "q = Mode.GONE",
    "q = Loose(1)",
    "q = Plain()",
    "q = Pair(1, 2, 3)",
    "q = Pair(1).third",
    "with section(n) as q:\n    z = q",
    "with n:\n    pass",
)


def _insert(tree: ast.Module, rng: random.Random) -> bool:
    bodies = list(_bodies(tree))
    if bodies:
        body = rng.choice(bodies)
        at = rng.randrange(len(body) + 1)
        body[at:at] = ast.parse(rng.choice(STATEMENTS)).body
    return bool(bodies)


def _delete(tree: ast.Module, rng: random.Random) -> bool:
    bodies = [b for b in _bodies(tree) if len(b) > 1]
    if bodies:
        body = rng.choice(bodies)
        body.pop(rng.randrange(len(body)))
    return bool(bodies)


def _nest(tree: ast.Module, rng: random.Random) -> bool:
    """Puts a statement under a condition or into a loop."""
    bodies = list(_bodies(tree))
    if not bodies:
        return False
    body = rng.choice(bodies)
    at = rng.randrange(len(body))
    header = rng.choice(
        (
            "if n > 3:\n    pass",
            "if T > 3:\n    pass",
            "if F:\n    pass",
            "for q in range(n):\n    pass",
            "for q in ct.static_iter(range(2)):\n    pass",
            "while n > 3:\n    pass",
            "if T == 8:\n    pass",
        )
    )
    outer = ast.parse(header).body[0]
    outer.body = [body[at]]  # type: ignore[attr-defined]
    body[at] = outer
    return True


def _move(tree: ast.Module, rng: random.Random) -> bool:
    bodies = [b for b in _bodies(tree) if len(b) > 1]
    if bodies:
        body = rng.choice(bodies)
        body.insert(rng.randrange(len(body)), body.pop(rng.randrange(len(body))))
    return bool(bodies)


_MUTATIONS: tuple[Mutation, ...] = (
    _replace_value,
    _replace_value,
    _wrap,
    _wrap,
    _wrap,
    _swap_names,
    _change_operator,
    _change_constant,
    _misspell,
    _change_arguments,
    _change_function,
    _list_for_tuple,
    _insert,
    _insert,
    _insert,
    _insert,
    _delete,
    _nest,
    _move,
)
