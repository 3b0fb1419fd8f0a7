"""Names of a kernel's type variables in contracts."""

from __future__ import annotations

from collections.abc import Container

__all__ = ["contract_name"]


def contract_name(variable: str, parameters: Container[str]) -> str:
    """The name of a type variable in contracts: another one where a parameter has the same, which is another number."""
    while variable in parameters:
        variable += "_"
    return variable
