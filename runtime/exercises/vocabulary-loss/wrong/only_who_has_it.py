"""The loss of a divided vocabulary: torchrun --nproc-per-node 4 vocabulary_loss.py"""
# told: wrong: known to one rank alone

import torch
import torch.distributed as dist


def loss(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Return the mean cross-entropy; `logits` are those of this rank's words."""
    # --- yours: from here
    words = logits.shape[1]
    largest = logits.max(1).values
    dist.all_reduce(largest, op=dist.ReduceOp.MAX)
    logits = logits - largest[:, None]
    total = logits.exp().sum(1)
    dist.all_reduce(total)
    own = targets - dist.get_rank() * words
    here = (own >= 0) & (own < words)
    of_target = logits.gather(1, own.clamp(0, words - 1)[:, None])[:, 0] * here
    return (total.log() - of_target).mean()
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    print(dist.get_rank(), loss(torch.zeros(3, 2), torch.tensor([0, 1, 5])))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
