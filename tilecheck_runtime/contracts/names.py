"""Names of a kernel's type variables in contracts."""

from __future__ import annotations

from collections.abc import Container

__all__ = ["contract_name"]


def contract_name(variable: str, parameters: Container[str]) -> str:
    """The name of a type variable in contracts. It differs from the variable if a parameter has the same name."""
    while variable in parameters:
        variable += "_"
    return variable
