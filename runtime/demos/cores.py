"""How many cores ranks or threads have between them."""

import os


def cores() -> int:
    """Count the cores this process may run on: its affinity where the system has one, else all."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
