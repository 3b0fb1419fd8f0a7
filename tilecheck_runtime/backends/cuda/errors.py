"""What goes wrong between this program and a GPU."""

from __future__ import annotations

from typing import Final

__all__ = ["LOST", "DeviceFailureError", "DriverError", "NoGPUError"]

LOST: Final = frozenset(f"CUDA_ERROR_{name}" for name in (
    "ASSERT", "CONTAINED", "ECC_UNCORRECTABLE", "HARDWARE_STACK_ERROR", "ILLEGAL_ADDRESS", "ILLEGAL_INSTRUCTION",
    "INVALID_ADDRESS_SPACE", "INVALID_PC", "LAUNCH_FAILED", "LAUNCH_TIMEOUT", "MISALIGNED_ADDRESS",
    "TENSOR_MEMORY_LEAK", "EXTERNAL_DEVICE",
))
"""Results after which a context takes nothing more: a kernel went wrong."""


class NoGPUError(RuntimeError):
    """There is no GPU that kernels can run on; the message says what is missing and how to get it."""


class DriverError(RuntimeError):
    """The driver refused a call.

    call  its name, such as "cuMemAlloc"
    code  the name of the driver's result, such as "CUDA_ERROR_OUT_OF_MEMORY"
    """

    def __init__(self, call: str, code: str) -> None:
        self.call, self.code = call, code
        super().__init__(f"{call} failed with {code}")


class DeviceFailureError(RuntimeError):
    """A kernel went wrong on the device, which takes everything there with it: CUDA gives up the whole context.

    kernels  those that were under way, the oldest first; one of them did it
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
