"""An executor of cuTile kernels that records every element access: the oracle that verdicts are tested against.

Nothing here shares code with the checker; `launches.py` alone evaluates contracts with the checker's evaluator.
"""
