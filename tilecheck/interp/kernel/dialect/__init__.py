"""The ownership dialect: its parameters and their pieces as values of symbolic execution.

What `tilecheck_runtime` puts on the device is modelled here and not read: a kernel under `@kernel` is understood
without the runtime being installed.
"""
