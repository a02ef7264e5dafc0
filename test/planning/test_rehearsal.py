"""What is refused before it starts, and what the refusal says."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from simloop_ros.core.errors import GoalError
from simloop_ros.core.values import JointState
from simloop_ros.planning.forced_simulation import ForcedSimulation
from simloop_ros.planning.rehearsal import GOAL_TOLERANCE, rehearse
from simloop_ros.planning.self_collision import SelfCollision
from simloop_ros.robot.model import RobotModel

Forced = Callable[..., ForcedSimulation]
AtHome = Callable[[RobotModel], JointState]

NEAR = 2e-3  # m: at full stretch an arm trembles by a step or two at 0.25 m/s and 5 ms
TREMBLE = 0.03  # m: the same with three links and speed limits of 2 rad/s: 10 mrad per joint
ROUNDING = 1e-12  # m
LINK = 1.0  # m: each of two_link's
REACH = 2.0 * LINK
OUTWARD = [[0.0, 0.3, 0.0], [0.0, -0.3, 0.0]]
INWARD = [[0.0, -0.3, 0.0], [0.0, 0.3, 0.0]]


def refusal(simulation: ForcedSimulation, start: JointState) -> GoalError:
    with pytest.raises(GoalError) as caught:
        rehearse(simulation, start)
    return caught.value


@pytest.mark.parametrize('r', [2.01, 2.1, 3.0])
@pytest.mark.parametrize('angle', [-0.5, 0.25, 2.0])
def test_out_of_reach_says_which_tip_and_by_how_much(
    two_link: RobotModel, forced: Forced, at_home: AtHome, r: float, angle: float
) -> None:
    """Two links of 1 m come as near to a goal at distance r as r - 2."""
    goal = r * np.array([np.cos(angle), 0.0, np.sin(angle)])
    move = goal - two_link.tip_positions(two_link.home)
    error = refusal(forced(two_link, move.tolist()), at_home(two_link))
    assert error.tip == 'tip'
    assert r - REACH - ROUNDING <= error.missing <= r - REACH + NEAR
    assert error.joints == ()
    assert 'out of reach: tip tip' in str(error)
    assert 'out of the workspace' in str(error)


def test_out_of_plane_is_out_of_reach(
    two_link: RobotModel, forced: Forced, at_home: AtHome
) -> None:
    error = refusal(forced(two_link, [[0.0, 0.2, 0.0]]), at_home(two_link))
    assert error.missing == pytest.approx(0.2, abs=NEAR)


def test_just_within_reach_is_accepted(
    two_link: RobotModel, forced: Forced, at_home: AtHome
) -> None:
    goal = np.array([REACH - 0.01, 0.0, 0.0])
    move = goal - two_link.tip_positions(two_link.home)
    motion = rehearse(forced(two_link, move.tolist()), at_home(two_link))
    reached = two_link.tip_positions(motion.positions[-1])
    np.testing.assert_allclose(reached, [goal], rtol=0.0, atol=GOAL_TOLERANCE)


def test_at_a_joint_limit_the_joint_is_named(
    sphere: RobotModel, forced: Forced, at_home: AtHome
) -> None:
    error = refusal(forced(sphere, [[0, 0, 2.5]]), at_home(sphere))
    assert error.joints == ('slide',)
    assert error.missing == pytest.approx(2.5 - sphere.upper[0], abs=NEAR)
    assert 'slide at its limit' in str(error)


def test_only_the_joint_at_its_limit_is_named(
    planar: Callable[[float], RobotModel], forced: Forced, at_home: AtHome
) -> None:
    """With its shoulder at the end, the planar arm's last two links reach 1 m from the elbow."""
    end = 0.3
    robot = planar(end)
    goal = robot.tip_positions(robot.home)[0] + [-0.5, 0.2, 0.0]
    elbow = 0.5 * np.array([np.cos(end), np.sin(end), 0.0])
    error = refusal(forced(robot, [[-0.5, 0.2, 0.0]]), at_home(robot))
    assert error.joints == ('joint1',)
    truth = np.linalg.norm(goal - elbow) - 1.0
    assert truth - ROUNDING <= error.missing <= truth + TREMBLE


def test_too_fast_says_so_and_not_that_the_goal_is_out_of_reach(
    sphere: RobotModel, forced: Forced, at_home: AtHome
) -> None:
    """1 m at 500 m/s^2, with a joint that does 10 m/s.

    The way passes 10 m/s at x = v^2/(2 a) = 0.1 m, speeding up, and at 0.9 m, slowing down;
    meanwhile the joint goes at 10 m/s, and is the furthest behind at the end of that.
    """
    a, limit = 500.0, sphere.velocity_limit[0]
    edge = limit**2 / (2.0 * a)
    fast_time = 2.0 * (np.sqrt(1.0 / a) - limit / a)
    lag = (1.0 - edge) - (edge + limit * fast_time)
    error = refusal(
        forced(sphere, [[0, 0, 1]], 0.0005, acceleration=a, max_velocity=50.0), at_home(sphere)
    )
    assert error.tip == 'sphere'
    assert error.joints == ('slide',)
    assert error.missing == pytest.approx(lag, abs=2 * limit * 0.0005)  # two steps
    assert 'cannot follow its path' in str(error)
    assert 'planner.max_velocity' in str(error)


def test_a_little_too_fast_is_refused_and_a_little_less_is_not(
    sphere: RobotModel, forced: Forced, at_home: AtHome
) -> None:
    """The largest speed of the way is sqrt(a d): the joint's limit at a = 100 m/s^2."""
    a = sphere.velocity_limit[0] ** 2
    error = refusal(
        forced(sphere, [[0, 0, 1]], 0.001, acceleration=1.2 * a, max_velocity=50.0),
        at_home(sphere),
    )
    assert 'lags' in str(error)
    rehearse(
        forced(sphere, [[0, 0, 1]], 0.001, acceleration=0.99 * a, max_velocity=50.0),
        at_home(sphere),
    )


def test_yumi_may_go_outward_and_not_into_itself(
    yumi: RobotModel, forced: Forced, at_home: AtHome
) -> None:
    rehearse(forced(yumi, OUTWARD), at_home(yumi))
    error = refusal(forced(yumi, INWARD), at_home(yumi))
    assert 'run into itself' in str(error)
    named = [link for link in yumi.links if f'{link} ' in str(error)]
    assert len(named) == 2


def test_the_list_holds_every_step_until_rest(
    yumi: RobotModel, forced: Forced, at_home: AtHome
) -> None:
    """Its differences are velocities: bounded, and zero at the end."""
    simulation = forced(yumi, OUTWARD)
    motion = rehearse(simulation, at_home(yumi))
    assert motion.duration == pytest.approx(len(motion.positions) * simulation.period)
    # d/v + v/a of the default speeds, and what the free motion needs to die.
    assert 0.3 / 0.25 + 0.25 / 0.5 < motion.duration < 3.0
    velocity = np.diff(np.vstack((yumi.home, motion.positions)), axis=0) / simulation.period
    at_rest = 1e-9 + 1e-15 / simulation.period  # rad/s, and the rounding of the difference
    assert np.abs(velocity[-1]).max() < at_rest
    assert np.all(np.abs(velocity) <= yumi.velocity_limit)
    reached = yumi.tip_positions(motion.positions[-1])
    np.testing.assert_allclose(reached, simulation.goals, rtol=0.0, atol=GOAL_TOLERANCE)


def test_self_collision_knows_which_links_touch(yumi: RobotModel) -> None:
    """At zero the wrists overlap (see config/robots/yumi.yaml); at home nothing does."""
    check = SelfCollision(yumi, yumi.home)
    assert check.first(yumi.home) is None
    links = check.first(np.zeros(yumi.n))
    assert links is not None
    assert set(links) <= set(yumi.links)


def test_what_touches_at_the_start_is_left_out(yumi: RobotModel) -> None:
    assert SelfCollision(yumi, np.zeros(yumi.n)).first(np.zeros(yumi.n)) is None
