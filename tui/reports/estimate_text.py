"""An estimate as lines for a terminal and as Markdown, from the object that `--json` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from runtime.estimate.quantities import engineering, shown
from runtime.estimate.request import counted
from slides.drawing.cells import clean, width

Shown = Mapping[str, Any]
PARTS = ("parameters", "gradients", "optimizer", "activations", "gathered", "overhead")
BAR = 30  # cells of the longest bar


def terminal(found: Shown) -> list[str]:
    """What a person reads first: does it fit, what fills it, what a step takes, what to change."""
    if found["kind"] == "collective":
        return [*_collective(found)]
    if found["kind"] == "duel":
        return [*_duel(found)]
    return [
        *_head(found),
        "",
        *_memory(found),
        "",
        *_step(found),
        "",
        *_advice(found),
        *_plan(found),
        *_tables(found),
        *_explained(found),
    ]


def _duel(found: Shown) -> Iterator[str]:
    """Both sides' figures under each other, the best known last, then who wins and why."""
    names = {"a": "A", "b": "B"}
    keys = ("dp", "tp", "pp", "cp", "ep", "zero", "interleave", "batch", "micro_batches", "recompute")
    rows = [(names[side], row) for side, row in found["sides"].items()]
    if found["best"]:
        rows.append(("best known", found["best"]))
    cells = [
        [name, *map(str, (row["layout"][key] for key in keys)), *_figures(row), f"{row['score']:.1%}"]
        for name, row in rows
    ]
    yield from _columns([["side", *keys, "step", "MFU", "memory", "binds", "score"], *cells])
    yield ""
    yield from map(clean, found["why"])
    yield "every figure is computed, none is measured"


def _head(found: Shown) -> Iterator[str]:
    layout = found["layout"]
    name = found["model"] or "a model"
    params = _billions(found["params"])
    active = found["params_active"]
    more = f", {_billions(active)} active" if active != found["params"] else ""
    yield clean(f"{name}: {params} parameters{more} ({found['source']})")
    ways = " ".join(f"{key} {layout[key]}" for key in ("dp", "tp", "pp", "cp", "ep") if layout[key] > 1)
    many = layout["devices"]
    what = f"{many} x {found['gpu']}" if found["gpu"] else f"{counted(many)}, no GPU named"
    trained = f"ZeRO {layout['zero']}, {found['precision']}, {found['optimizer']}"
    yield clean(f"{what}: {ways or 'one device'}, {trained}")
    yield clean(
        f"sequence {layout['seq']}, micro-batch {layout['batch']}, {layout['micro_batches']} a "
        "step, recompute "
        f"{layout['recompute']}, flash {int(layout['flash'])}, sp {int(layout['sp'])}"
    )


def _memory(found: Shown) -> Iterator[str]:
    memory = found["memory"]
    verdict = {True: "fits", False: "does not fit", None: "no limit is known"}[found["fits"]]
    limit = f" of {engineering(memory['limit'], 'B')}" if memory["limit"] else ""
    yield f"memory of the fullest device: {engineering(memory['total'], 'B')}{limit}, {verdict}"
    if memory["host"]:
        yield f"  in the host's memory beside it: {engineering(memory['host'], 'B')} a device"
    whole = max(memory["total"], memory["limit"] or 0)
    for part in PARTS:
        size = memory[part]
        bar = "█" * round(BAR * size / whole) if whole else ""
        yield f"  {part:<12}{engineering(size, 'B'):>12}  {bar}"


def _step(found: Shown) -> Iterator[str]:
    time, pipeline = found["time"], found["pipeline"]
    if time["step_s"] is None:
        yield "one step: give gpu= to have its time"
    else:
        yield (
            f"one step: {engineering(time['step_s'], 's')} = compute "
            f"{engineering(time['compute_s'], 's')} + idle "
            f"{engineering(time['idle_s'], 's')} + exposed {engineering(time['exposed_s'], 's')} of "
            f"{engineering(time['communication_s'], 's')} communication"
        )
        yield f"  {_grouped(time['tokens_per_s'])} tokens a second"
    yield f"  {engineering(found['flops'], 'FLOP')} of the {found['flops_of']}"
    if found["mfu"] is not None:
        yield f"  MFU {found['mfu']:.1%}, HFU {found['hfu']:.1%} of the {found['of']}"
    if found["layout"]["pp"] > 1:
        total, ideal = pipeline["idle_of_total"], pipeline["idle_of_ideal"]
        yield f"  pipeline idle {total:.2%} of all time, {ideal:.2%} of the work"
    if found["days"] is not None:
        money = "" if found["money"] is None else f", {_grouped(found['money'])} at that price"
        energy = f", {engineering(found['energy_kwh'] * 1000, 'Wh')}" if found["energy_kwh"] else ""
        hours = _grouped(found["device_hours"])
        yield f"  the training: {found['days']:.1f} days, {hours} device hours{energy}{money}"
    yield f"  binds: {found['binding']}"


def _advice(found: Shown) -> Iterator[str]:
    yield "change first:"
    for line in found["advice"] or ["no single change makes it better"]:
        yield f"  {line}"
    for line in found["assumptions"]:
        yield f"assumed: {line}"
    for line in found["disagreements"]:
        yield f"sources disagree: {line}"


def _plan(found: Shown) -> Iterator[str]:
    if "plan" not in found:
        return
    plan = found["plan"]
    yield ""
    yield f"layouts that fit, the shortest step first ({plan['fitting']} of {plan['tried']} tried):"
    keys = ("dp", "tp", "pp", "cp", "ep", "zero", "interleave", "batch", "micro_batches", "recompute")
    rows = [[*map(str, (row["layout"][key] for key in keys)), *_figures(row)] for row in plan["layouts"]]
    yield from _columns([[*keys, "step", "MFU", "memory", "binds"], *rows])


def _tables(found: Shown) -> Iterator[str]:
    for title, rows in _asked_tables(found):
        yield ""
        yield f"{title}:"
        yield from _columns([list(row) for row in rows])


def _asked_tables(found: Shown) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """The strategy table, and how each strategy scales."""
    if "strategies" in found:
        rows: list[tuple[str, ...]] = [
            ("strategy", "fits", "memory", "sent a step", "step", "complexity", "when")
        ]
        for row in found["strategies"]:
            fits = {True: "yes", False: "no", None: ""}[row["fits"]]
            sizes = [
                "–" if row[key] is None else engineering(row[key], unit)
                for key, unit in (("memory", "B"), ("traffic", "B"), ("step_s", "s"))
            ]
            mark = "> " if row["chosen"] else "+ " if row["new"] else ""
            name = f"{mark}{row['name']}"
            rows.append((name, fits, *sizes, row["complexity"], row["why"] or row["when"]))
        yield "strategies on as many devices, the same batch", rows
    if "scaling" in found:
        scaled: list[tuple[str, ...]] = [("strategy", "fits from", "makes sense below", "what ends it")]
        for row in found["scaling"]:
            begins = "never" if row["begins"] is None else _grouped(row["begins"])
            stops = "no end to 16 384" if row["stops"] is None else _grouped(row["stops"])
            scaled.append((row["name"], begins, "" if row["begins"] is None else stops, row["term"]))
        ends = "it ends where it does not fit, or a fifth of its MFU is lost"
        yield f"devices, the micro-batches of each kept ({ends})", scaled


def _figures(row: Shown) -> list[str]:
    step, memory = engineering(row["step_s"], "s"), engineering(row["memory"], "B")
    return [step, f"{row['mfu']:.1%}", memory, row["binding"]]


def _columns(rows: list[list[str]]) -> Iterator[str]:
    widths = [max(width(row[n]) for row in rows) for n in range(len(rows[0]))]
    for row in rows:
        yield "  " + "  ".join(f"{cell:<{size}}" for cell, size in zip(row, widths, strict=True)).rstrip()


def _explained(found: Shown) -> Iterator[str]:
    if "explain" not in found:
        return
    yield ""
    for name, term in found["explain"].items():
        yield clean(f"{name} = {shown(term['value'], term['unit'])}")
        yield clean(f"    {term['formula']}")
        if term["numbers"]:
            yield clean(f"    {term['numbers']}")
        yield clean(f"    {term['source']}")


def _collective(found: Shown) -> Iterator[str]:
    size, ranks = engineering(found["bytes"], "B"), found["ranks"]
    link = f"{engineering(found['bandwidth'], 'B/s')}, {engineering(found['latency'], 's')} a message"
    yield f"{found['collective']} of {size} on {ranks} rank{'s' * (ranks != 1)}, {link}"
    for name, seconds in found["time"].items():
        term = found["explain"].get(f"time.{name}", {})
        said = f"  {term['formula']} ({term['source']})" if term else ""
        yield f"  {_algorithm(name):<16}{engineering(seconds, 's'):>12}{said}"
    yield f"  a rank sends {engineering(found['traffic']['sent'], 'B')}"
    if found["ring_is_faster_from_bytes"]:
        yield f"  a ring is faster than a tree from {engineering(found['ring_is_faster_from_bytes'], 'B')}"


def _billions(count: float) -> str:
    if count < 1e6:
        return _grouped(count)
    return f"{count / 1e9:.4g} billion" if count >= 1e9 else f"{count / 1e6:.4g} million"


def _algorithm(name: str) -> str:
    return name.removesuffix("_s").replace("_", " ")


def _grouped(value: float) -> str:
    return f"{value:,.0f}".replace(",", " ")


def markdown(found: Shown) -> list[str]:
    """A table for a slide, and what it rests on."""
    if found["kind"] == "collective":
        times: list[tuple[str, ...]] = [("algorithm", "time")]
        times += [(_algorithm(name), engineering(s, "s")) for name, s in found["time"].items()]
        return [*_table(times)]
    if found["kind"] == "duel":
        sides: list[tuple[str, ...]] = [("side", "layout", "fits", "memory", "step", "MFU")]
        for name, row in (*found["sides"].items(), ("best known", found["best"])):
            if row:
                step, mfu, memory, _ = _figures(row)
                sides.append((name, row["words"], "yes" if row["fits"] else "no", memory, step, mfu))
        return [*_table(sides), "", *map(clean, found["why"]), "", "Computed, not measured."]
    rows: list[tuple[str, ...]] = [("memory of the fullest device", "")]
    rows += [(part, engineering(found["memory"][part], "B")) for part in (*PARTS, "total")]
    if found["time"]["step_s"] is not None:
        rows += [(name.removesuffix("_s"), engineering(found["time"][name], "s"))
                 for name in ("compute_s", "idle_s", "exposed_s", "step_s")]  # fmt: skip
        rows.append(("MFU", f"{found['mfu']:.1%}"))
    if found["days"] is not None:
        rows.append(("days", f"{found['days']:.1f}"))
    head = [*_head(found)]
    lines = [f"**{_escaped(head[0])}**", "", _escaped(f"{head[1]}, {head[2]}"), "", *_table(rows), ""]
    lines += [f"- {_escaped(line)}" for line in found["advice"]]
    if "plan" in found:
        rows = [("layout", "step", "MFU", "memory", "binds")]
        for row in found["plan"]["layouts"]:
            ways = " ".join(f"{key} {row['layout'][key]}" for key in ("dp", "tp", "pp", "cp", "ep", "zero"))
            rows.append((ways, *_figures(row)))
        lines += ["", *_table(rows)]
    for title, table in _asked_tables(found):
        lines += ["", f"{title}:", "", *_table(table)]
    if "explain" in found:
        rows = [("figure", "formula", "numbers", "source")]
        rows += [(name, t["formula"], t["numbers"], t["source"]) for name, t in found["explain"].items()]
        lines += ["", *_table(rows)]
    return [*lines, "", "*Computed, not measured.*"]


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    for number, row in enumerate(rows):
        yield "| " + " | ".join(_escaped(cell) for cell in row) + " |"
        if number == 0:
            yield "|" + "---|" * len(row)


def _escaped(text: str) -> str:
    return clean(text).replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")
