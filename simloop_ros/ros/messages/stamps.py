"""Stamps of steps: simulated time in whole nanoseconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.values import NANO as NANO

if TYPE_CHECKING:
    from builtin_interfaces.msg import Time


def stamp_of(step: int, period: float) -> int:
    """Return the stamp of a step's start [ns] for a period [s]; step 0 starts at time 0."""
    return round(step * period * NANO)


def step_of(stamp: int, period: float) -> int:
    """Return the step whose start is nearest to a stamp [ns]: the inverse of ``stamp_of``."""
    return round(stamp / NANO / period)


def join(time: Time) -> int:
    """Return the stamp [ns] of a time in a ROS message: the inverse of ``split``."""
    return int(time.sec) * NANO + int(time.nanosec)


def split(stamp: int) -> tuple[int, int]:
    """Return seconds and nanoseconds of a stamp [ns], as ROS messages have them."""
    return divmod(stamp, NANO)
