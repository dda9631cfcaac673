"""A headless Chromium driven by its debugging protocol: what a person with a phone would do and see."""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import subprocess
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

# Where the middle of an element is, once it is on the screen; an error where something else is touched there.
_MIDDLE = """(() => {
  const one = %s;
  one.scrollIntoView({block: "center"});
  const {x, y, width, height} = one.getBoundingClientRect(), at = [x + width / 2, y + height / 2];
  const there = document.elementFromPoint(...at);
  if (!one.contains(there) && !there?.contains(one)) throw new Error("covered by " + there?.outerHTML);
  return at;
})()"""
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """One page of one browser, `async with Browser() as page`."""

    def __init__(self, width: int = 360, height: int = 740, dark: bool = False) -> None:
        self._size, self._dark = (width, height), dark
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._process: subprocess.Popen[bytes] | None = None
        self._line: ClientConnection | None = None
        self._n = 0
        self.said: list[str] = []  # errors and what the console of the page said

    async def __aenter__(self) -> Browser:
        assert CHROMIUM is not None
        self._process = subprocess.Popen(
            [
                *(CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"),
                *("--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage"),
                *(f"--user-data-dir={self._folder.name}", "about:blank"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        told = Path(self._folder.name) / "DevToolsActivePort"
        while not (told.exists() and told.read_text().count("\n")):
            await asyncio.sleep(0.05)
            assert self._process.poll() is None, "the browser has ended"
        port = int(told.read_text().split()[0])
        url = f"http://127.0.0.1:{port}/json/list"
        pages = json.loads(await asyncio.to_thread(lambda: urllib.request.urlopen(url).read()))
        page = next(one for one in pages if one["type"] == "page")
        self._line = await connect(page["webSocketDebuggerUrl"], max_size=None)
        await self.call("Runtime.enable")
        await self.call("Log.enable")
        await self.call("Page.enable")
        width, height = self._size
        await self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2, mobile=True
        )
        await self.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=1)
        if self._dark:
            dark = {"name": "prefers-color-scheme", "value": "dark"}
            await self.call("Emulation.setEmulatedMedia", features=[dark])
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._line is not None:
            await self._line.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the protocol; its result."""
        assert self._line is not None
        self._n += 1
        await self._line.send(json.dumps({"id": self._n, "method": method, "params": params}))
        while True:
            answer = json.loads(await self._line.recv())
            if answer.get("id") == self._n:
                assert "result" in answer, answer
                return dict(answer["result"])
            if self._complains(answer):
                self.said.append(json.dumps(answer["params"]))

    def _complains(self, event: dict[str, Any]) -> bool:
        """Whether an event is an error or a word of the page's console."""
        return event.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")

    async def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        found = await self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    async def go(self, url: str) -> None:
        """Open an address."""
        await self.call("Page.navigate", url=url)

    async def tap(self, element: str) -> None:
        """Touch an element, given as an expression, where a finger would."""
        await self.touch(*await self.run(_MIDDLE % element))

    async def touch(self, x: float, y: float) -> None:
        """Touch a place of the viewport."""
        await self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        await self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    async def keys(self, text: str) -> None:
        """Type into what has the focus."""
        await self.call("Input.insertText", text=text)

    async def until(self, script: str, within_s: float = 15.0) -> Any:
        """Wait for an expression to hold; its value."""
        loop = asyncio.get_running_loop()
        end = loop.time() + within_s
        while True:
            try:
                found = await self.run(f"!!({script})")
            except AssertionError:
                found = None  # between two pages
            if found:
                return found
            if loop.time() > end:
                raise AssertionError(f"never: {script}\n{await self.run('document.body.innerText')}")
            await asyncio.sleep(0.05)

    async def text(self) -> str:
        """What is to be read on the page."""
        return str(await self.run("document.body.innerText"))

    async def picture(self, file: str | Path) -> None:
        """A picture of the whole page."""
        shot = await self.call("Page.captureScreenshot", captureBeyondViewport=True)
        Path(file).write_bytes(base64.b64decode(shot["data"]))
