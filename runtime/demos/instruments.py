"""`probe` for a demo: teachrun's where it is installed, else one that does nothing."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

try:
    from runtime.ranks.probe import probe
except ImportError:

    class Silent:
        """Stand-in for the probe where teachrun is not installed: accepts every call and does nothing."""

        def step(self, tokens: int = 0) -> AbstractContextManager[None]:
            return nullcontext()

        def phase(self, name: str) -> AbstractContextManager[None]:
            return nullcontext()

        def __getattr__(self, name: str) -> Any:
            return lambda *args, **kwargs: None

    probe = Silent()  # type: ignore[assignment]

__all__ = ["probe"]
