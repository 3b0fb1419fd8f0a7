"""Element types in DLPack capsules. DLPack has names for small floats that NumPy does not know. Such elements pass
through NumPy as integers of the same size, and only the label on the capsule is changed."""

from __future__ import annotations

import ctypes
from typing import Any, Final

from tilecheck_runtime.cpu.dtypes import DTYPES, DType

__all__ = ["LABELS", "Relabelled", "label", "relabel"]

LABELS: Final = {DTYPES["bfloat16"]: 4, DTYPES["float8_e4m3fn"]: 10, DTYPES["float8_e5m2"]: 12,
                 DTYPES["float8_e8m0fnu"]: 14}
"""Codes of DLPack 1.1 by element type (dlpack.h, DLDataTypeCode)."""
_BY_LABEL: Final = {(code, dtype.bits): dtype for dtype, code in LABELS.items()}
_UNSIGNED: Final = 1
_AT: Final = {b"dltensor": 20, b"dltensor_versioned": 52}
"""Offset of the element type in a capsule of that name (dlpack.h, DLManagedTensor and DLManagedTensorVersioned): after
version, context, deleter and flags, if there are any, then data, device and number of axes."""

_NAME: Final = ctypes.pythonapi.PyCapsule_GetName
_NAME.restype, _NAME.argtypes = ctypes.c_char_p, [ctypes.py_object]
_POINTER: Final = ctypes.pythonapi.PyCapsule_GetPointer
_POINTER.restype, _POINTER.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class _Label(ctypes.Structure):
    """DLDataType."""

    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


def label(capsule: Any) -> Any:
    """The element type of a capsule, to be read or changed; None if the capsule is not one of DLPack."""
    name = _NAME(capsule)
    if name not in _AT:
        return None
    return _Label.from_address(_POINTER(capsule, name) + _AT[name])


def relabel(capsule: Any, dtype: DType) -> Any:
    """Gives a capsule of integers the element type that they represent."""
    found = label(capsule)
    found.code = LABELS[dtype]
    return capsule


class Relabelled:
    """A wrapper that NumPy reads instead of an object with elements that it does not know.

    dtype  of the elements, once it was read, if they pass as integers
    """

    def __init__(self, source: Any) -> None:
        self.source = source
        self.dtype: DType | None = None

    def __dlpack_device__(self) -> Any:
        return self.source.__dlpack_device__()

    def __dlpack__(self, **wishes: Any) -> Any:
        capsule = self.source.__dlpack__(**wishes)
        found = label(capsule)
        if found is not None and found.lanes == 1:
            self.dtype = _BY_LABEL.get((found.code, found.bits))
            if self.dtype is not None:
                found.code = _UNSIGNED
        return capsule
