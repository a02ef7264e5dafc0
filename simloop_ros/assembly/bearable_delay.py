"""The delay that the loops of a motion bear, from their own numbers."""

from __future__ import annotations

from math import e

import msgspec
import numpy as np

from ..bimanual.impedance import impedance
from ..guiding.compliance import compliance
from ..guiding.touch import reaches
from ..robot.chain import chain_to
from ..robot.model import RobotModel
from .motion import MotionSettings

HAND_STIFFNESS = 1000.0
"""Stiffness of a hand that guides a robot [N/m], of an arm that is held stiff."""
FOLLOWED_TIME = 0.05
"""Time for which a robot follows a plan that was sent ahead, or predicted [s]."""
LEAST_SHARE = 0.5
"""Share of a period that a guided robot must bear: its formula is safe by a factor of two."""


class BearableDelay(msgspec.Struct, frozen=True):
    """The delay beyond that of an undisturbed loop which a motion bears.

    :ivar loop: that bears the least.
    :ivar delay: [s].
    :ivar damping: factor of the configured damping with which it does.
    """

    loop: str
    delay: float
    damping: float = 1.0


def bearable_delay(
    settings: MotionSettings, model: RobotModel, damping: float = 1.0
) -> BearableDelay:
    """Return what the loop of a motion that is closed over messages bears.

    The control law is not one of them: in a late period the robot follows the plan by itself,
    with feedback of its own, see ``EffortFollower``. ::

        hand guiding     T = 1/(K sum l^2/d)    K: of the hand, l: reach, d: damping if touched
        force control    T = beta/(2 e K)       K: of the object, beta: damping of a hand
        others           T = FOLLOWED_TIME

    The first is docs/guiding_stability.md, "Delay", the second docs/bimanual.md, "Impedance": the
    limit of its ``(d - 1)^(d - 1)/d^d`` for many periods of delay.

    :param damping: factor of the damping with which the robot gives way to a hand.
    """
    settings = damped(settings, damping)
    found = [BearableDelay('plan', FOLLOWED_TIME)]
    if settings.admittance.guides:
        found.append(BearableDelay('hand guiding', _guided_delay(settings, model), damping))
    if settings.planner.kind == 'bimanual' and settings.contact_stiffness is not None:
        damping = float(impedance(settings.bimanual.impedance).damping[0])
        delay = damping / (2.0 * e * settings.contact_stiffness)
        found.append(BearableDelay('force control', delay))
    return min(found, key=lambda each: each.delay)


def damped(settings: MotionSettings, factor: float) -> MotionSettings:
    """Return the settings of a motion with some times the damping against a hand."""
    admittance = settings.admittance
    admittance = msgspec.structs.replace(admittance, damping=factor * admittance.damping)
    return msgspec.structs.replace(settings, admittance=admittance)


def fitting_damping(settings: MotionSettings, model: RobotModel) -> float:
    """Return the factor of the damping with which a guided robot bears real time; at least 1.

    There the answer to a control state takes effect one period later than in lockstep; it is
    borne if the loop bears ``LEAST_SHARE`` of that beyond what it has in lockstep.
    """
    if not settings.admittance.guides:
        return 1.0
    return max(1.0, LEAST_SHARE * settings.period / _guided_delay(settings, model))


def _guided_delay(settings: MotionSettings, model: RobotModel) -> float:
    """Return ``1/(K sum l^2/d)`` of the softest arm [s]."""
    reach = reaches(model)
    touched = compliance(settings.admittance, model.joint_names, reach, np.zeros(model.n)).touched
    give = reach**2 / np.maximum(touched.damping, np.finfo(float).tiny)
    softest = max(give[list(chain_to(model, tip).joints)].sum() for tip in model.tips)
    return float(1.0 / (HAND_STIFFNESS * softest))
