"""Bounded search: small launches, executed on the access functions.

It refutes, and only with witnesses that were evaluated a second time without generated code; that it finds nothing
means nothing.
"""

from tilecheck.solver.model_search.any_data import whatever_the_data
from tilecheck.solver.model_search.collide import find_collision, find_iteration_collision
from tilecheck.solver.model_search.escape import Escape, confirm_escape, find_escape
from tilecheck.solver.model_search.execute import BLOCKS, Executed, run_collision, run_escape, run_region
from tilecheck.solver.model_search.models import find_model, find_necessity_witness, satisfiable
from tilecheck.solver.model_search.points import Point, find_point
from tilecheck.solver.model_search.room import Bound, with_room
from tilecheck.solver.model_search.world import RISING, STYLES, World, confirm

__all__ = [
    "BLOCKS",
    "RISING",
    "STYLES",
    "Bound",
    "Escape",
    "Executed",
    "Point",
    "World",
    "confirm",
    "confirm_escape",
    "find_collision",
    "find_escape",
    "find_iteration_collision",
    "find_model",
    "find_necessity_witness",
    "find_point",
    "run_collision",
    "run_escape",
    "run_region",
    "satisfiable",
    "whatever_the_data",
    "with_room",
]
