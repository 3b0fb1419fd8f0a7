"""`python -m tilecheck`."""

from tilecheck.cli import run

run()
