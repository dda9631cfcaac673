"""What a whole training takes: days, energy, money."""

from __future__ import annotations

from typing import NamedTuple

DAY = 86400


class Cost(NamedTuple):
    """Of all devices together. `money` in the currency of the price; None: no price, or no power, is
    known."""

    days: float
    device_hours: float
    kilowatt_hours: float | None
    money: float | None


def cost(
    tokens: float, tokens_per_s: float, devices: int, watts: float | None, price_per_hour: float | None
) -> Cost:
    """Of `tokens`; `watts` and `price_per_hour` (in any currency) are of one device.

    Energy is the devices' own at their limit: hosts, switches and cooling come on top.
    """
    seconds = tokens / tokens_per_s
    hours = seconds / 3600 * devices
    return Cost(
        seconds / DAY,
        hours,
        hours * watts / 1000 if watts else None,
        hours * price_per_hour if price_per_hour is not None else None,
    )
