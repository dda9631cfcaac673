"""Checks of a column and a row linear."""

import torch
import torch.nn.functional as F

WIDTH, HIDDEN = 6, 16


def _weights(ranks):
    return ranks.random(WIDTH, HIDDEN, seed=1) / 2, ranks.random(HIDDEN, WIDTH, seed=2) / 2


def _own(ranks):
    a, b = _weights(ranks)
    columns, rows = a.chunk(ranks.world, 1)[ranks.rank], b.chunk(ranks.world)[ranks.rank]
    return columns.clone().requires_grad_(), rows.clone().requires_grad_()


def _x(ranks):
    return ranks.random(5, WIDTH, seed=3).requires_grad_()


def _backward(output):
    (output * torch.linspace(0, 1, output.numel()).view_as(output)).sum().backward()


def _whole(ranks):
    x, (a, b) = _x(ranks), (w.requires_grad_() for w in _weights(ranks))
    output = F.gelu(x @ a) @ b
    _backward(output)
    return output.detach(), x.grad, a.grad, b.grad


def _summands(ranks):
    """What each rank adds to the output and to the gradient of x."""
    found = []
    for a, b in zip(
        *(w.chunk(ranks.world, dim) for w, dim in zip(_weights(ranks), (1, 0), strict=True)), strict=True
    ):
        x = _x(ranks)
        output = F.gelu(x @ a) @ b
        _backward(output)
        found.append((output.detach(), x.grad))
    return found


def output(theirs, ranks):
    """the output of the whole MLP, on every rank"""
    got = theirs.mlp(_x(ranks), *_own(ranks))
    x, (a, b), (own_a, own_b) = _x(ranks), _weights(ranks), _own(ranks)
    also = {
        "the gelu is missing": x @ a @ b,
        "the input was added up over ranks: Part belongs there, Meet at the end": F.gelu(
            ranks.world * x @ own_a
        )
        @ own_b,
        "gelu comes between the two products": sum(
            F.gelu(x @ one @ other)
            for one, other in zip(a.chunk(ranks.world, 1), b.chunk(ranks.world), strict=True)
        ),
    }
    ranks.expect("the output", got, _whole(ranks)[0], parts=[it[0] for it in _summands(ranks)], also=also)


def inputs(theirs, ranks):
    """the gradient of x is that of the whole"""
    x = _x(ranks)
    _backward(theirs.mlp(x, *_own(ranks)))
    ranks.expect("the gradient of x", x.grad, _whole(ranks)[1], parts=[it[1] for it in _summands(ranks)])


def weights(theirs, ranks):
    """each rank has the gradients of its columns and rows"""
    a, b = _own(ranks)
    _backward(theirs.mlp(_x(ranks), a, b))
    _, _, of_a, of_b = _whole(ranks)
    for name, got, wanted in (
        ("b", b.grad, of_b.chunk(ranks.world)[ranks.rank]),
        ("a", a.grad, of_a.chunk(ranks.world, 1)[ranks.rank]),
    ):
        also = {
            f"{ranks.world} times too large: equal gradients were added up over ranks": wanted * ranks.world
        }
        ranks.expect(f"the gradient of {name}", got, wanted, also=also)


def meetings(theirs, ranks):
    """one all-reduce in forward, one in backward, and nothing else"""
    output = theirs.mlp(_x(ranks), *_own(ranks))
    forward = ranks.calls()
    _backward(output)
    ranks.only("all-reduce")
    ranks.same("the number of all-reduces in forward", forward, 1)
    ranks.same("the number of all-reduces in backward", ranks.calls() - forward, 1)
