"""A compiler that does what a test tells it to."""

from __future__ import annotations

from pathlib import Path

__all__ = ["tileiras"]


def tileiras(folder: Path, does: str = "exit 0", release: str = "13.4", architectures: str = "sm_80 sm_90") -> str:
    """The path of a program that says it is `tileiras`, and does something when it is to compile: shell, in which $2 is
    `-o` and $3 the output."""
    path = folder / "bin" / "tileiras"
    path.parent.mkdir(parents=True, exist_ok=True)
    says = "\n".join(f"    ={a} - {a}" for a in architectures.split())
    (folder / "help.txt").write_text(says)
    lines = [
        "#!/bin/sh", 'case "$1" in',
        f"--version) echo 'Cuda compilation tools, release {release}, V{release}.1'; exit 0;;",
        f"--help) /bin/cat '{folder}/help.txt'; exit 0;;", "esac", does, ""]
    path.write_text("\n".join(lines))
    path.chmod(0o755)
    assembler = folder / "bin" / "ptxas"
    assembler.write_text("#!/bin/sh\necho ptxas 1\n")
    assembler.chmod(0o755)
    return str(path)
