"""A stand-in does what the contract says: laws of a robot behind a driver that holds commands."""

from __future__ import annotations

from math import exp, pi

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import ConfigError
from simloop_ros.core.values import Array
from simloop_ros.drivers.config import DRIVE_GAIN, DriverContract, FaultConfig
from simloop_ros.drivers.delivery import StateDelivery
from simloop_ros.drivers.stand_in import SILENCE, StandIn
from simloop_ros.plants.config import PlantConfig
from simloop_ros.robot.config import Payload
from simloop_ros.robot.model import RobotModel
from simloop_ros.robot.payload import with_payload

RATE = 200.0
CONTRACT = DriverContract(
    description='of a test',
    takes='effort',
    command_topic='c/commands',
    rate=RATE,
    gravity='robot',
    effort='torque',
    when_silent='holds',
)
ROUNDING = 1e-9
SETTLED = 1e-3  # of a servo of 100 rad/s after a second [rad]


def stand_in(
    model: RobotModel,
    faults: FaultConfig = FaultConfig(),  # noqa: B008 - frozen
    plant: PlantConfig = PlantConfig(),  # noqa: B008
    **changes: object,
) -> StandIn:
    contract = msgspec.structs.replace(CONTRACT, **changes)
    return StandIn(contract, model, plant, faults, np.random.default_rng(0))


def gravity(model: RobotModel, q: Array) -> Array:
    return pin.computeGeneralizedGravity(model.pin_model, model.pin_model.createData(), q).copy()


def run(robot: StandIn, seconds: float) -> None:
    for _ in range(round(seconds * RATE)):
        robot.step()


def test_until_the_first_command_the_robot_is_held(lwr: RobotModel) -> None:
    robot = stand_in(lwr)
    run(robot, 0.5)
    state = robot.state()
    np.testing.assert_array_equal(state.position, lwr.home)
    np.testing.assert_allclose(state.effort, gravity(lwr, lwr.home), atol=ROUNDING)


@pytest.mark.parametrize('engine', ['pinocchio', 'mujoco'])
def test_gravity_is_compensated_by_whom_the_contract_names(lwr: RobotModel, engine: str) -> None:
    sent = {'robot': np.zeros(lwr.n), 'command': gravity(lwr, lwr.home)}
    for who, effort in sent.items():
        robot = stand_in(lwr, gravity=who, plant=PlantConfig(engine=engine))
        robot.take(effort)
        run(robot, 0.5)
        np.testing.assert_allclose(robot.state().position, lwr.home, atol=1e-6)
    falls = stand_in(lwr, gravity='command')
    falls.take(np.zeros(lwr.n))
    run(falls, 0.2)
    assert np.abs(falls.state().position - lwr.home).max() > 0.01


def test_an_unknown_payload_is_not_compensated_and_shows_in_the_torque(lwr: RobotModel) -> None:
    robot = stand_in(lwr, FaultConfig(payload=2.0))
    loaded = with_payload(lwr, Payload(mass=2.0))
    np.testing.assert_allclose(robot.state().effort, gravity(loaded, lwr.home), atol=ROUNDING)
    robot.take(np.zeros(lwr.n))
    before = lwr.tip_positions(lwr.home)[0, 2]
    run(robot, 0.2)
    assert lwr.tip_positions(robot.state().position)[0, 2] < before - 0.01


def test_the_last_command_is_held_for_ever(two_link: RobotModel) -> None:
    robot = stand_in(two_link)
    robot.take(np.array([1.0, 0.0]))
    run(robot, 0.5)
    early = robot.state().velocity[0]
    run(robot, 0.5)
    assert robot.state().velocity[0] > 1.5 * early > 0.0
    assert not robot.fault


def test_silence_faults_or_fades_where_the_contract_says_so(two_link: RobotModel) -> None:
    faults, fades = (stand_in(two_link, when_silent=kind) for kind in ('faults', 'decays'))
    for robot in (faults, fades):
        robot.take(np.array([1.0, 0.0]))
        run(robot, 3 * SILENCE)
    assert faults.fault == f'no command for {SILENCE:g} s'
    own = fades.state().effort - gravity(two_link, fades.state().position)
    assert 0.05 < own[0] < 0.3  # two time constants


def test_what_is_not_finite_is_dropped(two_link: RobotModel) -> None:
    robot = stand_in(two_link)
    robot.take(np.array([np.nan, 0.0]))
    robot.take(np.array([np.inf, 0.0]))
    run(robot, 0.1)
    assert (robot.dropped, robot.fault) == (2, '')
    np.testing.assert_array_equal(robot.state().position, two_link.home)


def test_a_wrong_size_is_an_error_and_the_robot_comes_to_rest(two_link: RobotModel) -> None:
    robot = stand_in(two_link)
    robot.take(np.array([5.0, 0.0]))
    run(robot, 0.3)
    robot.take(np.zeros(3))
    assert robot.fault == 'controller error: a command of 3 numbers for 2 joints'
    run(robot, 0.5)
    where = robot.state().position
    robot.take(np.array([5.0, 0.0]))
    run(robot, 0.5)
    np.testing.assert_allclose(robot.state().position, where, atol=ROUNDING)


def test_reflexes_at_the_limits_of_the_maker(two_link: RobotModel) -> None:
    beyond = stand_in(two_link, effort_limit={'joint1': 3.0})
    beyond.take(np.array([3.1, 0.0]))
    beyond.step()
    assert beyond.fault == 'reflex: command of joint1 is 3.1 N m, limit 3'
    fast = stand_in(two_link, velocity_limit={'joint1': 0.1})
    fast.take(np.array([2.0, 0.0]))
    run(fast, 2.0)
    assert fast.fault.startswith('reflex: speed of joint1')
    assert abs(fast.state().velocity[0]) < 1e-6


def test_commands_and_states_have_the_order_of_the_driver(two_link: RobotModel) -> None:
    swapped = stand_in(two_link, joints=('joint2', 'joint1'))
    plain = stand_in(two_link)
    wrong = stand_in(two_link, FaultConfig(order=True))
    named = stand_in(two_link)
    swapped.take(np.array([0.0, 1.0]))
    wrong.take(np.array([0.0, 1.0]))
    plain.take(np.array([1.0, 0.0]))
    named.take_named(['gripper', 'joint2', 'joint1'], np.array([9.0, 0.0, 1.0]))
    for robot in (swapped, wrong, plain, named):
        run(robot, 0.2)
    expected = plain.state().position
    assert np.abs(expected - two_link.home).max() > 1e-3
    np.testing.assert_array_equal(swapped.state().position[::-1], expected)
    np.testing.assert_array_equal(wrong.state().position[::-1], expected)
    np.testing.assert_array_equal(named.state().position, expected)
    assert wrong.joints == ('joint2', 'joint1')


def test_any_order_of_joints_is_the_same_motion(lwr: RobotModel) -> None:
    effort = np.arange(7.0)
    rotated = np.roll(np.arange(7), 2)
    plain = stand_in(lwr)
    other = stand_in(lwr, joints=tuple(lwr.joint_names[i] for i in rotated))
    plain.take(effort)
    other.take(effort[rotated])
    for robot in (plain, other):
        run(robot, 0.1)
    np.testing.assert_array_equal(other.state().position, plain.state().position[rotated])
    assert np.abs(plain.state().position - lwr.home).max() > 1e-3


def test_a_command_acts_one_lag_later(two_link: RobotModel) -> None:
    robot = stand_in(two_link, lag=3 / RATE)
    robot.take(np.array([1.0, 0.0]))
    moved = []
    for _ in range(5):
        robot.step()
        moved.append(bool((robot.state().position != two_link.home).any()))
    assert moved == [False, False, False, True, True]


def test_a_robot_that_takes_positions_goes_there(irb120: RobotModel) -> None:
    robot = stand_in(irb120, takes='position')
    goal = irb120.home + 0.05
    for share in np.linspace(0.0, 1.0, 200):
        robot.take(irb120.home + share * (goal - irb120.home))
        robot.step()
    run(robot, 1.0)
    np.testing.assert_allclose(robot.state().position, goal, atol=SETTLED)
    np.testing.assert_allclose(robot.state().effort, gravity(irb120, goal), atol=0.1)


def test_effort_is_what_the_contract_says(lwr: RobotModel) -> None:
    torque = gravity(lwr, lwr.home)
    expected = {
        'torque': torque,
        'torque_without_gravity': 0.0 * torque,
        'current': torque / DRIVE_GAIN,
        'none': np.empty(0),
    }
    for meaning, effort in expected.items():
        shown = stand_in(lwr, effort=meaning).state().effort
        np.testing.assert_allclose(shown, effort, atol=ROUNDING)
    shown = stand_in(lwr, FaultConfig(current=True)).state().effort
    np.testing.assert_allclose(shown, torque / DRIVE_GAIN, atol=ROUNDING)


def test_the_effort_has_passed_the_filter_of_the_driver(lwr: RobotModel) -> None:
    bandwidth = 10.0
    robot = stand_in(lwr, effort_bandwidth=bandwidth)
    before = robot.state().effort
    robot.take(np.array([5.0, *np.zeros(6)]))
    run(robot, 4 / RATE)
    share = (robot.state().effort - before)[0] / 5.0
    assert share == pytest.approx(1.0 - exp(-2.0 * pi * bandwidth * 4 / RATE), abs=0.02)


@pytest.mark.parametrize('key', ['rate', 'gravity', 'effort'])
def test_what_robots_differ_in_has_to_be_given(two_link: RobotModel, key: str) -> None:
    with pytest.raises(ConfigError, match=f'^{key}: not in the driver file'):
        stand_in(two_link, **{key: None})


def test_another_robot_is_refused(two_link: RobotModel) -> None:
    with pytest.raises(ConfigError, match='the driver has elbow'):
        stand_in(two_link, joints=('elbow', 'joint1'))
    with pytest.raises(ConfigError, match=r'hold them with robot\.lock'):
        stand_in(two_link, joints=('joint1',))


def sent(faults: FaultConfig, count: int = 400) -> list[list[int]]:
    """Return which of the messages are sent at each of them."""
    delivery = StateDelivery(faults, 1.0 / RATE, np.random.default_rng(0))
    messages = [i.to_bytes(2, 'big') for i in range(count)]
    return [[int.from_bytes(m, 'big') for m in delivery.send(one)] for one in messages]


def test_states_arrive_as_the_faults_say() -> None:
    assert sent(FaultConfig()) == [[i] for i in range(400)]
    assert sent(FaultConfig(bunched=3))[:6] == [[], [], [0, 1, 2], [], [], [3, 4, 5]]
    assert [bool(now) for now in sent(FaultConfig(late_start=1.0))] == [False] * 200 + [True] * 200
    share = sum(not now for now in sent(FaultConfig(lost=0.2), 4000)) / 4000
    assert share == pytest.approx(0.2, abs=0.03)
    silent = [i / RATE for i, now in enumerate(sent(FaultConfig(freeze=0.5))) if not now]
    assert min(silent) == pytest.approx(1.0, abs=0.01)
    assert max(silent) == pytest.approx(1.5, abs=0.02)


@pytest.mark.parametrize('takes', ['position', 'velocity', 'effort'])
def test_controllers_of_others_drive_it_by_joint_states(lwr: RobotModel, takes: str) -> None:
    """Joints in any order; NaN, which is sent while no controller is active, changes nothing."""
    robot = stand_in(lwr, takes=takes, message='joint_state')
    names = lwr.joint_names[::-1]
    goal = lwr.home + np.linspace(0.0, 0.1, lwr.n)
    robot.take_named(names, np.full(lwr.n, np.nan))
    run(robot, 0.1)
    np.testing.assert_array_equal(robot.state().position, lwr.home)
    sent = {'position': goal, 'velocity': 0.5 * (goal - lwr.home), 'effort': np.zeros(lwr.n)}
    robot.take_named(names, sent[takes][::-1])
    run(robot, 2.0)
    robot.take_named(names, np.full(lwr.n, np.nan))
    expected = lwr.home if takes == 'effort' else goal
    np.testing.assert_allclose(robot.state().position, expected, rtol=0, atol=5e-3)
    assert robot.dropped == 2
    assert not robot.fault


def test_a_robot_that_takes_positions_feels_a_hand_in_its_torque(lwr: RobotModel) -> None:
    """At rest, the joints hold the weight and what pushes them."""
    pushed = np.linspace(-2.0, 2.0, lwr.n)
    robot = stand_in(lwr, takes='position')
    robot.take(lwr.home)
    for _ in range(round(RATE)):
        robot.step(pushed)
    state = robot.state()
    held = gravity(lwr, state.position) - pushed
    np.testing.assert_allclose(state.effort, held, atol=1e-3)
