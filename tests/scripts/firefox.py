"""A headless Firefox driven by WebDriver BiDi, which it speaks itself: no driver beside it is needed."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from browser import Browser
from websockets.asyncio.client import connect

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
# Nothing that a first start would ask or fetch.
_SETTINGS = {
    "app.update.auto": False,
    "browser.aboutwelcome.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,",
    "toolkit.telemetry.enabled": False,
}


class Firefox(Browser):
    """One page of one Firefox, as `Browser` is of Chromium."""

    async def __aenter__(self) -> Firefox:
        assert FIREFOX is not None
        folder = Path(self._folder.name)
        dark = {"layout.css.prefers-color-scheme.content-override": 0 if self._dark else 1}
        lines = (f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in (_SETTINGS | dark).items())
        (folder / "user.js").write_text("".join(lines))
        self._process = subprocess.Popen(
            (FIREFOX, "--headless", "--no-remote", "--remote-debugging-port=0", "--profile", str(folder)),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(folder)},
        )
        told = folder / "WebDriverBiDiServer.json"
        while not (told.exists() and told.read_text().strip().endswith("}")):
            await asyncio.sleep(0.1)
            assert self._process.poll() is None, "the browser has ended"
        where = json.loads(told.read_text())
        self._line = await connect(f"ws://127.0.0.1:{where['ws_port']}/session", max_size=None)
        await self.call("session.new", capabilities={})
        await self.call("session.subscribe", events=["log.entryAdded"])
        tree = await self.call("browsingContext.getTree")
        self._context = tree["contexts"][0]["context"]
        width, height = self._size
        viewport = {"width": width, "height": height}
        await self.call(
            "browsingContext.setViewport", context=self._context, viewport=viewport, devicePixelRatio=2.0
        )
        return self

    def _complains(self, event: dict[str, Any]) -> bool:
        """Whether an event is a warning or an error of the page."""
        return event.get("method") == "log.entryAdded" and event["params"]["level"] in ("warn", "error")

    async def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        found = await self.call(
            "script.evaluate",
            expression=script,
            target={"context": self._context},
            awaitPromise=True,
            userActivation=True,
        )
        assert found["type"] == "success", found
        return _plain(found["result"])

    async def go(self, url: str) -> None:
        """Open an address."""
        await self.call("browsingContext.navigate", context=self._context, url=url, wait="interactive")

    async def touch(self, x: float, y: float) -> None:
        """Touch a place of the viewport."""
        steps = [
            {"type": "pointerMove", "x": round(x), "y": round(y)},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        finger = {"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}, "actions": steps}
        await self.call("input.performActions", context=self._context, actions=[finger])

    async def keys(self, text: str) -> None:
        """Type into what has the focus."""
        steps = [{"type": way, "value": letter} for letter in text for way in ("keyDown", "keyUp")]
        hand = {"type": "key", "id": "hand", "actions": steps}
        await self.call("input.performActions", context=self._context, actions=[hand])

    async def picture(self, file: str | Path) -> None:
        """A picture of the whole page."""
        shot = await self.call("browsingContext.captureScreenshot", context=self._context, origin="document")
        Path(file).write_bytes(base64.b64decode(shot["data"]))


def _plain(value: dict[str, Any]) -> Any:
    """A value of the protocol as Python has it; of objects nothing."""
    if value["type"] == "array":
        return [_plain(one) for one in value["value"]]
    return value.get("value")
