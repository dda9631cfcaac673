"""Every figure of an estimate with its formula, the numbers put in, and where the formula is printed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from runtime.estimate.cited_works import at, joined
from runtime.estimate.estimate import Estimate
from runtime.estimate.formulas import flops, memory
from runtime.estimate.formulas.activations import mlp_copies
from runtime.estimate.formulas.states import OPTIMIZERS, optimizer_bytes
from runtime.estimate.quantities import engineering
from runtime.estimate.request import Request


class Term(NamedTuple):
    """`name` is the figure's place in the JSON object; `numbers` the formula with this estimate's values."""

    name: str
    value: float | None
    unit: str
    formula: str
    numbers: str
    source: str


def terms(e: Estimate) -> list[Term]:
    """Each figure with its formula, the numbers put in, and the source."""
    return [
        *_model(e),
        *_memory(e),
        *_activations(e),
        *_traffic(e),
        *_time(e),
        *_arithmetic(e),
        *_pipeline(e),
        *_cost(e),
    ]


def assumed_efficiency(request: Request) -> str:
    """What is assumed of arithmetic, and what the default goes back to."""
    said = f"assumption: arithmetic reaches {request.efficiency:g} of the peak"
    if "efficiency" in request.values:
        return f"{said}, as given"
    return (
        f"{said}; with it the A100 steps of {at('KORTHIKANTI', 'table 5')} come out at 0.84 to 1.11 of those "
        "measured; H100s reach less (Llama 3 405B: 0.5), efficiency= sets it"
    )


def _n(value: float, unit: str = "") -> str:
    return engineering(value, unit)


def _model(e: Estimate) -> Iterator[Term]:
    subject = e.request.subject
    model = subject.model
    if model is None:
        yield Term("params", subject.total, "parameters", "P as given", _n(subject.total), "given")
        return
    if model.family == "gpt" and not model.final_norm:
        formula = "P = 12 l h² (1 + 13/(12 h) + (V + s)/(12 l h))"
        source = at("NARAYANAN", "eq. 2")
    elif model.latent or model.experts:
        formula, source = (
            "sum over layers of attention, experts or MLP, norms, router; both ends",
            at("COUNTED"),
        )
    else:
        formula = (
            "P = L (2 h² + 2 h h_kv + 3 h f + norms) + 2 V h"
            if model.gated
            else "P of every matrix, bias and norm"
        )
        source = f"{at('COUNTED')}; {model.source}"
    heads = f"heads {model.heads}/{model.kv_heads}"
    shape = f"L {model.layers}, h {model.hidden}, {heads}, f {model.ffn}, V {model.vocab}"
    yield Term("params", subject.total, "parameters", formula, shape, source)


def _memory(e: Estimate) -> Iterator[Term]:
    request, layout, m = e.request, e.request.layout, e.memory
    p, shards = request.precision, layout.shards
    own = memory.share(request.subject, layout, first=e.stage == 0, last=e.stage == layout.pp - 1)
    kept = optimizer_bytes(request.optimizer, p, request.subject.model)
    psi = f"{own.total:,}".replace(",", " ")
    where = f" (stage {e.stage})" if layout.pp > 1 else ""
    zero = at("ZERO", "section 5 and figure 1")
    offload = at("OFFLOAD", "section 4")
    for name, size, value, stage in (
        ("parameters", p.weight, m.parameters, 3),
        ("gradients", p.gradient, m.gradients, 2),
        ("optimizer", kept, m.optimizer, 1),
    ):
        split = f" / {shards}" if layout.zero >= stage and shards > 1 else ""
        if name in memory.offloaded(layout):
            yield Term(f"memory.{name}", value, "B", "0 on the device", "in the host's memory", offload)
            continue
        formula = f"bytes x P / (t p){' / N' if split else ''}"
        kinds = [p.source, *([OPTIMIZERS[request.optimizer].source] if name == "optimizer" else []), zero]
        source = joined(kinds)
        yield Term(f"memory.{name}", value, "B", formula, f"{size:g} B x {psi}{split}{where}", source)
    yield Term(
        "memory.states", m.states, "B", "parameters + gradients + optimizer",
        " + ".join(_n(v, "B") for v in m[:3]), zero,
    )  # fmt: skip
    yield Term(
        "memory.activations", m.activations, "B", "layers in flight + embedding mask + head + what "
                                                  "is recomputed",
        f"on stage {e.stage}, the fullest" if layout.pp > 1 else "", at("KORTHIKANTI", "section 4 and eq. 5"),
    )  # fmt: skip
    units = f"{memory.UNITS} layers x {p.weight} B + 1 layer x {p.gradient} B"
    yield Term(
        "memory.gathered", m.gathered, "B", "two layers' weights (in use, fetched ahead) and one's gradient",
        units if m.gathered else "nothing is gathered", f"upper bound; {at('FSDP', 'section 4')}",
    )  # fmt: skip
    yield Term(
        "memory.overhead", m.overhead, "B", "driver's context + communicators",
        "no GPU is named" if not m.overhead else "1 GiB (0.5 to 2) + 1 GiB with several devices (1 to 2)",
        at("BEKMAN", "anatomy of memory use"),
    )  # fmt: skip
    yield Term(
        "memory.total", m.total, "B", "states + activations + gathered + overhead",
        " + ".join(_n(v, "B") for v in (m.states, m.activations, m.gathered, m.overhead)), at("COUNTED"),
    )  # fmt: skip
    away = " + ".join(memory.offloaded(layout)) or "nothing waits there"
    yield Term("memory.host", e.on_host, "B", away, "a device's share, in its host's memory", offload)
    if e.limit is not None:
        yield Term(
            "memory.limit", e.limit, "B", "memory of the device x (1 - margin)",
            f"{_n(request.capacity or 0, 'B')} x (1 - {request.margin:g}) for fragmentation",
            request.gpu.source if request.gpu else "given",
        )  # fmt: skip


def _activations(e: Estimate) -> Iterator[Term]:
    model, layout = e.request.subject.model, e.request.layout
    if model is None:
        return
    s, b, t = layout.seq // layout.cp, layout.batch, layout.tp
    table = at("KORTHIKANTI", "table 2")
    if layout.recompute == "full":
        formula = "2 s b h"
    elif model.family != "gpt" or not model.dropout or model.heads != model.kv_heads or model.norms != 2:
        kept = f"{model.norms + min(2, model.norms)} h"
        formula = (
            f"e s b ({kept} + 2 h_q + 2 h_kv + {mlp_copies(model, layout)} f) + scores; all but {kept} by t"
        )
        table = f"{at('COUNTED')}, as {at('KORTHIKANTI', 'section 4.1')}"
        if model.latent and layout.recompute == "selective":
            formula += "; less norms' outputs, up-projections, SwiGLU's output"
            table = f"{table}; {at('DEEPSEEK', 'section 3.2.3')}"
    else:
        attention = (
            "" if layout.recompute == "selective" else (" + 4 a / h" if layout.flash else " + 5 a s / h")
        )
        divided = attention and t > 1
        if t == 1:
            formula = f"s b h (34{attention})"
        else:
            parts = "34 / t" if layout.sp else "10 + 24 / t"
            formula = f"s b h ({parts}{f'{attention} / t' if divided else ''})"
    if layout.flash and layout.recompute == "none":
        table = f"{table}; scores: {at('FLASH', 'section 3.1')}"
    numbers = f"s {s}, b {b}, h {model.hidden}, a {model.heads}, t {t}"
    yield Term("activations.per_layer", e.per_layer, "B", formula, numbers, table)
    v = layout.interleave
    factor = f"L (1 + (p - 1) / (p {v}))" if v > 1 else "min(m, p) L / p" if layout.pp > 1 else "L"
    if layout.pp > 1 and layout.schedule != "1f1b":
        in_flight = {
            "gpipe": "m",
            "zb-h1": "min(m, p)",
            "zb-h2": "min(m, 2 p - 1)",
            "dualpipe": "min(m, p + 1)",
        }
        factor = f"{in_flight[layout.schedule]} L / p"
    yield Term(
        "activations.first_stage", e.first_stage, "B", f"per layer x {factor}",
        f"L {model.layers}, p {layout.pp}, m {layout.micro_batches}, V {v}", at("KORTHIKANTI",
            "section 4.2.3"),
    )  # fmt: skip
    held = memory.held(model, layout, e.request.precision.activation, stage=e.stage)
    yield Term("activations.embedding", held.embedding, "B", "s b h p / t: the embedding's dropout mask",
               numbers, at("KORTHIKANTI", "section 4.3"))  # fmt: skip
    yield Term("activations.head", held.head, "B", "4 s b h / t (1 + V / h): last norm, head, fp32 logits",
               f"{numbers}, V {model.vocab}", at("KORTHIKANTI", "section 4.3"))  # fmt: skip
    yield Term("activations.recomputed", held.recomputed, "B", "one layer's worth while its backward runs",
               numbers, at("COUNTED"))  # fmt: skip


def _traffic(e: Estimate) -> Iterator[Term]:
    layout, found = e.request.layout, e.traffic.by_strategy
    n, t = layout.replicas, layout.tp
    dp = "3 P (n - 1) / n, for every micro-batch" if layout.zero == 3 else "2 P (n - 1) / n"
    rows = (
        ("dp", f"{dp}, in bytes of weights and gradients", f"n {n}, N {layout.shards}", at("ZERO",
            "section 7")),
        ("tp", "8 b s h (t - 1) / t a layer and micro-batch", f"t {t}, m {layout.micro_batches}",
        at("NARAYANAN", "section 3.2")), ("pp", "b s h each way a boundary and micro-batch, / t "
                                                "with sequence parallelism", f"p {layout.pp}", at(
                                                    "NARAYANAN", "section 4.1")),
        ("cp", "keys and values once in forward, twice in backward, (c - 1) / c", f"c {layout.cp}",
        at("RING", "section 3")), ("ep", "k b s h to experts and back, forward and backward, (e - "
                                         "1) / e", f"e {layout.ep}", at("COUNTED")),
    )  # fmt: skip
    if "host" in found:
        both = "gradients to the host, weights back, of a device's share"
        yield Term("traffic.host", found["host"], "B", both, f"N {layout.shards}", at("OFFLOAD", "section 4"))
    for name, formula, numbers, source in rows:
        if found[name]:
            yield Term(f"traffic.{name}", found[name], "B", formula, numbers, source)
    yield Term("traffic.total", e.traffic.total, "B", "the sum of all strategies", "", at("COUNTED"))


def _time(e: Estimate) -> Iterator[Term]:
    if e.time is None or e.request.gpu is None:
        return
    time, request = e.time, e.request
    peak = request.gpu.peak(request.precision.peak) if request.gpu else 0
    split = request.precision.peak == "fp8" and e.request.gpu.fp8
    narrow = f"; attention and head in 16 bit ({at('DEEPSEEK', 'section 3.3.1')})" if split else ""
    yield Term(
        "time.compute_s", time.compute, "s", f"hardware FLOPs / (devices x peak x efficiency){narrow}",
        f"{_n(e.flops + e.recomputed, 'FLOP')} / ({request.layout.devices} x {_n(peak, 'FLOP/s')} x "
        f"{request.efficiency:g})",
        f"{assumed_efficiency(request)}; {e.request.gpu.source}",
    )  # fmt: skip
    work = f"work {_n(time.compute, 's')}, {e.pipeline.idle_of_ideal:.2%}"
    yield Term(
        "time.idle_s", time.idle, "s", "work x pipeline.idle_of_ideal", work, at("NARAYANAN", "section 2.2")
    )
    yield Term(
        "time.communication_s", time.communication_s, "s",
        "alpha-beta: 2 (n-1) a + 2 (n-1)/n S/B for an all-reduce, in a node and between nodes",
        ", ".join(f"{name} {_n(value, 's')}" for name, value in time.communication.items()) or "none",
        f"{at('PATARASUK')}; {at('NCCL')}",
    )  # fmt: skip
    yield Term(
        "time.exposed_s", time.exposed_s, "s", "communication less what arithmetic hides",
        ", ".join(f"{name} {_n(value, 's')}" for name, value in time.exposed.items()) or "none",
        at("COUNTED"),
    )  # fmt: skip
    yield Term("time.step_s", time.step, "s", "compute + idle + exposed",
               " + ".join(_n(v, "s") for v in (time.compute, time.idle, time.exposed_s)), at(
                   "COUNTED"))  # fmt: skip


def _arithmetic(e: Estimate) -> Iterator[Term]:
    request, layout = e.request, e.request.layout
    model = request.subject.model
    parts = flops.per_token(request.subject, layout.seq)
    if model is None:
        formula, source = "6 N a token", at("KAPLAN", "section 2.1")
    elif model.family == "gpt":
        formula, source = "72 B l s h² (1 + s / 6h + V / 12 h l)", at("KORTHIKANTI", "eq. 7")
    else:
        formula, source = "6 x matrices + 12 l s a d, a token", at("PALM", "appendix B")
    if model is not None and (seen := model.window) and layout.seq > seen.tokens:
        named = "chunk" if seen.chunked else "window"
        formula += (
            f"; s is {seen.keys(layout.seq):.0f} in {seen.layers} layers with a {named} of {seen.tokens}"
        )
    numbers = f"{_n(parts.total, 'FLOP')} x {_n(layout.tokens)} tokens"
    yield Term("flops", e.flops, "FLOP", formula, numbers, source)
    again = {
        "none": ("the same", at("COUNTED")),
        "selective": ("72 B l s h² (1 + s / 3h + V / 12 h l)", at("KORTHIKANTI", "eq. 8; counting "
                                                                                 "gives a third of "
                                                                                 "the added term")),
        "full": ("96 B l s h² (1 + s / 6h + V / 16 h l)", at("NARAYANAN", "eq. 3")),
    }[layout.recompute]  # fmt: skip
    yield Term(
        "flops_hardware", e.flops + e.recomputed, "FLOP", again[0], f"+ {_n(e.recomputed, 'FLOP')}", again[1]
    )
    if e.mfu is not None and e.step_s is not None and request.gpu is not None:
        peak = _n(request.gpu.peak(request.precision.peak), "FLOP/s")
        what = "measured" if e.measured else "estimated"
        numbers = f"{what} step {_n(e.step_s, 's')}, {layout.devices} x {peak}"
        yield Term(
            "mfu", e.mfu, "", "model FLOPs / (step x devices x peak)", numbers, at("PALM", "section 4.1")
        )
        yield Term(
            "hfu", e.hfu, "", "the same with what is recomputed", numbers, at("KORTHIKANTI", "section 6.3")
        )


def _pipeline(e: Estimate) -> Iterator[Term]:
    found, layout = e.pipeline, e.request.layout
    numbers = f"p {layout.pp}, m {layout.micro_batches}, V {layout.interleave}"
    source = at("NARAYANAN", "section 2.2")
    ideal, total, span = "(p - 1) / (V m)", "(p - 1) / (V m + p - 1)", "3 (m + (p - 1) / V)"
    if layout.schedule not in ("1f1b", "gpipe"):
        source = at("DEEPSEEK", "table 2") if layout.schedule == "dualpipe" else at("ZERO_BUBBLE", "table 2")
        idle = {"zb-h1": "(p - 1)(F + B - W)", "zb-h2": "0", "dualpipe": "(p/2 - 1)(F&B + B - 3W)"}
        of = idle[layout.schedule]
        ideal, total, span = f"{of} / 3m", f"{of} / (3m + it)", f"3m + {of}"
    yield Term("pipeline.idle_of_ideal", found.idle_of_ideal, "", ideal, numbers, source)
    yield Term("pipeline.idle_of_total", found.idle_of_total, "", total, numbers, source)
    words = f"{span}, a backward being two forwards"
    yield Term("pipeline.makespan", found.makespan, "forwards", words, numbers, source)
    live = _LIVE[layout.schedule if layout.interleave == 1 else "interleaved"]
    yield Term("pipeline.live", found.live[0], "micro-batches on the first stage", live, numbers, source)


_LIVE = {
    "gpipe": "m", "1f1b": "min(m, p - stage)",
    "interleaved": "min(m V, (V - 1) p + 2 (p - 1 - stage) + 1) / V",
    "zb-h1": "min(m, p)", "zb-h2": "min(m, 2 (p - stage) - 1)", "dualpipe": "min(m, p + 1)",
}  # fmt: skip


def _cost(e: Estimate) -> Iterator[Term]:
    if e.cost is None:
        return
    tokens, of_a_step = _n(e.request.values["tokens"]), _n(e.request.layout.tokens)
    numbers = f"{tokens} tokens, {of_a_step} a step, {_n(e.step_s or 0, 's')}"
    yield Term("days", e.cost.days, "days", "tokens / (tokens a step) x step", numbers,
               at("NARAYANAN", "eq. 4, without its rounding to 8 T P / (n X)"))  # fmt: skip
    yield Term("energy_kwh", e.cost.kilowatt_hours, "kWh", "devices x hours x power limit",
               f"{e.request.gpu.watts if e.request.gpu else 0:g} W each, hosts and cooling not counted",
               e.request.gpu.source if e.request.gpu else "")  # fmt: skip
    yield Term(
        "money",
        e.cost.money,
        "",
        "devices x hours x price",
        f"{e.request.values.get('price', 'no price given')}",
        "given",
    )


def disagreements(e: Estimate) -> list[str]:
    """Where sources say different things about this estimate, and which one it follows."""
    found, request = [], e.request
    model, layout = request.subject.model, request.layout
    if layout.recompute == "selective" and model is not None:
        found.append(
            "selective recomputation: Korthikanti et al. (eq. 8) add all of the attention term, "
            "counting its second "
            "forward adds a third; followed: the paper, whose table 5 follows its equation"
        )
    if model is not None and model.gated and not layout.flash:
        found.append("scores of a Llama are counted without dropout: 2 a s² b, not the 5 a s² b of a GPT")
    if model is not None and model.gated and layout.recompute != "full":
        found.append(
            "activations of a Llama layer: kernels that keep norms in fp32 keep more (Bekman "
            "measured 28 copies of "
            "b s h for Llama 3.1 8B, fused kernels keep 20.5); followed: fused kernels"
        )
    if model is not None and model.experts is not None:
        found.append("active parameters: the embedding table is counted, as Mixtral's 12.9B do")
    if layout.zero == 3 and layout.micro_batches > 1:
        found.append("ZeRO-3 gathers for every micro-batch; ZeRO's own 3 P is of a step of one")
    if model is not None:
        found.append(_counted(e))
        found.append(
            "logits: 4 bytes each (Korthikanti et al., section 4.3); a loss that is not fused has their "
            "gradient beside them when backward begins, 4 more; followed: the paper"
        )
    if layout.zero >= 1:
        found.append("states are shared by data (and context) parallel ranks only, behind tensor "
                     "and pipeline splits; "
                     "EleutherAI's calculator divides by all devices")  # fmt: skip
    return found


def _counted(e: Estimate) -> str:
    """What other sources count as the FLOPs of a token."""
    subject, seq = e.request.subject, e.request.layout.seq
    others = {name: _n(value, "FLOP") for name, value in flops.conventions(subject, seq).items()}
    return (
        f"FLOPs of a token: 6 N is {others['6n']} ({at('KAPLAN', 'section 2.1')}), with attention "
        f"{others['palm']} ({at('PALM', 'appendix B')}), with the half of it that a mask leaves "
        f"{others['causal']}; followed: {_n(flops.per_token(subject, seq).total, 'FLOP')}, matrices and "
        f"all of attention ({at('KORTHIKANTI', 'eq. 7')})"
    )
