"""The demos' shared model and text: the same everywhere, learnable, and usable without teachrun."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from warm_python import WarmPython

torch = pytest.importorskip("torch")

from runtime.catalog import registry  # noqa: E402
from runtime.demos import model as demo  # noqa: E402

DEMOS = Path(demo.__file__).parent


def test_a_sample_is_the_same_everywhere_and_no_two_are_alike() -> None:
    text, again = demo.Sentences(50), demo.Sentences(50)
    assert all(torch.equal(text[i][0], again[i][0]) for i in range(50))
    assert len({bytes(text[i][0].tolist()) for i in range(50)}) == 50
    assert not torch.equal(text[0][0], demo.Sentences(50, seed=1)[0][0])


@pytest.mark.parametrize("seq", [2, 64, 1000])
def test_targets_are_the_tokens_one_later(seq: int) -> None:
    tokens, targets = demo.Sentences(1, seq)[0]
    assert tokens.shape == targets.shape == (seq,)
    assert torch.equal(tokens[1:], targets[:-1])
    assert bytes(tokens.tolist()).isascii()


def test_a_model_that_knows_nothing_has_a_loss_near_ln_256() -> None:
    torch.manual_seed(0)
    tokens, targets = (part[None] for part in demo.Sentences(1)[0])
    loss = demo.next_token_loss(demo.TinyLM()(tokens), targets)
    assert loss.item() == pytest.approx(math.log(256), abs=0.5)


@pytest.mark.parametrize("width", [8, 10, 27, 128])
def test_any_width_has_heads_that_fit(width: int) -> None:
    assert demo.TinyLM(width, 1, 4)(torch.zeros(2, 4, dtype=torch.long)).shape == (2, 4, 256)


def test_every_parameter_of_the_catalog_is_an_argument_of_the_script_with_the_same_default(
    warm_python: WarmPython,
) -> None:
    told = warm_python.run(f"FOLDER = {str(DEMOS)!r}\n{_ARGUMENTS}")
    assert told.returncode == 0, told.stderr
    script = dict(line.split("=", 1) for line in told.stdout.splitlines())
    asked = {p.name: str(p.default) for p in registry.DEMOS["ddp"].params if p.rank_arg}
    assert script == asked


_ARGUMENTS = """
import sys
sys.path.insert(0, FOLDER)
import ddp
for name, value in vars(ddp.arguments()).items():
    print(f"{name}={value}")
"""


def test_it_fits_beside_a_slide() -> None:
    lines = (DEMOS / "ddp.py").read_text().splitlines()
    assert len(lines) <= 120 and max(map(len, lines)) <= 110
