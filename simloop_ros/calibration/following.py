"""A robot under control that follows given positions, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ..collision.observation import Observation
from ..control.control_simulation import ControlSimulation
from ..core.errors import ConfigError
from ..core.values import Array, JointState, Setpoint
from ..plants.plant import Plant
from .free_motion import FreeMotion

PROGRESS_STEPS = 4096
"""Steps between two calls of ``progress``."""

Progress = Callable[[float], bool]


def follow(
    control: ControlSimulation,
    plant: Plant,
    motion: FreeMotion,
    period: float,
    steps: int,
    progress: Progress = lambda _: True,
) -> Iterator[Observation]:
    """Yield the observations while the robot follows a motion from its start.

    :raises ConfigError: ``progress`` returned False.
    """
    start = JointState(motion.home, np.zeros_like(motion.home))
    plant.start(start)
    control.start(start)
    for begin in range(0, steps, PROGRESS_STEPS):
        count = min(PROGRESS_STEPS, steps - begin)
        if not progress(begin / steps):
            raise ConfigError('stopped before the end: nothing was learnt')
        yield from observe(control, plant, motion.positions(period, begin, count), period, begin)


def observe(
    control: ControlSimulation, plant: Plant, positions: Array, period: float, first: int = 0
) -> Iterator[Observation]:
    """Yield the observation of each step while the robot follows desired positions.

    :param positions: [rad], shape ``(steps, n)``.
    :param first: index of the first step.
    """
    still = np.zeros(positions.shape[1])  # control reads the positions of setpoints only
    for i, desired in enumerate(positions, start=first + 1):
        command = control.step(Setpoint(desired, still))
        plant.step(command.effort)
        measured = plant.observe()
        rollback = control.rollback(command, measured)
        yield Observation(
            i * period, desired, command.effort, measured, rollback.state, rollback.effort
        )
