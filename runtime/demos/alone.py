"""One process trains on one device: the script that `together.py` makes a distributed one of.

python alone.py [model.pt]
"""

import sys

import torch
from model import Sentences, TinyLM, next_token_loss
from torch.utils.data import DataLoader

BATCH, SEQ, EPOCHS = 8, 64, 3


def main() -> None:
    """Train for some epochs of 256 sentences; the loss is in nats per byte."""
    here = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    model = TinyLM().to(here)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    text = Sentences(32 * BATCH, SEQ)
    batches = DataLoader(text, BATCH, shuffle=True)

    for epoch in range(EPOCHS):
        for x, y in batches:
            loss = next_token_loss(model(x.to(here)), y.to(here))
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        print(f"{epoch}: {len(batches)} steps, loss {loss:.2f}")
    if sys.argv[1:]:
        torch.save(model.state_dict(), sys.argv[1])


if __name__ == "__main__":
    main()
