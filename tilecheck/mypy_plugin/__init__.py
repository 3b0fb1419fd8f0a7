"""The mypy plugin: verdicts on kernels and host code as errors of mypy. See docs/types.md.

    [tool.mypy]
    plugins = ["tilecheck.mypy_plugin"]
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tilecheck import __version__ as __version__  # mypy identifies a plugin by it, among other data

if TYPE_CHECKING:
    from mypy.plugin import Plugin

__all__ = ["plugin"]


def plugin(version: str) -> type[Plugin]:
    """The entry point, which mypy calls with its version. For an unsupported one, the plugin checks nothing and
    reports a note."""
    from tilecheck.mypy_plugin._consts import SUPPORTED

    major = version.partition(".")[0]
    if not major.isdecimal() or not SUPPORTED[0] <= int(major) < SUPPORTED[1]:
        from mypy.plugin import Plugin

        print(f"note: the mypy plugin of tilecheck {__version__} does not know mypy {version}, so mypy does not check "
              f"kernels; run `tilecheck` itself, or install mypy>={SUPPORTED[0]},<{SUPPORTED[1]}", file=sys.stderr)
        return Plugin
    from tilecheck.mypy_plugin.dispatch import TilecheckPlugin

    return TilecheckPlugin
