"""The robot's own weight: which share of each effort limit gravity takes, at rest."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ..core.errors import GoalError
from ..core.values import Array
from .model import RobotModel
from .urdf import UNBOUNDED

LITTLE_LEFT = 0.9
"""Share of an effort limit from which a note tells that little is left for motion."""
SAMPLES = 256
"""Postures over the range with which the search for the worst one begins."""
STARTS = 4
"""Worst samples of each joint from which the search goes on."""
SWEEPS = 8
"""Largest number of times that the search goes through all joints."""
REMEDY = (
    'choose another robot.home (simloop check proposes one), a lighter load, or correct the limit '
    'in the URDF'
)


def weight_efforts(model: RobotModel, q: Array, data: pin.Data | None = None) -> Array:
    """Return the efforts that hold the robot at rest [N m or N], shape ``(n,)``.

    :param q: joints [rad or m], shape ``(n,)``.
    :param data: memory for many calls.
    """
    data = data or model.pin_model.createData()
    return np.array(pin.computeGeneralizedGravity(model.pin_model, data, q))


def weight_notes(model: RobotModel, positions: Array, where: str) -> tuple[str, ...]:
    """Return a note if the weight alone takes most of an effort limit; refuse it beyond.

    :param positions: joints [rad or m], shape ``(m, n)``.
    :param where: the robot is there, for messages.
    :raises GoalError: a joint cannot bear the weight, with its effort and its limit.
    """
    data = model.pin_model.createData()
    efforts = np.abs([weight_efforts(model, q, data) for q in positions])
    shares = efforts / model.effort_limit
    row, joint = divmod(int(np.argmax(shares)), model.n)
    share, name, unit = shares[row, joint], model.joint_names[joint], model.effort_units[joint]
    needed, limit = f'{efforts[row, joint]:.4g} {unit}', f'{model.effort_limit[joint]:.4g} {unit}'
    if share > 1.0:
        raise GoalError(
            f"{name} cannot bear the robot's own weight {where}: it needs {needed}, its effort "
            f'limit is {limit}; {REMEDY}',
            joints=(name,),
        )
    if share < LITTLE_LEFT:
        return ()
    return (
        f"the robot's own weight takes {100.0 * share:.0f} % of the effort limit of {name} "
        f'{where} ({needed} of {limit}): little is left to move it',
    )


def sampled_postures(model: RobotModel, count: int) -> Array:
    """Return postures that fill the ranges evenly [rad or m], shape ``(count, n)``.

    The same ones at every call: ``u_k = k a mod 1`` with ``a_i = p^-i`` and ``p^(n+1) = p + 1``. A
    joint without ends takes one turn.
    """
    p = 1.5
    for _ in range(50):
        p = (1.0 + p) ** (1.0 / (model.n + 1))
    shares = np.outer(np.arange(1, count + 1), p ** -np.arange(1.0, model.n + 1)) % 1.0
    lower, upper = search_range(model)
    return lower + shares * (upper - lower)


def search_range(model: RobotModel) -> tuple[Array, Array]:
    """Return the ends of the ranges; one turn where a joint has none [rad or m], ``(n,)`` each."""
    endless = model.upper >= UNBOUNDED
    return np.where(endless, -np.pi, model.lower), np.where(endless, np.pi, model.upper)


def worst_weights(model: RobotModel) -> Array:
    """Return the largest effort found that gravity asks of each joint [N m or N], shape ``(n,)``.

    A search: from the worst of some samples, one joint after the other goes to its worst place.
    The effort ``g_i`` is ``a + b cos q_j + c sin q_j`` of a revolute joint and ``a + b q_j`` of a
    prismatic one, so each of these steps is exact; the whole may miss the very worst posture.
    """
    search = _Search(model)
    samples = sampled_postures(model, SAMPLES)
    efforts = np.abs([weight_efforts(model, q, search.data) for q in samples])
    worst: Array = efforts.max(axis=0)
    for joint in range(model.n):
        for start in np.argsort(-efforts[:, joint], kind='stable')[:STARTS]:
            worst[joint] = max(worst[joint], search.climb(samples[start], joint))
    return worst


class _Search:
    """The search of ``worst_weights``, for one joint from one posture."""

    def __init__(self, model: RobotModel):
        self.data = model.pin_model.createData()
        self._model = model
        self._lower, self._upper = search_range(model)
        self._turns = [unit == 'rad' for unit in model.joint_units]

    def climb(self, q: Array, joint: int) -> float:
        """Return the largest absolute effort of a joint that single joints lead to, from ``q``."""
        best = abs(self._effort(q, joint))
        for _ in range(SWEEPS):
            before = best
            for moved, (lower, upper) in enumerate(zip(self._lower, self._upper, strict=True)):
                places = [lower, upper]
                if self._turns[moved]:
                    places += self._extremes(q, joint, moved)
                for place in places:
                    tried = _replaced(q, moved, place)
                    effort = abs(self._effort(tried, joint))
                    if lower <= place <= upper and effort > best:
                        best, q = effort, tried
            if best <= before * (1.0 + 1e-9):
                break
        return best

    def _effort(self, q: Array, joint: int) -> float:
        return float(weight_efforts(self._model, q, self.data)[joint])

    def _extremes(self, q: Array, joint: int, moved: int) -> list[float]:
        """Return the angles of a moved joint at which the effort has its extremes [rad]."""
        angles = 2.0 * np.pi / 3.0 * np.arange(3)
        efforts = [self._effort(_replaced(q, moved, angle), joint) for angle in angles]
        phase = float(np.arctan2(np.sin(angles) @ efforts, np.cos(angles) @ efforts))
        return [phase + turn * np.pi for turn in (-2, -1, 0, 1, 2)]


def _replaced(q: Array, joint: int, value: float) -> Array:
    changed = q.copy()
    changed[joint] = value
    return changed
