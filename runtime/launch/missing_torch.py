"""Whether PyTorch is here, and what is said where it is not."""

from __future__ import annotations

import importlib.util

from teachrun import install_extra


def torch_installed() -> bool:
    """Whether torch can be imported, without importing it."""
    return importlib.util.find_spec("torch") is not None


def no_torch() -> str:
    """Return why no demo runs where PyTorch is missing, and the command that installs it."""
    return f"PyTorch is not installed here: {install_extra('torch')}"
