"""mypy's objects for the error codes. mypy accepts a code, in its options too, once its object exists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mypy.errorcodes import ErrorCode

from tilecheck.mypy_plugin.codes import CODES, FAILURE

__all__ = ["ERROR_CODES"]

ERROR_CODES: Final[Mapping[str, ErrorCode]] = {
    code: ErrorCode(code, "What tilecheck could not check" if code == FAILURE else "Findings of tilecheck", "Tilecheck")
    for code in CODES
}
