"""Single edits of kernels that are right, and whether the checker sees those that make blocks collide."""
