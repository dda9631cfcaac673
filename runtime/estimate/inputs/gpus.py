"""GPUs by their data sheets: dense peaks, memory, and links in one direction.

Where a sheet prints a peak with sparsity, half of it stands here; where it prints a link in both directions
together, half of that. Memory is the sheet's number of 10^9 bytes. Latencies are not in any sheet: see
`START`.
"""

from __future__ import annotations

from typing import NamedTuple

NVIDIA = "NVIDIA data sheet"
NIC = 50e9  # bytes/s of a 400 Gb/s adapter, one way
START = (
    5e-6,
    15e-6,
)  # seconds to start a message in a node and between nodes; an assumption, `latency=` sets it


class Gpu(NamedTuple):
    """Peaks in FLOP/s, memory in bytes, bandwidths in bytes/s, one way, of one device; power in watts.

    `memory_bandwidth` is of its own memory. `node` devices share the link `inside`; `network` is what each
    has to other nodes. They can be given.
    """

    title: str
    bf16: float
    fp32: float
    fp8: float  # 0: it has none, and what is fp8 runs as bf16
    memory: float
    memory_bandwidth: float
    inside: float
    network: float
    node: int
    watts: float
    source: str

    @property
    def operations_a_byte(self) -> float:
        """16-bit FLOPs for each byte of its memory from which on arithmetic binds (a roofline's edge)."""
        return self.bf16 / self.memory_bandwidth

    def peak(self, kind: str) -> float:
        """Dense peak in FLOP/s for `kind`; without an fp8 unit, that of bf16."""
        if kind == "fp8":
            return self.fp8 or self.bf16
        return self.fp32 if kind == "fp32" else self.bf16


GPUS = {
    "v100": Gpu("V100 SXM2 32 GB", 125e12, 15.7e12, 0, 32e9, 900e9, 150e9, 12.5e9, 8, 300,
                f"{NVIDIA} V100, 2020 (fp16; it has no bf16)"),
    "a100-40": Gpu("A100 SXM 40 GB", 312e12, 19.5e12, 0, 40e9, 1555e9, 300e9, 25e9, 8, 400,
                   f"{NVIDIA} A100, 2021"),
    "a100-80": Gpu("A100 SXM 80 GB", 312e12, 19.5e12, 0, 80e9, 2039e9, 300e9, 25e9, 8, 400,
                   f"{NVIDIA} A100, 2021"),
    "l4": Gpu("L4", 121e12, 30.3e12, 242.5e12, 24e9, 300e9, 32e9, 12.5e9, 8, 72, f"{NVIDIA} L4, 2023"),
    "l40s": Gpu("L40S", 362e12, 91.6e12, 733e12, 48e9, 864e9, 32e9, 25e9, 8, 350, f"{NVIDIA} L40S, 2023"),
    "rtx3090": Gpu("GeForce RTX 3090", 71e12, 35.6e12, 0, 24e9, 936e9, 16e9, 1.25e9, 8, 350,
                   "NVIDIA Ampere GA102 whitepaper, table 9 (fp32 accumulate; PCIe 4.0 x16, halved "
                   "by two hops)"),
    "rtx4090": Gpu("GeForce RTX 4090", 165.2e12, 82.6e12, 330.3e12, 24e9, 1008e9, 16e9, 1.25e9, 8, 450,
                   "NVIDIA Ada whitepaper, table 2 (fp32 accumulate; PCIe 4.0 x16, halved by two hops)"),
    "h100": Gpu("H100 SXM 80 GB", 989.4e12, 66.9e12, 1978.9e12, 80e9, 3.35e12, 450e9, NIC, 8, 700,
                f"{NVIDIA} H100, 2023"),
    "h800": Gpu("H800 SXM 80 GB", 989.4e12, 66.9e12, 1978.9e12, 80e9, 3.35e12, 200e9, NIC, 8, 700,
                f"{NVIDIA} H100, links as in DeepSeek-V3, arXiv 2412.19437, section 3.1"),
    "h200": Gpu("H200 SXM 141 GB", 989.4e12, 66.9e12, 1978.9e12, 141e9, 4.8e12, 450e9, NIC, 8, 700,
                f"{NVIDIA} H200, 2024"),
    "b200": Gpu("B200 SXM 180 GB", 2250e12, 75e12, 4500e12, 180e9, 8e12, 900e9, NIC, 8, 1000,
                f"{NVIDIA} HGX B200, 2024"),
    "mi300x": Gpu("Instinct MI300X", 1307.4e12, 163.4e12, 2614.9e12, 192e9, 5.3e12, 448e9, NIC, 8, 750,
                  "AMD data sheet MI300X, 2023 (seven Infinity Fabric links of 64 GB/s one way)"),
    "tpu-v4": Gpu("TPU v4", 275e12, 68.75e12, 0, 32e9, 1.228e12, 45e9, 45e9, 4096, 192,
                  "Google Cloud TPU v4; links by Austin et al., How to Scale Your Model (2025), part 2"),
    "tpu-v5e": Gpu("TPU v5e", 197e12, 49.25e12, 0, 16e9, 819e9, 45e9, 3.125e9, 256, 200,
                   "Google Cloud TPU v5e; links by Austin et al., How to Scale Your Model (2025), part 2"),
    "tpu-v5p": Gpu("TPU v5p", 459e12, 114.75e12, 0, 95e9, 2.765e12, 90e9, 3.125e9, 8960, 350,
                   "Google Cloud TPU v5p; links by Austin et al., How to Scale Your Model (2025), part 2"),
    "tpu-v6e": Gpu("TPU v6e", 918e12, 229.5e12, 0, 32e9, 1.64e12, 90e9, 3.125e9, 256, 300,
                   "Google Cloud TPU v6e; links by Austin et al., How to Scale Your Model (2025), part 2"),
}  # fmt: skip
ALIASES = {
    "a100": "a100-80", "a100-40g": "a100-40", "a100-80g": "a100-80", "mi300": "mi300x",
    "a100-40gb": "a100-40", "a100-80gb": "a100-80", "v100-32gb": "v100", "v100-32": "v100",
    "a100-sxm": "a100-80", "a100-sxm4-80gb": "a100-80", "a100-sxm4-40gb": "a100-40",
    "a100-sxm-80gb": "a100-80", "a100-sxm-40gb": "a100-40", "h100-sxm5": "h100",
    "h100-sxm-80gb": "h100", "h100-80gb-hbm3": "h100",
    "v100-sxm2": "v100", "v100-sxm2-32gb": "v100", "h200-sxm": "h200", "b200-sxm": "b200", "h800-sxm": "h800",
    "h100-sxm": "h100", "h100-80gb": "h100", "h100-80": "h100", "3090": "rtx3090", "4090": "rtx4090",
    "rtx-3090": "rtx3090", "rtx-4090": "rtx4090", "v5e": "tpu-v5e", "v5p": "tpu-v5p", "v6e": "tpu-v6e",
    "v4": "tpu-v4", "tpuv4": "tpu-v4", "tpuv5e": "tpu-v5e", "tpuv5p": "tpu-v5p", "tpu-v5-e": "tpu-v5e",
}  # fmt: skip
