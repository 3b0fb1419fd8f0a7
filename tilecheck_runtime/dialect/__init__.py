"""The ownership dialect: the parameter types of kernels, and the generation of functions of plain arrays."""
