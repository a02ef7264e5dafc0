"""A graph by the name of a robot's driver: its file fills what nobody has given."""

from __future__ import annotations

from typing import Any

import pytest

from simloop_ros.cli.launch import planned
from simloop_ros.cli.main import make_parser
from simloop_ros.collision.config import MonitorConfig
from simloop_ros.core.errors import ConfigError
from simloop_ros.ros.launch.options import WiringOptions
from simloop_ros.ros.launch.wiring import NodeSpec, wire
from simloop_ros.ros.node.parameter_values import parse_config
from simloop_ros.ros.pacing.config import DriverConfig
from simloop_ros.scenario.loading import load_scenario

STEP = ['step', '--set', 'robot=irb120', '--set', 'planner.move=[[0, 0.05, 0]]']
RELIABILITY = 'qos_overrides./{}.subscription.reliability'
EFFORT = ('--driver', 'generic', '--driver-set', 'gravity=command', '--driver-set')
MEASURED = ('--set', 'monitor.signal=measured')


def nodes_of(*arguments: str) -> dict[str, NodeSpec]:
    scenario, options = planned(make_parser('launch').parse_args(['launch', *STEP, *arguments]))
    return {node.executable: node for node in wire(scenario, options)}


def driver_of(nodes: dict[str, NodeSpec]) -> DriverConfig:
    prefix = 'driver.'
    parameters: dict[str, Any] = {
        name: value
        for name, value in nodes['robot_follower'].parameters.items()
        if name.startswith(prefix)
    }
    return parse_config(DriverConfig, 'driver', parameters)


def test_the_file_says_topic_order_rate_and_who_compensates_gravity() -> None:
    nodes = nodes_of('--driver', 'abb_egm')
    assert 'plant' not in nodes
    assert driver_of(nodes) == DriverConfig(
        topic='forward_command_controller_position/commands', output='position'
    )
    for node in nodes.values():
        assert node.parameters['period'] == 1 / 250
        assert node.parameters['realtime']
        assert node.parameters[RELIABILITY.format('joint_states')] == 'best_effort'


def test_order_and_kind_of_the_message_reach_the_follower() -> None:
    joints = tuple(f'joint_{i}' for i in (6, 5, 4, 3, 2, 1))
    changes = ('prefix=""', f'joints=[{", ".join(joints)}]', 'message=joint_state')
    changes += ('effort_limit={}', 'velocity_limit={}')
    given = [word for change in changes for word in ('--driver-set', change)]
    driver = driver_of(nodes_of('--driver', 'fr3', *given))
    assert driver.gravity_handled
    assert driver.output == 'effort'
    assert driver.message == 'joint_state'
    assert driver.joints == joints


def test_the_file_says_what_the_joints_measure() -> None:
    gains = {f'joint_{i}': 10.0 + i for i in range(1, 7)}
    short = ', '.join(f'{name.removeprefix("joi")}: {gain}' for name, gain in gains.items())
    currents = ('--driver-set', 'effort=current', '--driver-set', f'drive_gains={{{short}}}')
    node = nodes_of(
        *(*EFFORT, 'rate=100', '--driver-set', 'prefix=joi', *currents, *MEASURED),
        *('--robot-states', '/arm/states'),
    )['collision_monitor']
    told = parse_config(MonitorConfig, 'monitor', node.parameters)
    assert (told.signal, told.effort, told.drive_gains) == ('measured', 'current', gains)
    assert ('measured_torque', '/arm/states') in node.remappings
    commands = nodes_of(*EFFORT, 'rate=100')['collision_monitor'].remappings
    assert 'measured_torque' not in dict(commands)


def test_options_override_the_file() -> None:
    nodes = nodes_of(
        *('--driver', 'abb_egm', '--driver-topic', '/mine', '--driver-output', 'effort'),
        *('--gravity-handled', '--driver-set', 'rate=100', '--robot-states', '/arm/states'),
    )
    driver = driver_of(nodes)
    assert (driver.topic, driver.output, driver.gravity_handled) == ('/mine', 'effort', True)
    node = nodes['control_simulation']
    assert node.parameters['period'] == 0.01
    assert ('joint_states', '/arm/states') in node.remappings
    assert node.parameters[RELIABILITY.format('arm/states')] == 'best_effort'


@pytest.mark.parametrize('rate', [100, 110, 125, 250])
def test_the_frequency_that_a_refusal_tells_is_taken(rate: int) -> None:
    given = (*EFFORT, f'rate={rate}', '--set', 'safety.lateness=refuse')
    told: list[str] = []
    for key in ('control.natural_frequency', 'safety.hold_frequency'):
        with pytest.raises(ConfigError, match=f'set {key}=') as refusal:
            nodes_of(*given, *told)
        setting = str(refusal.value).partition('set ')[2].partition(',')[0]
        told += ['--set', setting]
    assert nodes_of(*given, *told)


def test_a_namespace_holds_driver_and_suite() -> None:
    node = nodes_of('--driver', 'abb_egm', '--namespace', 'left')['control_simulation']
    assert node.parameters[RELIABILITY.format('left/joint_states')] == 'best_effort'


def test_joint_states_of_a_simulated_plant_are_left_alone() -> None:
    scenario = load_scenario('step', ['robot=irb120', 'planner.move=[[0, 0.05, 0]]'])
    for node in wire(scenario, WiringOptions(realtime=True)):
        assert RELIABILITY.format('joint_states') not in node.parameters


@pytest.mark.parametrize(
    ('arguments', 'natural', 'hold'),
    [
        ((*EFFORT, 'rate=1000'), 60.0, 60.0),
        ((*EFFORT, 'rate=100'), 20.0, 20.0),
        ((*EFFORT, 'rate=100', '--driver-set', 'lag=0.015'), 10.0, 10.0),
        ((*EFFORT, 'rate=100', '--set', 'control.natural_frequency=5'), 5.0, 20.0),
        (('--driver', 'abb_egm'), 60.0, 60.0),
    ],
)
def test_frequencies_bear_the_delay_of_a_driver(
    arguments: tuple[str, ...], natural: float, hold: float
) -> None:
    """One that takes positions closes its loop itself."""
    nodes = nodes_of(*arguments)
    for name in ('control_simulation', 'robot_follower'):
        given = nodes[name].parameters
        assert given['control.natural_frequency'] == pytest.approx(natural)
        assert given['safety.hold_frequency'] == pytest.approx(hold)
    assert nodes['motion_planner'].parameters['tracking.compliance'] == pytest.approx(natural**-2)


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        ((*EFFORT, 'rate=100', '--set', 'control.law=deadbeat'), 'deadbeat bears no delay'),
        (
            (*EFFORT, 'rate=100', '--set', 'safety.lateness=refuse'),
            'up to 10 ms after .* set control.natural_frequency=20',
        ),
        (('--driver', 'generic'), 'gravity=robot or gravity=command'),
        (('--driver', 'abb_egm', '--set', 'period=0.01'), 'the driver publishes at 250 Hz'),
        (('--driver', 'abb_egm', '--plant', 'mujoco'), 'takes the place of the plant'),
        (('--driver-set', 'rate=1'), 'add --driver'),
        (('--driver', 'ur5e'), 'the driver has shoulder_pan_joint, the model joint_1'),
        (('--driver', 'ur5'), 'did you mean ur5e'),
        (('--driver', 'abb_egm', *MEASURED), 'this driver publishes no efforts'),
        ((*EFFORT, 'rate=100', *MEASURED), 'simloop connect finds it out'),
        (
            (*EFFORT, 'rate=100', '--driver-set', 'effort=current', *MEASURED),
            'efforts of this driver are currents; set its drive_gains',
        ),
    ],
)
def test_contradictions_are_refused(arguments: tuple[str, ...], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        nodes_of(*arguments)


def test_controllers_that_cannot_be_switched_are_switched_by_hand() -> None:
    """The package with the service is on no registry: here it is not installed."""
    names = 'controllers={ours: forward_effort, robot: trajectory}'
    with pytest.raises(ConfigError, match='controller_manager_msgs is not installed') as refusal:
        nodes_of('--driver', 'abb_egm', '--driver-set', names)
    for words in (
        'switch_controllers --deactivate trajectory --activate forward_effort',
        'switch_controllers --deactivate forward_effort --activate trajectory',
    ):
        assert words in str(refusal.value)
