"""The errors of the runtime, as tests examine them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest

from tilecheck_runtime import OwnershipError

E = TypeVar("E", bound=OwnershipError)


def check_refused(kind: type[E], call: Callable[[], object]) -> E:
    """The error that a call raises, which is of exactly that kind and stands in the file of the test."""
    with pytest.raises(kind) as caught:
        call()
    error = caught.value
    assert type(error) is kind
    assert error.use.file == call.__code__.co_filename
    assert error.fix
    assert str(error).startswith(f"{error.code} {error.summary}\n  --> ")
    assert str(error).endswith(f"  = help: {error.fix}")
    return error
