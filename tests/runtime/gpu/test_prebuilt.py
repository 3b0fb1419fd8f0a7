"""Launches of kernels that `tilecheck build` built, without any tool to compile."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.runtime.gpu import ahead
from tilecheck_runtime.backends.selection.select import current


def test_built_here_and_launched_without_tools(tmp_path):
    arch = current().arch
    folder = tmp_path / "cubins"
    build = "import sys; from tilecheck_runtime.commands.build import command; command(sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", build, f"{ahead.__file__}::plus", "--arch", arch, "--sig",
         "z=[1024]/[128], x=[1024], y=[1024]", "-o", str(folder)], capture_output=True, text=True, check=False)
    assert "manifest.json: 1 kernel" in done.stdout, done.stdout + done.stderr
    for place in (tmp_path, folder):
        place.chmod(0o700)
    done = subprocess.run([sys.executable, "-m", "tests.runtime.gpu.prebuilt", str(folder)], capture_output=True,
                          text=True, check=False, env={**os.environ, "TILECHECK_LOG": "launch"})
    assert done.returncode == 0, done.stdout + done.stderr
    first, second = done.stdout.splitlines()
    assert first.startswith("refused: `plus` was built from other source, or for a launch with other")
    assert second.startswith("guarded: ")
    assert "launch `plus`" in done.stderr
