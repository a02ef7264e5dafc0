"""The stamp is the step: simulated time in whole nanoseconds."""

from __future__ import annotations

NANO = 1_000_000_000


def stamp_of(step: int, period: float) -> int:
    """Return the stamp of the start of a step [ns]; step 0 starts at time 0.

    :param period: length of a step [s].
    """
    return round(step * period * NANO)


def split(stamp: int) -> tuple[int, int]:
    """Return seconds and nanoseconds of a stamp [ns], as ROS messages have them."""
    return divmod(stamp, NANO)
