"""What the effort in the joint states of a robot at rest is: torque, current, with a payload?"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..robot.config import Payload
from ..robot.model import RobotModel
from ..robot.payload import with_payload
from .config import DriverContract, EffortMeaning
from .finding import Finding
from .joint_order import by_joint

STILL = 2e-3
"""Way of a joint while one listens, below which the robot is at rest [rad]."""
LEAST_GRAVITY = 1.0
"""Torque of gravity below which nothing can be said [N m]."""
FITS = 0.05
"""Share of the torque of gravity by which an effort may differ: dry friction, a cable."""
ROUGHLY = 0.2
"""The same once a payload is taken into account."""
LEAST_PAYLOAD = 0.1
"""Payload that is worth a word [kg]."""
SIGNIFICANT = 0.1
"""Share of the largest torque from which on a joint counts."""
CURRENT_RATIO = (0.01, 0.5)
"""Current over torque of drives [A/(N m)]."""


class EffortReading(msgspec.Struct, frozen=True, kw_only=True):
    """What the effort of a robot at rest looks like.

    :ivar meaning: none if it fits nothing.
    :ivar payload: mass at the tip that explains what is left [kg]; zero for none.
    :ivar opposite: whether its sign is.
    :ivar gains: torque per unit of effort by joint, NaN where gravity is too small to say [N m/A].
    """

    meaning: EffortMeaning | None
    payload: float = 0.0
    opposite: bool = False
    gains: Array | None = None


def read_effort(model: RobotModel, position: Array, effort: Array, declared: str) -> EffortReading:
    """Return what the effort of a robot at rest looks like.

    The simple explanation wins: first an effort that is gravity, or zero, then a current, which
    is smaller in every joint and has gravity's signs, then a payload.

    :param position: of the joints [rad], shape ``(n,)``.
    :param effort: mean, shape ``(n,)``.
    :param declared: what it should be; with a payload that counts where two explanations fit.
    """
    gravity = _gravity(model, position)
    size = float(np.linalg.norm(gravity))
    bases: dict[EffortMeaning, Array] = {
        'torque': gravity,
        'torque_without_gravity': np.zeros_like(gravity),
    }
    for meaning, base in bases.items():
        if np.linalg.norm(effort - base) < FITS * size:
            return EffortReading(meaning=meaning)
    if np.linalg.norm(effort + gravity) < FITS * size:
        return EffortReading(meaning='torque', opposite=True)
    gains = _gains(gravity, effort)
    if gains is not None:
        return EffortReading(meaning='current', gains=gains)
    pull = _pull(model, position, gravity)
    for meaning in sorted(bases, key=lambda name: name != declared):
        left = effort - bases[meaning]
        payload = float(left @ pull / (pull @ pull)) if pull.any() else 0.0
        rest = float(np.linalg.norm(left - payload * pull))
        if payload >= LEAST_PAYLOAD and rest < ROUGHLY * np.linalg.norm(left):
            return EffortReading(meaning=meaning, payload=payload)
        if rest < ROUGHLY * size and meaning == declared:
            return EffortReading(meaning=meaning)
    return EffortReading(meaning=None)


def check_effort(
    contract: DriverContract, model: RobotModel, positions: Array, efforts: Array
) -> Iterator[Finding]:
    """Yield what is found about the effort.

    :param positions: in the order of the model's joints [rad], shape ``(m, n)``.
    :param efforts: likewise, shape ``(m, n)``, or ``(m, 0)`` where there are none.
    """
    if contract.takes == 'effort' and contract.gravity is None:
        yield Finding(
            'wrong',
            'gravity',
            'who compensates it is not known, and cannot be found out without a command',
            'set gravity=robot or gravity=command',
        )
    if not efforts.shape[1] or contract.effort == 'none':
        yield _without(contract, bool(efforts.shape[1]))
        return
    if float(np.ptp(positions, axis=0).max()) > STILL:
        yield Finding('hint', 'effort', 'the robot moves', 'let it rest to have its effort judged')
        return
    position, effort = positions.mean(axis=0), efforts.mean(axis=0)
    if float(np.linalg.norm(_gravity(model, position))) < LEAST_GRAVITY:
        yield Finding(
            'hint', 'effort', 'gravity has no lever here', 'bend the arm to have it judged'
        )
        return
    declared = contract.effort or ''
    if declared == 'current' and contract.drive_gains:
        effort = effort * by_joint(contract, model, contract.drive_gains, np.ones(model.n))
        declared = 'torque'
    yield _judge(contract, model, read_effort(model, position, effort, declared), declared)


def _without(contract: DriverContract, given: bool) -> Finding:
    if given or contract.effort in (None, 'none'):
        return Finding('fit', 'effort', 'none is used')
    return Finding('wrong', 'effort', f'none, instead of {contract.effort}', 'set effort=none')


def _judge(
    contract: DriverContract, model: RobotModel, found: EffortReading, declared: str
) -> Finding:
    if found.meaning is None:
        return Finding(
            'wrong',
            'effort',
            'it fits neither gravity, nor nothing, nor a current, nor a payload at the tip',
            'is this the right URDF, with its tool, and upright (robot.gravity)?',
        )
    if found.opposite:
        what = 'it is the torque with the opposite sign'
        return Finding('wrong', 'effort', what, 'correct the sign in the driver')
    gains = _gain_setting(contract, model, found.gains)
    if not declared:
        remedy = f'set effort={found.meaning}{gains}'
        return Finding('hint', 'effort', f'it looks like {found.meaning}', remedy)
    if found.meaning != declared:
        return Finding(
            'wrong',
            'effort',
            f'it is {found.meaning}, and the driver file says {declared}',
            f'set effort={found.meaning}{gains}',
        )
    if found.payload:
        whom = 'model' if found.meaning == 'torque' else 'robot'
        return Finding(
            'wrong',
            'payload',
            f'{found.payload:.2f} kg at {model.tips[0]} that the {whom} does not know',
            f'give {model.tips[0]} this mass in the URDF, and tell the robot of it',
        )
    return Finding('fit', 'effort', f'it is {found.meaning}{gains and "; " + gains.lstrip(", ")}')


def _gain_setting(contract: DriverContract, model: RobotModel, gains: Array | None) -> str:
    """Return the drive gains that were found as a setting; empty for none."""
    if gains is None or contract.drive_gains:
        return ''
    known = {
        contract.short_name(name): round(float(gain), 2)
        for name, gain in zip(model.joint_names, gains, strict=True)
        if np.isfinite(gain)
    }
    inside = ', '.join(f'{name}: {gain:g}' for name, gain in known.items())
    return f', drive_gains={{{inside}}} by gravity'


def _gains(gravity: Array, effort: Array) -> Array | None:
    """Return torque per effort by joint, if the effort can be a current, else ``None``."""
    counts = np.abs(gravity) > SIGNIFICANT * np.abs(gravity).max()
    ratios = effort[counts] / gravity[counts]
    low, high = CURRENT_RATIO
    if not ((ratios > low) & (ratios < high)).all():
        return None
    if (np.abs(effort[~counts]) > np.abs(effort).max() * high).any():
        return None
    gains = np.full_like(gravity, np.nan)
    gains[counts] = 1.0 / ratios
    return gains


def _gravity(model: RobotModel, position: Array) -> Array:
    data = model.pin_model.createData()
    gravity: Array = pin.computeGeneralizedGravity(model.pin_model, data, position)
    return gravity.copy()


def _pull(model: RobotModel, position: Array, gravity: Array) -> Array:
    """Return the torque that a mass of 1 kg at the first tip asks for [N m/kg]."""
    if not model.tips:
        return np.zeros_like(gravity)
    return _gravity(with_payload(model, Payload(mass=1.0)), position) - gravity
