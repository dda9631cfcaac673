"""What papers report of whole trainings: parameters, FLOPs, days, device hours, energy and money."""

from __future__ import annotations

import math

import pytest
from made_estimates import estimated, printed


@pytest.mark.parametrize(
    ("layers", "hidden", "heads", "billions"),
    [(40, 1536, 16, "1.2"), (54, 1920, 20, "2.5"), (64, 2304, 24, "4.2"), (72, 3072, 32, "8.3")],
)
def test_megatron_lm_table_1(layers: int, hidden: int, heads: int, billions: str) -> None:
    """Shoeybi et al. (arXiv 1909.08053), table 1: sequences of 1024, a vocabulary of 51 200."""
    found = estimated(f"layers={layers} hidden={hidden} heads={heads} vocab=51200 seq=1024")
    assert printed(found["params"] / 1e9, 1) == billions


@pytest.mark.parametrize(
    ("layers", "hidden", "heads", "billions"), [(32, 4096, 16, "8.63"), (64, 8192, 32, "62.50")]
)
def test_palm_table_1(layers: int, hidden: int, heads: int, billions: str) -> None:
    """Chowdhery et al. (arXiv 2204.02311), table 1: one key and value head, a gated MLP of 4 h, tied."""
    shape = f"layers={layers} hidden={hidden} heads={heads} kv_heads=1 ffn={4 * hidden} vocab=256000 tied=1"
    assert printed(estimated(shape)["params"] / 1e9, 2) == billions


@pytest.mark.parametrize(
    ("millions", "tokens", "flops"),
    [(109, "250e9", "1.64e+20"), (355, "250e9", "5.33e+20"), (125, "2e12", "1.50e+21"),
     (355, "2e12", "4.26e+21")],
)  # fmt: skip
def test_gpt3_table_d1_of_encoders(millions: int, tokens: str, flops: str) -> None:
    """Brown et al. (arXiv 2005.14165), table D.1: BERT and RoBERTa, base and large. Its T5 sees half of its
    parameters for a token, which a number of parameters does not say."""
    found = estimated(f"params={millions}e6 tokens={tokens}")["flops"]
    assert float(flops) == pytest.approx(found, rel=0.005) and f"{found + 1e16:.2e}" == flops


@pytest.mark.parametrize(
    ("millions", "days"),
    [(125, "2.60"), (356, "7.42"), (760, "15.8"), (1320, "27.5"), (2650, "55.2"), (6660, "139"),
     (12850, "268"), (174600, "3638")],
)  # fmt: skip
def test_gpt3_table_d1_in_days_of_a_petaflop(millions: int, days: str) -> None:
    """Days at 1e15 FLOP/s; the last is printed as 3.64e3."""
    found = estimated(f"params={millions}e6 tokens=300e9 achieved=1e15")["days"]
    assert printed(found, len(days.partition(".")[2])) == days


@pytest.mark.parametrize(
    ("size", "hours", "tonnes"),
    [("7b", 184_320, "31.2"), ("13b", 368_640, "62.4"), ("70b", 1_720_320, "291")],
)
def test_llama_2_table_2(size: str, hours: int, tonnes: str) -> None:
    """Touvron et al. (arXiv 2307.09288): A100s of 400 W, 2T tokens; all rows are of 423 g of CO2 a kWh, to a
    tenth of a percent (31.22, 62.44 and 291.42 t are printed)."""
    step = hours * 3600 * 4096 / 2e12
    found = estimated(f"model=llama2-{size} gpu=a100-80 seq=4096 tokens=2e12 step_s={step!r}")
    assert printed(found["energy_kwh"] * 0.423 / 1000, len(tonnes.partition(".")[2])) == tonnes


@pytest.mark.parametrize(
    ("size", "table", "rest"), [("2b", 590, 2024), ("9b", 917, 8324), ("27b", 1180, 26047)]
)
def test_gemma_2_table_2(size: str, table: int, rest: int) -> None:
    """Gemma 2 (arXiv 2408.00118): millions in the table of tokens and beside it, some rounded, some cut."""
    found = estimated(f"model=gemma2-{size}")["params"] / 1e6
    outer = 256_000 * {"2b": 2304, "9b": 3584, "27b": 4608}[size] / 1e6
    assert table in (round(outer), math.floor(outer))
    assert rest in (round(found - outer), math.floor(found - outer))


@pytest.mark.parametrize(
    ("size", "tokens", "hours", "megawatt_hours"),
    [("7b", 1e12, 82_432, 36), ("13b", 1e12, 135_168, 59), ("33b", 1.4e12, 530_432, 233),
     ("65b", 1.4e12, 1_022_362, 449)],
)  # fmt: skip
def test_llama_table_15(size: str, tokens: float, hours: int, megawatt_hours: int) -> None:
    """Touvron et al. (arXiv 2302.13971): A100s of 400 W, with 10 % on top for the building, cut."""
    step = hours * 3600 * 2048 / tokens
    found = estimated(f"model=llama-{size} gpu=a100-80 seq=2048 tokens={tokens:g} step_s={step!r}")
    assert found["device_hours"] == pytest.approx(hours)
    assert math.floor(found["energy_kwh"] * 1.1 / 1000) == megawatt_hours


def test_llama_65b_took_21_days() -> None:
    """Section 3.3: some 380 tokens a second of each of 2048 A100s, 1.4T tokens."""
    found = estimated(f"model=llama-65b gpu=a100-80 dp=2048 seq=2048 tokens=1.4e12 step_s={2048 / 380!r}")
    assert round(found["days"]) == 21
