"""`KEY=VALUE` words to what is to be estimated, or why it cannot be and the nearest values that work."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from runtime.estimate.formulas.memory import MARGIN, Subject
from runtime.estimate.formulas.states import PRECISIONS, Precision
from runtime.estimate.formulas.step_time import EFFICIENCY, HOST
from runtime.estimate.inputs import gpus, presets
from runtime.estimate.inputs.config_file import Unreadable
from runtime.estimate.inputs.layout import Layout, divisors, misfit, nearest
from runtime.estimate.inputs.models import Experts, Model, gpt, llama
from runtime.estimate.keys import KEYS, MODELS, Key, clipped, meant, plain
from runtime.estimate.model_by_name import named, preset
from runtime.estimate.quantities import number, whole

Values = Mapping[str, Any]
SHAPE = (
    "layers",
    "hidden",
    "heads",
    "kv_heads",
    "ffn",
    "vocab",
    "layout",
    "tied",
    "experts",
    "active_experts",
)


class Refused(Exception):
    """`why` it cannot be estimated, and `mend`: what to write instead."""

    def __init__(self, why: str, mend: str) -> None:
        super().__init__(f"{why}: {mend}")
        self.why, self.mend = why, mend


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be estimated. `given` are the keys that were written."""

    subject: Subject
    layout: Layout
    precision_name: str
    optimizer: str
    gpu: gpus.Gpu | None
    values: Values

    @property
    def precision(self) -> Precision:
        """Bytes of each tensor by the name that was asked for."""
        return PRECISIONS[self.precision_name]

    @property
    def efficiency(self) -> float:
        """The share of the peak that arithmetic reaches, between 0 and 1."""
        return float(self.values.get("efficiency", EFFICIENCY))

    @property
    def host_bandwidth(self) -> float:
        """Bytes a second one way between a device and its host."""
        return float(self.values.get("host_bandwidth", HOST))

    @property
    def margin(self) -> float:
        """The share of memory kept for fragmentation, between 0 and 1."""
        return float(self.values.get("margin", MARGIN))

    @property
    def capacity(self) -> float | None:
        """Bytes of a device; None: no GPU was named."""
        given = self.values.get("memory")
        return float(given) if given is not None else self.gpu.memory if self.gpu else None

    @property
    def on(self) -> str:
        """What it runs on, in words: `8 x H100 SXM 80 GB`, `1 device`."""
        many = self.layout.devices
        return f"{many} x {self.gpu.title}" if self.gpu else counted(many)


def counted(devices: int) -> str:
    """`1 device`, `8 devices`."""
    return f"{devices} device{'s' * (devices != 1)}"


def read(words: Sequence[str]) -> dict[str, Any]:
    """The values of `KEY=VALUE` words. Refused: an unknown key, twice the same, or no value for it."""
    values: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise Refused(f"{clipped(word)!r} is no KEY=VALUE", f"keys: {' '.join(KEYS)}")
        name = name.strip().lower().replace("-", "_")
        if name not in KEYS:
            raise Refused(f"there is no key {clipped(name)!r}", meant(name, KEYS))
        if name in values:
            raise Refused(f"{name} is given twice", "give it once")
        values[name] = value(KEYS[name], text.strip())
    return values


def value(key: Key, text: str) -> Any:
    """The value of a key. Refused with the nearest value that works."""
    if key.kind == "text":
        if not text:
            raise Refused(f"{key.name}= says nothing", f"write {key.expects}")
        return text
    if key.kind == "flag":
        flag = {"1": 1, "0": 0, "true": 1, "false": 0, "yes": 1, "no": 0, "on": 1, "off": 0}.get(text.lower())
        if flag is None:
            raise Refused(f"{key.name}={clipped(text)}", f"write {key.name}=0 or {key.name}=1")
        return flag
    if key.kind == "word":
        word = (
            re.sub(r"[_\s]+", "-", text.lower())
            if key.name != "collective"
            else text.lower().replace("-", "_")
        )
        word = key.aliases.get(word, word)
        if word not in key.words:
            raise Refused(f"{key.name}={clipped(text)} is not known", meant(word, key.words, key.aliases))
        return int(word) if key.name == "zero" else word
    kind = key.kind if key.kind in ("bytes", "bandwidth", "seconds", "flops") else "count"
    found = whole(text) if key.kind == "whole" else number(text, kind)
    if found is None:
        part = number(text, "count") if key.kind == "whole" else None
        if part is None:
            raise Refused(f"{key.name}={clipped(text)}", f"write {key.expects}")
        raise _beside(key, text, round(part))
    if not key.low <= found <= key.high:
        raise _beside(key, text, found)
    return found


def _beside(key: Key, text: str, found: float) -> Refused:
    """That `text`, which says `found`, is no value of a key, and which is nearest."""
    near = plain(min(key.high, max(key.low, found))).replace(" ", "")
    return Refused(
        f"{key.name}={clipped(text)}: it is {key.expects}", f"the nearest that works is {key.name}={near}"
    )


def request(values: dict[str, Any]) -> Request:
    """A checked request. Refused: what does not go together."""
    model = _model(values)
    layout = _layout(values, model)
    if model is not None:
        subject = Subject.of(model)
        if "params" in values:
            total = int(values["params"])
            subject = subject._replace(total=total, active=subject.active if model.experts else total)
    elif "params" in values:
        subject = Subject(None, int(values["params"]), int(values["params"]))
    else:
        raise Refused(
            "nothing says what is trained",
            "give model=NAME or a config.json, params=N, or layers= hidden= heads=",
        )
    gpu = gpus.GPUS[values["gpu"]] if "gpu" in values else None
    rows = [KEYS[key].words.index(values[key]) for key in ("until", "new") if key in values]
    if rows != sorted(rows, reverse=True):
        raise Refused(
            f"new={values['new']} comes behind until={values['until']}",
            f"write new={values['until']}, or an earlier one",
        )
    if (found := misfit(model, layout, bool(values.get("uneven")))) is not None:
        raise Refused(found.why, found.mend)
    return Request(
        subject, layout, values.get("precision", "mixed"), values.get("optimizer", "adam"), gpu, values
    )


# --- the model ------------------------------------------------------------------------------------------


def _model(values: dict[str, Any]) -> Model | None:
    shaped = [key for key in SHAPE if key in values]
    if "model" in values:
        try:
            found = named(values["model"])
        except Unreadable as error:
            raise Refused(error.why, error.mend) from None
        return _altered(found, values) if shaped else found
    needed = ("layers", "hidden", "heads")
    if not any(key in values for key in needed):
        if shaped and "params" not in values:
            raise Refused(f"{shaped[0]} alone is not a model", "give layers= hidden= heads= as well")
        return None
    if missing := [key for key in needed if key not in values]:
        raise Refused(f"a shape needs {' and '.join(missing)}", "give layers= hidden= heads=, or model=")
    hidden, heads = values["hidden"], values["heads"]
    if hidden % heads:
        raise Refused(
            f"heads={heads} does not divide hidden={hidden}",
            f"write heads={nearest(heads, divisors(hidden))}",
        )
    family = values.get("layout", "llama" if {"kv_heads", "ffn", "experts"} & values.keys() else "gpt")
    if family == "gpt":
        made = gpt(values["layers"], hidden, heads, values.get("vocab", 51200), values.get("seq", 2048))
    else:
        made = llama(values["layers"], hidden, heads, heads, _usual_ffn(hidden), 32000)
    return _altered(made, values)


def _usual_ffn(hidden: int) -> int:
    """Llama's own choice where none is given: two thirds of 4 h, up to a multiple of 256 (its released
    code)."""
    return -(-(8 * hidden // 3) // 256) * 256


def _altered(model: Model, values: dict[str, Any]) -> Model:
    """A model with the parts of its shape that were given."""
    given: dict[str, Any] = {
        key: values[key] for key in ("layers", "hidden", "heads", "kv_heads", "ffn", "vocab") if key in values
    }
    if "heads" in given and "kv_heads" not in given and model.heads == model.kv_heads:
        given["kv_heads"] = given["heads"]
    if "hidden" in given or "heads" in given:
        hidden, heads = given.get("hidden", model.hidden), given.get("heads", model.heads)
        if hidden % heads:
            raise Refused(
                f"heads={heads} does not divide hidden={hidden}",
                f"write heads={nearest(heads, divisors(hidden))}",
            )
        given["head_size"] = hidden // heads
    made = replace(model, **given)
    if made.window is not None:  # as large a part of the layers as before
        windowed = round(made.window.layers * made.layers / model.layers)
        made = replace(made, window=replace(made.window, layers=windowed) if windowed else None)
    if "tied" in values:
        made = replace(made, tied=bool(values["tied"]))
    if "experts" in values or "active_experts" in values:
        made = replace(made, experts=_experts(made, values))
    if made.heads % made.kv_heads:
        raise Refused(
            f"kv_heads={made.kv_heads} does not divide {made.heads} heads",
            f"write kv_heads={nearest(made.kv_heads, divisors(made.heads))}",
        )
    return made


def _experts(model: Model, values: dict[str, Any]) -> Experts:
    old = model.experts or Experts(1, 1, model.ffn)
    count, active = (
        values.get("experts", old.count),
        values.get("active_experts", min(2, values.get("experts", 2))),
    )
    if active > count:
        raise Refused(f"active_experts={active} of {count} experts", f"write active_experts={count} or fewer")
    return replace(old, count=count, active=active, ffn=values.get("ffn", old.ffn))


# --- the layout -----------------------------------------------------------------------------------------


def _layout(values: dict[str, Any], model: Model | None) -> Layout:
    known = MODELS.get(preset(str(values.get("model", ""))), "")
    degrees = {key: values.get(key, 1) for key in ("tp", "pp", "cp", "ep")}
    if "gpus" in values and values.get("schedule") == "dualpipe":
        degrees["pp"] = values.get("pp", 2)  # a plan looks for it, and of one stage there is no such schedule
    dp = values.get("dp", degrees["ep"] if degrees["cp"] == 1 else 1)
    batch, pp = values.get("batch", 1), degrees["pp"]
    made = Layout(
        seq=values.get("seq", presets.SEQUENCES.get(known, 2048)), batch=batch, dp=dp, **degrees,
        zero=values.get("zero", 0), shard=values.get("shard", 0), interleave=values.get("interleave", 1),
        schedule=values.get("schedule", "1f1b"), recompute=values.get("recompute", "none"),
        flash=bool(values.get("flash", model is not None and model.family == "llama")),
        sp=bool(values.get("sp", 0)), fused_mlp=bool(values.get("fused_mlp", 0)),
        micro_batches=values.get("micro_batches", pp), offload=values.get("offload", "none"),
    )  # fmt: skip
    if made.interleave > 1 and made.schedule != "1f1b":
        raise Refused(
            f"{made.schedule} has no interleaved stages here", "write schedule=1f1b, or interleave=1"
        )
    if "global_batch" not in values or "gpus" in values:
        return made
    if "micro_batches" in values:
        raise Refused("global_batch and micro_batches say the same thing", "give one of them")
    whole_batch = values["global_batch"]
    if whole_batch % (dp * batch):
        low = whole_batch // (dp * batch) * dp * batch
        choices = " or ".join(str(n) for n in (low, low + dp * batch) if n)
        raise Refused(
            f"global_batch={whole_batch} is not a multiple of dp x batch = {dp * batch}",
            f"write global_batch={choices}",
        )
    return replace(made, micro_batches=whole_batch // (dp * batch))
