"""The works that formulas and presets are taken from, each named once.

`at("KORTHIKANTI", "table 2")` is what stands beside a figure. `COUNTED` is our own count where no work
gives the term; it says so instead of borrowing a name.
"""

from __future__ import annotations

from collections.abc import Iterable

WORKS = {
    "ZERO": "Rajbhandari et al., ZeRO, arXiv 1910.02054",
    "OFFLOAD": "Ren et al., ZeRO-Offload, arXiv 2101.06840",
    "KORTHIKANTI": "Korthikanti et al., Reducing Activation Recomputation, arXiv 2205.05198",
    "NARAYANAN": "Narayanan et al., Megatron-LM on GPU clusters, arXiv 2104.04473",
    "PALM": "Chowdhery et al., PaLM, arXiv 2204.02311",
    "KAPLAN": "Kaplan et al., Scaling Laws, arXiv 2001.08361",
    "LLAMA2": "Touvron et al., Llama 2, arXiv 2307.09288",
    "LLAMA3": "Llama team, The Llama 3 Herd of Models, arXiv 2407.21783",
    "MIXTRAL": "Jiang et al., Mixtral of Experts, arXiv 2401.04088",
    "DEEPSEEK": "DeepSeek-AI, DeepSeek-V3, arXiv 2412.19437",
    "FLASH": "Dao et al., FlashAttention, arXiv 2205.14135",
    "FSDP": "Zhao et al., PyTorch FSDP, arXiv 2304.11277",
    "RING": "Liu et al., Ring Attention, arXiv 2310.01889",
    "PATARASUK": "Patarasuk and Yuan, Bandwidth optimal all-reduce (2009)",
    "THAKUR": "Thakur et al., Optimization of collective communication in MPICH (2005)",
    "NCCL": "nccl-tests, doc/PERFORMANCE.md",
    "DETTMERS": "Dettmers et al., 8-bit Optimizers, arXiv 2110.02861",
    "ADAFACTOR": "Shazeer and Stern, Adafactor, arXiv 1804.04235",
    "MUON": "Jordan et al., Muon (2024)",
    "MEGATRON_DOCS": "Megatron-LM, docs on the distributed optimizer",
    "BEKMAN": "Bekman, Machine Learning Engineering, training performance",
    "ZERO_BUBBLE": "Qi et al., Zero Bubble Pipeline Parallelism, arXiv 2401.10241",
    "COUNTED": "counted by teachrun, from the operators of the layer",
}


def at(work: str, place: str = "") -> str:
    """A work and the place in it, as it is shown. KeyError: no such work."""
    return f"{WORKS[work]}, {place}" if place else WORKS[work]


def joined(sources: Iterable[str]) -> str:
    """Several places, each work named once: `ZeRO, arXiv 1910.02054, section 3.1; section 5`."""
    found: list[str] = []
    named = ""
    for source in dict.fromkeys(sources):
        same = named and source.startswith(f"{named}, ")
        found.append(source.removeprefix(f"{named}, ") if same else source)
        named = next((work for work in WORKS.values() if source.startswith(f"{work}, ")), "")
    return "; ".join(found)
