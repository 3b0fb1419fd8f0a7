"""Errors of the driver and of the device."""

from __future__ import annotations

from typing import Final

__all__ = ["LOST", "DeviceFailureError", "DriverError", "NoGPUError"]

LOST: Final = frozenset(f"CUDA_ERROR_{name}" for name in (
    "ASSERT", "CONTAINED", "ECC_UNCORRECTABLE", "HARDWARE_STACK_ERROR", "ILLEGAL_ADDRESS", "ILLEGAL_INSTRUCTION",
    "INVALID_ADDRESS_SPACE", "INVALID_PC", "LAUNCH_FAILED", "LAUNCH_TIMEOUT", "MISALIGNED_ADDRESS",
    "TENSOR_MEMORY_LEAK", "EXTERNAL_DEVICE",
))
"""Results after which a context accepts no more work: a kernel failed."""


class NoGPUError(RuntimeError):
    """There is no GPU that can run kernels. The message says what is missing and how to get it."""


class DriverError(RuntimeError):
    """The driver rejected a call.

    call  its name, such as "cuMemAlloc"
    code  the name of the driver's result, such as "CUDA_ERROR_OUT_OF_MEMORY"
    """

    def __init__(self, call: str, code: str) -> None:
        self.call, self.code = call, code
        super().__init__(f"{call} failed with {code}")


class DeviceFailureError(RuntimeError):
    """A kernel failed on the device, and CUDA gave up the whole context with all its memory.

    kernels  descriptions of the kernels under way, oldest first; one of them failed
    code     the name of the driver's result
    """

    def __init__(self, code: str, kernels: tuple[str, ...]) -> None:
        self.code, self.kernels = code, kernels
        listed = "; ".join(kernels) or "unknown"
        super().__init__(
            f"the GPU failed with {code} while this ran: {listed}\n"
            "  = note: memory of this device and every launch that was not waited for before are lost; CUDA takes "
            "nothing more from this process\n"
            '  = help: start the program anew, with TILECHECK_BACKEND=cpu to see the access, or with '
            'compute-sanitizer')
