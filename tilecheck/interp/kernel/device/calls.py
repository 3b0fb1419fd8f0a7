"""Calls that the compiler does not translate."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from tilecheck.dtypes import DTYPES, Weak, is_fraction
from tilecheck.interp.kernel.device.arguments import check_arguments, check_format
from tilecheck.interp.kernel.device.kinds import is_tile, kind_of
from tilecheck.interp.kernel.device.note import is_passed, refuse
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.signatures import Signature, find_misfit, parse_signature
from tilecheck.interp.kernel.values import Bool, Const, Data, Int, Value
from tilecheck.syntax.tree import Expr, Param, Span

if TYPE_CHECKING:
    from tilecheck.interp.kernel.operation import Operation

__all__ = [
    "BUILTIN_NAMES", "check_builtin", "check_builtin_values", "check_fields", "check_helper", "check_library",
    "check_method", "check_operation", "check_value",
]

_TRANSLATED: Final[Mapping[str, str]] = MappingProxyType({
    "abs": "x", "len": "x, /", "max": "x, y, /", "min": "x, y, /", "range": "*args", "repr": "x, /",
    "str": "x, /", "slice": "start, stop, step", "float": "x=0, /", "int": "x=0, /", "bool": "x=False, /",
    "print": "*args, sep=' ', end=''", "divmod": "x, y, /", "getattr": "object, name, /", "tuple": "x=(), /",
})
"""The builtins of Python that the compiler translates, with their parameters there."""

_NAMES: Final = """
abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex copyright
credits delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash
help hex id input int isinstance issubclass iter len license list locals map max memoryview min next object oct open
ord pow print property quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple type
vars zip ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError
BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError
ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError
Exception ExceptionGroup False FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit
IOError ImportError ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError
KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError None NotADirectoryError NotImplemented
NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError ProcessLookupError RecursionError
ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning
SystemError SystemExit TabError TimeoutError True TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError
UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning ZeroDivisionError __build_class__
__debug__ __import__ PythonFinalizationError WindowsError
"""
BUILTIN_NAMES: Final = frozenset(_NAMES.split())
"""Names that a module has without a definition."""

_INSTEAD: Final[Mapping[str, str]] = MappingProxyType({
    "sum": "add the items: `a + b`; of a tile, use `ct.sum`",
    "enumerate": "write `for i in range(n)`, or `for i, x in ct.static_iter(enumerate(t))`",
    "zip": "write `for i in range(n)`, or `for x, y in ct.static_iter(zip(s, t))`",
    "reversed": "write `for i in range(n)` and use `n - 1 - i`, or `ct.static_iter(reversed(t))`",
    "pow": "write `x ** y` or `ct.pow(x, y)`",
    "round": "use `ct.floor(x + 0.5)`",
    "list": "write a tuple",
    "dict": "use variables or a frozen dataclass",
    "set": "write a tuple",
    "isinstance": "decide in the host code, or in `ct.static_eval`",
    "type": "use `x.dtype`",
    "hasattr": "decide in the host code, or in `ct.static_eval`",
    "any": "write `a or b`; of a tile, use `ct.max`",
    "all": "write `a and b`; of a tile, use `ct.min`",
    "map": "write `tuple(f(x) for x in ct.static_iter(t))`",
    "filter": "write `tuple(x for x in ct.static_iter(t) if ...)`",
    "sorted": "sort in the host code, or in `ct.static_eval`",
    "open": "a kernel reads and writes arrays only",
    "input": "a kernel reads and writes arrays only",
})
_OTHERWISE: Final = "compute it in the host code and pass it, or put a computation of constants in `ct.static_eval`"


def check_builtin(
    m: Machine, name: str, positional: int, keywords: Collection[str], complete: bool, span: Span,
) -> None:
    """Notes a call of a builtin of Python that the compiler does not translate."""
    known = _TRANSLATED.get(name)
    if known is None:
        refuse(m, "TC603", "builtin", span, name, _INSTEAD.get(name, _OTHERWISE))
        return
    misfit = find_misfit(parse_signature(known), positional, keywords) if complete else None
    if misfit is not None and name in ("min", "max") and not keywords and positional > 2:
        misfit = f"takes two values, and {positional} are passed"
        refuse(m, "TC603", "arguments", span, name, misfit, f"{name}({name}(a, b), c)")
    elif misfit is not None:
        refuse(m, "TC603", "arguments", span, name, misfit, f"{name}({parse_signature(known).text})")


def check_builtin_values(m: Machine, name: str, values: Sequence[Value], span: Span) -> None:
    """Notes arguments of a kind that a builtin of Python does not take in a kernel."""
    allowed = _TAKEN.get(name)
    for value in values if allowed is not None else ():
        kind = kind_of(m, value)
        if kind is not None and kind not in allowed:  # type: ignore[operator]
            refuse(m, "TC605", "argument", span, "x", name, kind, " or ".join(sorted(allowed)))  # type: ignore[arg-type]
            return
    if name == "divmod" and any(_is_fraction(v) for v in values) and all(is_tile(v) or isinstance(
            v, Const) for v in values):
        refuse(m, "TC605", "argument", span, "x", name, "a number with a fraction", "integers")
    if name in ("int", "float") and len(values) == 1 and is_tile(values[0]) and is_passed(m, values[0]):
        refuse(m, "TC603", "constant", span, name, f"ct.{name}32")


def _is_fraction(value: Value) -> bool:
    dtype = value.dtype if isinstance(value, (Int, Bool, Data)) else Weak.FLOAT if isinstance(value, Const) else None
    return dtype is Weak.FLOAT or is_fraction(dtype)


_TILES: Final = frozenset({"a number", "a tile"})
_TAKEN: Final[Mapping[str, frozenset[str]]] = MappingProxyType({
    "len": frozenset({"a tuple"}), "abs": _TILES, "min": _TILES, "max": _TILES, "divmod": _TILES,
    "tuple": frozenset({"a tuple"}),
    "bool": frozenset({"a number"}), "int": frozenset({"a number", "a tile", "a string"}),
    "float": frozenset({"a number", "a tile", "a string"}),
})


# --- libraries -------------------------------------------------------------------------------------------------------

_LIBRARIES: Final = frozenset({"math", "cmath", "random", "time", "itertools", "numpy", "numpy.random", "numpy.linalg",
                               "torch", "torch.nn.functional"})
_DTYPES: Final = frozenset({
    *DTYPES, "half", "single", "double", "bool", "float", "int", "long", "short", "bfloat16", "bool_", "intc", "uintc",
    "byte", "ubyte", "ushort", "longlong", "ulonglong", "int_", "uint", "float_", "intp", "uintp", "float8_e4m3fn",
    "float8_e5m2", "float8_e8m0fnu",
})
_FUNCTIONS: Final = frozenset({"functools.reduce", "functools.partial", "operator.itemgetter", "operator.attrgetter"})
_SAME: Final = frozenset({"exp", "exp2", "log", "log2", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "floor",
                          "ceil", "pow", "atan2", "isnan"})
_RENAMED: Final = MappingProxyType({"fabs": "abs", "absolute": "abs", "power": "pow", "arctan2": "atan2",
                                    "rsqrt": "rsqrt"})


def check_library(m: Machine, name: str, span: Span) -> None:
    """Notes a call of a function of a library that is for certain not translated."""
    library, _, function = name.rpartition(".")
    if name not in _FUNCTIONS and (library not in _LIBRARIES or function in _DTYPES):
        return
    operation = function if function in _SAME or function in m.operations.tile else _RENAMED.get(function)
    refuse(m, "TC603", "library", span, name, _OTHERWISE if operation is None else f"write `ct.{operation}`")


# --- arguments -------------------------------------------------------------------------------------------------------

def check_operation(
    m: Machine, operation: Operation, positional: Sequence[Value], keywords: Mapping[str, Value], span: Span,
) -> None:
    """Notes arguments that an operation of cuda.tile does not take."""
    name, signature = operation.name, parse_signature(operation.signature)
    if name == "printf":
        check_format(m, positional, span)
    if not _check(m, signature, f"ct.{name}", len(positional), keywords, span):
        check_arguments(m, name, {**dict(zip(signature.positional, positional, strict=False)), **keywords}, span)


def check_method(
    m: Machine, name: str, text: str, positional: Sequence[Value], keywords: Mapping[str, Value], span: Span,
) -> None:
    """Notes arguments that a method with this signature does not take."""
    signature = parse_signature(text)
    if not _check(m, signature, name, len(positional), keywords, span):
        check_arguments(m, name, {**dict(zip(signature.positional, positional, strict=False)), **keywords}, span)


def _check(
    m: Machine, signature: Signature, name: str, positional: int, keywords: Collection[str], span: Span,
) -> bool:
    """Whether arguments are refused, which is noted."""
    misfit = find_misfit(signature, positional, keywords)
    if misfit is not None:
        refuse(m, "TC603", "arguments", span, name, misfit, f"({signature.text})")
    return misfit is not None


def check_helper(m: Machine, name: str, params: Iterable[Param], positional: int, keywords: Collection[str],
                 span: Span) -> None:
    """Notes arguments that a function of the checked files does not take."""
    params = tuple(params)
    many = any(p.kind == "*" for p in params)
    names = tuple(p.name for p in params if p.kind == "positional")
    text = ", ".join(_spell(p) for p in params)
    anything = any(p.kind == "**" for p in params)
    taken = frozenset(p.name for p in params if p.kind in ("positional", "keyword"))
    required = frozenset(p.name for p in params if p.kind in ("positional", "keyword") and p.default is None)
    known = taken | frozenset(keywords) if anything else taken
    signature = Signature(f"({text})", names, known, required, many)
    misfit = find_misfit(signature, positional, keywords)
    if misfit is not None:
        refuse(m, "TC603", "arguments", span, name, misfit, f"({text})")


def check_fields(m: Machine, name: str, fields: Sequence[tuple[str, Expr | None]], positional: int,
                 keywords: Collection[str], span: Span) -> None:
    """Notes arguments that the constructor of a dataclass does not take."""
    names = tuple(field for field, _ in fields)
    required = frozenset(field for field, default in fields if default is None)
    text = f"({', '.join(names)})"
    misfit = find_misfit(Signature(text, names, frozenset(names), required), positional, keywords)
    if misfit is not None:
        refuse(m, "TC603", "arguments", span, name, misfit, text)


def _spell(p: Param) -> str:
    return {"*": "*", "**": "**"}.get(p.kind, "") + p.name


def check_value(m: Machine, value: Value, span: Span) -> None:
    """Notes a call of a value that is not a function."""
    kind = kind_of(m, value)
    if kind is not None and kind not in ("a function", "an element type", "a class", "a method"):
        refuse(m, "TC603", "value", span, kind)
