"""Of several people of one name each is told apart."""

from __future__ import annotations

from typing import cast

from runtime.host.attached_screens import Screen
from runtime.host.audience.names_of_people import called
from runtime.protocol.framing import FrameProtocol
from runtime.protocol.messages import VERSION, Attach


def test_of_two_people_of_one_name_the_second_has_another() -> None:
    """While the first one sits there; who has gone comes back under the same."""

    def sits(screen: str, name: str, answers: bool = True) -> Attach:
        return Attach(VERSION, "audience", screen, 1, name, answers, name)

    line = cast(FrameProtocol, None)
    ann = Screen(line, sits("a", "Ann"))
    second = Screen(line, called(sits("b", "Ann"), [ann]))
    third = called(sits("c", "Ann"), [ann, second])
    assert (second.who, second.where, third.name) == ("Ann 2", "Ann 2", "Ann 3")
    assert called(sits("a", "Ann"), [ann, second]).name == "Ann"
    assert called(sits("d", "", True), [ann, Screen(line, sits("e", ""))]).name == ""
    assert called(sits("f", "Ann"), []).name == "Ann"
