"""The contract language: what must hold of a launch, as text, as conditions, and on concrete values."""

from tilecheck.proof.contract.checking import equivalent, evaluate
from tilecheck.proof.contract.grammar import Annotation, annotation_of, parse, parse_term
from tilecheck.proof.contract.language import ContractError
from tilecheck.proof.contract.overlay import parse_overlay, select
from tilecheck.proof.contract.printing import render

__all__ = [
    "Annotation", "ContractError", "annotation_of", "equivalent", "evaluate", "parse", "parse_overlay", "parse_term",
    "render", "select",
]
