"""A question in big text: what is in letters already is not enlarged again, which tears it."""

from __future__ import annotations

from pathlib import Path

import pytest

from slides.drawing.text import plain
from slides.drawing.text_size import BIG, NORMAL
from slides.screen_size import Size
from tui.deck.contents import Contents, open_deck
from tui.rendering.pages.offscreen import Offscreen

DECK = """::: quiz {#order kind=order}
Put the parts of a step in order:

1. forward
2. backward
:::

---

::: quiz {#line kind=line}
Which line is wrong?

```python
loss = model(batch)
loss.backwards()
```

= 2
:::
"""


@pytest.mark.parametrize("index", [0, 1])
def test_a_question_in_letters_stays_as_it_is_in_big_text(index: int, tmp_path: Path) -> None:
    (tmp_path / "talk.md").write_text(DECK)
    screens = []
    for mode in (NORMAL, BIG):
        offscreen = Offscreen(Contents(open_deck(tmp_path / "talk.md")))
        offscreen.drawing.mode = mode
        screens.append([plain(line).strip() for line in offscreen.screen(index, Size(160, 45))])
    normal, big = ([row for row in rows if set(row) & set("▗▖▐▌▛▜")] for rows in screens)
    assert len(normal) >= 6 and big == normal
