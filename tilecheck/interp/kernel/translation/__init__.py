"""Execution of a kernel as the compiler translates it for one launch.

The compiler decides a branch only where its condition is a constant, translates both paths of any other, and gives a
variable one type where paths meet. It does not simplify: `n - n` is not a constant.
"""
