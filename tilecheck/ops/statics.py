"""Operations for the compiler: assertions, constants, printing, dependences between launches."""

from __future__ import annotations

from typing import Final

from tilecheck.interp.kernel.access import Claim
from tilecheck.interp.kernel.arguments import MISSING, Arguments
from tilecheck.interp.kernel.coerce import to_bool, to_int, to_term
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.operation import Operation
from tilecheck.interp.kernel.poison.propagation import observe
from tilecheck.interp.kernel.poison.rules import keep_poison
from tilecheck.interp.kernel.values import NONE, ArrayRef, StaticIter, Value
from tilecheck.ops.arguments import keep_type, one_of
from tilecheck.solver.inequalities import conjuncts
from tilecheck.symbolic import FALSE, TRUE

# --- values ----------------------------------------------------------------------------------------------------------

def _compute_static_assert(m: Machine, args: Arguments) -> Value:
    if args.positional:
        test = to_bool(m, args.positional[0], args.span).cond
        if test is not FALSE and not m.host:
            m.asserted.update(conjuncts(test))
            if not test.varying and not m.loops and m.path is TRUE and m.recording:
                m.guards.append(test)
            m.assume(test)
    return NONE


def _compute_static_iter(m: Machine, args: Arguments) -> Value:
    return StaticIter(args.positional[0]) if args.positional else MISSING


def _compute_nothing(m: Machine, args: Arguments) -> Value:
    return NONE


def _compute_wait(m: Machine, args: Arguments) -> Value:
    if m.noting:
        m.notes.note_wait(m.path)
    return NONE


def _compute_same(m: Machine, args: Arguments) -> Value:
    return args.positional[0] if args.positional else one_of(args)


def _compute_assume_divisible_by(m: Machine, args: Arguments) -> Value:
    """`assume_divisible_by(x, divisor)` yields x. Its claims about the storage of an array are not modelled."""
    given = args.take(("x", "divisor"))
    value = _compute_same(m, args)
    if "divisor" in given and not isinstance(value, ArrayRef) and m.recording and not m.host:
        claimed, divisor = to_int(m, value, args.span).term, to_term(m, given["divisor"], args.span)
        m.claims.append(Claim(claimed, divisor, m.path, m.exact, args.span))
    return value


# --- poison ----------------------------------------------------------------------------------------------------------

def _poison_assertion(m: Machine, args: Arguments, result: Value) -> Value:
    if args.positional:
        test = to_bool(m, args.positional[0], args.span)
        observe(m, test.shadow, m.path, "branch", "", args.span)
    return result


# --- records ---------------------------------------------------------------------------------------------------------

OPERATIONS: Final = (
    Operation("static_assert", "condition, message=None, /", "Refuses to compile unless a condition holds.", "none",
              _compute_static_assert, None, _poison_assertion),
    Operation("assert_", "cond, /, message=None", "Stops the kernel unless a condition holds.", "none",
              _compute_static_assert, None, _poison_assertion),
    Operation("static_eval", "expr, /", "The value of an expression that Python evaluates at compile time.", "none",
              _compute_same, keep_type, keep_poison),
    Operation("static_exception", "exc, /", "Raises an exception at compile time."),
    Operation("static_iter", "iterable", "The items of an iterable, for a loop that is unrolled at compile time.",
              "none", _compute_static_iter, None, keep_poison),
    Operation("ensure_constant", "value, /", "The value, which must be known at compile time.", "none", _compute_same,
              keep_type, keep_poison),
    Operation("assume_divisible_by", "x, divisor", "The value, which the compiler may assume to be divisible.", "none",
              _compute_assume_divisible_by, keep_type, keep_poison),
    Operation("printf", "format, *args", "Prints values in a format of C.", "none", _compute_nothing, None,
              keep_poison),
    Operation("print", "*args, sep=' ', end='\\n'", "Prints values.", "none", _compute_nothing, None, keep_poison),
    Operation("grid_dependency_control_wait", "", "Waits for the launches before this one to end.", "none",
              _compute_wait, None, keep_poison),
    Operation("grid_dependency_control_launch_dependents", "", "Lets the launch after this one begin.", "none",
              _compute_nothing, None, keep_poison),
)
