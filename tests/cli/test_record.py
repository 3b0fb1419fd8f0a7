"""Cheap dataclasses behave like those of the standard library."""

from __future__ import annotations

import dataclasses
import pickle

import pytest

from tilecheck.record import dataclass, field, replace


@dataclass(frozen=True, order=True)
class Point:
    x: int
    y: int = 2
    names: tuple[str, ...] = field(default=(), compare=False)


@dataclass
class Bag:
    items: list[int] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Node:
    value: int


@dataclass(frozen=True)
class Empty:
    pass


def test_values_defaults_and_names() -> None:
    point = Point(1)
    assert (point.x, point.y, point.names) == (1, 2, ())
    assert Point(x=1, y=3) == Point(1, 3)
    assert repr(point) == "Point(x=1, y=2, names=())"
    assert Bag().items is not Bag().items
    for wrong in ({}, {"x": 1, "z": 2}):
        with pytest.raises(TypeError):
            Point(**wrong)


def test_equality_order_and_hash() -> None:
    assert Point(1) == Point(1, 2, ("a",)) != Point(2)
    assert hash(Point(1)) == hash(Point(1, 2, ("a",)))
    assert Point(1) != (1, 2)
    assert sorted([Point(2), Point(1, 3), Point(1)]) == [Point(1), Point(1, 3), Point(2)]
    assert Point(2) > Point(1) and Point(2) >= Point(2)
    assert Node(1) != Node(1)
    assert len({Node(1), Node(1)}) == 2
    assert Empty() == Empty()
    with pytest.raises(TypeError):
        hash(Bag())


def test_frozen_ones_do_not_change() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Point(1).x = 3  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del Point(1).x
    bag = Bag()
    bag.items = [1]
    assert bag == Bag([1])


def test_the_standard_library_takes_them_for_its_own() -> None:
    point = Point(1, 5)
    assert replace(point, x=7) == dataclasses.replace(point, x=7) == Point(7, 5)
    assert dataclasses.is_dataclass(point)
    assert [f.name for f in dataclasses.fields(point)] == ["x", "y", "names"]
    match point:
        case Point(x, y):
            assert (x, y) == (1, 5)
    assert pickle.loads(pickle.dumps(point)) == point


def test_inherited_fields_are_refused() -> None:
    with pytest.raises(TypeError, match="inherits fields"):

        @dataclass
        class Child(Bag):
            more: int = 0
