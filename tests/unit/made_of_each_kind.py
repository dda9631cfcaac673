"""A question of each kind that has a picture of its own."""

from __future__ import annotations

from quiz.question import Accepted, Gap, Number, Option, Question

STEPS = ("forward", "all-reduce", "backward", "optimizer")
QUESTIONS = {
    "order": Question(
        "q",
        "order",
        "Put one step in order.",
        tuple(
            Option(text, explain="Only now are all there." if text == "all-reduce" else "") for text in STEPS
        ),
        sequence=(0, 2, 1, 3),
        points=3.0,
    ),
    "match": Question(
        "q",
        "match",
        "What does each save?",
        tuple(map(Option, ("parameters", "gradients", "activations"))),
        sequence=(1, 0),
        prompts=("ZeRO 2", "ZeRO 3"),
        points=2.0,
        explain="Activations need checkpointing.",
    ),
    "numeric": Question(
        "q",
        "numeric",
        "How much memory?",
        accepted=(
            Accepted("112 GB ± 5%", explain="16 bytes each.", number=Number(106.4, 117.6, "GB", 112.0)),
        ),
    ),
    "text": Question(
        "q", "text", "Which collective?", accepted=(Accepted("all-reduce"), Accepted("allreduce"))
    ),
    "cloze": Question(
        "q",
        "cloze",
        "First {{1}}, then {{2}}.",
        gaps=(
            Gap((Accepted("reduce-scatter"),)),
            Gap((Accepted("all-gather"),), ("all-gather", "broadcast")),
        ),
        points=2.0,
    ),
    "line": Question(
        "q",
        "line",
        "Where do gradients travel?",
        code="loss = model(batch)\nloss.backward()\noptimizer.step()",
        lang="python",
        sequence=(1,),
    ),
    "poll": Question("q", "poll", "How is the speed?", tuple(map(Option, ("too slow", "fine")))),
    "essay": Question("q", "essay", "Why?"),
}

ROOM = {"a": "", "b": "", "c": ""}
