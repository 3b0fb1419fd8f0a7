"""Objects that cannot be duplicated: `copy` and `pickle` would create a second one that ownership does not track."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from tilecheck_runtime.errors.locations import current_location
from tilecheck_runtime.errors.ownership import DuplicateError

__all__ = ["Unique"]


class Unique:
    """Refuses to be copied or pickled.

    instead  the suggested replacement, for messages
    """

    __slots__ = ()
    _instead: ClassVar[str] = ""

    def _describe(self) -> str:
        """A description for messages."""
        return f"this {type(self).__name__.lower()}"

    def _refuse(self, how: str) -> NoReturn:
        name = self._describe()
        raise DuplicateError(f"{name} cannot be {how}: there is one of it, and what it may do is counted",
                             names=(name,), use=current_location(), fix=self._instead)

    def __copy__(self) -> NoReturn:
        self._refuse("duplicated by `copy`")

    def __deepcopy__(self, memo: Any) -> NoReturn:
        self._refuse("duplicated by `copy`")

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        self._refuse("pickled")
