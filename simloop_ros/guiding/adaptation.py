"""Parameters that fall when somebody touches the robot and rise again afterwards."""

from __future__ import annotations

import msgspec
import numpy as np

from ..core.values import Array
from ..maths.discretisation import Parameters
from .compliance import Compliance
from .config import AdmittanceConfig
from .energy_tank import StiffnessChange
from .touch import HandTouch

ARRIVAL_TOLERANCE = 1e-9
"""Relative distance from its goal at which a parameter has arrived: 20 time constants. From then
on it is constant, and so are the coefficients of the steps."""


class AdaptationSnapshot(msgspec.Struct, frozen=True, gc=False):
    """The parameters in force and the tanks.

    :ivar parameters: mass, damping and stiffness.
    :ivar tank: energy in each joint's tank [J], shape ``(n,)``.
    """

    parameters: Parameters
    tank: Array


class Adaptation:
    """001, section 4.4, with a tank that makes it passive.

    ::

        d+ = d_goal + (d - d_goal) exp(-h/T)        and the same for s, as far as its tank allows

    exact for goals constant over a step. The goals are the touched values of joints that are
    touched and the free ones of all others. ``T`` is ``fall_time`` downwards; upwards it is
    ``damping_time`` and ``stiffness_time``: a released robot is slowed at once and goes back
    later. A change of configuration changes the goals, not the values.

    :param period: ``h`` [s].
    """

    def __init__(self, config: AdmittanceConfig, means: Compliance, period: float):
        self._means = means
        times = (config.fall_time, config.damping_time, config.stiffness_time)
        keep = np.exp(-period / np.array(times))
        self._keep_falling, self._keep_damping, self._keep_stiffness = (np.array(x) for x in keep)
        self._change = StiffnessChange(means.free.stiffness, config.reserve)
        self._reserve = config.reserve

    def initial(self) -> AdaptationSnapshot:
        """Return the free parameters and tanks that hold the reserve."""
        return AdaptationSnapshot(
            self._means.free, np.full(len(self._means.free.mass), self._reserve)
        )

    def step(
        self, state: AdaptationSnapshot, touch: HandTouch, deflection: Array
    ) -> AdaptationSnapshot:
        """Return the parameters for the next step.

        :param deflection: at its start [rad], shape ``(n,)``.
        """
        now = state.parameters
        damping_goal, stiffness_goal = self._goals(touch)
        damping = _towards(now.damping, damping_goal, self._keep_falling, self._keep_damping)
        stiffness = _towards(
            now.stiffness, stiffness_goal, self._keep_falling, self._keep_stiffness
        )
        stiffness, tank = self._change(now.stiffness, stiffness, state.tank, deflection)
        if damping is now.damping and stiffness is now.stiffness:
            return AdaptationSnapshot(now, tank)
        return AdaptationSnapshot(Parameters(now.mass, damping, stiffness), tank)

    def _goals(self, touch: HandTouch) -> tuple[Array, Array]:
        free, touched = self._means.free, self._means.touched
        if touch.joints is None:
            return free.damping, free.stiffness
        if touch.joints.all():
            return touched.damping, touched.stiffness
        return (
            np.where(touch.joints, touched.damping, free.damping),
            np.where(touch.joints, touched.stiffness, free.stiffness),
        )


def _towards(value: Array, goal: Array, keep_falling: Array, keep_rising: Array) -> Array:
    """Return the next value on its way to the goal; near it the goal itself, the same object."""
    if value is goal:
        return value
    way = value - goal
    if (np.abs(way) <= ARRIVAL_TOLERANCE * goal).all():
        return goal
    way *= np.where(way > 0.0, keep_falling, keep_rising)
    way += goal
    return way
