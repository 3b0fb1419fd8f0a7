"""`python -m tilecheck`."""

from tilecheck.cli.app import run

run()
