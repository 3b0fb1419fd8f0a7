"""Integer terms of the prover: polynomials over atoms, and conditions over terms.

A `Term` is a polynomial with integer coefficients over `Atom`s; a `Cond` is a boolean combination of comparisons of
terms with zero. Both are immutable, canonical (equal values have equal `key`s wherever an unconditional identity of
integer arithmetic says so) and ordered by their keys, so that every decision is the same in every process.

All identities used by the constructors hold for every integer value of the atoms, with one standing assumption: a
divisor is never zero (division by zero is undefined behaviour in Tile IR, so no execution has it). Division and
remainder round towards minus infinity, as Python's do. Identities that need a range live in the prover.
"""

from tilecheck.symbolic.arrays import ANY, UNKNOWN_ARRAY, Array, ArrayElement, ArrayParam, array_from_text
from tilecheck.symbolic.atoms import App, Atom, Bid, Counter, FloorDiv, Ite, Lane, Load, Max, Min, Mod, Monomial, Opaque
from tilecheck.symbolic.build import (
    app,
    bid,
    cdiv,
    counter,
    floordiv,
    grid,
    ite,
    lane,
    load,
    maximum,
    minimum,
    mod,
    opaque,
    scalar,
    symbol,
)
from tilecheck.symbolic.conditions import (
    FALSE,
    TRUE,
    Cond,
    Op,
    bool_opaque,
    conj,
    conjuncts,
    disj,
    eq,
    ge,
    gt,
    le,
    lt,
    ne,
    negate,
)
from tilecheck.symbolic.evaluate import Environment, Point, evaluate, holds
from tilecheck.symbolic.functions import FUNCTIONS, WRAPPED
from tilecheck.symbolic.polynomials import (
    ONE,
    ZERO,
    Term,
    add_times,
    const,
    depends_on_block,
    divide_monomial,
    in_order,
    key_of,
    keys_of,
    of,
    split_multiples,
    text_of,
)
from tilecheck.symbolic.symbols import (
    EXTENTS,
    SIZES,
    SYMBOLS,
    Extent,
    ExtentAt,
    GridDim,
    Item,
    LeadingSize,
    Length,
    Rank,
    Scalar,
    Size,
    Stand,
    Stride,
    Symbol,
    symbol_from_text,
)
from tilecheck.symbolic.walk import Substitution, atoms_at, atoms_in, atoms_of, enforceable, substitute, substitute_cond

__all__ = [
    "ANY", "EXTENTS", "FALSE", "FUNCTIONS", "ONE", "SIZES", "SYMBOLS", "TRUE", "UNKNOWN_ARRAY", "WRAPPED", "ZERO",
    "App", "Array", "ArrayElement", "ArrayParam", "Atom", "Bid", "Cond", "Counter", "Environment", "Extent",
    "ExtentAt", "FloorDiv", "GridDim", "Ite", "Item", "Lane", "LeadingSize", "Length", "Load", "Max", "Min",
    "Mod", "Monomial", "Op", "Opaque", "Point", "Rank", "Scalar", "Size", "Stand", "Stride", "Substitution",
    "Symbol", "Term", "add_times", "app", "array_from_text", "atoms_at", "atoms_in", "atoms_of", "bid",
    "bool_opaque", "cdiv", "conj", "conjuncts", "const", "counter", "depends_on_block", "disj", "divide_monomial",
    "enforceable", "eq", "evaluate", "floordiv", "ge", "grid", "gt", "holds", "in_order", "ite", "key_of",
    "keys_of", "lane", "le", "load", "lt", "maximum", "minimum", "mod", "ne", "negate", "of", "opaque", "scalar",
    "split_multiples", "substitute", "substitute_cond", "symbol", "symbol_from_text", "text_of",
]
