"""The rules by code.

The table below gives every rule its module. Codes and names are read off the table; everything else about a rule is in
its module, which is imported when it is asked for. Thus a run that finds nothing, or takes its results from the cache,
imports no rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tilecheck.rules.rule import Rule

__all__ = ["CODES", "MODULES", "NAMES", "RULES", "find", "module_of"]

MODULES: Final[Mapping[str, str]] = MappingProxyType({
    "TC101": "races.overlapping_write",
    "TC102": "races.unproven_disjoint",
    "TC103": "races.cross_block_read",
    "TC104": "ownership.shared_write",
    "TC105": "ownership.foreign_index",
    "TC106": "races.duplicate_scatter",
    "TC107": "races.mixed_atomicity",
    "TC108": "races.lost_order",
    "TC109": "ownership.partial_nesting",
    "TC110": "ownership.unowned_array",
    "TC111": "races.missing_grid_wait",
    "TC201": "bounds.tile_out_of_range",
    "TC202": "bounds.unchecked_out_of_bounds",
    "TC203": "bounds.index_space",
    "TC204": "bounds.slice_range",
    "TC205": "bounds.grid_coverage",
    "TC206": "bounds.row_spill",
    "TC207": "bounds.narrowed_index",
    "TC301": "padding.undefined_padding",
    "TC302": "padding.unused_mask",
    "TC303": "padding.padding_dtype",
    "TC304": "padding.unused_result",
    "TC305": "padding.dropped_remainder",
    "TC401": "launches.aliased_arguments",
    "TC402": "ownership.use_after_move",
    "TC403": "ownership.use_in_flight",
    "TC404": "ownership.never_run",
    "TC405": "launches.grid_mismatch",
    "TC406": "ownership.graph_lifetime",
    "TC407": "launches.stream_hazard",
    "TC408": "launches.launch_arguments",
    "TC501": "types.tile_shape",
    "TC502": "types.tile_dtype",
    "TC503": "types.tile_rank",
    "TC504": "types.tile_extent",
    "TC505": "types.product_operands",
    "TC601": "language.unknown_name",
    "TC602": "language.refused_syntax",
    "TC603": "language.refused_call",
    "TC604": "language.refused_loop",
    "TC605": "language.refused_value",
    "TC606": "language.unbound_variable",
    "TC607": "language.refused_by_compiler",
    "TC901": "suppressions.unused_opt_out",
    "TC902": "suppressions.opt_out_without_reason",
})
"""The module of each rule below `tilecheck.rules`, in the order of the codes."""

NAMES: Final[Mapping[str, str]] = MappingProxyType({
    code: module.rpartition(".")[2].replace("_", "-") for code, module in MODULES.items()})
"""The name of each rule: that of its module."""

CODES: Final[Mapping[str, str]] = MappingProxyType({name: code for code, name in NAMES.items()})
"""The code of the rule with each name."""


def module_of(code: str) -> ModuleType:
    """The module of a rule. Raises KeyError if no rule has this code."""
    return import_module(f"tilecheck.rules.{MODULES[code]}")


class _Catalog(Mapping[str, "Rule"]):
    """Rules by code. To look one up imports its module; to iterate over the codes imports none."""

    def __getitem__(self, code: str) -> Rule:
        rule: Rule = module_of(code).RULE
        return rule

    def __contains__(self, code: object) -> bool:
        return code in MODULES

    def __iter__(self) -> Iterator[str]:
        return iter(MODULES)

    def __len__(self) -> int:
        return len(MODULES)


RULES: Final[Mapping[str, Rule]] = _Catalog()


def find(code_or_name: str) -> str | None:
    """The code of the rule with this code or name, in upper or lower case."""
    code = code_or_name.upper()
    return code if code in MODULES else CODES.get(code_or_name.lower())
