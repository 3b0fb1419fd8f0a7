"""The contract language: what must hold of a launch, as text, as conditions, and on concrete values."""

from tilecheck.contracts.checking import equivalent, evaluate
from tilecheck.contracts.grammar import Annotation, annotation_of, parse, parse_term
from tilecheck.contracts.language import ContractError
from tilecheck.contracts.overlay import parse_overlay, select
from tilecheck.contracts.printing import render

__all__ = [
    "Annotation", "ContractError", "annotation_of", "equivalent", "evaluate", "parse", "parse_overlay", "parse_term",
    "render", "select",
]
