"""Static race checker for cuTile Python kernels.

Importing this package imports nothing else of it but the declarations that kernels carry.
"""

from tilecheck.decorators import deny_residual, requires, unsafe

__all__ = ["__version__", "deny_residual", "requires", "unsafe"]

__version__ = "0.1.0"
