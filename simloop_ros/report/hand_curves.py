"""The curves of two hands, from the logs of a run and its plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
import msgspec
import numpy as np

from ..bimanual.config import BimanualConfig
from ..bimanual.plan import plan_bimanual
from ..core.values import Array, Flags, JointState
from ..record.columns import TRUE_POSITION
from ..record.events import halt_step
from ..record.folder import HANDS_LOG
from ..record.hands_log import HANDS_COLUMNS
from ..record.hands_summary import POSE, TOUCH_FORCE, true_squeezes
from ..record.mcap import McapReader
from ..record.planned_rows import planned_rows
from ..robot.config import RobotConfig
from ..robot.fit_robot import load_fit_robot
from ..robot.model import RobotModel, link_positions
from ..scenario.scenario import HANDS_GRAPHS
from .bimanual_figures import (
    CarryCourse,
    CorrectionCourse,
    HandsCourse,
    draw_carry,
    draw_correction,
    draw_hands,
    draw_internal_forces,
)
from .contact_peak import ForceCourse
from .drawing import Mark


class HandCurves(msgspec.Struct, frozen=True):
    """A run of two hands; ``rows`` steps.

    :ivar time: [s], shape ``(rows,)``.
    :ivar squeeze: true internal force [N], shape ``(rows,)``.
    :ivar setpoint: of it [N], shape ``(rows,)``; NaN while there is none.
    :ivar carried: whether the object is moved as planned, shape ``(rows,)``: where the summary
        compares it.
    :ivar corrections: of both hands, in axes of the object [m, rad], shape ``(rows, 2, 6)``.
    :ivar along: positions of the palms along the beam, from the planned place of its middle [m],
        shape ``(rows, 2)``; NaN where its place is not known.
    :ivar planned: the same without corrections [m], shape ``(rows, 2)``; NaN as well.
    :ivar ends: of the beam without load [m], shape ``(2,)``.
    :ivar error: distance of the object from its path [m], shape ``(rows,)``; NaN where that is
        not known.
    """

    tips: tuple[str, ...]
    time: Array
    squeeze: Array
    setpoint: Array
    carried: Flags
    corrections: Array
    along: Array
    planned: Array
    ends: Array
    error: Array

    @property
    def force(self) -> ForceCourse:
        """Return the course of the internal force."""
        return ForceCourse('internal force', self.time, self.squeeze)

    def correction(self, hand: int) -> CorrectionCourse:
        """Return the course of a hand's path correction."""
        part = self.corrections[:, hand]
        return CorrectionCourse(self.time, part[:, :3], part[:, 3:])

    @property
    def hands(self) -> HandsCourse:
        """Return the course of both hands along the beam."""
        return HandsCourse(self.tips, self.time, self.along, self.planned, self.ends)

    def carry(self, label: str) -> CarryCourse:
        """Return the course of squeeze and path error."""
        return CarryCourse(label, self.time, self.squeeze, self.setpoint, self.carried, self.error)


def hand_curves(folder: Path, summary: Mapping[str, Any]) -> HandCurves:
    """Return the curves of two hands, of the run in a folder and with its summary."""
    settings, period = summary['settings'], summary['period']
    bimanual = msgspec.convert(settings['bimanual'], BimanualConfig)
    model = load_fit_robot(msgspec.convert(settings['robot'], RobotConfig))
    home = JointState(model.home, np.zeros(model.n))
    plan = plan_bimanual(bimanual, model, period, home)
    log, hands = McapReader(folder / 'log.mcap'), McapReader(folder / HANDS_LOG)
    squeeze = true_squeezes(model, log, hands)
    values = np.concatenate(list(hands.chunks()))
    joints = np.concatenate([block[:, TRUE_POSITION] for block in log.chunks()])
    rows = planned_rows(plan, len(values), halt_step(summary['events'], period))
    touched = bool((np.abs(squeeze) > TOUCH_FORCE).any())
    centres, rotations = plan.object_position[rows.index], plan.object_rotation[rows.index]
    along, planned = (
        np.where(rows.foreseen[:, None], _along(model, q, centres, rotations), np.nan)
        for q in (joints, plan.joints[rows.index])
    )
    half = 0.5 * bimanual.object.length
    first = HANDS_COLUMNS.index('correction_1')
    pose = values[:, POSE]
    known = rows.foreseen & pose.any(axis=1)  # zero: there is no object
    away = np.linalg.norm(pose[:, :3] - plan.object_position[rows.index], axis=1)
    return HandCurves(
        model.tips,
        np.arange(1.0, len(values) + 1.0) * period,
        squeeze,
        np.where(rows.holding & rows.going, rows.squeeze, np.nan),
        rows.moving & touched,
        values[:, first : first + 2],
        along,
        planned,
        np.array([half, -half]),
        np.where(known, away, np.nan),
    )


def _along(model: RobotModel, joints: Array, centres: Array, rotations: Array) -> Array:
    """Return the positions of the palms along the beam, from its middle [m], ``(rows, 2)``.

    :param joints: positions [rad], shape ``(rows, n)``.
    :param centres: of the beam in the world [m], shape ``(rows, 3)``.
    :param rotations: from its axes to those of the world, shape ``(rows, 3, 3)``.
    """
    axes = rotations[:, :, 1]
    return np.stack(
        [
            ((link_positions(model.pin_model, tip, joints) - centres) * axes).sum(axis=1)
            for tip in model.tips
        ],
        axis=1,
    )


HAND_DRAWINGS: Mapping[str, Callable[[HandCurves, str, Sequence[Mark]], Figure]] = {
    'internal_force': lambda curves, title, events: draw_internal_forces(
        [curves.force], title, curves.setpoint, events
    ),
    'path_correction': lambda curves, title, events: draw_correction(
        curves.correction(0), f'first hand: {title}', events
    ),
    'hand_positions': lambda curves, title, events: draw_hands(curves.hands, title, events),
    'carried_object': lambda curves, title, events: draw_carry(
        [curves.carry('this run')], title, events
    ),
}
"""Name of each graph of two hands -> its function."""
assert tuple(HAND_DRAWINGS) == HANDS_GRAPHS
