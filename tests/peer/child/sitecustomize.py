"""Loaded by the processes that tests of a peer start: their kernels also run on the CPU."""

import importlib
import os

if os.environ.get("PEER_CHILD"):
    try:
        importlib.import_module("tests.peer.plugin").run_alone()
    except ImportError as error:
        print(f"sitecustomize: {error}")
