"""What each rank does, a row each: the table below a diagnosis."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from runtime.diagnosis.evidence import LISTED, Evidence, named, size, waits_for
from runtime.metrics.rank_output import is_complaint
from runtime.protocol.diagnosis_message import RankRow
from runtime.protocol.practice_messages import Call, Stands, Trouble

MOST_ROWS = (
    64  # of more ranks, half of these are who waits for nobody: it is one of them who holds up the others
)


def rows(evidence: Evidence, waits: Mapping[int, Sequence[int]] | None = None) -> tuple[RankRow, ...]:
    """Return what each rank does, as far as it was told; of more than `MOST_ROWS` ranks, of some."""
    waits = waits_for(evidence) if waits is None else waits
    shown: Iterable[int] = range(evidence.world)
    if evidence.world > MOST_ROWS:
        free = [rank for rank in shown if rank not in waits][: MOST_ROWS // 2]
        shown = sorted([*free, *sorted(waits)[: MOST_ROWS // 2]])
    return tuple(_row(evidence, waits, rank) for rank in shown)


def _row(evidence: Evidence, waits: Mapping[int, Sequence[int]], rank: int) -> RankRow:
    stand = evidence.stands.get(rank)
    since = max(0.0, evidence.now - stand.since) if stand else None
    if rank in evidence.ends:
        return RankRow(rank, stand.line if stand else 0, evidence.ends[rank], "", None, True)
    if rank in evidence.troubles:
        return _of_trouble(rank, evidence.troubles[rank])
    if rank in evidence.silent:
        line = stand.line if stand else 0
        return RankRow(rank, line, "does not report", "", evidence.silent[rank], True)
    if stand is None:
        return RankRow(rank, 0, "starts", "", None, False)
    if stand.idle:
        return RankRow(rank, 0, "done with this check", "", None, False)
    if stand.call is None:
        return RankRow(rank, stand.line, "computes", "", since, False)
    call = stand.call
    whom = waits.get(rank, ())
    partner = named(whom) if whom else "all are there"
    doing = f"{call.op} {size(call.bytes)}"
    return RankRow(rank, call.line, doing, partner, since, bool(whom), waits_at(stand))


def _of_trouble(rank: int, it: Trouble) -> RankRow:
    row = RankRow(rank, it.line, _short(it), "", None, True)
    return replace(
        row, place=it.where, expected=it.expected, got=it.got, measured=it.measured, bound=it.bound
    )


def of_calls(calls: Mapping[int, Call], odd: Collection[int]) -> tuple[RankRow, ...]:
    """Return what each rank has called, where that does not fit; those of `odd` are the fewer."""
    odd, shown = set(odd), sorted(calls)
    if len(shown) > MOST_ROWS:
        others = [rank for rank in shown if rank not in odd]
        shown = sorted([*sorted(odd)[: MOST_ROWS // 2], *others[: MOST_ROWS // 2]])
    return tuple(RankRow(r, calls[r].line, _said(calls[r]), "", None, r in odd) for r in shown)


def _said(call: Call) -> str:
    if call.about.startswith(call.op):  # new_group says its own ranks
        return call.about
    return f"{call.op} {call.about or size(call.bytes)}"


def waits_at(stand: Stands) -> int:
    """The line of the wait for a call that was begun in another line, 0 where it is the same."""
    call = stand.call
    return stand.line if call is not None and call.line and stand.line != call.line else 0


def _short(trouble: Trouble) -> str:
    if is_complaint(trouble.text):
        return "lost the others"
    return trouble.text.partition("\n")[0][:40]


def standing(evidence: Evidence, ranks: Sequence[int]) -> tuple[str, ...]:
    """Return a line for each of these ranks that stands in a call: at which line, in what, with whom. Of many
    ranks the first ones have one."""
    lines = []
    for rank in ranks[:LISTED]:
        call = evidence.stands[rank].call
        if call is not None:
            whom = (
                f"to rank {call.peer}"
                if call.op == "send"
                else f"from rank {call.peer}"
                if call.peer >= 0
                else ""
            )
            later = waits_at(evidence.stands[rank])
            wait = f", which line {later} waits for" if later else ""
            lines.append(f"rank {rank}, line {call.line}{wait}: {call.op} {size(call.bytes)} {whom}".rstrip())
    if len(ranks) > LISTED:
        lines.append(f"and {len(ranks) - LISTED} ranks more")
    return tuple(lines)
