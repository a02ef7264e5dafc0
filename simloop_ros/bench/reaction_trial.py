"""Random collisions for the study of reactions, and one of them run with one reaction."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from ..control.config import ControlConfig
from ..control.control_simulation import ControlSimulation
from ..model import RobotModel
from ..planning.offline import OfflinePlanner
from ..planning.self_collision import SelfCollision
from ..plants.encoder import Encoder
from ..plants.friction import JointFriction
from ..plants.pinocchio_plant import PinocchioPlant
from ..plants.plant import Plant
from ..plants.spring_contact import Spring, SpringContact, point_jacobian
from ..reaction.config import ReactionKind
from ..reaction.reacting import Reacting
from ..values import Array, JointState

PERIOD = 1.0 / 2000.0
MASS_ERROR = 0.1
"""By which part the robot is heavier than its model."""
ENCODER = 1e-5
"""Noise (standard deviation) and resolution of the encoders [rad]."""
FRICTION = 0.02
"""Dry friction as a part of the effort limit; viscous friction adds as much at full speed."""
SLACK = 3.0 * ENCODER
"""What the observer leaves of the encoders' noise, with room [rad]."""
LEAD = 0.1
"""Time from the start to the touch [s]."""
WINDOW = 1.0
"""Time after the touch over which everything is measured [s]."""
NOTICED, DELAY = 10.0, 0.005
"""Force [N] that a monitor notices, and how much later it says so [s]."""
SLOW = 0.02
"""Speed below which a joint rests [rad/s]."""

TIP_SPEED = 0.1, 1.0
"""Range of the hit arm's tip speed at the touch [m/s]."""
STIFFNESS = 1e3, 1e5
"""Range of the contact's stiffness [N/m], drawn on a logarithmic scale."""
CLOSING = 0.02
"""Least speed of the hit point into the obstacle [m/s]."""
AROUND = 0.05
"""Distance of the hit point from its link's centre of mass [m]."""
EFFORT_SHARE, SPEED_SHARE = 0.7, 0.9
"""Shares of the limits that the planned motion may use."""
KEEP_OFF = 0.05
"""Share of its range that a joint stays away from the ends."""


@dataclass(frozen=True)
class Trial:
    """One collision.

    :ivar spring: what is in the way.
    :ivar tip_speed: of the hit arm at the touch [m/s].
    :ivar closing_speed: of the hit point into the obstacle [m/s].
    :ivar start: joint state at the start.
    :ivar positions: planned positions [rad], shape ``(steps, n)``.
    """

    spring: Spring
    tip_speed: float
    closing_speed: float
    start: JointState
    positions: Array


@dataclass(frozen=True)
class Outcome:
    """What a collision did, from the first touch to the end of the window.

    :ivar noticed: whether the force passed ``NOTICED``.
    :ivar peak_force: largest contact force [N].
    :ivar impulse: of the contact force [N s].
    :ivar time_to_rest: from the touch until every joint is slow and stays so [s]; the window
        where that does not happen.
    :ivar pushed: how far the hit point goes into the obstacle [m].
    :ivar last_force: mean contact force over the last tenth of the window [N].
    """

    noticed: bool
    peak_force: float
    impulse: float
    time_to_rest: float
    pushed: float
    last_force: float


def draw_trial(model: RobotModel, rng: np.random.Generator) -> Trial:
    """Return a random collision: posture, motion, link, point, direction, speed, stiffness.

    The motion goes straight from one posture to another with minimum jerk; what is not possible
    (self-collision, limits, a point that moves away) is drawn again.
    """
    check = SelfCollision(model, model.home)
    data = model.pin_model.createData()
    while True:
        trial = _try(model, data, check, rng)
        if trial is not None:
            return trial


def _try(
    model: RobotModel, data: pin.Data, check: SelfCollision, rng: np.random.Generator
) -> Trial | None:
    room = KEEP_OFF * (model.upper - model.lower)
    begin = rng.uniform(model.lower + room, model.upper - room)
    way = rng.uniform(0.1, 0.5) * (rng.uniform(model.lower + room, model.upper - room) - begin)
    moment = rng.uniform(0.25, 0.6)
    tip_speed = float(rng.uniform(*TIP_SPEED))
    stiffness = float(np.exp(rng.uniform(*np.log(STIFFNESS))))
    joint = int(rng.integers(model.n))
    normal, offset = (v / np.linalg.norm(v) for v in rng.normal(size=(2, 3)))

    q = begin + _s(moment) * way
    tip = _tip_beyond(model, joint)
    tip_jacobian, _ = point_jacobian(model.pin_model, data, q, tip, np.zeros(3))
    reach = float(np.linalg.norm(tip_jacobian @ way)) * _ds(moment)
    duration = reach / tip_speed
    v = way * _ds(moment) / duration
    frame = _frame_of(model, joint)
    body = model.pin_model.frames[frame].placement.inverse()
    point = body.act(model.pin_model.inertias[joint + 1].lever + AROUND * offset)
    jacobian, place = point_jacobian(model.pin_model, data, q, frame, point)
    closing = float(normal @ (jacobian @ v))
    if abs(closing) < CLOSING or duration * moment < LEAD:
        return None
    normal = normal if closing > 0.0 else -normal
    if not _bearable(model, data, begin, way, duration):
        return None
    if any(check.first(begin + share * way) for share in np.linspace(0.0, 1.0, 12)):
        return None
    time = PERIOD * np.arange(-1, round((LEAD + WINDOW) / PERIOD)) + duration * moment - LEAD
    positions = begin + np.array([_s(min(t / duration, 1.0)) for t in time])[:, None] * way
    for early in positions[: round(0.95 * LEAD / PERIOD) : 10]:
        _, there = point_jacobian(model.pin_model, data, early, frame, point)
        if normal @ (there - place) > 0.0:
            return None
    start = JointState(positions[1], (positions[1] - positions[0]) / PERIOD)
    link = model.pin_model.frames[frame].name
    spring = Spring(link, point, place, normal, stiffness)
    return Trial(spring, tip_speed, abs(closing), start, positions[2:])


def _s(share: float) -> float:
    """Return ``10 s^3 - 15 s^4 + 6 s^5``: minimum jerk."""
    return share**3 * (10.0 + share * (6.0 * share - 15.0))


def _ds(share: float) -> float:
    return 30.0 * (share * (1.0 - share)) ** 2


def _bearable(
    model: RobotModel, data: pin.Data, begin: Array, way: Array, duration: float
) -> bool:
    for share in np.linspace(0.0, 1.0, 12):
        v = way * _ds(share) / duration
        a = way * 60.0 * share * (1.0 - share) * (1.0 - 2.0 * share) / duration**2
        effort = pin.rnea(model.pin_model, data, begin + _s(share) * way, v, a)
        if (np.abs(effort) > EFFORT_SHARE * model.effort_limit).any() or (
            np.abs(v) > SPEED_SHARE * model.velocity_limit
        ).any():
            return False
    return True


def _frame_of(model: RobotModel, joint: int) -> int:
    """Return the frame of the first link that a joint, from 0, carries."""
    frames = model.pin_model.frames
    return next(
        i
        for i, frame in enumerate(frames)
        if frame.parentJoint == joint + 1 and frame.type == pin.FrameType.BODY
    )


def _tip_beyond(model: RobotModel, joint: int) -> int:
    """Return the frame of the tip that a joint, from 0, moves."""
    for frame in model.tip_frames:
        parent = model.pin_model.frames[frame].parentJoint
        if joint + 1 in model.pin_model.supports[parent]:
            return frame
    return int(model.tip_frames[0])


def run_trial(model: RobotModel, trial: Trial, kind: ReactionKind, seed: int) -> Outcome:
    """Run a collision with a reaction.

    :param seed: of the encoder noise.
    """
    real = model.with_mass_bias(MASS_ERROR)
    dry = FRICTION * model.effort_limit
    viscous = FRICTION * model.effort_limit / model.velocity_limit

    def arm(step: float) -> Plant:
        return JointFriction(PinocchioPlant(real, step), real, step, dry, viscous)

    contact = SpringContact(arm, real, PERIOD, trial.spring)
    plant = Encoder(contact, ENCODER, ENCODER, np.random.default_rng(seed))
    plant.reset(trial.start)
    control = ControlSimulation(model, ControlConfig().resolved(noisy=True), PERIOD)
    control.reset(trial.start)
    planner = OfflinePlanner(trial.positions, PERIOD)
    reacting = Reacting(planner, model, PERIOD, kind, slack=SLACK)
    told = deque([False] * round(DELAY / PERIOD))
    forces, peaks, speeds = [], [], []
    for _ in trial.positions:
        wanted = reacting.step(control.state, told.popleft())
        command = (
            control.step(wanted.position, wanted.anew)
            if wanted.effort is None
            else control.step_effort(wanted.effort)
        )
        plant.step(command.effort)
        control.rollback(command, plant.observe())
        told.append(contact.force > NOTICED)
        forces.append(contact.force)
        peaks.append(contact.peak)
        speeds.append(np.abs(plant.truth.velocity).max())
    return _outcome(np.array(forces), np.array(peaks), np.array(speeds), trial.spring.stiffness)


def _outcome(forces: Array, peaks: Array, speeds: Array, stiffness: float) -> Outcome:
    touch = int(np.argmax(peaks > 0.0))
    moving = np.flatnonzero(speeds >= SLOW)
    rest = int(moving[-1]) + 1 if len(moving) else touch
    peak = float(peaks.max())
    return Outcome(
        noticed=bool((forces > NOTICED).any()),
        peak_force=peak,
        impulse=float(PERIOD * forces.sum()),
        time_to_rest=PERIOD * (max(rest, touch) - touch),
        pushed=peak / stiffness,
        last_force=float(forces[-round(0.1 * WINDOW / PERIOD) :].mean()),
    )
