"""Which cuboids lie before which: by planes between them, where the distance of their middles would be wrong.

Two cuboids that a plane of an axis parts hide each other only one way round: that on the eye's side is before
the other (Schumacker 1969; Newell, Newell and Sancha 1972). A long floor and a small box on it are told right
like this, whichever middle is nearer.
"""

from __future__ import annotations

import heapq
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Whether = NDArray[np.bool_]

_TOUCH = 1e-6  # units that cuboids which touch may lie in each other
MOST = 400  # cuboids that are compared with each other: more are told by their distance


def keys(low: Numbers, high: Numbers, eye: Numbers, places: Numbers, distances: Numbers) -> list[float]:
    """Return a number for each cuboid, larger for what is painted earlier.

    Args:
        low, high: Its corners, rows of x, y, z.
        eye: From where it is seen.
        places: Its corners on the picture, by cuboid.
        distances: From the eye to its middle.
    """
    import numpy as np

    count = len(low)
    if not 1 < count <= MOST:
        return [float(distance) for distance in distances]
    before = _before(low, high, eye) & _overlap(places.min(1), places.max(1))
    place = np.empty(count, int)
    place[np.argsort(-distances, kind="stable")] = np.arange(count)
    if not (before & (place[:, None] < place)).any():
        return [float(distance) for distance in distances]
    return _sorted(before, distances)


def _before(low: Numbers, high: Numbers, eye: Numbers) -> Whether:
    """[i, j]: i may hide something of j, and j nothing of i."""
    import numpy as np

    below = high[:, None] <= low + _TOUCH  # i ends where j begins, along each axis
    found = (below & (eye <= high + _TOUCH)[:, None]).any(-1)  # the eye is on the side of i
    found |= (below & (eye >= low - _TOUCH)).any(-1).T
    return np.asarray(found & ~found.T)  # where both hold, neither hides the other


def _overlap(low: Numbers, high: Numbers) -> Whether:
    """Whether two are over each other on the picture."""
    import numpy as np

    return np.asarray(((low[:, None] < high) & (low < high[:, None])).all(-1))


def _sorted(before: Whether, distances: Numbers) -> list[float]:
    """The far first, but none before what it hides; in a circle the farthest goes first."""
    import numpy as np

    count = len(distances)
    waits = before.sum(1)  # of each: how many that it hides are still to be painted
    queue = [(-float(distances[n]), n) for n in np.flatnonzero(waits == 0).tolist()]
    heapq.heapify(queue)
    rest = {n for n in range(count) if waits[n]}
    found = [0.0] * count
    key = math.inf
    for _ in range(count):
        if queue:
            _, n = heapq.heappop(queue)
        else:
            n = max(rest, key=lambda n: float(distances[n]))
            rest.discard(n)
        key = min(math.nextafter(key, -math.inf), float(distances[n]))
        found[n] = key
        for over in np.flatnonzero(before[:, n]).tolist():
            waits[over] -= 1
            if not waits[over] and over in rest:
                rest.discard(over)
                heapq.heappush(queue, (-float(distances[over]), over))
    return found
