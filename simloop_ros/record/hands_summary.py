"""The summary of two hands on one object, from the logs of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pinocchio as pin

from ..bimanual.plan import BimanualPlan
from ..core.values import Array
from ..robot.model import RobotModel
from .columns import TRUE_POSITION
from .events import halt_reason
from .hands_log import HANDS_COLUMNS
from .log import LogRows
from .planned_rows import planned_rows

SETTLED_SHARE = 0.02
"""Share of its peak below which the internal force has decayed, as in 003's abstract."""
TOUCH_FORCE = 1e-9
"""Force above which there is contact [N]: it is exactly zero before."""
TRUE_WRENCH = slice(HANDS_COLUMNS.index('true_wrench_1'), HANDS_COLUMNS.index('object_pose'))
POSE = HANDS_COLUMNS.index('object_pose')


def true_squeezes(model: RobotModel, log: LogRows, hands: LogRows) -> Array:
    """Return the true internal force between two hands [N], shape ``(rows,)``.

    Of two hands the internal part of the forces along the line between them, 003 (2.11), is half
    their difference; with the unit vector ``u`` from the second sensor to the first::

        s = (f_1 - f_2) . u / 2

    Positive where they press.
    """
    parts = []
    for block, wrenches in zip(log.chunks(), hands.chunks(), strict=True):
        points, forces = _world(model, block[:, TRUE_POSITION], wrenches[:, TRUE_WRENCH, :3])
        line = points[:, 0] - points[:, 1]
        line /= np.linalg.norm(line, axis=1, keepdims=True)
        parts.append(0.5 * ((forces[:, 0] - forces[:, 1]) * line).sum(axis=1))
    return np.concatenate(parts) if parts else np.empty(0)


def _world(model: RobotModel, positions: Array, forces: Array) -> tuple[Array, Array]:
    """Return where the sensors are [m] and forces in world axes [N], ``(rows, 2, 3)`` each."""
    data = model.pin_model.createData()
    frames = [model.frame(sensor) for sensor in model.sensors]
    points, turned = np.empty_like(forces), np.empty_like(forces)
    for k, q in enumerate(positions):
        pin.forwardKinematics(model.pin_model, data, q)
        for i, frame in enumerate(frames):
            pose = pin.updateFramePlacement(model.pin_model, data, frame)
            points[k, i] = pose.translation
            turned[k, i] = pose.rotation @ forces[k, i]
    return points, turned


def turn_angles(vectors: Array, rotations: Array) -> Array:
    """Return the angles between two attitudes, 0 to pi [rad], shape ``(rows,)``.

    ``|log(R_1^T R_2)|``: vectors of almost half a turn may be far apart for attitudes that are
    not.

    :param vectors: rotation vectors of the first [rad], shape ``(rows, 3)``.
    :param rotations: of the second, shape ``(rows, 3, 3)``.
    """
    return np.array(
        [
            np.linalg.norm(pin.log3(pin.exp3(vector).T @ rotation))
            for vector, rotation in zip(vectors, rotations, strict=True)
        ]
    )


def settling(force: Array, setpoint: float, tolerance: float) -> int | None:
    """Return the number of steps after which a force stays within a tolerance of a setpoint [N].

    ``None`` if it does not.

    :param force: shape ``(steps,)``.
    """
    outside = np.flatnonzero(np.abs(force - setpoint) >= tolerance)
    steps = int(outside[-1]) + 1 if outside.size else 0
    return steps if steps < len(force) else None


def hands_summary(
    model: RobotModel,
    log: LogRows,
    hands: LogRows,
    plan: BimanualPlan,
    period: float,
    halted: int | None = None,
) -> dict[str, Any]:
    """Return the additional keys of two hands.

    ``internal_force_peak`` and ``internal_force_end`` [N]. ``touched`` [s]: first contact.
    ``internal_force_settling`` [s]: how long after that the force stays within ``SETTLED_SHARE``
    of its peak about its last setpoint, or about zero if that is as small; none if it does not.
    ``internal_force_least`` [N]: from then until the release. ``squeeze_error_max`` [N],
    ``object_error_max`` [m] and ``object_turn_error_max`` [rad]: while the object is moved,
    differences of the true internal force from its setpoint, and of the object's centre and
    attitude from the planned ones; until the hands are halted, and of the object only as long as
    its pose is known in advance. ``dropped`` [s]: time of a loss of contact that lasts to the end
    although the hands should press; none if there is none.

    :param halted: step in which the hands are halted; none if they are not.
    """
    force = true_squeezes(model, log, hands)
    touching = np.flatnonzero(np.abs(force) > TOUCH_FORCE)
    if not touching.size:
        return {'internal_force_peak': 0.0, 'internal_force_end': 0.0, 'touched': None}
    first = int(touching[0])
    planned = planned_rows(plan, len(force), halted)
    released = np.flatnonzero(~planned.holding[first:])
    held = force[first : first + int(released[0]) if released.size else None]
    peak = float(np.abs(force).max())
    squeeze = float(planned.squeeze[first : first + len(held)][-1]) if held.size else 0.0
    tolerance = SETTLED_SHARE * peak
    settled = settling(held, squeeze if squeeze >= tolerance else 0.0, tolerance)
    gone = settling(held, 0.0, TOUCH_FORCE) if squeeze > 0.0 else None
    summary: dict[str, Any] = {
        'touched': (first + 1) * period,
        'internal_force_peak': peak,
        'internal_force_end': float(force[-1]),
        'internal_force_least': float(held.min()) if held.size else None,
        'internal_force_settling': None if settled is None else settled * period,
        'dropped': None if gone is None else (first + gone) * period,
    }
    carried = planned.moving
    if carried.any():
        off = np.abs(force - planned.squeeze)
        summary['squeeze_error_max'] = float(off[carried].max())
    carried = carried & planned.foreseen
    if carried.any():
        pose = np.concatenate([block[:, POSE] for block in hands.chunks()])[carried]
        rows = planned.index[carried]
        away = np.linalg.norm(pose[:, :3] - plan.object_position[rows], axis=1)
        summary['object_error_max'] = float(away.max())
        turned = turn_angles(pose[:, 3:], plan.object_rotation[rows])
        summary['object_turn_error_max'] = float(turned.max())
    return summary


def tasks_left(
    plan: BimanualPlan, events: Iterable[Mapping[str, Any]], steps: int, period: float
) -> list[str]:
    """Return the names of the tasks that are not done, in their order.

    A task is done when another has begun, or after its time; not where the hands stop in it.
    """
    current, since, stopped = 0, 0, False
    for event in events:
        if event['kind'] != 'task':
            continue
        stopped = halt_reason(event) is not None
        # Without the bracket: for a resisted insertion there is more text in it.
        names = (leg.name.rstrip(')') for leg in plan.legs[current + 1 :])
        for number, name in enumerate(names, current + 1):
            if str(event['doing']).startswith(name):
                current, since = number, round(float(event['time']) / period)
    done = not stopped and steps >= since + plan.legs[current].steps
    return [leg.name for leg in plan.legs[current + done :]]
