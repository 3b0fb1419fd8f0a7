"""A choice between a constant and a power of two is one rounding only where the rounding has that value."""

import pytest

from tilecheck.interp.host.pow2_choices import absorb_case
from tilecheck.symbolic import Cond, Opaque, app, const, eq, gt, le, lt, negate, of

N = of(Opaque("n"))
ROUNDED = app("next_pow2", N)


@pytest.mark.parametrize(("test", "value"), [(eq(N, 0), 1), (le(N, 0), 0), (lt(N, 1), 7), (eq(N, 1), 1), (le(N, 1), 1)])
def test_a_value_of_the_rounding_is_absorbed(test: Cond, value: int) -> None:
    assert absorb_case(test, const(value), ROUNDED) == ROUNDED
    assert absorb_case(negate(test), ROUNDED, const(value)) == ROUNDED


@pytest.mark.parametrize(("test", "value"), [
    (eq(N, 1), 2), (le(N, 1), 0), (eq(N, 2), 2), (le(N, 0), -1), (gt(N, 0), 1), (eq(of(Opaque("m")), 0), 1)])
def test_another_value_stays(test: Cond, value: int) -> None:
    assert absorb_case(test, const(value), ROUNDED) is None
