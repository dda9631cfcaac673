"""By which names a class is asked for, and what its phones are shown of them."""

from __future__ import annotations

import pytest

from runtime.phones.host_names import Names, address_by, bare_host


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("class.example", "http://class.example:8321"),
        ("class.example:80", "http://class.example:80"),
        ("https://class.example/", "https://class.example"),
        ("https://class.example:8443", "https://class.example:8443"),
        ("[2001:db8::1]", "http://[2001:db8::1]:8321"),
        ("[2001:db8::1]:9", "http://[2001:db8::1]:9"),
    ],
)
def test_phones_are_shown_the_name_of_a_tunnel_or_a_proxy(host: str, shown: str) -> None:
    assert address_by(host, "http://127.0.0.1:8321") == shown
    assert Names([host]).allow(bare_host(shown.partition("//")[2]))


def test_a_certificate_of_ours_is_for_the_name() -> None:
    assert address_by("class.example", "https://[::1]:8321") == "https://class.example:8321"


@pytest.mark.parametrize(
    ("origin", "host", "ours"),
    [
        ("https://class.example", "class.example", True),
        ("https://class.example", "127.0.0.1:8321", True),  # a proxy that says where it goes on to
        ("https://class.example:9443", "class.example", True),  # one that leaves the port out
        ("http://localhost:3000", "localhost:8321", False),
        ("http://192.168.1.20:80", "192.168.1.20:8321", False),
        ("https://class.example.evil", "127.0.0.1:8321", False),
        ("null", "127.0.0.1:8321", False),
        ("", "127.0.0.1:8321", False),
    ],
)
def test_a_page_is_ours_under_the_name_that_the_teacher_gave(origin: str, host: str, ours: bool) -> None:
    assert Names(["https://class.example"]).same_origin(origin, host) == ours
