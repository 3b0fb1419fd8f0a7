"""Records do what frozen dataclasses do."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from typing import Any

import pytest

from tilecheck.frozen import record


@record(frozen=True)
class Made:
    name: str
    number: int = 3
    notes: tuple[str, ...] = field(default=(), compare=False, repr=False)
    more: list[int] = field(default_factory=list, hash=False)


@dataclass(frozen=True)
class Plain:
    name: str
    number: int = 3
    notes: tuple[str, ...] = field(default=(), compare=False, repr=False)
    more: list[int] = field(default_factory=list, hash=False)


@record(frozen=True, eq=False)
class Itself:
    name: str


@record(frozen=True)
class Lone:
    name: str


@record(frozen=True)
class Empty:
    pass


@record(frozen=True, order=True)
class Place:
    line: int
    column: int


@pytest.mark.parametrize("arguments", [("a",), ("a", 4), ("b", 3, ("x",)), ("b", 3, ("y",), [1])])
def test_records_are_as_dataclasses(arguments: tuple[Any, ...]) -> None:
    made, plain = Made(*arguments), Plain(*arguments)
    assert repr(made) == repr(plain).replace("Plain", "Made")
    assert hash(made) == hash(plain)
    assert [f.name for f in fields(made)] == [f.name for f in fields(plain)]
    assert made == Made(*arguments)
    assert made.__eq__(plain) is NotImplemented
    assert replace(made, notes=("z",)) == made
    assert replace(made, number=9) != made
    assert pickle.loads(pickle.dumps(made)) == made
    assert vars(made) == vars(plain)


def test_records_cannot_be_changed() -> None:
    made = Made("a")
    with pytest.raises(FrozenInstanceError):
        made.number = 4  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del made.number
    assert made.more is not Made("a").more


def test_records_of_few_fields() -> None:
    assert Empty() == Empty()
    assert hash(Lone("a")) == hash(("a",))
    assert Lone("a") != Lone("b")
    assert Itself("a") != Itself("a")


def test_records_can_be_ordered() -> None:
    places = [Place(2, 0), Place(1, 5), Place(1, 2)]
    assert sorted(places) == places[::-1]
    assert Place(1, 2) <= Place(1, 2) >= Place(1, 1)
    assert Place(1, 2) > Place(1, 1)
    with pytest.raises(TypeError):
        assert Place(1, 2) < (1, 3)  # type: ignore[operator]
    with pytest.raises(TypeError):
        assert Made("a") < Made("b")  # type: ignore[operator]


def test_records_match() -> None:
    match Made("a", 5):
        case Made(name, number):
            assert (name, number) == ("a", 5)
