"""Full names that the plugin asks mypy about, and what it leaves in syntax trees."""

from __future__ import annotations

from typing import Final

#: A version of how the plugin treats findings: increase it with a change. mypy stores it for each module.
VERSION: Final = 2

#: The oldest and the first unsupported major version of mypy.
SUPPORTED: Final = (2, 3)

#: Receiver of the method call that is put into modules: where mypy comes to it, findings are reported.
MARKER: Final = "tilecheck: findings of this module"
MARKER_METHOD: Final = "isidentifier"
MARKER_FULLNAME: Final = "builtins.str.isidentifier"

#: Receiver of the method call that is put around what `reveal_type` is asked about.
REVEAL: Final = "tilecheck: type of a tile"
REVEAL_METHOD: Final = "__eq__"
REVEAL_FULLNAME: Final = "builtins.str.__eq__"

#: The function that contains the marker, where it is in one.
MARKED: Final = "__tilecheck__"
#: The name that a module gets in the daemon, followed by a digest of its content, when findings elsewhere have changed.
CONTENT: Final = "__tilecheck__"

TILE: Final = "cuda.tile.Tile"

#: Kernels under our stubs, and in the package itself where `follow_untyped_imports` is set.
KERNELS: Final = frozenset(
    {"cuda.tile.kernel", "cuda.tile._execution.kernel", "tilecheck_runtime.api.kernel.kernel"})
#: Applying what `kernel(...)` with hints returns.
KERNEL_FACTORIES: Final = frozenset({"cuda.tile._KernelDecorator.__call__", "cuda.tile._execution.kernel.__call__"})
LAUNCHES: Final = frozenset({"cuda.tile.launch", "cuda.tile._cext.launch", "tilecheck_runtime.api.raw_launch.launch"})

DIALECT_CALL: Final = "tilecheck_runtime.api.kernel.Kernel.__call__"
DIALECT_BIND: Final = "tilecheck_runtime.api.kernel.Kernel.bind"
DIALECT_TYPES: Final = "tilecheck_runtime.dialect.types."
PARTITION: Final = "tilecheck_runtime.tensors.partition.Partition"
TENSOR: Final = "tilecheck_runtime.tensors.tensor.Tensor"
SHARED_TENSOR: Final = "tilecheck_runtime.tensors.shared.SharedTensor"
LAUNCH: Final = "tilecheck_runtime.launches.launch.Launch"

#: Packages whose own modules are never checked, and folders of packages that others wrote.
OWN: Final = frozenset({"cuda", "tilecheck", "tilecheck_runtime"})
INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
