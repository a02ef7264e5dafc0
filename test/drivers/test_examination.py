"""What is wrong with a driver is found from what is heard of it, and nothing else is."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import pytest

from simloop_ros.core.values import Array
from simloop_ros.drivers.config import DriverContract, FaultConfig
from simloop_ros.drivers.examination import STATES, examine
from simloop_ros.drivers.finding import Finding, is_fit
from simloop_ros.drivers.heard import Controller, Endpoint, HeardDriver, HeardStates
from simloop_ros.drivers.stand_in import StandIn
from simloop_ros.drivers.timing_check import measure
from simloop_ros.plants.config import PlantConfig
from simloop_ros.robot.model import RobotModel

RATE = 100.0
COUNT = 200
CONTRACT = DriverContract(
    description='of a test',
    takes='effort',
    command_topic='c/commands',
    rate=RATE,
    gravity='robot',
    effort='torque',
    when_silent='holds',
)
COMMANDS = 'std_msgs/msg/Float64MultiArray'
TRANSIT = 0.0005  # [s]


def states_of(
    model: RobotModel, effort: Array | None = None, kept: Sequence[int] | None = None
) -> HeardStates:
    """Return states of a robot at rest at home, that come at once.

    :param kept: which of them arrive.
    """
    steps = np.arange(COUNT) if kept is None else np.array(kept)
    stamps = steps / RATE
    shown = np.zeros((len(steps), 0)) if effort is None else np.tile(effort, (len(steps), 1))
    return HeardStates(
        joints=model.joint_names,
        waited=0.1,
        arrivals=stamps + TRANSIT,
        stamps=stamps,
        ages=np.full(len(steps), TRANSIT),
        stamped=True,
        positions=np.tile(model.home, (len(steps), 1)),
        efforts=shown,
    )


def heard(model: RobotModel, states: HeardStates | None = None, **changes: object) -> HeardDriver:
    """Return what is heard of a driver that is as it should be, with changes."""
    if states is None:
        states = states_of(model, effort_of(model))
    driver = HeardDriver(
        states=states,
        patience=2.0,
        publishers=(Endpoint(node='/broadcaster', kind=STATES, reliable=True),),
        listeners=(Endpoint(node='/c', kind=COMMANDS, reliable=True),),
        controller=Controller(joints=model.joint_names, interface='effort'),
    )
    return msgspec.structs.replace(driver, **changes)


def effort_of(model: RobotModel, payload: float = 0.0, **changes: object) -> Array:
    """Return what a stand-in at rest shows as effort."""
    contract = msgspec.structs.replace(CONTRACT, **changes)
    faults = FaultConfig(payload=payload)
    robot = StandIn(contract, model, PlantConfig(), faults, np.random.default_rng(0))
    return robot.state().effort


def wrong(model: RobotModel, driver: HeardDriver, **changes: object) -> list[Finding]:
    contract = msgspec.structs.replace(CONTRACT, **changes)
    found = examine(contract, model, driver)
    assert is_fit(found) == (not [f for f in found if f.verdict == 'wrong'])
    return [finding for finding in found if finding.verdict == 'wrong']


def only(model: RobotModel, driver: HeardDriver, **changes: object) -> str:
    """Return the line of the only thing that is wrong."""
    (finding,) = wrong(model, driver, **changes)
    assert finding.remedy
    return finding.line


def test_a_driver_that_is_as_it_should_be_is_fit(lwr: RobotModel) -> None:
    assert wrong(lwr, heard(lwr)) == []
    assert examine(CONTRACT, None, heard(lwr))  # without a model, too


def test_nothing_is_heard(lwr: RobotModel) -> None:
    silent = HeardDriver(states=None, patience=2.0, elsewhere=('/left/joint_states',))
    lines = [finding.line for finding in wrong(lwr, silent)]
    assert 'no message on joint_states within 2 s; joint states are on /left' in lines[0]
    assert 'nobody listens on c/commands; ros2 control switch_controllers' in lines[1]


def test_joints_of_another_name(lwr: RobotModel) -> None:
    states = states_of(lwr, effort_of(lwr))
    prefixed = msgspec.structs.replace(
        states, joints=tuple(f'left_{name}' for name in lwr.joint_names)
    )
    assert "their prefix is 'left_'" in only(lwr, heard(lwr, prefixed))
    foreign = msgspec.structs.replace(states, joints=tuple('abcdefg'))
    assert "take the URDF of the driver's own" in only(lwr, heard(lwr, foreign))
    assert 'the driver has shoulder' in wrong(lwr, heard(lwr), joints=('shoulder',))[0].line


def test_order_and_interface_of_the_controller(lwr: RobotModel) -> None:
    other = Controller(joints=lwr.joint_names[::-1], interface='effort')
    line = only(lwr, heard(lwr, controller=other))
    assert f'set joints=[{", ".join(lwr.joint_names[::-1])}]' in line
    velocity = Controller(joints=lwr.joint_names, interface='velocity')
    assert 'takes velocity, and not effort' in only(lwr, heard(lwr, controller=velocity))
    assert not wrong(lwr, heard(lwr, controller=None))  # it did not answer: a hint


def test_who_else_is_on_the_topics(lwr: RobotModel) -> None:
    speaker = Endpoint(node='/teleop', kind=COMMANDS, reliable=True)
    assert '/teleop publishes on c/commands' in only(lwr, heard(lwr, speakers=(speaker,)))
    taker = Endpoint(node='/c', kind=STATES, reliable=True)
    assert f'takes {STATES}' in only(lwr, heard(lwr, listeners=(taker,)))
    assert 'nobody listens' in only(lwr, heard(lwr, listeners=()))


@pytest.mark.parametrize('factor', [0.5, 0.97, 1.05, 2.0])
def test_a_rate_that_is_not_the_driver_s(lwr: RobotModel, factor: float) -> None:
    line = only(lwr, heard(lwr), rate=RATE * factor)
    assert f'rate: 100 Hz instead of {RATE * factor:g} Hz' in line
    assert wrong(lwr, heard(lwr), rate=RATE * 1.01) == []
    assert wrong(lwr, heard(lwr), rate=None) == []  # told as a hint


def test_neither_jitter_nor_losses_change_the_rate(lwr: RobotModel) -> None:
    rng = np.random.default_rng(0)
    kept = np.flatnonzero(rng.random(COUNT) > 0.3)
    states = states_of(lwr, kept=kept)
    jitter = 0.2 / RATE * rng.random(len(kept))
    timing = measure(msgspec.structs.replace(states, stamps=states.stamps + jitter))
    assert timing.rate == pytest.approx(RATE, rel=5e-3)
    assert timing.lost == pytest.approx(0.3, abs=0.08)


def test_lost_states(lwr: RobotModel) -> None:
    kept = np.flatnonzero(np.arange(COUNT) % 5)
    states = states_of(lwr, effort_of(lwr), kept)
    assert 'losses: 20 % of the states' in only(lwr, heard(lwr, states))


def test_states_in_bunches(lwr: RobotModel) -> None:
    states = states_of(lwr, effort_of(lwr))
    wait = (4 - np.arange(COUNT) % 5) / RATE
    bunched = msgspec.structs.replace(
        states, arrivals=states.arrivals + wait, ages=states.ages + wait
    )
    line = only(lwr, heard(lwr, bunched))
    assert 'jitter: a quarter of the states is 30.0 ms late, or more (3.0 periods)' in line


def test_a_driver_that_pauses(lwr: RobotModel) -> None:
    kept = [i for i in range(COUNT) if not 80 <= i < 130]
    states = states_of(lwr, effort_of(lwr), kept)
    assert 'pauses: no state for 0.51 s' in only(lwr, heard(lwr, states))


def test_stamps(lwr: RobotModel) -> None:
    states = states_of(lwr, effort_of(lwr))
    old = msgspec.structs.replace(states, ages=states.ages + 3.0)
    assert 'the states are 3.001 s old' in only(lwr, heard(lwr, old))
    without = msgspec.structs.replace(states, stamped=False)
    assert 'the states have none' in only(lwr, heard(lwr, without))
    twice = msgspec.structs.replace(states, stamps=np.repeat(states.stamps[::2], 2))
    lines = [finding.line for finding in wrong(lwr, heard(lwr, twice))]
    assert '100 of 200 are not after the one before' in lines[0]


def test_the_way_of_the_states_is_part_of_the_lag(lwr: RobotModel) -> None:
    states = states_of(lwr, effort_of(lwr))
    slow = msgspec.structs.replace(states, ages=states.ages + 0.02)

    def line(contract: DriverContract) -> str:
        found = examine(contract, lwr, heard(lwr, slow))
        return next(finding.line for finding in found if finding.check == 'lag')

    assert line(CONTRACT).startswith('hint   lag: 20.5 ms of it are the way of the states')
    assert 'set lag=0.021 or more' in line(CONTRACT)
    assert line(msgspec.structs.replace(CONTRACT, lag=0.015)).startswith('fit')


@pytest.mark.parametrize('robot', ['lwr', 'irb120', 'yumi', 'two_link'])
@pytest.mark.parametrize('shown', ['torque', 'torque_without_gravity', 'current'])
@pytest.mark.parametrize('declared', ['torque', 'torque_without_gravity', 'current', None])
def test_the_meaning_of_effort_is_found(
    shipped: object, robot: str, shown: str, declared: str | None
) -> None:
    model = shipped(robot)  # type: ignore[operator]
    states = states_of(model, effort_of(model, effort=shown))
    driver, contract = heard(model, states), msgspec.structs.replace(CONTRACT, effort=declared)
    (found,) = (f for f in examine(contract, model, driver) if f.check == 'effort')
    if declared is None:
        assert found.verdict == 'hint'
        assert f'looks like {shown}' in found.what
    elif declared == shown:
        assert found.verdict == 'fit'
    else:
        assert found.verdict == 'wrong'
        assert f'set effort={shown}' in found.remedy


@pytest.mark.parametrize('meaning', ['torque', 'torque_without_gravity'])
def test_a_payload_that_is_not_known(lwr: RobotModel, meaning: str) -> None:
    states = states_of(lwr, effort_of(lwr, 2.0, effort=meaning))
    line = only(lwr, heard(lwr, states), effort=meaning)
    whom = {'torque': 'model', 'torque_without_gravity': 'robot'}[meaning]
    assert f'payload: 2.00 kg at flange that the {whom} does not know' in line


def test_efforts_of_the_opposite_sign_of_another_robot_and_of_none(lwr: RobotModel) -> None:
    assert 'opposite sign' in only(lwr, heard(lwr, states_of(lwr, -effort_of(lwr))))
    foreign = np.roll(effort_of(lwr), 3)
    assert 'is this the right URDF' in only(lwr, heard(lwr, states_of(lwr, foreign)))
    assert 'set effort=none' in only(lwr, heard(lwr, states_of(lwr)))


def test_gains_of_the_drives_turn_a_current_into_a_torque(lwr: RobotModel) -> None:
    driver = heard(lwr, states_of(lwr, effort_of(lwr, effort='current')))
    gains = dict.fromkeys(lwr.joint_names, 10.0)
    assert wrong(lwr, driver, effort='current', drive_gains=gains) == []


def test_a_robot_that_moves_is_not_judged(lwr: RobotModel) -> None:
    states = states_of(lwr, 2.0 * effort_of(lwr))
    ramp = np.linspace(0.0, 0.1, COUNT)[:, None]
    moving = msgspec.structs.replace(states, positions=states.positions + ramp)
    found = examine(CONTRACT, lwr, heard(lwr, moving))
    assert 'the robot moves' in next(f.line for f in found if f.check == 'effort')


def test_who_compensates_gravity_has_to_be_given(lwr: RobotModel) -> None:
    assert 'set gravity=robot or gravity=command' in only(lwr, heard(lwr), gravity=None)
