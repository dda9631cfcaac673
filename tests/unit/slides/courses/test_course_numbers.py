"""The numbers of lessons that are computed: each again, by the estimator or by its formula."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import prod
from pathlib import Path

import pytest

import runtime.estimate
import slides
from runtime.estimate.estimate import Estimate, estimate
from runtime.estimate.formulas.memory import Memory
from runtime.estimate.report import collective
from runtime.estimate.request import read, request
from runtime.metrics.steps.pipeline_schedules import Shape, idle_of_total
from runtime.recordings.recording import load
from runtime.recordings.run_choice import fitting

COURSE = Path(slides.__file__).parent / "courses" / "distributed"


def of(words: str) -> Estimate:
    return estimate(request(read(words.split())))


def shared(devices: int) -> Memory:
    """Memory of each of 32 devices with Llama 3 70B, of which so many share a copy."""
    return of(f"model=llama3-70b gpu=h100 dp=32 zero=3 recompute=full shard={devices}").memory


def pencil() -> tuple[float, ...]:
    """Loss and gradients after each of two samples, then the parameters after an update at rate 0.001."""
    weights, gradient, found = [0.773, 0.321, 0.067], [0.0, 0.0, 0.0], list[float]()
    for x, y in (((6, 2, 1), 15), ((5, 2, 1), 12)):
        off = sum(w * xi for w, xi in zip(weights, x, strict=True)) - y
        gradient = [g + 2 * off * xi / 2 for g, xi in zip(gradient, x, strict=True)]
        found += [off**2, *gradient]
    return (*found, *(w - 1e-3 * g for w, g in zip(weights, gradient, strict=True)))


def ring(size: float, bandwidth: float) -> float:
    """Seconds of an all-reduce of `size` bytes among 8, 15 µs a start, by the estimator."""
    words = f"collective=all_reduce bytes={size:.0f} ranks=8 bandwidth={bandwidth:.0f} latency=15us"
    return float(collective(read(words.split()))["time"]["ring_s"])


def planned() -> tuple[float, ...]:
    """Days of the published trainings that lesson 13 shows, as `TRAININGS.md` asks for them."""
    note = (Path(runtime.estimate.__file__).parent / "TRAININGS.md").read_text("utf-8")
    names = ("GPT-3 175B, 384", "GPT-3 175B, 1536", "MT-NLG 530B, 560", "DeepSeek-V3, 2048")
    asked = (re.search(rf"\| {name}[^|]*\| `([^`]+)` \|", note) for name in names)
    return tuple(found.cost.days or 0 for row in asked if row and (found := of(row[1])).cost)


def a_sequence(tokens: int, ranks: int = 1, recompute: str = "none") -> float:
    """GB of activations of one sequence of Llama 3 8B on each of so many ranks."""
    way = f"zero=3 dp=16 flash=1 seq={tokens} cp={ranks} recompute={recompute}"
    return of(f"model=llama3-8b gpu=h100 {way}").memory.activations / 1e9


def one_sequence(ranks: int, bandwidth: float) -> float:
    """Milliseconds of an all-reduce of one sequence of GPT 7.5B by a ring, starts left out; GB/s."""
    return 2 * (ranks - 1) / ranks * 2 * 2048 * 4096 / (bandwidth * 1e6)


def experts(model: str) -> tuple[float, float, float]:
    """Billions of parameters of a mixture of experts; per cent of them that a token uses, and the others."""
    made = of(f"model={model}")
    used, whole = made.request.subject.active, made.request.subject.total
    return whole / 1e9, 100 * used / whole, 100 - 100 * used / whole


def idle(stages: int, micro_batches: int, chunks: int = 1) -> float:
    """Per cent of all time that a rank is idle."""
    return 100 * idle_of_total(Shape(stages, micro_batches, chunks))


GPT = "model=gpt-7.5b gpu=a100-80"
NUMBER = r"(-?[\d.]+)"
DAYS = 6 * of(GPT).memory.parameters / 2 * 3e11 / 400e12 / 86400
FITS = 6 * 4.5e9 * 3e11 / 400e12 / 86400
LLAMA = 6 * 405e9 * 15.6e12 / 400e12  # as the slide says them: seconds on one H100
YEARS = (LLAMA / 365.25 / 86400, LLAMA / 16384 / 86400)
# lesson, what stands in it, what it should say (the numbers of the text, in its order)
NUMBERS: list[tuple[str, str, Callable[[], tuple[float, ...]]]] = [
    (
        "01-one-step",
        r"what a step holds +\| +([\d.]+) \| +([\d.]+) \| +([\d.]+) \| +([\d.]+) ",
        lambda: tuple(
            getattr(of(GPT).memory, kind) / 1e9
            for kind in ("parameters", "gradients", "optimizer", "activations")
        ),
    ),
    *(
        (
            "01-one-step",
            rf"\| +{tokens} \| +([\d.]*) \| +([\d.]+) \|",
            lambda tokens=tokens: tuple(  # type: ignore[misc]
                of(f"{GPT} seq={tokens} flash={flash}").memory.activations / 1e9 for flash in (0, 1)
            ),
        )
        for tokens in (1024, 2048, 4096)
    ),
    (
        "01-one-step",
        r"one \| +(\d+) \|\n\| +8 \| +(\d+) \|\n\| +64 \| +([\d.]+) \|\n\| +512 \| +([\d.]+)",
        lambda: tuple(DAYS / n for n in (1, 8, 64, 512)),
    ),
    (
        "02-memory",
        r"sample 1: [^|]*" + rf"\| +{NUMBER} " * 4 + r"\|\n\| sample 2: [^|]*" + rf"\| +{NUMBER} " * 4
        + r"\|\n\| update[^|]*\| +" + rf"\| +{NUMBER} " * 3,
        pencil,
    ),
    (
        "02-memory",
        rf"all of it +\| +{NUMBER} \|\n.*selective +\| +{NUMBER} \|\n.*full +\| +{NUMBER} \|",
        lambda: tuple(
            (of(f"{GPT} recompute={way}").per_layer or 0) / 1e6 for way in ("none", "selective", "full")
        ),
    ),
    (
        "02-memory",
        rf"{NUMBER} GB of activations become {NUMBER} with selective, and {NUMBER} with full",
        lambda: tuple(
            of(f"{GPT} recompute={way}").memory.activations / 1e9 for way in ("none", "selective", "full")
        ),
    ),
    (
        "02-memory",
        rf"For GPT-3 selective leaves out {NUMBER} % of the activations, for MT-NLG 530B {NUMBER} %",
        lambda: tuple(
            100 - 100 * (of(f"{m} recompute=selective").per_layer or 0) / (of(m).per_layer or 1)
            for m in ("model=gpt3-175b", "model=mt-nlg-530b")
        ),
    ),
    ("02-memory", rf"{NUMBER}, 20.9 and {NUMBER} ms together", lambda: (7.7 + 11.9, 7.7 + 19.5)),
    ("02-memory", rf"in fp32 that is {NUMBER} GB", lambda: (4 * 8192 * 128256 / 1e9,)),
    ("02-memory", r"selective, \*\*\+(\d+) %\*\* for full", lambda: (100 * (27.2 / 19.6 - 1),)),
    (
        "04-collectives",
        rf"NVLink \(450 GB/s\) {NUMBER} s, .* 63\) {NUMBER}, .*: 50\) {NUMBER}, .* \(12.5\) {NUMBER}\.",
        lambda: tuple(ring(14.9e9, bandwidth) for bandwidth in (450e9, 63e9, 50e9, 12.5e9)),
    ),
    (
        "04-collectives",
        r"\n".join(rf"\| {size} +\| +{NUMBER} \|" for size in ("1 kB", "16 kB", "1 MB", "10 MB", "20 MB")),
        lambda: tuple(1e3 * ring(size, 50e9) for size in (1e3, 16e3, 1e6, 1e7, 2e7)),
    ),
    ("02-memory", r"4.5 billion, needs (\d+) days", lambda: (FITS,)),
    ("03-ranks", r"4.5 billion parameters, needs (\d+) days .*would need (\d+)\)", lambda: (FITS, DAYS)),
    ("03-ranks", r"would need (\d+) days", lambda: (DAYS,)),
    ("03-ranks", r"Two nodes with[^=]*= (\d)\n", lambda: (5 % 4,)),
    ("03-ranks", r"\*\*([\d.]+) times\*\* the work", lambda: (2 * 400 / 430,)),
    *(
        (
            "03-ranks",
            rf"\| {'·'.join(map(str, cuts))} = (\d+),(\d+)",
            lambda cuts=cuts: divmod(prod(cuts), 1000),  # type: ignore[misc]
        )
        for cuts in ((8, 1, 16, 64), (8, 1, 16, 128), (8, 16, 16, 8))
    ),
    ("07-fsdp", rf"= {NUMBER} ± 0.3 GB\n", lambda: (2 * 7.5 + 14 * 7.5 / 64,)),
    ("07-fsdp", rf"\n~ {NUMBER} ± 0.1 GB\n", lambda: (16 * 7.5 / 64,)),
    ("07-fsdp", rf"\n~ {NUMBER} ± 0.3 GB\n", lambda: (4 * 7.5 + 12 * 7.5 / 64,)),
    (
        "07-fsdp",
        rf"On four devices: {NUMBER} [^,]*, {NUMBER}, {NUMBER}, {NUMBER} GB of state",
        lambda: tuple(of(f"{GPT} flash=1 dp=4 zero={stage}").memory.states / 1e9 for stage in range(4)),
    ),
    ("07-fsdp", r"first time: (\d+) GB with its activations and (\d+) GB .*it would be (\d+)\.\)", lambda: (
        (first := of(f"{GPT} flash=1 dp=4 zero=1").memory).total / 1e9, first.overhead / 1e9,
        of(f"{GPT} dp=4 zero=1").memory.total / 1e9,
    )),
    ("07-fsdp", rf"\*\*5,605 on 128\*\*: {NUMBER} % less", lambda: (100 - 100 * 5605 / 5762,)),
    ("07-fsdp", rf"From 8 to 128 ranks {NUMBER} GiB", lambda: (82.4 - 67.0,)),
    ("04-collectives", rf"= {NUMBER} ± 1 GB/s", lambda: (100 * 2 * 7 / 8,)),
    (
        "overture",
        r"GPT 7.5B +\| +([\d.]+) \|\n.*70B +\| +(\d+) \|\n.*405B +\| +(\d+) \|",
        lambda: tuple(
            8e-9 * of(f"model={m}").memory.parameters for m in ("gpt-7.5b", "llama3-70b", "llama3-405b")
        ),
    ),
    ("overture", r"of (\d+) GB is (\d+)", lambda: (80, -(-of("model=llama3-405b").memory.states // 80e9))),
    ("overture", r"seconds, ([\d,]+) years.*\n\nIt took 16,384 .* is (\d+) days", lambda: YEARS),
    (
        "08-interconnect",
        rf"450 GB/s +\| +{NUMBER} \|\n.*50 GB/s +\| +{NUMBER} \|\n.*12.5 GB/s +\| +{NUMBER} \|",
        lambda: tuple(7 / 8 * 989e12 / bandwidth / 1e3 for bandwidth in (450e9, 50e9, 12.5e9)),
    ),
    ("08-interconnect", r"370 / 900 is (\d+) %, 370 / 450 is (\d+) %", lambda: (37000 / 900, 37000 / 450)),
    (
        "08-interconnect",
        r"two bytes: ([\d.]+) GB, an eighth is ([\d.]+) GB.*that is (\d+) ms",
        lambda: tuple(n * of(GPT).memory.parameters / 1e9 for n in (1, 1 / 8, 1000 / 8 / 50)),
    ),
    ("08-interconnect", r"since ([\d,]+) GB of state alone over 8 are (\d+)", lambda: tuple(
        8e-9 * of("model=llama3-70b").memory.parameters / n for n in (1, 8)
    )),
    ("08-interconnect", r"picture: (\d+), (\d+), (\d+) GB on a device\. None fits", lambda: tuple(
        shared(n).total / 1e9 for n in (2, 4, 8)
    )),
    ("08-interconnect", r"would fit, (\d+) GB; with all else it is (\d+) and does not", lambda: (
        shared(16).states / 1e9, shared(16).total / 1e9
    )),
    ("12-when-it-breaks", rf"1,024 GPUs +\| +{NUMBER} \|\n.*4,096 GPUs +\| +{NUMBER} \|", lambda: tuple(
        419 * n / 16384 for n in (1024, 4096)
    )),
    ("12-when-it-breaks", rf"for 8 of them {NUMBER} times in 54 days", lambda: (419 * 8 / 16384,)),
    ("12-when-it-breaks", rf"Every \*\*{NUMBER} hours", lambda: (54 * 24 / 419,)),
    ("12-when-it-breaks", rf"recorded run {NUMBER} seconds in all", lambda: (
        sum(s for _, s in load(fitting("failover", {"ranks": "4"}).folder).about.recoveries[0].phases),
    )),
    ("12-when-it-breaks", rf"each GPU in {NUMBER} years, by hardware in {NUMBER}\.", lambda: (
        16384 * 54 / 419 / 365.25, 16384 * 54 / 419 / 365.25 / 0.78
    )),
    ("08-interconnect", rf"400 GB/s, so {NUMBER} thousand tokens for 16", lambda: (15 / 16 * 989 / 400,)),
    ("12-when-it-breaks", r"that must be saved, (\d+) GB.*each has ([\d.]+) GB", lambda: tuple(
        6e-9 * of(GPT).memory.parameters / n for n in (1, 64)  # bytes, of two each
    )),
    ("12-when-it-breaks", rf"each of ([\d,]+) parameters, {NUMBER} MB", lambda: (469504, 12 * 469504 / 1e6)),
    ("12-when-it-breaks", r"400 minutes between failures: (\d+) minutes", lambda: ((2 * 2 * 400) ** 0.5,)),
    ("13-plan-a-run", r"= (\d+) ± 2 GB", lambda: (16 * 70 / 8,)),
    ("13-plan-a-run", r"70 = ([\d,]+) GB; .* 1,120 / 76 is ([\d.]+): fifteen", lambda: (
        16 * 70, 16 * 70 / (0.95 * 80)
    )),
    ("13-plan-a-run", r"makes the green part small \((\d+) GB become (\d+)\)", lambda: tuple(
        of(f"model=llama3-70b gpu=h100 dp=8 zero=3 {way}").memory.activations / 1e9
        for way in ("", "recompute=full")
    )),
    ("13-plan-a-run", r"× ([\d.]+) million / 4 ranks = \*\*([\d.]+) MB", lambda: (6.445568, 4 * 6.445568)),
    ("13-plan-a-run", r"is ([\d.]+) ms inside and ([\d.]+) ms over .*blocks: (\d+) ms more", lambda: (
        (inside := one_sequence(8, 300)), (outside := one_sequence(16, 25)), 4 * 36 * (outside - inside)
    )),
    ("13-plan-a-run", r"million are (\d+) MB, against ([\d.]+)\.\n", lambda: (16 * 6.445568, 4 * 6.445568)),
    ("13-plan-a-run", r"= (\d+) ± 1 days", lambda: (8 * 300e9 * 175e9 / (1024 * 140e12) / 86400,)),
    ("13-plan-a-run", r"= (\d+) ± 1 minutes", lambda: ((2 * 54 * 24 * 60 / 419) ** 0.5,)),
    ("13-plan-a-run", r"is ([\d.]+) days, and (\d+) with 6", lambda: tuple(
        n * 300e9 * 7.467778048e9 / (64 * 312e12 * 0.6) / 86400 for n in (8, 6)
    )),
    ("13-plan-a-run", r"\n".join(rf"\|[^|]+\| +(\d+) \| +{n} \|" for n in (84, 23, 156, 54)), planned),
    (
        "06-hiding",
        r"PyTorch DDP +\| +(\d+) \|\n.*Horovod +\| +(\d+) \|\n.*fp16 +\| +(\d+) \|",
        lambda: (25 * 2**20 / 1e6, 128 * 2**20 / 1e6, 2 * 5e8 / 1e6),
    ),
    ("06-hiding", r"= (\d+) ± 0.1 ms[^~]*~ 60[^~]*~ 45[^~]*~ (\d+) ±", lambda: (60 - 45, 100 * 45 / 60)),
    ("06-hiding", r"says 60 ms of (\d+), (\d+) %", lambda: (50 + 100 + 15, 6000 / 165)),
    (
        "09-tensor",
        r"DDP +\| +([\d.]+) \|\n.*FSDP +\| +([\d.]+) .*\n.*8 sequences +\| +([\d.]+) "
        r".*\n.*1 sequence +\| +([\d.]+)",
        lambda: tuple(
            of(f"{GPT} flash=1 {way}").traffic.total / 1e9
            for way in ("dp=8", "dp=8 zero=3", "tp=8 batch=8", "tp=8")
        ),
    ),
    (
        "09-tensor",
        r"one rank +\| +(\d+) \|\n.*8 ranks +\| +(\d+) \|\n.*between +\| +(\d+) \|",
        lambda: tuple(
            (of(f"model=gpt3-175b {way}").per_layer or 0) / 1e6 for way in ("", "tp=8", "tp=8 sp=1")
        ),
    ),
    ("09-tensor", r"on 8 ranks has (\d+) GB of state instead of ([\d.]+)", lambda: tuple(
        of(f"{GPT} tp={n}").memory.states / 1e9 for n in (8, 1)
    )),
    ("09-tensor", r"\*\*(\d+) %\*\* faster, thanks to memory", lambda: (100 * (54.2 / 42.1 - 1),)),
    ("10-pipeline", r"\n".join(rf"\| {m} +\| +(\d+) \|" for m in (1, 4, 8, 16, 32)), lambda: tuple(
        idle(4, m) for m in (1, 4, 8, 16, 32)
    )),
    ("10-pipeline", r"on 4 ranks (\d+) % and ([\d.]+) %: the same", lambda: (idle(4, 8), 100 * 3 / 8)),
    ("10-pipeline", r"= (\d+) ± 0.5 %\n~ ([\d.]+) ± 0.3 %", lambda: (idle(16, 64), 100 * 15 / 64)),
    ("10-pipeline", rf"ideal time {NUMBER} % become {NUMBER}, of", lambda: (100 * 3 / 8, 100 * 3 / 16)),
    ("10-pipeline", r"(\d+) % become (\d+) %\.", lambda: (idle(4, 8), idle(4, 8, 2))),
    ("10-pipeline", r"In our picture ([\d.]+) % is left", lambda: (100 / 17,)),
    ("10-pipeline", r"2,048 tokens: (\d+) MB a micro-batch", lambda: (2 * 2048 * 12288 / 1e6,)),
    ("10-pipeline", r"worth of filling is (\d+) % of all time, before", lambda: (idle(64, 512),)),
    ("10-pipeline", r"three quarters of it, about (\d+) %", lambda: (100 * 163 / 312 * 6 / 8,)),
    ("10-pipeline", r"at (\d+) % of the peak", lambda: (100 * 163 / 312,)),
    (
        "11-context-experts",
        r"\n".join(rf"\| {n:,} tokens +\| +(\d+) \|" for n in (8192, 32768, 131072)),
        lambda: tuple(a_sequence(n) for n in (8192, 32768, 131072)),
    ),
    ("11-context-experts", r"the last one needs (\d+) again", lambda: (a_sequence(131072, 16),)),
    ("11-context-experts", r"brings the last one to (\d+) GB", lambda: (
        a_sequence(131072, recompute="full"),
    )),
    ("11-context-experts", r"of 131,072 tokens would be (\d+) GB", lambda: (2 * 131072**2 / 1e9,)),
    (
        "11-context-experts",
        rf"Mixtral 8x7B, {NUMBER} billion \| +{NUMBER} \| +{NUMBER} \|\n"
        rf"\| DeepSeek-V3, {NUMBER} billion \| +{NUMBER} \| +{NUMBER} \|",
        lambda: (*experts("mixtral-8x7b"), *experts("deepseek-v3")),
    ),
    (
        "11-context-experts",
        rf"of {NUMBER} billion parameters, and the .* with ([\d.]+)\. In m.*is {NUMBER} of ([\d.]+)\. So",
        lambda: tuple(
            number
            for whole, used, _ in (experts("mixtral-8x7b"), experts("deepseek-v3"))
            for number in (whole * used / 100, whole)
        ),
    ),
    ("11-context-experts", r"In chunks of an eighth: (\d+), (\d+), (\d+), \*\*(\d+)\*\*", lambda: tuple(
        sum(theirs <= own for own in (2 * rank, 2 * rank + 1) for theirs in range(8)) for rank in range(4)
    )),
    (
        "11-context-experts",
        r"has ([\d.]+) MB of keys .*layer, ([\d.]+) ms at 50 .* rest, ([\d.]+) TFLOP, takes ([\d.]+) ms",
        lambda: tuple(
            n * 8192 for n in (4096e-6, 4096 / 50e6, 2 * 8192 * 4096e-12, 2 * 8192 * 4096 / 0.6 / 989e9)
        ),
    ),
    ("01-one-step", r"times 16 bytes is (\d+) GB", lambda: (16 * 7.5,)),
    ("01-one-step", r"= (\d+) ± 0.1 GB\n~ (\d+) [^~]*~ (\d+) [^~]*~ (\d+) ", lambda: (
        4 + 4 + 8, 4 + 4, 4 + 8, 4
    )),
    ("03-ranks", r"= (\d{3})\n~ (\d+)\n[^~]*~ (\d+)\n[^~]*~ (\d+)\n", lambda: (
        8 * 4 * 2 * 4, 8 * 2 * 4, 8 * 4, 8 * 4 * 4
    )),
    ("04-collectives", r"= (\d+) ± 0.01 GB\n~ (\d+) [^~]*~ (\d+) [^~]*~ (\d+) ", lambda: (
        3 / 4 * 4, 2 * 3 / 4 * 4, 4, 4 / 4
    )),
    ("06-hiding", r"= ([\d.]+) ± 0.2 GB\n~ ([\d.]+) [^~]*~ ([\d.]+) [^~]*~ ([\d.]+) ", lambda: (
        2 * 7 / 8 * 14.9, 4 * 2 * 7 / 8 * 14.9, 2 * 7 / 8 * 14.9 / 4, 2e-9 * 7.467778048e9
    )),
    ("01-one-step", r"57.4 MB with 32, ([\d.]+) times", lambda: (57397508 / 27475968,)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("lesson", "pattern", "computed"),
    NUMBERS,
    ids=lambda value: str(value)[:40] if isinstance(value, str) else "",
)
def test_its_numbers_computed_again(
    lesson: str, pattern: str, computed: Callable[[], tuple[float, ...]]
) -> None:
    found = re.search(pattern, (COURSE / f"{lesson}.md").read_text("utf-8").replace("\u00a0", " "))
    assert found is not None
    expected = computed()
    assert len(found.groups()) == len(expected)
    for text, value in zip(found.groups(), expected, strict=True):
        written = text.replace(",", "")
        digits = len(written.partition(".")[2])
        assert float(written) == pytest.approx(value, abs=0.51 * 10**-digits), pattern
