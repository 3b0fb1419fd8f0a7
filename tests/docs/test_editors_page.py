"""The page on editors: its settings are read as the editors read them, and a server that is started so answers."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

import pytest

from tests.cli.conftest import RACY
from tests.docs.markdown import ROOT, blocks
from tests.server.client import start
from tilecheck.server.options import Options, options_of

PAGE = ROOT / "docs" / "editors.md"
EDITORS = ("vscode", "neovim", "helix")


def _snippet(editor: str) -> str:
    (found,) = [block.text for block in blocks(PAGE) if block.before == f"<!-- {editor} -->"]
    return found


def _vscode(text: str) -> tuple[list[str], Any]:
    settings = json.loads(text)
    assert settings["glspc.server.languageId"] == ["python"]
    command = [settings["glspc.server.command"], *settings["glspc.server.commandArguments"]]
    return command, settings["glspc.server.initializationOptions"]


def _neovim(text: str) -> tuple[list[str], Any]:
    """Run as Lua, with a stand-in for the interface of the editor."""
    lua = pytest.importorskip("lupa").LuaRuntime()
    lua.execute("said, enabled = {}, {}\n"
                "vim = { lsp = { config = function(name, given) said[name] = given end,\n"
                "                enable = function(name) enabled[name] = true end } }")
    lua.execute(text)
    given = lua.globals().said["tilecheck"]
    assert lua.globals().enabled["tilecheck"]
    assert list(given["filetypes"].values()) == ["python"] and list(given["root_markers"].values())
    assert set(given.keys()) <= {"cmd", "filetypes", "root_markers", "init_options"}
    return list(given["cmd"].values()), dict(given["init_options"].items())


def _helix(text: str) -> tuple[list[str], Any]:
    languages = tomllib.loads(text)
    (python,) = languages["language"]
    assert python["name"] == "python" and python["language-servers"] == ["tilecheck"]
    server = languages["language-server"]["tilecheck"]
    return [server["command"], *server["args"]], server["config"]


_READ = {"vscode": _vscode, "neovim": _neovim, "helix": _helix}


@pytest.mark.parametrize("editor", EDITORS)
def test_a_server_that_is_started_so_answers(editor, tmp_path):
    pytest.importorskip("pygls")
    command, options = _READ[editor](_snippet(editor))
    assert command[:2] == ["tilecheck", "server"]
    (tmp_path / "racy.py").write_text(RACY)
    client = start(tmp_path, *command[2:])
    client.initialize(tmp_path, options=options)
    client.open(tmp_path / "racy.py")
    assert [d["code"] for d in client.diagnostics(tmp_path / "racy.py", 1)] == ["TC101"]
    assert client.stop() == 0


@pytest.mark.parametrize("editor", EDITORS)
def test_settings_are_known(editor):
    _, options = _READ[editor](_snippet(editor))
    known = set(Options.__struct_fields__)
    assert set(options) <= known
    assert options_of(options) == Options(**options)


def test_all_settings_are_on_the_page_with_their_defaults():
    rows = re.findall(r"^\| `(\w+)` \| `(.+?)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    defaults = Options()
    assert {name: json.loads(value) for name, value in rows} == {
        name: getattr(defaults, name) for name in Options.__struct_fields__}


def test_wrong_settings_change_nothing():
    assert options_of(None) == options_of([]) == options_of({"debounce": "soon", "diagnostics": "all"}) == Options()
    assert options_of({"debounce": -1}) == options_of({"debounce": True}) == Options()
    before = Options(debounce=10)
    assert options_of({"tilecheck": {"diagnostics": "workspace"}}, before) == Options(10, "workspace")
    assert options_of({"tilecheck": 3}, before) == before
