"""How many bytes autograd holds for backward: now, and at most."""

from __future__ import annotations

from torch import Tensor


class Held:
    """A saved tensor in autograd's hands; when autograd lets go of it, its bytes are no longer held."""

    __slots__ = ("_address", "_saved", "tensor")

    def __init__(self, tensor: Tensor, saved: Saved, address: int) -> None:
        self.tensor, self._saved, self._address = tensor, saved, address

    def __del__(self) -> None:
        self._saved.release(self._address)


class Saved:
    """Counts storages, not tensors: what is saved twice is held once, until both are let go of."""

    def __init__(self) -> None:
        self.most = 0
        self._now = 0
        self._storages: dict[int, tuple[int, int]] = {}  # by address: bytes, and tensors that need it

    def hold(self, tensor: Tensor, address: int, size: int) -> Held:
        """What a `saved_tensors_hooks` pack function may give to autograd instead of `tensor`."""
        bytes_, users = self._storages.get(address, (size, 0))
        self._storages[address] = (bytes_, users + 1)
        if not users:
            self._now += size
            self.most = max(self.most, self._now)
        return Held(tensor, self, address)

    def release(self, address: int) -> None:
        bytes_, users = self._storages[address]
        if users > 1:
            self._storages[address] = (bytes_, users - 1)
        else:
            del self._storages[address]
            self._now -= bytes_

    def begin(self) -> None:
        """From now on `most` counts anew."""
        self.most = self._now
