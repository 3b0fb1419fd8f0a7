"""The ownership dialect: what a kernel author writes, and how it becomes a function of plain arrays."""
