"""The loss of a divided vocabulary: torchrun --nproc-per-node 4 vocabulary_loss.py"""

import torch
import torch.distributed as dist


def loss(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Return the mean cross-entropy; `logits` are those of this rank's words."""
    # --- yours: from here
    raise NotImplementedError
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    print(dist.get_rank(), loss(torch.zeros(3, 2), torch.tensor([0, 1, 5])))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
