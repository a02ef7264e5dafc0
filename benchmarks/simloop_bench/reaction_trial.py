"""One collision with each reaction: a job of the study of reactions."""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from typing import get_args

import msgspec
import numpy as np
import pinocchio as pin

from simloop_ros.core.config_types import ReactionKind
from simloop_ros.core.values import NO_INPUTS, Array, ExternalInputs
from simloop_ros.loop.guarded_control import GuardedControl
from simloop_ros.planning.offline import OfflinePlanner
from simloop_ros.plants.spring_contact import SpringContact
from simloop_ros.reaction.reacting import Reacting
from simloop_ros.robot.model import RobotModel
from simloop_ros.safety.config import SafetyConfig

from .collision_robot import StudyRobot
from .collision_trials import LEAD, Trial, TrialMaker

REACTIONS: tuple[ReactionKind, ...] = get_args(ReactionKind)
NOTICED, DELAY = 10.0, 0.005
"""Contact force that is noticed [N], and how much later the reaction is told [s]."""
WINDOW = 1.0
"""Time from the contact over which everything is measured [s]."""
LATE = 0.1
"""Part of the window, at its end, in which the lasting force is measured."""
SLOW, OVER = 0.005, 0.01
"""Speed below which a point of the robot rests [m/s], and the time over which its mean is taken
[s]: encoder noise keeps a held arm trembling, and going nowhere."""


class Outcome(msgspec.Struct, frozen=True):
    """What a collision did, from the contact to the end of the window.

    :ivar peak_force: largest contact force [N].
    :ivar impulse: of the contact force [N s].
    :ivar time_to_rest: from the contact until the tips and the hit point are slow and stay so
        [s]; the whole window where that does not happen.
    :ivar pushed: how far the hit point goes into the obstacle [m].
    :ivar lasting_force: mean contact force at the end [N].
    :ivar stopped: whether the safety gate had to stop the robot.
    """

    peak_force: float
    impulse: float
    time_to_rest: float
    pushed: float
    lasting_force: float
    stopped: bool


class Collision(msgspec.Struct, frozen=True):
    """One collision and what came of it.

    :ivar outcomes: by reaction; none where the force was never noticed.
    """

    seed: int
    link: str
    stiffness: float
    tip_speed: float
    closing_speed: float
    outcomes: dict[str, Outcome]


@lru_cache(maxsize=1)
def _robot(robot: StudyRobot) -> tuple[RobotModel, TrialMaker]:
    model = robot.model
    return model, TrialMaker(model)


def compare(robot: StudyRobot, seed: int) -> Collision:
    """Return the outcomes of one collision under every reaction, with the same noise."""
    model, maker = _robot(robot)
    trial = maker.draw(robot.period, seed, WINDOW)
    outcomes: dict[str, Outcome] = {}
    for kind in REACTIONS:
        outcome = collide(robot, model, trial, kind, seed)
        if outcome is None:
            break
        outcomes[kind] = outcome
    spring = trial.spring
    return Collision(
        seed, spring.link, spring.stiffness, trial.tip_speed, trial.closing_speed, outcomes
    )


def collide(
    robot: StudyRobot, model: RobotModel, trial: Trial, kind: ReactionKind, seed: int
) -> Outcome | None:
    """Return the outcome of a collision with a reaction; none if nobody would notice it.

    The reaction is told, ``DELAY`` later, whether the contact force is above ``NOTICED``, and
    the torque from outside.
    """
    period = robot.period
    loop = robot.build(model, np.random.default_rng([seed, 2]), trial.spring)
    plant, contact = loop.plant, loop.contact
    assert isinstance(contact, SpringContact)
    plant.start(trial.start)
    loop.control.start(trial.start)
    control = GuardedControl(loop.control, period, SafetyConfig())
    reacting = Reacting(OfflinePlanner(trial.positions, period), model, period, kind)
    told = deque([NO_INPUTS] * round(DELAY / period))
    forces, peaks, positions = [], [], []
    for _ in trial.positions:
        wanted = reacting.step(control.state, told.popleft())
        command = (
            control.step(wanted.position, anew=wanted.restart)
            if wanted.effort is None
            else control.step_effort(wanted.effort)
        )
        plant.step(command.effort)
        control.rollback(plant.observe())
        told.append(ExternalInputs(contact.force > NOTICED, torque=plant.report().external))
        forces.append(contact.force)
        peaks.append(contact.peak)
        positions.append(plant.truth.position)
    if max(forces) <= NOTICED:
        return None
    # Cut so that every collision counts for the same time from its contact on.
    first = min(int(np.argmax(np.array(peaks) > 0.0)), round(LEAD / period))
    end = first + round(WINDOW / period)
    return _outcome(
        period,
        np.array(forces[first:end]),
        max(peaks[first:end]),
        _ways(model, trial, positions[first:end], period),
        trial.spring.stiffness,
        bool(control.stopped),
    )


def _ways(model: RobotModel, trial: Trial, positions: list[Array], period: float) -> Array:
    """Return how far the fastest of tips and hit point goes in each time ``OVER`` [m]."""
    data = model.pin_model.createData()
    hit = model.frame(trial.spring.link)
    points = []
    for q in positions:
        pin.framesForwardKinematics(model.pin_model, data, q)
        tips = [data.oMf[frame].translation for frame in model.tip_frames]
        points.append([*tips, data.oMf[hit].act(trial.spring.point)])
    places, steps = np.array(points), round(OVER / period)
    return np.linalg.norm(places[steps:] - places[:-steps], axis=2).max(axis=1)


def _outcome(
    period: float, forces: Array, peak: float, ways: Array, stiffness: float, stopped: bool
) -> Outcome:
    moving = np.flatnonzero(ways >= SLOW * OVER)
    if len(moving) == 0:
        rest = 0.0
    else:
        rest = WINDOW if moving[-1] == len(ways) - 1 else period * float(moving[-1]) + OVER
    return Outcome(
        peak_force=peak,
        impulse=float(period * forces.sum()),
        time_to_rest=rest,
        pushed=peak / stiffness,
        lasting_force=float(forces[-round(LATE * WINDOW / period) :].mean()),
        stopped=stopped,
    )
