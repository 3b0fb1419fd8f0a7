"""Scenes of the cases."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from tests.cases.expectations import FOLDER
from tilecheck.config import Config
from tilecheck.pipeline.single_kernel import Study, study
from tilecheck.symbolic import symbol_from_text
from tilecheck.visualize.present import Request, present
from tilecheck.visualize.scene import Mark, Scene


@cache
def study_example(file: str, name: str) -> Study:
    return study(f"{FOLDER / file}::{name}", Config(use_cache=False))


@cache
def scene(file: str, name: str) -> Scene:
    return present(study_example(file, name), Request({}))


def request_for(values: Mapping[str, int]) -> Request:
    """A request for a launch with these scalars, by the text that contracts have for them."""
    return Request({symbol_from_text(text): value for text, value in values.items()})


def marks(shown: Scene) -> list[Mark]:
    return [m for a in shown.arrays for p in a.panels for m in p.marks]
