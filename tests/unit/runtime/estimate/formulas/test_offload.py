"""States that wait in the host's memory: DeepSpeed's estimator by its documentation, and what has to hold."""

from __future__ import annotations

import pytest
from made_estimates import estimated, printed

from runtime.estimate.request import Refused

T5_3B, T5_LARGE = 2851e6, 737668096  # parameters as memory.rst prints them
LARGEST = {T5_3B: 32e6, T5_LARGE: 32128 * 1024}  # of the largest layer, gathered in 16 bit with its gradient
BUFFER = 1.5  # additional_buffer_factor: the estimator puts it on all memory of a host
GIB = 2**30


def line(params: float, stage: int, ranks: int, offload: str) -> dict[str, float]:
    """DeepSpeed's gradients on the host are fp32: 16 bytes a parameter with master, momentum, variance."""
    words = f"params={params} zero={stage} dp={ranks} offload={offload} precision=mixed-fp32-grads"
    found: dict[str, float] = estimated(words)["memory"]
    return found


@pytest.mark.parametrize(
    ("stage", "offload", "gpu", "host"),
    [(2, "optimizer", "5.31", None), (3, "optimizer", "0.78", "63.72"), (3, "all", "0.12", "71.69")],
)
def test_deepspeed_estimator_of_t5_3b(stage: int, offload: str, gpu: str, host: str | None) -> None:
    """memory.rst, 2851M parameters on one node of 8 GPUs, in GiB. Without zero.Init (127.45GB on the host)
    the fp32 model of every process is larger than what is offloaded: that is its start, not its training."""
    found = line(T5_3B, stage, 8, offload)
    gathered = 4 * LARGEST[T5_3B] if stage == 3 else 0
    assert printed((found["states"] + gathered) / GIB, 2) == gpu
    if host is not None:
        assert printed(8 * found["host"] * BUFFER / GIB, 2) == host


@pytest.mark.parametrize(("offload", "cell"), [("optimizer", 477), ("all", 125), ("none", 3291)])
def test_deepspeed_estimator_of_t5_large(offload: str, cell: int) -> None:
    """memory.rst, cases 1 to 3: stage 3 on 4 GPUs, MiB, cut."""
    found = line(T5_LARGE, 3, 4, offload)["states"] + 4 * LARGEST[T5_LARGE]
    assert int(found) >> 20 == cell


def test_the_largest_model_of_a_40_gb_gpu() -> None:
    """memory.rst: a 40GB GPU fits about 11B parameters with stage 2 and offload, weights some 22GB of it."""
    assert line(11e9, 2, 1, "optimizer")["states"] == 22e9


@pytest.mark.parametrize("stage", [1, 2, 3])
@pytest.mark.parametrize("offload", ["optimizer", "all"])
def test_nothing_is_lost_between_device_and_host(stage: int, offload: str) -> None:
    words = f"model=llama3-8b gpu=h100 dp=8 micro_batches=4 zero={stage}"
    if offload == "all" and stage < 3:
        with pytest.raises(Refused, match="write zero=3"):
            estimated(f"{words} offload=all")
        return
    here, moved = estimated(words), estimated(f"{words} offload={offload}")
    kept = moved["memory"]["states"] + moved["memory"]["host"]
    assert kept == pytest.approx(here["memory"]["states"]) and moved["memory"]["host"] > 0
    assert moved["memory"]["total"] < here["memory"]["total"]
    assert moved["memory"]["activations"] == here["memory"]["activations"]
    assert moved["traffic"]["links"]["host"]["host"] == moved["traffic"]["host"] > 0
    time = moved["time"]
    assert time["step_s"] == pytest.approx(time["compute_s"] + time["idle_s"] + time["exposed_s"])
    assert time["step_s"] >= here["time"]["step_s"]
    slow = estimated(f"{words} offload={offload} host_bandwidth=1e9")["time"]
    assert slow["step_s"] > time["step_s"]


def test_bytes_over_the_host_link() -> None:
    """ZeRO-Offload, section 4: gradients down, weights up once a step, two bytes of a rank's share."""
    found = estimated("params=8e9 zero=2 dp=4 offload=optimizer")["traffic"]
    assert found["host"] == 2 * 2 * 8e9 / 4


def test_unsharded_states_stay() -> None:
    with pytest.raises(Refused, match="write zero=2, or leave offload out"):
        estimated("params=1e9 offload=cpu")
    assert estimated("params=1e9 zero=2 offload=none")["memory"]["host"] == 0


def test_formulas_of_what_is_away_can_be_opened() -> None:
    found = estimated("model=gpt2 gpu=a100 zero=3 dp=2 offload=all")
    assert "ZeRO-Offload" in found["explain"]["memory.host"]["source"]
    assert found["explain"]["memory.optimizer"]["numbers"] == "in the host's memory"
    assert found["largest_params"] is None  # no state is on the device: it limits none
    assert any("host_bandwidth=" in said for said in found["assumptions"])
