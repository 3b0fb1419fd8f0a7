"""The second model of a kernel: the intermediate representation that the front end of cuda.tile builds, executed.

A launch gives each number. The data of arrays are unknown, so that a result holds for all data.
"""
