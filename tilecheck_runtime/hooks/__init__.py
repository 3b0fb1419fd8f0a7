"""Puts the CPU behind `ct.launch`: for scripts (`tilecheck run`) and for tests (`pytest --tilecheck`)."""
