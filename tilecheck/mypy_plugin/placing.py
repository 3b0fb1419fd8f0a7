"""The choice of modules to mark and of their markers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mypy.nodes import MypyFile

from tilecheck.mypy_plugin.markers import (
    depend,
    is_marked,
    mark,
    mark_for_daemon,
    mark_function,
    recheck,
    watch_reveals,
)
from tilecheck.mypy_plugin.stamps import digest
from tilecheck.project.relevance import may_launch, may_matter, may_own

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilecheck.mypy_plugin.build import Build

__all__ = ["place", "place_in_function"]

_REVEAL: Final = b"reveal_type"


def place(build: Build, tree: MypyFile) -> None:
    """Mark a module that was read. One of which only the imports were read is read again by a worker process."""
    build.read.add(tree.path)
    if tree.raw_data is not None:
        return
    data = build.content(tree.path)
    if _REVEAL in data and may_matter(data):
        watch_reveals(tree.defs)
    (mark_for_daemon if build.daemon else mark)(tree)
    if build.daemon:
        # findings of a module may depend on any other
        if may_matter(data) or may_launch(data) or may_own(data):
            build.dependents.add(tree.fullname)
            depend(tree, build.modules.values(), build.dependents)
        else:
            depend(tree, (), build.dependents)
        outdated = build.find_outdated(tree.fullname)
        if outdated:
            recheck(tree, digest(data), outdated)


def place_in_function(build: Build, name: str, modules: Mapping[str, MypyFile]) -> None:
    """Mark a module that was read without a word, when its top level was checked and its functions were not."""
    tree = modules[name]
    if is_marked(tree) or tree.path in build.in_functions:
        return
    if _REVEAL in build.content(tree.path):
        watch_reveals(tree.defs)
    if mark_function(tree, modules["builtins"]):
        build.in_functions.add(tree.path)
