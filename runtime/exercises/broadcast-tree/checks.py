"""Checks of the broadcast by a tree."""


def _run(theirs, ranks, size, seed):
    held = [ranks.random(size, seed=seed + r) for r in range(ranks.world)]
    got = theirs.broadcast(held[ranks.rank].clone())
    ranks.expect("what rank 0 holds", got, held[0], before=held[ranks.rank], parts=held)


def small(theirs, ranks):
    """4 numbers on every rank"""
    _run(theirs, ranks, 4, seed=10)
    ranks.only("send", "receive")


def large(theirs, ranks):
    """4 MB on every rank"""
    _run(theirs, ranks, 1 << 20, seed=20)


def odd(theirs, ranks):
    """a world of three ranks"""
    with ranks.world_of(3) as inside:
        if inside:
            _run(theirs, ranks, 4, seed=40)


def rounds(theirs, ranks):
    """by a tree: rank 0 sends twice, rank 1 once"""
    _run(theirs, ranks, 4, seed=30)
    wanted, sends = {0: 2, 1: 1}.get(ranks.rank, 0), ranks.calls("send")
    star = "rank 0 sends to everybody, one after the other" if sends == ranks.world - 1 else ""
    ranks.same("the number of sends", sends, wanted, star or "who has it already sends it on, in every round")
