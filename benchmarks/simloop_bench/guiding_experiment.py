"""001, experiment 1, on robots of several kinds: jobs of the study of hand guiding."""

from __future__ import annotations

import msgspec
import numpy as np

from simloop_ros.core.values import Array
from simloop_ros.guiding.effective_mass import EffectiveMass
from simloop_ros.plants.config import JointPath
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import link_positions
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.scenario.scenario import Scenario

from .guiding_robots import pulled_to, real
from .guiding_run import GuidedRun, lead, tip_path

NEAR = np.deg2rad(1.0)
"""Distance from where it started at which a released joint is back [rad]."""
TRIES, CLOSE = 6, np.deg2rad(0.05)
"""Times that an operator tries to bring the joint to an angle, and how close is close [rad]."""
DRIFT = 60.0
"""Time for which nobody touches the robot [s]."""
LIGHT = np.array([0.0, 1.0, 0.0])
"""Direction in which the tip shall become light: across, where the elbow is pushed to."""


class GuidedMotion(msgspec.Struct, frozen=True):
    """What experiment 1 shows.

    :ivar run: the whole of it.
    :ivar joint: index of the guided joint.
    :ivar grip: time of the grip [s].
    :ivar release: time of the release [s].
    :ivar pull: angle to which the hand pulled [rad].
    :ivar angle: to which the joint came [rad].
    :ivar energy: of the operator until the release [J].
    :ivar return_time: from the release until back [s]; infinite if that did not happen.
    :ivar overshoot: beyond the start afterwards [rad].
    """

    run: GuidedRun
    joint: int
    grip: float
    release: float
    pull: float
    angle: float
    energy: float
    return_time: float
    overshoot: float


def experiment(settings: list[str], reach: bool) -> GuidedMotion:
    """Return experiment 1 with some settings.

    :param reach: whether the operator pulls as far as it takes for the joint to come to the angle
        that the scenario asks for. A robot that resists is guided there as well, with more force.
    """
    scenario = load_scenario('lwr_guiding', settings)
    (hand,) = scenario.plant.hands
    assert isinstance(hand.path, JointPath)
    wanted = pull = hand.path.angle
    guided = _lead(scenario, pull)
    for _ in range(TRIES if reach else 0):
        if abs(guided.angle - wanted) < CLOSE:
            break
        # The spring of the hand gives way in proportion: so does the angle.
        pull += (wanted - guided.angle) * pull / max(guided.angle, 0.1)
        guided = _lead(scenario, pull)
    return guided


def _lead(scenario: Scenario, pull: float) -> GuidedMotion:
    (hand,) = scenario.plant.hands
    assert isinstance(hand.path, JointPath)
    assert hand.end is not None
    model = load_fit_robot(scenario.robot)
    joint = model.joint_names.index(hand.path.joint)
    run = lead(pulled_to(scenario, pull))
    away = run.position[:, joint] - model.home[joint]
    end = round(hand.end / run.period)
    far = np.flatnonzero(np.abs(away[end:]) > NEAR)
    back = 0.0 if len(far) == 0 else run.period * float(far[-1] + 1)
    if end + len(away[end:]) - 1 in end + far:
        back = np.inf
    return GuidedMotion(
        run=run,
        joint=joint,
        grip=hand.start,
        release=hand.end,
        pull=pull,
        angle=float(away[:end].max()),
        energy=float(run.energy[end - 1]),
        return_time=back,
        overshoot=float(max(0.0, -away[end:].min())),
    )


class Drift(msgspec.Struct, frozen=True):
    """What a robot does that nobody touches.

    :ivar away: largest distance of each joint from its start [rad], shape ``(n,)``.
    :ivar estimate: rms of the estimated torque [N m], shape ``(n,)``.
    :ivar trace: distance of the joint that went farthest [rad], one row per 0.1 s.
    """

    away: Array
    estimate: Array
    trace: Array


def drift(robot: str, scenario: str, duration: float) -> Drift:
    """Return how far a real robot with an observer drifts in a time [s] without any hand."""
    settings = [*real(robot), 'plant.hands=[]', f'duration={duration}']
    found = load_scenario(scenario, settings)
    run = lead(found)
    away = np.abs(run.position - load_fit_robot(found.robot).home)
    farthest = int(away.max(axis=0).argmax())
    return Drift(
        away.max(axis=0),
        np.sqrt((run.estimate**2).mean(axis=0)),
        away[:: round(0.1 / run.period), farthest],
    )


class Elbow(msgspec.Struct, frozen=True):
    """What pushing the elbow aside does.

    :ivar time: [s], shape ``(steps,)``.
    :ivar mass: effective mass of the tip [kg], shape ``(steps,)``.
    :ivar tip: distance of the tip from where it was [m], shape ``(steps,)``.
    :ivar elbow: way of the elbow along the hint's direction [m], shape ``(steps,)``.
    :ivar hinted: cosine between the hint's and the hand's direction at the elbow.
    :ivar grip: time of the grip [s].
    :ivar release: time of the release [s].
    """

    time: Array
    mass: Array
    tip: Array
    elbow: Array
    hinted: float
    grip: float
    release: float


def push_elbow() -> Elbow:
    """Return 001, experiment 3: ``lwr_full_body``."""
    scenario = load_scenario('lwr_full_body')
    (hand,) = scenario.plant.hands
    assert hand.end is not None
    model = load_fit_robot(scenario.robot)
    masses = EffectiveMass(model, model.tips[0], hand.link)
    hint = masses.hint(model.home, LIGHT).elbow
    hint /= np.linalg.norm(hint)
    run = lead(scenario)
    every = slice(None, None, 10)
    positions = run.position[every]
    tips = tip_path(model, positions)
    elbows = link_positions(model.pin_model, hand.link, positions)
    way = elbows - link_positions(model.pin_model, hand.link, model.home[None])
    away = way[np.linalg.norm(way, axis=1).argmax()]
    return Elbow(
        run.time[every],
        np.array([masses.mass(q, LIGHT) for q in positions]),
        np.linalg.norm(tips - model.tip_positions(model.home)[0], axis=1),
        way @ hint,
        float(away @ hint / np.linalg.norm(away)),
        hand.start,
        hand.end,
    )
