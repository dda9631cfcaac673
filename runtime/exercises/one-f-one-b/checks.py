"""Checks of 1F1B."""

import torch
import torch.distributed as dist

COUNT = 6


def _read(ranks, order):
    if not isinstance(order, list):
        ranks.fail(f"schedule returns a {type(order).__name__}, not a list of words like F0 and B0")
    words = (it for it in order if not (isinstance(it, str) and it[:1] in ("F", "B") and it[1:].isdigit()))
    if (odd := next(words, None)) is not None:
        fewer = isinstance(odd, str) and odd[1:2] == "-"
        meaning = "there may be fewer micro-batches than stages behind" if fewer else ""
        ranks.fail(f"schedule returns {odd!r}, which is no word like F0 or B0", meaning)
    return [(it[0], int(it[1:])) for it in order]


def _order(theirs, ranks, rank, count=COUNT):
    return _read(ranks, theirs.schedule(rank, ranks.world, count))


def complete(theirs, ranks):
    """each micro-batch goes forward once and then backward once"""
    for count in (1, 2, COUNT):
        order = _order(theirs, ranks, ranks.rank, count)
        for kind, name in (("F", "forwards"), ("B", "backwards")):
            ranks.same(
                f"the order of {name}, with {count} micro-batch{'es' * (count > 1)},",
                numbers := [n for k, n in order if k == kind],
                list(range(count)),
                "micro-batches are counted from 0"
                if numbers == list(range(1, count + 1))
                else "there are more forwards than micro-batches"
                if len(numbers) > count
                else "",
            )
        late = [n for n in range(count) if order.index(("B", n)) < order.index(("F", n))]
        if late:
            ranks.fail(f"micro-batch {late[0]} goes backward before it has gone forward")


def runs(theirs, ranks):
    """four stages can follow it: nobody waits for ever"""
    sent = []

    def receive(other, wanted, what):
        box = torch.empty(1)
        dist.recv(box, other)
        if int(box) != wanted:
            ranks.fail(
                f"stage {ranks.rank} waits for the {what} of micro-batch {wanted}, and {int(box)} comes"
            )

    def send(other, number):
        box = torch.tensor([float(number)])
        sent.append((box, dist.isend(box, other)))

    for kind, number in _order(theirs, ranks, ranks.rank):
        step = 1 if kind == "F" else -1
        if 0 <= ranks.rank - step < ranks.world:
            receive(ranks.rank - step, number, "activations" if kind == "F" else "gradient")
        if 0 <= ranks.rank + step < ranks.world:
            send(ranks.rank + step, number)
    for _, work in sent:
        work.wait()


def kept(theirs, ranks):
    """a stage keeps as many micro-batches as there are stages from it on"""
    now = most = 0
    for kind, _ in _order(theirs, ranks, ranks.rank):
        now += 1 if kind == "F" else -1
        most = max(most, now)
    bound = ranks.world - ranks.rank
    if most > bound:
        ranks.fail(
            f"stage {ranks.rank} keeps {most} micro-batches at once, {bound} would do",
            "begin with backwards as soon as one can come",
        )


def fast(theirs, ranks):
    """the whole is as fast as GPipe: (count + world - 1) forwards and backwards long"""
    orders = [_order(theirs, ranks, rank) for rank in range(ranks.world)]
    done, at, clocks = {}, [0] * ranks.world, [0] * ranks.world
    while any(at[r] < len(orders[r]) for r in range(ranks.world)):
        for r, order in enumerate(orders):
            if at[r] == len(order):
                continue
            kind, n = order[at[r]]
            before = r - 1 if kind == "F" else r + 1
            if 0 <= before < ranks.world and (kind, before, n) not in done:
                continue
            clocks[r] = max(clocks[r], done.get((kind, before, n), 0)) + (1 if kind == "F" else 2)
            done[kind, r, n] = clocks[r]
            at[r] += 1
    wanted = 3 * (COUNT + ranks.world - 1)
    if max(clocks) > wanted:
        ranks.fail(
            f"the last backward ends after {max(clocks)} units of time, {wanted} would do",
            "a backward counts as two forwards; a stage waits that has done too few forwards ahead",
        )
