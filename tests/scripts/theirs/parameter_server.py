"""A parameter server by send and receive: rank 0 has the optimizer, the others have the data."""

import torch
import torch.distributed as dist
from torch import nn

STEPS = 20


def flat(tensors):
    return torch.cat([tensor.reshape(-1) for tensor in tensors])


def serve(model, workers):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    received = torch.zeros(sum(p.numel() for p in model.parameters()))
    for _ in range(STEPS):
        total = torch.zeros_like(received)
        for worker in workers:
            dist.recv(received, src=worker)
            total += received
        nn.utils.vector_to_parameters(total / len(workers), [p.grad for p in model.parameters()])
        optimizer.step()
        for worker in workers:
            dist.send(flat(p.data for p in model.parameters()), dst=worker)


def work(model, rank):
    torch.manual_seed(rank)
    for step in range(STEPS):
        x = torch.randn(64, 64)
        model.zero_grad()
        loss = ((model(x) - x.sum(1, keepdim=True)) ** 2).mean()
        loss.backward()
        dist.send(flat(p.grad for p in model.parameters()), dst=0)
        parameters = flat(p.data for p in model.parameters())
        dist.recv(parameters, src=0)
        nn.utils.vector_to_parameters(parameters, model.parameters())
        if step % 5 == 0:
            print(f"step {step} loss {loss.item():.6f}", flush=True)


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 1))
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    if rank == 0:
        serve(model, range(1, world))
    else:
        work(model, rank)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
