"""The effect of a padding value in a kernel: whether the lanes that it fills change a result.

The value of the lanes outside the array is followed from a load, through the statements of a function, to operations
that combine lanes. It is neutral if it is the identity of each such operation: 0 in a sum or product of matrices,
minus infinity in a maximum. Anything that is not followed is not neutral.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, TypeAlias

import libcst as cst

from tilecheck.repair.source.operations import get_index_parts, identify_operation, spell_name
from tilecheck.repair.source.tree import Source, get_dotted_name, walk
from tilecheck.syntax.tree import Span

__all__ = ["PADDINGS", "Outcome", "find_outcome"]

Outcome: TypeAlias = Literal["neutral", "floats", "unknown", "wrong"]
"""`floats`: neutral if the array does not hold integers, which have no infinity. `unknown`: it is not followed to the
end. `wrong`: it arrives as a value that changes the result."""

Value: TypeAlias = float | Literal["elsewhere", "data", "unknown"]
"""The value of the lanes outside the array: a number, or one that depends on data. `elsewhere`: the value does not
depend on the load, or has no such lanes."""

PADDINGS: Final[Mapping[str, float]] = {"ZERO": 0.0, "NEG_INF": -math.inf, "POS_INF": math.inf}

_IDENTITY: Final[Mapping[str, float]] = {
    "sum": 0.0, "cumsum": 0.0, "mma": 0.0, "matmul": 0.0, "dot": 0.0, "prod": 1.0, "cumprod": 1.0,
    "max": -math.inf, "argmax": -math.inf, "min": math.inf, "argmin": math.inf,
}
_PRODUCTS: Final = frozenset({"mma", "matmul", "dot"})
_BUILTIN: Final = frozenset({"max", "min", "sum", "abs", "pow"})
_LIKE: Final = {"max": "maximum", "min": "minimum", "pow": "pow"}
_SAME: Final = frozenset({
    "reshape", "permute", "transpose", "broadcast_to", "expand_dims", "extract", "item", "T", "squeeze", "unsqueeze",
})
_WRITES: Final = frozenset({"store", "scatter", "store_advanced_indexing"})
_TAKEN: Final = frozenset({"load", "gather", "load_advanced_indexing"})
_FLOAT_ONLY: Final = frozenset({"exp", "exp2", "log", "log2", "log1p", "sqrt", "rsqrt", "tanh", "sin", "cos", "expm1"})
_ELEMENTWISE: Final[Mapping[str, Callable[[float], float]]] = {
    "exp": math.exp, "exp2": lambda x: 2.0**x, "expm1": math.expm1, "tanh": math.tanh, "abs": abs, "sqrt": math.sqrt,
    "sin": math.sin, "cos": math.cos, "floor": math.floor, "ceil": math.ceil, "log": math.log, "log2": math.log2,
    "log1p": math.log1p, "negative": lambda x: -x, "rsqrt": lambda x: 1 / math.sqrt(x),
}
_BINARY: Final[Mapping[str, Callable[[float, float], float]]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "truediv": lambda a, b: a / b,
    "pow": lambda a, b: a**b, "maximum": max, "minimum": min,
}
_OPERATORS: Final[Mapping[type[cst.CSTNode], str]] = {
    cst.Add: "add", cst.Subtract: "sub", cst.Multiply: "mul", cst.Divide: "truediv", cst.Power: "pow",
    cst.AddAssign: "add", cst.SubtractAssign: "sub", cst.MultiplyAssign: "mul", cst.DivideAssign: "truediv",
    cst.MatrixMultiply: "matmul",
}
_PASSES: Final = 3
"""How often the body of a loop is interpreted; values that still change are unknown."""


def find_outcome(source: Source, load: cst.Call, mode: str, use: Span | None) -> Outcome:
    """The effect of the lanes outside the array when a load pads with a mode.

    use  where the checker saw them used; if that is a place that was not come by, they are not followed
    """
    function = source.function_around(load)
    if function is None:
        return "unknown"
    name, method = identify_operation(source, load)
    shape = source.argument(load, 2, "shape")
    if method or name != "load" or shape is None or source.keyword(load, "order") is not None:
        return "unknown"
    extents = get_index_parts(source, function, shape)
    flows = [_Flow(source, load, PADDINGS[mode], use, axis, len(extents)) for axis, extent in enumerate(extents)
             if source.code(extent) != "1"]  # a tile of one element does not reach over the end
    for flow in flows:
        flow.block(function.body)
    faults = {fault for flow in flows for fault in flow.faults}
    if faults:
        return "wrong" if "wrong" in faults else "unknown"
    if use is not None and not any(use in flow.met for flow in flows):
        return "unknown"
    if not math.isfinite(PADDINGS[mode]) and not any(flow.floating for flow in flows):
        return "floats"
    return "neutral"


class _Flow:
    """Goes through a function, with the value of each local name in the lanes over one edge of the array.

    edge    the axis of the tile along which they lie, of `rank` axes
    converted  whether a tile was cast: its type may then differ from that of the array
    moved   whether the axes of a tile were permuted: the axis of a reduction is unknown then
    """

    def __init__(self, source: Source, load: cst.Call, padding: float, use: Span | None, edge: int, rank: int) -> None:
        self.source = source
        self.load = load
        self.padding = padding
        self.use = use
        self.env: dict[str, Value] = {}
        self.faults: set[Outcome] = set()
        self.met: set[Span] = set()
        self.edge = edge
        self.rank = rank
        self.moved = False
        self.floating = False
        self.converted = False

    # --- statements --------------------------------------------------------------------------------------------------

    def block(self, body: cst.BaseSuite | cst.CSTNode) -> None:
        for statement in getattr(body, "body", ()):
            self.statement(statement)

    def statement(self, node: cst.CSTNode) -> None:
        match node:
            case cst.SimpleStatementLine():
                self.block(node)
            case cst.Assign():
                value = self.expr(node.value)
                for target in node.targets:
                    self.bind(target.target, node.value, value)
            case cst.AnnAssign():
                if node.value is not None:
                    self.bind(node.target, node.value, self.expr(node.value))
            case cst.AugAssign():
                name = _OPERATORS.get(type(node.operator), "")
                self.bind(node.target, None, self.binary(name, self.expr(node.target), self.expr(node.value), node))
            case cst.Expr() | cst.Return():
                if node.value is not None:
                    value = self.expr(node.value)
                    if isinstance(node, cst.Return) and value != "elsewhere":
                        self.faults.add("unknown")
            case cst.If():
                self.check_condition(self.expr(node.test))
                before = dict(self.env)
                self.block(node.body)
                after, self.env = self.env, before
                if node.orelse is not None:
                    self.statement(node.orelse)
                self.env = _join_environments(after, self.env)
            case cst.Else():
                self.block(node.body)
            case cst.For() | cst.While():
                self.loop(node)
            case cst.FunctionDef() | cst.With() | cst.Try():
                if any(isinstance(part, cst.Name) and self.env.get(part.value, "elsewhere") != "elsewhere" for part in
                       walk(node)) or any(part is self.load for part in walk(node)):
                    self.faults.add("unknown")

    def loop(self, node: cst.For | cst.While) -> None:
        if isinstance(node, cst.For):
            self.check_condition(self.expr(node.iter))
        for turn in range(_PASSES):
            if isinstance(node, cst.While):
                self.check_condition(self.expr(node.test))
            before = dict(self.env)
            self.block(node.body)
            self.env = _join_environments(before, self.env)
            if self.env == before:
                break
            if turn == _PASSES - 1:
                self.faults.add("unknown")

    def bind(self, target: cst.CSTNode, expression: cst.CSTNode | None, value: Value) -> None:
        if isinstance(target, cst.Name):
            self.env[target.value] = value
        elif isinstance(target, cst.Tuple):
            values = expression.elements if isinstance(expression, cst.Tuple) else ()
            for place, element in enumerate(target.elements):
                known = len(values) == len(target.elements)
                self.bind(element.value, None, self.expr(values[place].value) if known else value)
        elif value != "elsewhere":
            self.faults.add("unknown")

    def check_condition(self, value: Value) -> None:
        """A condition or a range on a value."""
        if value != "elsewhere":
            self.faults.add("unknown")

    # --- expressions -------------------------------------------------------------------------------------------------

    def expr(self, node: cst.CSTNode) -> Value:
        match node:
            case cst.Name():
                return self.env.get(node.value, "elsewhere")
            case cst.Call():
                return self.call(node)
            case cst.BinaryOperation():
                return self.binary(_OPERATORS.get(type(node.operator), ""), self.operand(node.left),
                                   self.operand(node.right), node)
            case cst.UnaryOperation():
                value = self.expr(node.expression)
                if isinstance(value, float):
                    return -value if isinstance(node.operator, cst.Minus) else "unknown"
                return value
            case cst.Subscript():
                for part in walk(node.slice[0] if node.slice else node):
                    if isinstance(part, cst.Name):
                        self.check_condition(self.env.get(part.value, "elsewhere"))
                value = self.expr(node.value)
                self.moved |= value != "elsewhere"
                return value
            case cst.Attribute():
                value = self.expr(node.value) if node.attr.value in _SAME else "elsewhere"
                self.moved |= value != "elsewhere"
                return value
            case cst.IfExp():
                self.check_condition(self.expr(node.test))
                return _join(self.expr(node.body), self.expr(node.orelse))
            case cst.Tuple() | cst.List():
                return _find_worst([self.expr(element.value) for element in node.elements])
            case cst.Comparison() | cst.BooleanOperation() | cst.Lambda() | cst.NamedExpr() | cst.GeneratorExp():
                # the operands count, but the result is unknown
                found = _find_worst([self.expr(part) for part in node.children])
                return "elsewhere" if found == "elsewhere" else "unknown"
            case _:
                found = _find_worst([self.expr(part) for part in node.children])
                return "elsewhere" if found == "elsewhere" else "unknown"

    def operand(self, node: cst.CSTNode) -> Value | tuple[float]:
        """A value, or a number that the code spells out, which it is in all lanes."""
        number = _read_number(node)
        return self.expr(node) if number is None else (number,)

    def call(self, node: cst.Call) -> Value:
        name, method = identify_operation(self.source, node)
        given = [self.operand(arg.value) for arg in node.args if arg.keyword is None]
        named = {arg.keyword.value: self.operand(arg.value) for arg in node.args if arg.keyword is not None}
        if method and isinstance(node.func, cst.Attribute):
            given.insert(0, self.expr(node.func.value))
        made = [value for value in (*given, *named.values()) if not isinstance(value, tuple)]
        if node is self.load:
            for value in made:
                self.check_condition(value)
            return self.padding
        if _find_worst(made) == "elsewhere":
            return "elsewhere"
        if name in _FLOAT_ONLY and not self.converted:
            self.floating = True
        if not method and get_dotted_name(node.func) in _BUILTIN and spell_name(self.source, name) != name:
            # Python's own, which compares whole values
            if len(given) != 2 or name not in _LIKE:
                self.faults.add("unknown")
                return "unknown"
            return self.binary(_LIKE[name], given[0], given[1], node)
        if name in _IDENTITY:
            return self.apply_reduction(name, node, given)
        if name in _WRITES or name.startswith("atomic_"):
            return self.apply_store(name, node, given)
        return self.apply_elementwise(name, given)

    def apply_elementwise(self, name: str, given: Sequence[Value | tuple[float]]) -> Value:
        """The result of an operation that works lane by lane."""
        first = given[0] if given and not isinstance(given[0], tuple) else "elsewhere"
        if name in _SAME:
            self.moved = True
            return first
        if name == "astype":
            self.converted = True
            return first
        if name in _ELEMENTWISE and isinstance(first, float):
            return _apply_unary(_ELEMENTWISE[name], first)
        if name in _ELEMENTWISE:
            return first
        if name in _BINARY and len(given) == 2:
            return self.binary(name, given[0], given[1], self.load)
        if name == "where" and len(given) == 3:
            self_mask, then, other = given
            if not isinstance(self_mask, tuple) and self_mask != "elsewhere":
                return "unknown"
            return _select(then, other)
        if name in _TAKEN:  # an index
            self.faults.add("unknown")
        return "unknown" if name in _FLOAT_ONLY or self.follow(name) else "elsewhere"

    def follow(self, name: str) -> bool:
        """A call that is not known may do anything with its arguments."""
        self.faults.add("unknown")
        return True

    def apply_reduction(self, name: str, node: cst.Call, given: Sequence[Value | tuple[float]]) -> Value:
        self.met.add(self.source.at.span(node))
        if name in _PRODUCTS:
            return self.apply_product(given)
        (value, *_) = given or ("unknown",)
        if isinstance(value, tuple) or value == "elsewhere":
            return "elsewhere"
        along = self.reduces_edge(node)
        if along is None or self.moved or value == "unknown":
            self.faults.add("unknown")
            return "unknown"
        if not along:
            # these lanes are combined with their like, and are still there
            self.moved |= not self.keeps(node)
            return value if value == _IDENTITY[name] else "data"
        if value != _IDENTITY[name]:
            self.faults.add("wrong")
        # a scan leaves the lanes, with its last value in them
        return "data" if name in ("cumsum", "cumprod") else "elsewhere"

    def reduces_edge(self, node: cst.Call) -> bool | None:
        """Whether a reduction is along the edge; None if unknown."""
        axis = self.source.argument(node, 1 - identify_operation(self.source, node)[1], "axis")
        number = None if axis is None else _read_number(axis)
        if axis is None or self.source.code(axis) == "None":
            return True
        return None if number is None else int(number) % self.rank == self.edge

    def keeps(self, node: cst.Call) -> bool:
        """Whether a reduction keeps the number of axes."""
        kept = self.source.argument(node, 2 - identify_operation(self.source, node)[1], "keepdims")
        return kept is not None and self.source.code(kept) == "True"

    def apply_product(self, given: Sequence[Value | tuple[float]]) -> Value:
        """A product of matrices, which combines the last axis of one with the first of the other."""
        out: Value = "elsewhere"
        for place, value in enumerate(given):
            if isinstance(value, tuple) or value == "elsewhere":
                continue
            if isinstance(value, float) and math.isinf(value) and place < 2:
                self.faults.add("wrong")  # times numbers of either sign, and zeros
            elif self.rank != 2 or self.moved or value == "unknown":
                self.faults.add("unknown")
            elif place > 1:  # what it is added to
                out = _join(out, value)
            elif self.edge == 1 - place:
                if value != 0.0:
                    self.faults.add("wrong")
            else:
                out = _join(out, 0.0 if value == 0.0 else "data")
        return out

    def apply_store(self, name: str, node: cst.Call, given: Sequence[Value | tuple[float]]) -> Value:
        span = self.source.at.span(node)
        if span == self.use:
            # these lanes are stored inside the array: what should be there only the author knows
            self.met.add(span)
            self.faults.add("unknown")
        for place, value in enumerate(given[:2]):
            if place and not isinstance(value, tuple):
                self.check_condition(value)
        if name.startswith("atomic_") and len(given) > 2 and not (name == "atomic_add" and given[2] == 0.0):
            self.faults.add("unknown")
        return "elsewhere"

    def binary(
        self, name: str, left: Value | tuple[float], right: Value | tuple[float], node: cst.CSTNode,
    ) -> Value:
        if name == "matmul":
            self.met.add(self.source.at.span(node))
            return self.apply_product((left, right))
        sides = [v for v in (left, right) if not isinstance(v, tuple)]
        if all(v == "elsewhere" for v in sides):
            return "elsewhere"
        if "unknown" in sides:
            return "unknown"
        a = left[0] if isinstance(left, tuple) else left
        b = right[0] if isinstance(right, tuple) else right
        if isinstance(a, float) and isinstance(b, float):
            return _apply_binary(_BINARY[name], a, b) if name in _BINARY else "unknown"
        return _combine_with_data(name, a, b) if name in _BINARY else "unknown"


def _combine_with_data(name: str, a: Value, b: Value) -> Value:
    """A number and a finite value that depends on data."""
    number, first = (a, True) if isinstance(a, float) else (b, False)
    if not isinstance(number, float):
        return "data"
    if number == 0.0 and (name == "mul" or (name == "truediv" and first)):
        return 0.0
    if math.isinf(number) and (name == "add" or (name == "sub" and first)):
        return number
    if math.isinf(number) and name == "sub":
        return -number
    return "unknown" if math.isinf(number) else "data"


def _apply_unary(function: Callable[[float], float], x: float) -> Value:
    try:
        value = float(function(x))
    except (ValueError, OverflowError, ZeroDivisionError):
        return "data"
    return "data" if math.isnan(value) else value


def _apply_binary(function: Callable[[float, float], float], a: float, b: float) -> Value:
    try:
        value = function(a, b)
    except (ValueError, OverflowError, ZeroDivisionError):
        return "data"
    return float(value) if isinstance(value, int | float) and not math.isnan(value) else "data"


def _read_number(node: cst.CSTNode) -> float | None:
    """A number that is spelled out, also with a sign."""
    match node:
        case cst.Integer() | cst.Float():
            return float(node.evaluated_value)
        case cst.UnaryOperation(operator=cst.Minus()):
            value = _read_number(node.expression)
            return None if value is None else -value
    return None


def _select(then: Value | tuple[float], other: Value | tuple[float]) -> Value:
    """One of two values, lane by lane."""
    a = then[0] if isinstance(then, tuple) else then
    b = other[0] if isinstance(other, tuple) else other
    return a if a == b else "data" if "unknown" not in (a, b) else "unknown"


def _join(a: Value, b: Value) -> Value:
    """The value where two paths join. A path without such lanes adds nothing."""
    if a == "elsewhere" or a == b:
        return b
    return a if b == "elsewhere" else "unknown"


def _find_worst(values: Sequence[Value | tuple[float]]) -> Value:
    found: Value = "elsewhere"
    for value in values:
        if not isinstance(value, tuple):
            found = _join(found, value)
    return found


def _join_environments(a: Mapping[str, Value], b: Mapping[str, Value]) -> dict[str, Value]:
    return {name: _join(a.get(name, "elsewhere"), b.get(name, "elsewhere")) for name in {*a, *b}}
