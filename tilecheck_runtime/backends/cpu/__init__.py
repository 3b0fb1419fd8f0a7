"""The CPU as a device: memory of NumPy, and threads that run kernels under the sanitizer."""
