"""States of tensors: the refused uses in each state, and their messages. Lines count from the `def`."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import tilecheck_runtime as tcr
from tests.runtime.launches.kernels import add
from tests.runtime.launches.refusals import check_refused
from tilecheck_runtime import InFlightError, MovedError, ReadOnlyError, SharedError, f32

pytestmark = pytest.mark.filterwarnings("error")


def _line(text):
    """The line on which the calling test has this text."""
    frame = inspect.currentframe().f_back
    lines, first = inspect.getsourcelines(frame.f_code)
    (number,) = [n for n, line in enumerate(lines, first) if text in line and "_line(" not in line]
    return number


def test_a_partition_moves_and_comes_back():
    x = tcr.zeros((8,), f32)
    p = x.partition(4)
    again = p.unpartition()
    q = again.partition(2)
    assert q.tiles == (4,) and q.grid == (4, 1, 1) and q.numpy().shape == (8,)


def test_a_moved_tensor_says_where_it_went():
    x = tcr.zeros((8,), f32)
    p = x.partition(4)
    error = check_refused(MovedError, lambda: x.numpy())
    assert error.code == "TC402" and error.names == ("`x`",) and error.before.line == _line("p = x.partition(4)")
    assert error.summary == "`x` was moved into a partition"
    assert error.fix == "use what came of the partition, or partition a copy: `.copy().partition(4)`"
    assert p.numpy().shape == (8,)


def test_every_use_of_a_moved_tensor_is_refused():
    x = tcr.zeros((8,), f32)
    p = x.partition(4)
    for use in (lambda: x.numpy(), lambda: x.view[:4], lambda: x.reshape(2, 4), lambda: x.transposed(),
                lambda: x.copy(), lambda: x.astype(f32), lambda: x.share(), lambda: x.partition(4),
                lambda: x.partition_prefix(4),
                lambda: x.item() if x.size == 1 else x.numpy(), lambda: np.asarray(x), lambda: np.from_dlpack(x)):
        check_refused(MovedError, use)
    assert x.shape == (8,) and p.shape == (8,)


def test_a_moved_partition_says_where_it_went():
    p = tcr.zeros((8,), f32).partition(4)
    x = p.unpartition()
    error = check_refused(MovedError, lambda: p.numpy())
    assert error.summary == "`p` was moved into a tensor" and error.fix == "use what `.unpartition()` returned"
    check_refused(MovedError, lambda: p.unpartition())
    assert x.numpy().shape == (8,)


def test_a_mapped_partition_is_another_one():
    p = tcr.zeros((8,), f32).partition(4)
    q = p.map(tcr.Linear(), 1)
    error = check_refused(MovedError, lambda: p.numpy())
    assert error.summary == "`p` was moved into a mapped partition" and error.fix == "use what `.map()` returned"
    assert q.grid == (1, 1, 1)


def test_a_view_becomes_invalid_with_its_base():
    x = tcr.zeros((8,), f32)
    head = x.view[:4]
    p = x.partition(4)
    error = check_refused(MovedError, lambda: (head.numpy(), x))
    assert error.summary == "`head` is a view of `x`, which was moved into a partition"
    back = p.unpartition()
    check_refused(MovedError, lambda: head.numpy())
    assert back.numpy().shape == (8,)


def test_partitioning_a_view_moves_only_its_part():
    x = tcr.arange(8, dtype=f32)
    even, odd = x.view[0::2], x.view[1::2]
    p = even.partition(2)
    assert odd.numpy().tolist() == [1, 3, 5, 7]
    error = check_refused(MovedError, lambda: x.numpy())
    assert error.summary == "`x` is read, but part of its memory was moved into a partition"
    assert error.fix == "take it back first, with `.unpartition()` on the partition, or let go of that with `del`"
    assert error.before.line == _line("p = even.partition(2)")
    error = check_refused(MovedError, lambda: x.partition(2))
    assert error.summary == "`x` is partitioned, but part of its memory was moved into a partition"
    odd_pieces = odd.partition(2)
    back = p.unpartition()
    odd_pieces.unpartition()
    assert x.numpy().tolist() == list(range(8)) and back.numpy().tolist() == [0, 2, 4, 6]


def test_a_dropped_partition_of_a_view_gives_its_part_back():
    x = tcr.zeros((8,), f32)
    p = x.view[:4].partition(2)
    error = check_refused(MovedError, lambda: x.numpy())
    del p
    assert x.numpy().shape == (8,) and error.__traceback__ is not None  # which keeps its frames


def test_an_error_does_not_hold_its_tensors():
    x = tcr.zeros((8,), f32).share()
    y = x.share()
    try:
        x.partition(4)
    except SharedError as error:
        kept = error
    assert kept.before.line == _line("y = x.share()")
    del y
    assert x.partition(4).tiles == (2,)


def test_a_part_that_was_moved_into_a_launch_is_named():
    x, y = tcr.zeros((8,), f32), tcr.ones((4,), f32)
    launch = add(x.view[:4].partition(4), y, y)
    error = check_refused(MovedError, lambda: x.numpy())
    assert error.summary == ("`x` is read, but part of its memory was moved into the launch of `add`, which has not "
                             "run")
    launch.sync()
    assert x.numpy().tolist() == [2, 2, 2, 2, 0, 0, 0, 0]


def test_reading_a_tensor_that_a_flight_writes_is_refused():
    x, y = tcr.zeros((8,), f32), tcr.ones((4,), f32)
    p = x.view[:4].partition(4)
    flight = add(p, y, y).start()
    error = check_refused(InFlightError, lambda: x.numpy())
    assert error.code == "TC403" and error.before.line == _line("flight = add(p, y, y).start()")
    assert error.summary == "`x` is read while the launch of `add`, which is in flight, writes it"
    assert error.fix == "wait for the launch of `add` before: `flight.wait()` on what `.start()` returned"
    error = check_refused(InFlightError, lambda: p.numpy())
    assert error.summary == "`p` was moved into the launch of `add`, which is in flight and writes it"
    flight.wait()
    assert x.numpy()[0] == 2
    error = check_refused(MovedError, lambda: p.numpy())
    assert error.summary == "`p` was moved into the launch of `add`"
    assert error.fix == "use what the launch returned: `z = add(...).sync()`"


def test_writing_a_tensor_that_a_flight_reads_is_refused():
    x = tcr.ones((8,), f32)
    z = tcr.zeros((8,), f32).partition(8)
    flight = add(z, x, x).start()
    error = check_refused(InFlightError, lambda: x.partition(4))
    assert error.summary == "`x` is partitioned while the launch of `add`, which is in flight, reads it"
    assert x.numpy()[0] == 1 and x.view[:4].numpy()[0] == 1
    flight.wait()
    assert x.partition(4).tiles == (2,)


def test_rule_19_a_shared_tensor_is_partitioned_by_its_sole_owner():
    x = tcr.zeros((8,), f32).share()
    y = x.share()
    error = check_refused(SharedError, lambda: (x.partition(4), y))
    assert error.code == "TC104" and error.before.line == _line("y = x.share()")
    assert error.summary == "`x` is partitioned, but another handle shares its memory"
    assert error.fix == ("only the sole owner may: let go of the other handle with `del`, or take a copy: `.copy()`")
    error = check_refused(SharedError, lambda: (x.unshare(), y))
    assert error.summary == "`x` is moved, but another handle shares its memory"


def test_rule_19_a_reshaped_handle_counts_as_well():
    x = tcr.zeros((8,), f32).share()
    y = x.reshape(2, 4)
    check_refused(SharedError, lambda: x.partition(4))
    z = x.view[:2]
    del y
    check_refused(SharedError, lambda: x.partition(4))
    del z
    assert x.partition(4).tiles == (2,)


def test_a_shared_handle_borrowed_for_writing_is_not_shared_further():
    s = tcr.zeros((8,), f32).share()
    capsule = s.__dlpack__()
    for use in (lambda: s.share(), lambda: s.view[:4], lambda: s.reshape(2, 4), lambda: s.numpy()):
        error = check_refused(SharedError, use)
    assert error.summary == "`s` is read, but its memory is borrowed by another library by DLPack"
    del capsule
    assert s.share().numpy().shape == (8,)


def test_handles_on_parts_that_do_not_meet_do_not_count():
    x = tcr.zeros((8,), f32).share()
    head, tail = x.view[:4], x.view[4:]
    del x
    assert tail.partition(2).tiles == (2,)
    assert head.numpy().shape == (4,)


def test_the_last_handle_becomes_a_tensor_again():
    x = tcr.ones((8,), f32)
    s = x.share()
    error = check_refused(MovedError, lambda: x.numpy())
    assert error.summary == "`x` was moved into a shared handle"
    assert error.fix == "use the handle that `.share()` returned"
    t = s.unshare()
    error = check_refused(MovedError, lambda: s.numpy())
    assert error.summary == "`s` was moved into a tensor" and error.fix == "use what `.unshare()` returned"
    assert t.partition(4).numpy()[0] == 1


def test_a_shared_handle_outlives_the_one_it_came_from():
    s = tcr.ones((8,), f32).share()
    t = s.reshape(2, 4)
    del s
    assert t.numpy().shape == (2, 4)


def test_a_handle_that_a_launch_holds_counts_until_it_has_run():
    x = tcr.ones((8,), f32).share()
    launch = add(tcr.zeros((8,), f32).partition(8), x.share(), x.share())
    check_refused(SharedError, lambda: x.partition(4))
    launch.sync()
    assert x.partition(4).tiles == (2,)


def test_a_transposed_view_is_read_only():
    x = tcr.arange(6, dtype=f32).reshape(2, 3)
    t = x.transposed()
    assert t.numpy().tolist() == [[0, 3], [1, 4], [2, 5]] and t.readonly and not x.readonly
    error = check_refused(ReadOnlyError, lambda: t.partition(1, 1))
    assert error.code == "TC104" and error.summary == "`t` cannot be partitioned: it is a read-only view"
    assert error.fix == "take a copy of your own: `.copy()`"
    check_refused(ReadOnlyError, lambda: t.view[:1].partition(1, 1))
    assert t.copy().partition(1, 1).tiles == (3, 2)


def test_a_tensor_without_a_name_is_described():
    error = check_refused(ReadOnlyError, lambda: tcr.zeros((4, 2), f32).transposed().partition(1, 1))
    assert error.summary == "a tensor of 2 x 4 f32 cannot be partitioned: it is a read-only view"
    assert repr(tcr.zeros((), f32)) == "<tensor of one f32>"


def test_a_handle_shows_where_it_went():
    x = tcr.zeros((8,), f32)
    p = x.partition(4)
    assert repr(p) == "<partition of 8 f32>"
    assert repr(x).startswith("<tensor of 8 f32, moved into a partition at ")
    assert repr(x).endswith(f"test_states.py:{_line('p = x.partition(4)')}>")


def test_variables_that_the_program_looks_at_are_left_alone():
    x = tcr.ones((8,), f32)
    seen = locals()
    p = x.partition(4)
    check_refused(MovedError, lambda: x.numpy())
    with pytest.raises(MovedError, match="`x` was moved"):
        x.numpy()
    assert seen["x"] is x and p.unpartition().numpy().tolist() == [1] * 8


def test_a_stored_error_does_not_hold_its_tensors():
    """A debugger, and an interactive session, keep the last error with its frames."""
    one = tcr.zeros((8,), f32).share()
    other = one.share()
    kept = None
    try:
        one.unshare()
    except tcr.SharedError as error:
        kept = error
    del other
    assert kept is not None and kept.__traceback__ is not None
    assert one.unshare().shape == (8,)
