"""A headless browser, driven over its own protocol: no package is needed for it, only the browser."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from tests.patience import PATIENCE

FLAGS: Final = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--window-size=1400,1200")
"""Seconds until the driver must answer."""


def missing() -> str:
    """Why no browser can be driven here; empty when one can."""
    if not _browser():
        return "no chromium was found"
    return "" if shutil.which("chromedriver") else "no chromedriver was found"


def _browser() -> str | None:
    return os.environ.get("CHROME") or shutil.which("chromium") or shutil.which("google-chrome")


class Browser:
    """One window. Scripts are run in the page as it is."""

    def __init__(self, driver: str) -> None:
        self._driver = driver
        options = {"binary": _browser(), "args": [*FLAGS, f"--user-data-dir={tempfile.mkdtemp()}"]}
        capabilities = {"alwaysMatch": {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}
        self._session = self._call("POST", "/session", {"capabilities": capabilities})["sessionId"]

    def _call(self, method: str, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._driver + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read())["value"]

    def open(self, address: str) -> None:
        self._call("POST", f"/session/{self._session}/url", {"url": "about:blank"})
        self._call("POST", f"/session/{self._session}/url", {"url": address})

    def script(self, text: str) -> Any:
        """The result of a script."""
        return self._call("POST", f"/session/{self._session}/execute/sync", {"script": text, "args": []})

    def click(self, selector: str) -> None:
        found = self._call("POST", f"/session/{self._session}/element", {"using": "css selector", "value": selector})
        (key,) = found.values()
        self._call("POST", f"/session/{self._session}/element/{key}/click", {})

    def errors(self) -> list[str]:
        """The errors of the page."""
        log = self._call("POST", f"/session/{self._session}/se/log", {"type": "browser"})
        return [entry["message"] for entry in log if entry["level"] in ("SEVERE", "WARNING")]

    def close(self) -> None:
        self._call("DELETE", f"/session/{self._session}")


@contextmanager
def run_browser() -> Iterator[Browser]:
    """A browser for as long as the block lasts."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    driver = subprocess.Popen(
        ["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}"
        _wait(address)
        browser = Browser(address)
        try:
            yield browser
        finally:
            browser.close()
    finally:
        driver.terminate()
        driver.wait(10)


def _wait(address: str) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            urllib.request.urlopen(address + "/status", timeout=2).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
