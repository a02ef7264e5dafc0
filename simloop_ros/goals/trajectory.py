"""A motion from now until rest, one row for each step."""

from __future__ import annotations

import msgspec
import numpy as np

from ..core.values import Array


class Reference(msgspec.Struct, frozen=True, gc=False):
    """The desired motion at one instant.

    :ivar position: [rad], shape ``(n,)``.
    :ivar velocity: [rad/s], shape ``(n,)``.
    :ivar acceleration: [rad/s^2], shape ``(n,)``.
    """

    position: Array
    velocity: Array
    acceleration: Array

    @property
    def at_rest(self) -> bool:
        """Return whether nothing moves, and nothing begins to."""
        return not (self.velocity.any() or self.acceleration.any())


def resting(position: Array) -> Reference:
    """Return the rest at a position [rad], shape ``(n,)``."""
    return Reference(position, np.zeros_like(position), np.zeros_like(position))


class Trajectory(msgspec.Struct, frozen=True):
    """Samples of a smooth motion at every step; the last row is at rest.

    :ivar period: time between two rows [s].
    :ivar position: [rad], shape ``(steps + 1, n)``; row 0 is where the motion begins.
    :ivar velocity: [rad/s], likewise.
    :ivar acceleration: [rad/s^2], likewise.
    """

    period: float
    position: Array
    velocity: Array
    acceleration: Array

    @property
    def steps(self) -> int:
        """Return the number of steps until it is at rest."""
        return len(self.position) - 1

    @property
    def jerk(self) -> Array:
        """Return the mean jerk of each step [rad/s^3], shape ``(steps, n)``."""
        return np.diff(self.acceleration, axis=0) / self.period

    def at(self, step: int) -> Reference:
        """Return the motion after some steps; at the end it rests."""
        row = min(step, self.steps)
        return Reference(self.position[row], self.velocity[row], self.acceleration[row])

    def part(self, first: int, last: int | None = None) -> Trajectory:
        """Return the rows from one to another, or to the end."""
        rows = slice(first, None if last is None else last + 1)
        return Trajectory(
            self.period, self.position[rows], self.velocity[rows], self.acceleration[rows]
        )

    def between(self, places: Array) -> Trajectory:
        """Return the motion at places between its rows, in steps, shape ``(m,)``.

        Two neighbours give a polynomial of degree 5, with ``x`` the share of the step::

            p(x) = q_0 + v_0 x + a_0/2 x^2 + c_3 x^3 + c_4 x^4 + c_5 x^5
        """
        h = self.period
        row = np.clip(places.astype(int), 0, max(0, self.steps - 1))
        then = np.minimum(row + 1, self.steps)
        x = (places - row)[:, None]
        q, v, a = self.position[row], h * self.velocity[row], h * h * self.acceleration[row]
        dq = self.position[then] - q - v - 0.5 * a
        dv = h * self.velocity[then] - v - a
        da = h * h * self.acceleration[then] - a
        c3 = 10.0 * dq - 4.0 * dv + 0.5 * da
        c4 = -15.0 * dq + 7.0 * dv - da
        c5 = 6.0 * dq - 3.0 * dv + 0.5 * da
        return Trajectory(
            h,
            q + x * (v + x * (0.5 * a + x * (c3 + x * (c4 + x * c5)))),
            (v + x * (a + x * (3.0 * c3 + x * (4.0 * c4 + x * 5.0 * c5)))) / h,
            (a + x * (6.0 * c3 + x * (12.0 * c4 + x * 20.0 * c5))) / (h * h),
        )


def stay(position: Array, period: float) -> Trajectory:
    """Return the motion that is at rest already, at a position [rad], shape ``(n,)``."""
    rest = np.zeros((1, len(position)))
    return Trajectory(period, position[None], rest, rest)


def joined(first: Trajectory, *others: Trajectory) -> Trajectory:
    """Return motions one after the other; each begins as the one before ends."""
    parts = [first, *(other.part(1) for other in others)]
    return Trajectory(
        first.period,
        *(
            np.concatenate([getattr(part, name) for part in parts])
            for name in ('position', 'velocity', 'acceleration')
        ),
    )
