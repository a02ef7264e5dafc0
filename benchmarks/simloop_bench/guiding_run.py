"""One run of a guided scenario, in memory."""

from __future__ import annotations

import msgspec
import numpy as np

from simloop_ros.assembly.assemble import assemble
from simloop_ros.core.values import Array
from simloop_ros.record.columns import GUIDED_COLUMNS, stacked
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.scenario import Scenario

from .step_records import records_of


class GuidedRun(msgspec.Struct, frozen=True):
    """What a guided robot and its hands did, one row per step.

    :ivar period: time between two rows [s].
    :ivar position: true joint positions [rad], shape ``(steps, n)``.
    :ivar velocity: true joint velocities, backward differences [rad/s], shape ``(steps, n)``.
    :ivar torque: true external torque [N m], shape ``(steps, n)``.
    :ivar estimate: estimated external torque [N m], shape ``(steps, n)``.
    :ivar force: of each hand on the robot, world axes [N], shape ``(steps, hands, 3)``.
    :ivar gap: from the held point to the hand's target [m], shape ``(steps, hands, 3)``.
    :ivar completed: whether the run came to its end; one that diverged has fewer rows.
    """

    period: float
    position: Array
    velocity: Array
    torque: Array
    estimate: Array
    force: Array
    gap: Array
    completed: bool

    @property
    def time(self) -> Array:
        """Return the end of each step [s]."""
        return self.period * np.arange(1.0, len(self.position) + 1.0)

    @property
    def energy(self) -> Array:
        """Return the operator's energy so far as 001 defines it [J], shape ``(steps,)``.

        The sum over the joints of true external torque times true joint velocity.
        """
        power: Array = (self.torque * self.velocity).sum(axis=1)
        return np.cumsum(self.period * power)


def lead(scenario: Scenario) -> GuidedRun:
    """Run a guided scenario to its end, or until it diverges, and return what happened."""
    prepared = assemble(scenario)
    facts, records = prepared.facts, records_of(prepared)
    hands = len(facts.scenario.plant.hands)
    shape = len(records), len(GUIDED_COLUMNS), facts.model.n
    rows = stacked(records, GUIDED_COLUMNS).reshape(shape)  # also without any step
    force = [[hand.force for hand in record.plant.hands] for record in records]
    gap = [[hand.gap for hand in record.plant.hands] for record in records]
    position = rows[:, GUIDED_COLUMNS.index('true_position')]
    before = np.vstack((facts.model.home[None], position[:-1]))
    period = facts.scenario.period
    return GuidedRun(
        period=period,
        position=position,
        velocity=(position - before) / period,
        torque=rows[:, GUIDED_COLUMNS.index('true_external_torque')],
        estimate=rows[:, GUIDED_COLUMNS.index('external_torque')],
        force=np.array(force).reshape(len(force), hands, 3),
        gap=np.array(gap).reshape(len(gap), hands, 3),
        completed=len(records) == facts.steps,
    )


def tip_path(model: RobotModel, positions: Array) -> Array:
    """Return where the first tip is [m], shape ``(steps, 3)``."""
    return np.array([model.tip_positions(q)[0] for q in positions])
