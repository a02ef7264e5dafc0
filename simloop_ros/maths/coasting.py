"""How a motion goes on by itself when nobody says any more how: on, slower, to rest."""

from __future__ import annotations


def coasting_rate(time: float, stop_time: float) -> float:
    """Return the speed of a coasting motion, as a share of that at its begin.

    ::

        rate(t) = 1 - 3 x^2 + 2 x^3,    x = t/T from 0 to 1

    At first it is hardly slower (1 % after ``0.06 T``), so a motion that is taken up again soon
    has lost nothing. Its deceleration is at most ``1.5 v/T``, without a jump.

    :param time: since the begin [s].
    :param stop_time: ``T`` until it is at rest [s].
    """
    x = min(max(time / stop_time, 0.0), 1.0)
    return 1.0 - x * x * (3.0 - 2.0 * x)


def coasting_time(time: float, stop_time: float) -> float:
    """Return how far a coasting motion has come, as time at its first speed [s].

    ``s(t) = T (x - x^3 + x^4/2)``, the integral of the rate: half of ``T`` until it rests.
    """
    x = min(max(time / stop_time, 0.0), 1.0)
    return stop_time * x * (1.0 - x * x * (1.0 - 0.5 * x))
