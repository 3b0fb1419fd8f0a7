"""Names of `cuda.tile` that need neither the sanitizer nor an executor: enumerations, kernel objects, limits."""
