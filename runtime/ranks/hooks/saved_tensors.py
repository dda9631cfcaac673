"""Counts the bytes autograd holds for backward: now, and at most."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor
from torch.nn import Parameter

from runtime.ranks.fail_safe import harmless


class Held:
    """A saved tensor as autograd holds it; once autograd drops it, its bytes no longer count."""

    __slots__ = ("_addresses", "_saved", "tensor")

    def __init__(self, tensor: Tensor, saved: SavedTensors, addresses: tuple[int, ...]) -> None:
        self.tensor, self._saved, self._addresses = tensor, saved, addresses

    def __del__(self) -> None:
        with harmless("let go of what autograd saved"):
            self._saved.release(self._addresses)


class SavedTensors:
    """Counts storages, not tensors: one that is saved twice counts once, until both are dropped."""

    def __init__(self) -> None:
        self.most = 0
        self._now = 0
        self._storages: dict[int, tuple[int, int]] = {}  # by address: bytes, and tensors that need it

    def hold(self, tensor: Tensor, storages: Mapping[int, int]) -> Held:
        """Pack `tensor` for autograd (`saved_tensors_hooks`); `storages`: the bytes behind it by address.

        Detached, since what a node saves of its own output would lead back to the node: nobody frees such a
        circle where the node never runs, as without a backward, or in one of halves. What `detach` of a
        subclass does is that of its author, who may not allow it here.
        """
        for address, size in storages.items():
            bytes_, users = self._storages.get(address, (size, 0))
            self._storages[address] = (bytes_, users + 1)
            if not users:
                self._now += size
        self.most = max(self.most, self._now)
        held = tensor.detach() if type(tensor) in (Tensor, Parameter) else tensor
        return Held(held, self, tuple(storages))

    def release(self, addresses: tuple[int, ...]) -> None:
        """Count one user less for storages at these addresses; those without one are no longer held."""
        for address in addresses:
            bytes_, users = self._storages[address]
            if users > 1:
                self._storages[address] = (bytes_, users - 1)
            else:
                del self._storages[address]
                self._now -= bytes_

    @property
    def now(self) -> int:
        """Bytes that autograd holds now."""
        return self._now

    def begin(self) -> None:
        """Restart `most` from what is held now."""
        self.most = self._now
