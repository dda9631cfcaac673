"""What is said of a link is true of how it is made slow."""

from __future__ import annotations

import made_snapshots as made
import pytest
from msgspec.structs import replace

from runtime.protocol.link_speeds import SIMULATED_LINK
from tui.figures.link_words import held_to


@pytest.mark.parametrize(
    ("link", "badge", "network", "said"),
    [
        ("", "LIVE CPU", "", ""),
        ("unlimited", "LIVE CPU", "netns", "unlimited"),
        ("1gbit", "LIVE CPU", "loopback", "1 Gbit/s a connection"),
        ("1gbit", "LIVE CPU", "netns", "1 Gbit/s for all connections together"),  # a card, shaped
        ("100mbit", SIMULATED_LINK, "", "100 Mbit/s, simulated by delays"),
    ],
)
def test_who_shares_a_link(link: str, badge: str, network: str, said: str) -> None:
    params = {"network": network} if network else {}
    shown = replace(made.running(2), link=link, badge=badge, params=params)
    assert held_to(shown) == said
