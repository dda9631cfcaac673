"""`doctor --phones`: a phone that comes is told, and one that does not too."""

from __future__ import annotations

import json
import socket
import threading
from typing import Any

import pytest
from websockets.sync.client import connect

from tui.health import phone_reach


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def test_a_phone_that_opens_the_page_is_named() -> None:
    told: list[Any] = []
    visitors: list[threading.Thread] = []

    def visit(url: str) -> None:
        def phone() -> None:
            with connect(url.replace("http", "ws") + "/phone") as line:
                line.send(json.dumps({"t": "hello", "v": 1, "code": "TEST"}))
                told.append(json.loads(line.recv()))

        visitors.append(threading.Thread(target=phone))
        visitors[0].start()

    found = list(phone_reach.findings(f"127.0.0.1:{free_port()}", [], 10.0, visit))
    visitors[0].join(10.0)
    assert [(one.name, one.state) for one in found] == [("served at", "warning"), ("a phone", "good")]
    assert found[1].said == "127.0.0.1 was here" and told == [{"t": "no", "why": "test"}]


def test_a_phone_is_sent_to_the_name_of_a_tunnel() -> None:
    told: list[str] = []
    found = phone_reach.findings(f"127.0.0.1:{free_port()}", ["https://class.example"], 0.05, told.append)
    assert next(found).state == "good" and told == ["https://class.example"]


def test_nobody_coming_says_what_to_try() -> None:
    found = list(phone_reach.findings(f"127.0.0.1:{free_port()}", [], 0.05, lambda url: None))
    assert found[-1].state == "warning" and "ssh -R" in found[-1].mend


def test_a_name_is_asked_once_as_a_phone_would(monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    ours, other = f"http://localhost:{port}", f"http://127.0.0.1:{free_port()}"
    found = list(phone_reach.findings(f"127.0.0.1:{port}", [ours, other], 0.0, lambda url: None))
    assert [(one.name, one.state) for one in found[1:]] == [("by name", "good"), ("by name", "bad")]


@pytest.mark.parametrize("place", ["nowhere", "192.0.2.77", "1.2.3.4:x", "127.0.0.1:99999"])
def test_an_address_that_is_none_of_ours_is_said(place: str) -> None:
    found = list(phone_reach.findings(place, [], 0.0, lambda url: None))
    assert found[-1].state == "bad" and found[-1].mend
