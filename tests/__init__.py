"""The test suite; the oracle is imported as `tests.oracle`."""
