"""Is a recording what it is taken for? Degrees, swapped joints, and the meaning of efforts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pinocchio as pin

from ..core.errors import LogError
from ..core.values import Array
from ..robot.model import RobotModel
from .recording import RobotRecording

RANGE_MARGIN = 0.1
"""How far beyond a range a position may be [rad]: zeros and limits of URDFs differ a little."""
OUTSIDE = 0.01
"""Share of samples outside a range from which a log is not that of the robot."""
SPEED_FACTOR = 3.0
"""Multiple of a speed limit that is no motion of this robot."""
LONGEST_PERIOD = 0.5
"""Time between two samples that is no log of a motion [s]: in milliseconds it is 1 and more."""
POSTURES = 300
"""Samples of a log that are compared with the weight of the robot."""
CLEARLY = 0.35
"""Part of the torque error that another order of joints may leave to be clearly the right one."""
SWAPPED = 0.15
"""Share of the torque that weight leaves unexplained from which that can be."""
MORE_JOINTS = 1.0
"""Or the number of joints whose torque is explained more by it: wrists have little torque."""
BAD = 0.5
"""Share of the torque that weight leaves unexplained from which its meaning is looked into."""


def check_recording(recording: RobotRecording, model: RobotModel) -> tuple[str, ...]:
    """Return hints about a recording, one line each.

    :raises LogError: it cannot be of this robot: positions beyond its ranges, or swapped joints,
        with the likely cause.
    """
    _refuse_slow(recording)
    _refuse_ranges(recording, model)
    _refuse_speeds(recording, model)
    if recording.effort is None or not _has_gravity(model):
        return ()
    _refuse_swapped(recording, model)
    return tuple(_effort_hints(recording, model))


def _refuse_slow(recording: RobotRecording) -> None:
    """Refuse stamps that are too far apart for a motion."""
    steps = np.diff(recording.time)
    usual = float(np.median(steps)) if steps.size else 0.0
    if usual >= LONGEST_PERIOD:
        raise LogError(
            f'{recording.source}: a sample every {usual:.4g} s: probably milliseconds taken for '
            'seconds; time: {unit: ms} in the mapping (--map)'
        )


def _refuse_ranges(recording: RobotRecording, model: RobotModel) -> None:
    q = recording.position
    outside = _outside(q, model)
    if not (outside > OUTSIDE).any():
        return
    worst = int(np.argmax(outside))
    name = model.joint_names[worst]
    said = (
        f'{recording.source}: {name} goes from {q[:, worst].min():.4g} to '
        f'{q[:, worst].max():.4g}, its range is {model.lower[worst]:.4g} to '
        f'{model.upper[worst]:.4g} rad'
    )
    turning = np.array([unit == 'rad' for unit in model.joint_units])
    radians = np.where(turning, np.radians(q), q)
    if not (_outside(radians, model) > OUTSIDE).any():
        raise LogError(
            f'{said}: probably degrees taken for radians; position: {{unit: deg}} in the mapping '
            '(--map)'
        )
    for order in _swaps(model.n):
        if not (_outside(q[:, order], model) > OUTSIDE).any():
            raise LogError(
                f'{said}: probably {_swapped(model, order)} are swapped; correct their order in '
                'the mapping (--map, joints or rename)'
            )
    raise LogError(
        f'{said}: another robot, other zeros of its joints, or another order of them; check '
        '--robot, and joints or rename in a mapping (--map)'
    )


def _outside(q: Array, model: RobotModel) -> Array:
    """Return the share of samples outside each range, shape ``(n,)``."""
    beyond = (q < model.lower - RANGE_MARGIN) | (q > model.upper + RANGE_MARGIN)
    share: Array = beyond.mean(axis=0)
    return share


def _refuse_speeds(recording: RobotRecording, model: RobotModel) -> None:
    """Refuse positions that move much faster than the robot can."""
    steps = np.diff(recording.time)
    good = steps > 0.5 * np.median(steps[steps > 0.0]) if (steps > 0.0).any() else steps > 0.0
    if not good.any():
        return
    speed = np.abs(np.diff(recording.position, axis=0)[good]) / steps[good, None]
    share = np.quantile(speed, 0.99, axis=0) / model.velocity_limit
    worst = int(np.argmax(share))
    if share[worst] > SPEED_FACTOR:
        raise LogError(
            f'{recording.source}: {model.joint_names[worst]} moves at '
            f'{share[worst]:.3g} times its largest speed of {model.velocity_limit[worst]:.3g} '
            'rad/s: probably degrees taken for radians, or stamps in another unit; set '
            'position: {unit: deg} or time: {unit: ms} in the mapping (--map)'
        )


def _has_gravity(model: RobotModel) -> bool:
    return bool(np.linalg.norm(model.gravity) > 0.0)


def _refuse_swapped(recording: RobotRecording, model: RobotModel) -> None:
    q, tau = _samples(recording)
    left, explained = _unexplained(model, q, tau), _explained_joints(model, q, tau)
    for what, both in (('joints', True), ('positions', False)):
        found = []
        for order in _swaps(model.n):
            moved, efforts = q[:, order], tau[:, order] if both else tau
            if not (_outside(moved, model) > OUTSIDE).any():
                better = _explained_joints(model, moved, efforts)
                found.append((-better, _unexplained(model, moved, efforts), order))
        if not found:
            continue
        less, best, order = min(found)
        clearly = left > SWAPPED and best < CLEARLY * left
        if best < min(left, BAD) and (clearly or -less > explained + MORE_JOINTS):
            raise LogError(
                f'{recording.source}: the {what} of {_swapped(model, order)} are probably '
                f'swapped: the weight of the robot leaves {100 * left:.2g} % of the torque '
                f'unexplained, with these two exchanged {100 * best:.2g} %; correct their order '
                'in the mapping (--map, joints or rename)'
            )


def _effort_hints(recording: RobotRecording, model: RobotModel) -> Iterator[str]:
    """Yield what the effort seems to be, where it is not torque with gravity in it."""
    q, tau = _samples(recording)
    left = _unexplained(model, q, tau)
    if left < BAD:
        return
    if _unexplained(model, q, -tau) < CLEARLY * left:
        yield 'the measured efforts seem to have the opposite sign of the torques'
    weight = _weights(model, q)
    size, own = np.sqrt(np.mean(weight**2)), np.sqrt(np.mean(tau**2))
    correlation = _correlation(weight, tau)
    if correlation > np.sqrt(1.0 - BAD) and not 0.67 < own / size < 1.5:
        yield (
            f'the measured efforts go with the weight of the robot, but are {own / size:.2g} of '
            'it: currents, or another unit? (effort_means and drive_gains in a mapping)'
        )
    elif correlation < 0.3:
        yield (
            'the measured efforts do not go with the weight of the robot: do they leave gravity '
            'out? (effort_means: torque_without_gravity in a mapping)'
        )


def _samples(recording: RobotRecording) -> tuple[Array, Array]:
    """Return positions and efforts of some samples over the whole log."""
    rows = np.unique(np.linspace(0, recording.rows - 1, POSTURES).astype(int))
    assert recording.effort is not None
    return recording.position[rows], recording.effort[rows]


def _unexplained(model: RobotModel, q: Array, tau: Array) -> float:
    """Return the share of the efforts' squares that weight and a constant leave."""
    error = tau - _weights(model, q)
    error = error - error.mean(axis=0)
    size = float(np.square(tau - tau.mean(axis=0)).sum())
    return float(np.square(error).sum()) / size if size > 0.0 else 0.0


def _explained_joints(model: RobotModel, q: Array, tau: Array) -> float:
    """Return the sum of the shares of each joint's torque that its weight explains."""
    error = tau - _weights(model, q)
    size = np.square(tau - tau.mean(axis=0)).sum(axis=0)
    left = np.square(error - error.mean(axis=0)).sum(axis=0)
    return float(np.maximum(0.0, 1.0 - left / np.where(size > 0.0, size, 1.0)).sum())


def _correlation(weight: Array, tau: Array) -> float:
    one, other = weight - weight.mean(axis=0), tau - tau.mean(axis=0)
    size = float(np.sqrt(np.square(one).sum() * np.square(other).sum()))
    return float((one * other).sum()) / size if size > 0.0 else 1.0


def _weights(model: RobotModel, q: Array) -> Array:
    """Return the torques that hold the robot [N m], shape ``(rows, n)``."""
    robot, data = model.pin_model, model.pin_model.createData()
    return np.array([pin.computeGeneralizedGravity(robot, data, each).copy() for each in q])


def _swaps(n: int) -> Iterator[list[int]]:
    """Yield every order of the joints in which two are exchanged."""
    for i, j in combinations(range(n), 2):
        order = list(range(n))
        order[i], order[j] = j, i
        yield order


def _swapped(model: RobotModel, order: list[int]) -> str:
    names = [name for i, name in enumerate(model.joint_names) if order[i] != i]
    return ' and '.join(names)
