"""Spin locks: which lock elements are held at an access.

A compare-and-swap that is known to have returned the expected value took the lock; an exchange on the same element
gives it back. Whether the protected accesses are ordered depends on the orders and scopes of both.
"""

from __future__ import annotations

from msgspec.structs import replace

from tilecheck.interp.kernel.interpreter import CasResult, Lock, Machine, Record
from tilecheck.symbolic import Array, Atom, Cond, Term, eq, ne

ACQUIRING = frozenset({"acquire", "acq_rel"})
RELEASING = frozenset({"release", "acq_rel"})
WIDE = frozenset({"device", "sys"})


def _find_successful_swap(m: Machine, cond: Cond) -> CasResult | None:
    """The compare-and-swap that a condition says has succeeded."""
    if cond.op not in ("eq", "ne"):
        return None
    for atom in sorted(cond.term.atoms()):
        result = m.cas.get(atom)
        if result is None:
            continue
        value = _of(atom)
        success = eq(value, result.expected) if cond.op == "eq" else ne(value, result.desired)
        if success == cond:
            return result
    return None


def _of(atom: Atom) -> Term:
    return Term({(atom,): 1})


def hold(m: Machine, cond: Cond) -> None:
    """Takes note of the locks that are held once the condition holds."""
    for part in cond.args if cond.op == "and" else (cond,):
        result = _find_successful_swap(m, part)
        if result is None:
            continue
        if not any(lock.array == result.array and lock.index == result.index for lock in m.held):
            m.held = (*m.held, Lock(result.array, result.index, result.strong))


def release(
    m: Machine, array: Array, index: tuple[Term, ...], value: Term, order: str, scope: str,
) -> None:
    m.given_back.add(array)
    held = False
    for lock in m.held:
        if lock.array == array and lock.index == index:
            _note_release(lock, "strong" if order in RELEASING and scope in WIDE else "weak")
            held = True
    update(m, array, ("give", value) if held else ("seize",))
    m.held = tuple(k for k in m.held if not (k.array == array and k.index == index))


def _note_release(lock: Lock, how: str) -> None:
    lock.released = how
    for part in lock.parts:
        # it may also have been given back on its own path
        _note_release(part, "weak" if part.released == "weak" else how)


def join_locks(first: tuple[Lock, ...], second: tuple[Lock, ...]) -> tuple[Lock, ...]:
    """The locks held where two paths meet: of an element that each of them took for itself, a new one."""
    out: list[Lock] = []
    for k in first:
        other = next((o for o in second if o is k or (o.array, o.index) == (k.array, k.index)), None)
        if other is not None:
            out.append(k if other is k else Lock(
                k.array, k.index, k.strong and other.strong, parts=(k, other)))
    return tuple(out)


def intersect_locks(first: tuple[Lock, ...], second: tuple[Lock, ...]) -> tuple[Lock, ...]:
    """The locks held on both of two ways."""
    return tuple(k for k in first if k in second)


def alias(m: Machine, atom: Atom, sources: tuple[Term, ...]) -> None:
    """A variable that always holds the result of one compare-and-swap stands for it."""
    found = {m.cas.get(a) if (a := s.single) is not None else None for s in sources}
    if len(found) == 1:
        result = found.pop()
        if result is not None:
            m.cas[atom] = replace(result)


def update(m: Machine, array: Array, how: tuple[object, ...]) -> None:
    """Takes note of a way in which the kernel changes the elements of an array."""
    if m.recording and not m.host:
        m.updates.setdefault(array, set()).add(how)


def _excludes(m: Machine, array: Array) -> bool:
    """Whether the elements of an array work as locks: they are taken by one kind of compare-and-swap, and only who has
    one gives it back, with the value that it had."""
    ways = m.updates.get(array, set())
    taken = [w for w in ways if w[0] == "take"]
    return len(taken) == 1 and bool(taken[0][2]) and ways <= {taken[0], ("give", taken[0][1])}


def find_released_locks(m: Machine, record: Record) -> tuple[tuple[Array, tuple[Term, ...], str], ...]:
    """The locks of an access that were given back after it."""
    return tuple(
        (k.array, k.index, "ordered" if k.strong and k.released == "strong" else "relaxed")
        for k in record.held if k.released is not None and _excludes(m, k.array))


__all__ = [
    "ACQUIRING",
    "WIDE",
    "alias",
    "find_released_locks",
    "hold",
    "intersect_locks",
    "join_locks",
    "release",
    "update",
]
