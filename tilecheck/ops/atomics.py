"""Operations that read and write an element in one step."""

from __future__ import annotations

from functools import partial
from typing import Final

from tilecheck.interp.kernel.arguments import Arguments
from tilecheck.interp.kernel.coerce import constant_int, to_int
from tilecheck.interp.kernel.interpreter import CasResult, Machine
from tilecheck.interp.kernel.locks import ACQUIRING, WIDE, release, update
from tilecheck.interp.kernel.memory import access_elements, roots_of
from tilecheck.interp.kernel.operation import Operation
from tilecheck.interp.kernel.operators import shape_of
from tilecheck.interp.kernel.poison.rules import keep_poison
from tilecheck.interp.kernel.shapes import broadcast
from tilecheck.interp.kernel.tile_types.notes import array_operand, note_element_access
from tilecheck.interp.kernel.tile_types.operators import TILES
from tilecheck.interp.kernel.tile_types.typing import drop_type, note, operand, set_type
from tilecheck.interp.kernel.tile_types.uses import Operand
from tilecheck.interp.kernel.values import ArrayRef, Data, Int, Unknown, Value
from tilecheck.symbolic import Array, Ticket

# --- values ----------------------------------------------------------------------------------------------------------

def _compute_atomic(op: str, m: Machine, args: Arguments) -> Value:
    given = args.take(("array", "indices", "update"))
    span = args.span
    update = shape_of(given.get("update", Unknown("value")))
    _, ref, index, order, scope = access_elements(m, given, op, "atomic", ("acq_rel", "device"), span, update)
    if ref is None:
        return Data(None)
    shape = broadcast(*(i.shape for i in index), update)
    if op == "atomic_xchg" and len(ref.options) == 1:
        value = to_int(m, given.get("update", Unknown("value")), span)
        release(m, ref.options[0][1].root, tuple(i.term for i in index), value.term, order, scope)
    shown = '|'.join(map(str, sorted(roots_of(ref))))
    counter = _find_counter(m, ref, index, given.get("update")) if op == "atomic_add" else None
    if counter is None:
        return m.fresh_int(f"{op} of {shown}", span, shape)
    step = constant_int(given["update"])
    assert step is not None
    drawn = f"{op}({shown})" if step == 1 else f"{op}({shown})+{step}"  # one name has one source
    return m.fresh_int(drawn, span, shape, Ticket(counter, step))


def _find_counter(m: Machine, ref: ArrayRef, index: tuple[Int, ...], update: Value | None) -> Array | None:
    """The array, if no two atomic additions on it return the same value, as long as no other operation changes it.

    This holds if all of them add at least one to the same element.
    """
    added = None if update is None else constant_int(update)
    roots = {view.root for _, view in ref.options}
    if added is None or added <= 0 or any(i.term.varying for i in index) or len(roots) != 1:
        return None
    (root,) = roots
    return root if root in m.knowledge.counters else None


def _compute_cas(m: Machine, args: Arguments) -> Value:
    given = args.take(("array", "indices", "expected", "desired"))
    span = args.span
    _, ref, index, order, scope = access_elements(m, given, "atomic_cas", "atomic", ("acq_rel", "device"), span)
    if ref is None:
        return Data(None)
    shape = broadcast(*(i.shape for i in index))
    value = m.fresh_int(f"atomic_cas({'|'.join(map(str, sorted(roots_of(ref))))})", span, shape)
    atom = value.term.single
    if atom is not None and len(ref.options) == 1 and "expected" in given and "desired" in given:
        strong = order in ACQUIRING and scope in WIDE
        root = ref.options[0][1].root
        free, taken = to_int(m, given["expected"], span).term, to_int(m, given["desired"], span).term
        m.cas[atom] = CasResult(root, tuple(i.term for i in index), free, taken, strong)
        update(m, root, ("take", free, (free - taken).constant not in (None, 0)))
    else:
        for root in roots_of(ref):
            update(m, root, ("seize",))
    return value


# --- types -----------------------------------------------------------------------------------------------------------

def _type_atomic(names: tuple[str, ...], m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("array", "indices", *names))
    shape = note_element_access(m, op, given, args.span)
    array, name = array_operand(m, given.get("array"))
    updates = [operand(given.get(n)) for n in names]
    note(m, "atomic", op, (*updates, Operand(array.dtype, shape, None, args.span)), args.span, (), name)
    if shape is None or not isinstance(result, TILES) or result.shape != shape:
        return drop_type(result)
    return set_type(result, array.dtype, args.span)


# --- records ---------------------------------------------------------------------------------------------------------

_OPTIONS: Final = "/, *, check_bounds=True, memory_order=MemoryOrder.ACQ_REL, memory_scope=MemoryScope.DEVICE"


def _describe_update(name: str, summary: str) -> Operation:
    return Operation(name, f"array, indices, update, {_OPTIONS}", f"{summary} Yields the elements before.", "updates",
                     partial(_compute_atomic, name), partial(_type_atomic, ("update",)), keep_poison)


OPERATIONS: Final = (
    _describe_update("atomic_add", "Adds to elements."),
    _describe_update("atomic_max", "Raises elements to at least a value."),
    _describe_update("atomic_min", "Lowers elements to at most a value."),
    _describe_update("atomic_and", "Clears the bits of elements that a value does not have."),
    _describe_update("atomic_or", "Sets the bits of elements that a value has."),
    _describe_update("atomic_xor", "Inverts the bits of elements that a value has."),
    _describe_update("atomic_xchg", "Replaces elements."),
    Operation("atomic_cas", f"array, indices, expected, desired, {_OPTIONS}",
              "Replaces elements that have an expected value. Yields the elements before.", "updates", _compute_cas,
              partial(_type_atomic, ("expected", "desired")), keep_poison),
)
