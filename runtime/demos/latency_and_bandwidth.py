"""The latency and bandwidth that the times of transfers of several sizes follow, fitted to them."""

import torch


def fit(sizes: list[int], times: list[float]) -> tuple[float | None, float | None]:
    """alpha (seconds) and B (bytes a second) of time = alpha + size / B, by least squares.

    Of the relative errors: else only the largest size would count. None: the times do not show it, because
    all sizes are so small that only alpha counts, or so large that only B does.
    """
    size, t = torch.tensor(sizes, dtype=torch.float64), torch.tensor(times, dtype=torch.float64)
    relative = torch.stack([1 / t, size / t], dim=1)
    alpha, per_byte = torch.linalg.lstsq(relative, torch.ones_like(t)[:, None])[0].flatten().tolist()
    return alpha if alpha > 0 else None, 1 / per_byte if per_byte > 0 else None
