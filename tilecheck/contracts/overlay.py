"""Contracts for kernels that one cannot edit, in a file of their own."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase

from tilecheck.contracts.grammar import parse
from tilecheck.contracts.language import ContractError

__all__ = ["parse_overlay", "select"]


def parse_overlay(text: str) -> dict[str, tuple[str, ...]]:
    """The clauses of an overlay file by kernel pattern.

        [contracts]
        "ops/moe.py::fused_*" = ["injective(sorted_ids)", "grid[0] <= cdiv(n, T)"]

    Raises ContractError if the text is not an overlay file, or a clause is not a contract.
    """
    import tomllib  # few runs have an overlay

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ContractError(f"the overlay is not TOML: {error}") from None
    unknown = sorted(set(table) - {"contracts"})
    if unknown:
        raise ContractError(f"unknown key `{unknown[0]}`: an overlay has one table, `[contracts]`")
    contracts = table.get("contracts", {})
    if not isinstance(contracts, dict):
        raise ContractError("`contracts` must be a table")
    return {pattern: _clauses(pattern, value) for pattern, value in contracts.items()}


def _clauses(pattern: str, value: object) -> tuple[str, ...]:
    file, separator, kernel = pattern.rpartition("::")
    if not (file and separator and kernel):
        raise ContractError(f'`{pattern}` does not name a kernel: write "path/to/file.py::kernel"')
    entries = [value] if isinstance(value, str) else value
    if not isinstance(entries, list) or not all(isinstance(e, str) for e in entries):
        raise ContractError(f"the clauses of `{pattern}` must be a list of texts")
    for entry in entries:
        try:
            parse(entry)
        except ContractError as error:
            raise ContractError(f"{pattern}: {entry!r}: {error.message}", error.column) from None
    return tuple(entries)


def select(overlay: Mapping[str, tuple[str, ...]], file: str, kernel: str) -> tuple[str, ...]:
    """The clauses for a kernel. The file part of a pattern matches the end of the path; both parts may be globs."""
    path = file.replace("\\", "/").removeprefix("./")
    out: list[str] = []
    for pattern, clauses in overlay.items():
        where, _, name = pattern.rpartition("::")
        if fnmatchcase(kernel, name) and any(fnmatchcase(path, p) for p in (where, f"*/{where}")):
            out += [c for c in clauses if c not in out]
    return tuple(out)
