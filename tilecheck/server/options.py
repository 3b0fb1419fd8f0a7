"""The options of an editor: in `initializationOptions`, or in the settings that it sends later."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

__all__ = ["Options", "options_of"]


class Options(Struct, frozen=True):
    """Settings of the editor.

    debounce     milliseconds without an edit after which a text is analysed
    diagnostics  `openFiles`: only those of open files are shown; `workspace`: those of all files
    """

    debounce: int = 150
    diagnostics: Literal["openFiles", "workspace"] = "openFiles"


def options_of(given: Any, before: Options | None = None) -> Options:
    """The options in the settings of an editor, which may be under `tilecheck`. A missing or invalid option retains its
    value of `before`."""
    options = before or Options()
    table = given.get("tilecheck", given) if isinstance(given, Mapping) else None
    if not isinstance(table, Mapping):
        return options
    debounce, diagnostics = table.get("debounce"), table.get("diagnostics")
    if isinstance(debounce, int | float) and not isinstance(debounce, bool) and debounce >= 0:
        options = replace(options, debounce=int(debounce))
    if diagnostics == "openFiles" or diagnostics == "workspace":
        options = replace(options, diagnostics=diagnostics)
    return options
