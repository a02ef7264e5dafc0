"""Impacts, shown for longer than they last."""

from __future__ import annotations

from collections import deque

import msgspec

from ..force_peaks import FOLLOWS, SHORT, ForcePeaks
from ..frame import Force, Frame

HOLD = 0.4
"""Simulated time for which the largest force of an impact is shown [s]."""


class HeldForces:
    """The forces of the last frame, and the largest short ones of some tenths of a second."""

    def __init__(self) -> None:
        self._recent: deque[tuple[float, Force]] = deque()
        self._shown = 0.0  # time of the last frame [s]

    def over(self, frame: Frame) -> Frame:
        """Return a frame with what is to be shown."""
        now, recent = frame.time, self._recent
        if not 0.0 <= now - self._shown <= FOLLOWS:
            recent.clear()
        self._shown = now
        recent.extend((now, force) for force in frame.forces if force.kind in SHORT)
        while recent and recent[0][0] < now - HOLD:
            recent.popleft()
        peaks = ForcePeaks()
        for _, force in recent:
            peaks.take(force)
        return msgspec.structs.replace(frame, forces=peaks.over(frame.forces))
