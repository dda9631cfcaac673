"""Checks of send and receive in a circle."""


def _run(theirs, ranks, size, seed, world=0):
    world = world or ranks.world
    held = [ranks.random(size, seed=seed + r) for r in range(world)]
    got = theirs.exchange(held[ranks.rank].clone())
    left = [held[(r - 1) % world] for r in range(world)]
    right = held[(ranks.rank + 1) % world]
    ranks.expect(
        "what arrived",
        got,
        left[ranks.rank],
        before=held[ranks.rank],
        of_ranks=left,
        also={"it came from the right: off by one rank, the left neighbour is rank - 1": right},
    )


def small(theirs, ranks):
    """4 numbers from every left neighbour"""
    _run(theirs, ranks, 4, seed=10)


def large(theirs, ranks):
    """4 MB from every left neighbour"""
    _run(theirs, ranks, 1 << 20, seed=20)


def odd(theirs, ranks):
    """a world of three ranks"""
    with ranks.world_of(3) as inside:
        if inside:
            _run(theirs, ranks, 1 << 18, seed=40, world=3)


def alone(theirs, ranks):
    """one send and one receive on every rank"""
    _run(theirs, ranks, 4, seed=30)
    ranks.only("send", "receive")
    ranks.same("the number of sends", ranks.calls("send"), 1, "each tensor goes to one neighbour")
