"""Whether a held robot comes to rest: a cell of the stability map."""

from __future__ import annotations

from collections import deque
from math import sqrt
from typing import Any

import msgspec
import numpy as np

from simloop_ros.assembly.assemble import assemble
from simloop_ros.collision.detector import Detection
from simloop_ros.core.errors import DivergenceError
from simloop_ros.loop.sensing import MonitoredSensing
from simloop_ros.plants.config import Hand, Push
from simloop_ros.scenario.loading import load_scenario

from .guiding_robots import TIPS, with_hand

ARM = 1.5
"""Mass of an arm, as felt at its hand [kg]."""
DAMPING_RATIO = 0.25
"""Of an arm that holds something: the lower end of what is measured of human ones."""
HUMAN = 1000.0
"""Largest stiffness of a human arm [N/m]."""
KICK = (6.0, 6.0, 6.0)
"""Force on the tip that sets the robot in motion, world axes [N]."""
KICK_START, KICK_TIME = 0.1, 0.1
"""[s]."""
DURATION = 3.0
"""Of a run [s]."""
EARLY, LATE = (0.6, 1.2), (2.2, 3.0)
"""Times between which the largest speeds are compared [s]."""
GROWN = 0.95
"""Late speed, as a part of the early one, from which a motion does not decay."""
SHAKEN = 0.1
"""Late joint speed that is none of a motion that dies down, but a limit cycle [rad/s]."""
STILL = 0.005
"""Joint speed that is no oscillation, but the last of a slow return [rad/s]."""
WILD = 50.0
"""Joint speed at which nothing more needs to be seen [rad/s]."""


class Cell(msgspec.Struct, frozen=True):
    """A hand and a delay.

    :ivar stiffness: of the hand [N/m].
    :ivar delay: of the torque, in periods.
    :ivar adapted: whether the touch makes the robot softer.
    :ivar source: of the torque.
    :ivar damped: whether the hand has the damping of an arm, or none.
    :ivar robot: whose tip is held, see ``TIPS``.
    """

    stiffness: float
    delay: int
    adapted: bool
    source: str
    damped: bool = True
    robot: str = 'lwr'


class LateSensing(MonitoredSensing):
    """Sensing whose inputs come some steps later.

    :param delay: in steps.
    """

    def __init__(self, sensing: MonitoredSensing, delay: int, *, by_truth: bool):
        super().__init__(sensing.detector, by_truth=by_truth)
        self._on_the_way = deque([self.inputs] * delay)

    def step(self, *step: Any) -> Detection:
        """Return what is detected in a step; its inputs are handed out later."""
        detection = super().step(*step)
        self._on_the_way.append(self.inputs)
        self.inputs = self._on_the_way.popleft()
        return detection


def stable(cell: Cell) -> bool:
    """Return whether the tip of a robot that a hand holds comes to rest after a kick.

    There is no dead zone, in which any loop would be at rest: the smallest torque counts.
    """
    scenario, link = TIPS[cell.robot]
    settings = [
        f'duration={DURATION}',
        'admittance.dead_zone=0',
        f'admittance.adapt={str(cell.adapted).lower()}',
        f'admittance.source={cell.source}',
    ]
    damping = 2.0 * DAMPING_RATIO * sqrt(cell.stiffness * ARM) if cell.damped else 0.0
    hand = Hand(link=link, stiffness=cell.stiffness, damping=damping, max_force=1e4, grip=0.0)
    found = with_hand(load_scenario(scenario, settings), hand)
    kick = Push(link, KICK_START, KICK_TIME, KICK)
    plant = msgspec.structs.replace(found.plant, pushes=(kick,))
    prepared = assemble(msgspec.structs.replace(found, plant=plant))
    loop, period = prepared.loop, found.period
    assert isinstance(loop.sensing, MonitoredSensing)
    if cell.delay:
        by_truth = cell.source == 'truth'
        loop.sensing = LateSensing(loop.sensing, cell.delay, by_truth=by_truth)
    speeds: list[float] = []
    with np.errstate(all='ignore'):
        try:
            for _ in range(prepared.facts.steps):
                record = loop.step()
                speeds.append(float(np.abs(record.plant.truth.velocity).max()))
                if not speeds[-1] < WILD:
                    return False
        except DivergenceError:
            return False
        finally:
            loop.plant.close()
    early, late = (
        max(speeds[round(begin / period) : round(end / period)]) for begin, end in (EARLY, LATE)
    )
    return late < min(max(GROWN * early, STILL), SHAKEN)
