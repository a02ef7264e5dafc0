"""The block around a planner: its states, and what it remembers."""

from __future__ import annotations

from collections.abc import Callable

from attributes import attributes, differing
import numpy as np
import pytest

from simloop_ros.core.errors import GoalError, UnknownNameError
from simloop_ros.core.values import NO_INPUTS, ExternalInputs, JointState
from simloop_ros.planning.offline import OfflinePlanner
from simloop_ros.reaction.reacting import Reacting
from simloop_ros.robot.model import RobotModel

Make = Callable[..., 'Rig']  # noqa: F821 - of conftest

H = 0.001
HIT = 300
AT_GOAL = 1e-6  # m
REPLAYED = 150  # steps: the next contact is in them, or the resumed motion
FIRST_STEP = 40.0 * H**2  # rad: from rest, a list does not tell the velocity of its first step
PLANNERS = ('offline', 'online')
KINDS = ('stop', 'hold', 'retreat', 'float', 'comply')


@pytest.mark.parametrize('planner', PLANNERS)
@pytest.mark.parametrize('kind', ['none', *KINDS])
def test_until_there_is_a_contact_it_is_the_planner(
    robot: RobotModel, rig: Make, kind: str, planner: str
) -> None:
    """Bit for bit; and ``none`` is so whatever happens."""
    loop, bare = rig(robot, kind, planner), rig(robot, 'none', planner)
    control = bare.control.state
    expected = []
    for k in range(HIT):
        loop.step(contact=kind == 'none' and k > 50)
        expected.append(bare.motion.planner.step(control, NO_INPUTS))
        control = loop.control.state
    np.testing.assert_array_equal(loop.positions, [each.position for each in expected])
    np.testing.assert_array_equal(loop.velocities, [each.velocity for each in expected])
    assert not any(setpoint.effort is not None or setpoint.restart for setpoint in loop.setpoints)
    assert loop.reacting.activity == 'moving'


@pytest.mark.parametrize(
    ('law', 'planner'),
    [
        *(('deadbeat', planner) for planner in PLANNERS),
        ('computed_torque', PLANNERS[0]),
        pytest.param('computed_torque', PLANNERS[1], marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize('kind', KINDS)
def test_after_a_reaction_the_motion_goes_on_to_its_goal(
    robot: RobotModel, rig: Make, kind: str, planner: str, law: str
) -> None:
    """Without a leap: each wanted position goes on from the last, or from where the robot is."""
    loop = rig(robot, kind, planner, law)
    loop.run(HIT)
    loop.run(30, contact=True)
    for _ in range(1500):
        loop.step()
        if loop.reacting.activity == 'resting' or kind in ('float', 'comply'):
            break
    while not loop.reacting.resume(loop.control.state):
        loop.step()
    assert loop.reacting.activity == 'moving'
    loop.run(1500)
    tips = robot.tip_positions(loop.plant.truth.position)
    np.testing.assert_allclose(tips, loop.motion.goals, rtol=0.0, atol=AT_GOAL)
    assert loop.control.saturations == 0
    followed = [
        (setpoint.position, driven if setpoint.restart else last.position, setpoint.velocity)
        for last, setpoint, driven in zip(
            loop.setpoints, loop.setpoints[1:], loop.driven, strict=False
        )
        if setpoint.effort is None
    ]
    end, begin, velocity = np.array(followed).swapaxes(0, 1)
    np.testing.assert_allclose(end - begin, H * velocity, rtol=0.0, atol=FIRST_STEP)


@pytest.mark.parametrize('planner', PLANNERS)
@pytest.mark.parametrize('kind', KINDS)
def test_a_snapshot_goes_back(yumi: RobotModel, rig: Make, kind: str, planner: str) -> None:
    """From any moment the replay is bitwise the straight run, a resumed motion included."""
    loop = rig(yumi, kind, planner)

    def run() -> list[np.ndarray]:
        out = []
        for k in range(700):
            setpoint = loop.step(contact=100 <= k < 130 or k == 210)
            out += [setpoint.position, setpoint.velocity, loop.plant.truth.position]
            if k == 600:
                loop.reacting.resume(loop.control.state)
            if k in moments:
                saved.append(
                    (k, loop.reacting.snapshot(), loop.control.snapshot(), loop.plant.snapshot())
                )
        return out

    moments, saved = (99, 104, 150, 211, 590), []
    loop.run(HIT - 100)
    straight = run()
    moments = ()
    for k, reacting, control, plant in saved:
        loop.reacting.restore(reacting)
        loop.control.restore(control)
        loop.plant.restore(plant)
        again = []
        end = min(k + REPLAYED, 700)
        for j in range(k + 1, end):
            setpoint = loop.step(contact=100 <= j < 130 or j == 210)
            again += [setpoint.position, setpoint.velocity, loop.plant.truth.position]
            if j == 600:
                loop.reacting.resume(loop.control.state)
        np.testing.assert_array_equal(again, straight[3 * (k + 1) : 3 * end])


def test_a_restored_robot_retreats_along_the_same_trail(two_link: RobotModel, rig: Make) -> None:
    """Also from between two positions of the trail."""
    loop = rig(two_link, 'retreat')
    parts = loop.reacting, loop.control, loop.plant
    loop.run(HIT - 25)
    saved = [part.snapshot() for part in parts]

    def retreat() -> np.ndarray:
        first = len(loop.setpoints)
        loop.run(23)
        loop.step(contact=True)
        loop.run(150)
        assert (loop.reacting.active, loop.reacting.activity) == ('retreat', 'reacting')
        return loop.positions[first:]

    straight = retreat()
    for part, snapshot in zip(parts, saved, strict=True):
        part.restore(snapshot)
    np.testing.assert_array_equal(retreat(), straight)


def test_another_kind_takes_effect_at_the_next_contact(yumi: RobotModel, rig: Make) -> None:
    loop = rig(yumi, 'hold')
    loop.run(HIT)
    loop.step(contact=True)
    loop.reacting.choose('retreat', 'retreat')
    loop.until('resting', contact=True)
    assert (loop.reacting.active, loop.reacting.impact) == ('hold', 'retreat')
    assert loop.reacting.resume(loop.control.state)
    assert loop.reacting.active == 'none'
    loop.run(300)
    loop.step(contact=True)
    assert loop.reacting.active == 'retreat'
    with pytest.raises(UnknownNameError, match='did you mean retreat'):
        loop.reacting.choose('retret', 'none')


def test_a_contact_that_is_still_there_stops_the_resumed_motion(
    yumi: RobotModel, rig: Make
) -> None:
    loop = rig(yumi, 'hold')
    loop.run(HIT)
    loop.step(contact=True)
    loop.until('resting', contact=True)
    held = loop.step(contact=True).position
    assert loop.reacting.resume(loop.control.state)
    loop.run(5, contact=True)
    assert loop.reacting.activity == 'resting'
    np.testing.assert_allclose(loop.plant.truth.position, held, rtol=0.0, atol=1e-6)


@pytest.mark.parametrize('kind', ['float', 'comply', 'retreat'])
def test_stop_holds_what_moves(yumi: RobotModel, rig: Make, kind: str) -> None:
    loop = rig(yumi, kind)
    loop.run(HIT)
    loop.run(120, contact=True)
    assert loop.reacting.activity == 'reacting'
    loop.reacting.stop()
    loop.step()
    loop.until('resting', 100)
    assert loop.reacting.active == 'hold'
    held = loop.step().position
    loop.reacting.stop()
    np.testing.assert_array_equal(loop.step().position, held)


def test_a_motion_that_cannot_go_on_stays_at_rest(yumi: RobotModel) -> None:
    path = yumi.home + np.linspace(0.0, 0.1, 500)[:, None] ** 2
    reacting = Reacting(OfflinePlanner(path, H), yumi, H, 'hold')
    state = JointState(yumi.home, np.zeros(yumi.n))
    reacting.step(state, ExternalInputs(contact=True))
    assert reacting.activity == 'resting'
    with pytest.raises(GoalError, match='cannot be resumed'):
        reacting.resume(state)
    assert reacting.activity == 'resting'


def test_a_moving_robot_has_nothing_to_resume(yumi: RobotModel, rig: Make) -> None:
    loop = rig(yumi, 'hold')
    loop.run(10)
    before = loop.reacting.snapshot().planner
    assert loop.reacting.resume(loop.control.state)
    loop.reacting.stop()
    assert loop.reacting.activity == 'moving'
    assert loop.reacting.snapshot().planner == before


def test_a_failed_attempt_to_resume_is_part_of_the_state(yumi: RobotModel) -> None:
    """Where there is no way the robot stays; who goes back to before the attempt tries again."""
    attempts = []

    def replan(position: np.ndarray) -> OfflinePlanner:
        attempts.append(position)
        raise GoalError('no way from here')

    path = yumi.home + np.linspace(0.0, 0.1, 500)[:, None] ** 2
    reacting = Reacting(OfflinePlanner(path, H), yumi, H, 'hold', replan=replan, resume_after=5)
    state = JointState(yumi.home, np.zeros(yumi.n))
    reacting.step(state, ExternalInputs(contact=True))
    before = reacting.snapshot()
    for expected in (1, 2):
        for _ in range(20):
            reacting.step(state, NO_INPUTS)
        assert (len(attempts), reacting.activity) == (expected, 'resting')
        after = reacting.snapshot()
        reacting.restore(before)
    reacting.restore(after)
    for _ in range(20):
        reacting.step(state, NO_INPUTS)
    assert len(attempts) == 2


def at_rest(robot: RobotModel) -> JointState:
    return JointState(robot.home, np.zeros(robot.n))


def slow_start(robot: RobotModel) -> OfflinePlanner:
    return OfflinePlanner(robot.home + np.linspace(0.0, 0.1, 500)[:, None] ** 2, H)


def test_inputs_that_tell_of_no_contact_begin_no_reaction(two_link: RobotModel) -> None:
    """None at all, and those of wrist sensors alone."""
    reacting = Reacting(slow_start(two_link), two_link, H, 'stop')
    for inputs in (NO_INPUTS, ExternalInputs(wrenches=np.zeros((1, 6)))):
        reacting.step(at_rest(two_link), inputs)
        assert reacting.activity == 'moving'


def test_a_push_and_an_impact_have_their_own_reactions(two_link: RobotModel) -> None:
    for kind, expected in (('push', 'hold'), ('impact', 'stop')):
        reacting = Reacting(slow_start(two_link), two_link, H, 'stop', 'hold')
        reacting.step(at_rest(two_link), ExternalInputs(contact=True, kind=kind))
        assert reacting.active == expected


@pytest.mark.parametrize('after', [0, 3])
def test_it_goes_on_in_the_step_after_so_many_of_rest(two_link: RobotModel, after: int) -> None:
    """Counted from the last contact on."""
    reacting = Reacting(
        slow_start(two_link),
        two_link,
        H,
        'hold',
        replan=lambda _: slow_start(two_link),
        resume_after=after,
    )
    state = at_rest(two_link)
    reacting.step(state, ExternalInputs(contact=True, kind='push'))
    for _ in range(2):  # the second contact begins the count anew
        for _ in range(after):
            reacting.step(state, NO_INPUTS)
        assert reacting.activity == 'resting'
        reacting.step(state, ExternalInputs(contact=True, kind='push'))
    for _ in range(after):
        reacting.step(state, NO_INPUTS)
        assert reacting.activity == 'resting'
    reacting.step(state, NO_INPUTS)
    assert reacting.activity == 'moving'


def test_restored_every_attribute_is_as_it_was(two_link: RobotModel) -> None:
    """On the way, with a contact, at rest, and where there is no way to go on."""
    reacting = Reacting(slow_start(two_link), two_link, H, 'hold', resume_after=5)
    saved = []
    for k in range(60):
        if k % 7 == 0:
            saved.append((reacting.snapshot(), attributes(reacting)))
        position = two_link.home + 3e-4 * min(k, 40)  # so that the trail grows
        state = JointState(position, np.zeros(two_link.n))
        reacting.step(state, ExternalInputs(contact=40 <= k < 44))
    assert reacting.activity == 'resting', 'it has no way to go on'
    for snapshot, before in reversed(saved):
        reacting.restore(snapshot)
        assert differing(attributes(reacting), before) == []
