"""From a scenario to nodes: nothing of it gets lost, and options change what they say."""

from __future__ import annotations

from collections.abc import Mapping
import math
from pathlib import Path
import re
from typing import Any

import msgspec
import pytest
import yaml

from simloop_ros.bimanual.config import BimanualConfig
from simloop_ros.collision.config import MonitorConfig
from simloop_ros.collision.detector import find_calibration
from simloop_ros.control.config import ControlConfig
from simloop_ros.core.errors import ConfigError, ModelError, UnsafeCommandError
from simloop_ros.core.resources import resource_folder
from simloop_ros.planning.config import PlannerConfig
from simloop_ros.plants.config import PlantConfig
from simloop_ros.robot.config import RobotConfig
from simloop_ros.robot.loading import load_robot
from simloop_ros.robotstudio.config import LinkConfig
from simloop_ros.ros.launch import node_parameters
from simloop_ros.ros.launch.graph import programs
from simloop_ros.ros.launch.options import (
    PRIORITY,
    WiringOptions,
    plant_settings,
    read_priority,
)
from simloop_ros.ros.launch.wiring import NodeSpec, has_clock, parameter_file, wire
from simloop_ros.ros.node.parameter_values import parse_config
from simloop_ros.ros.pacing.config import DriverConfig, GraphConfig, PublishConfig
from simloop_ros.safety.config import SafetyConfig
from simloop_ros.scenario.loading import load_scenario, scenario_names
from simloop_ros.scenario.scenario import Scenario
from simloop_ros.teaching.config import TeachConfig
from simloop_ros.teaching.task_file import find_task
from simloop_ros.world.config import WorldConfig

NEEDS = {'step': ('robot=two_link', 'planner.move=[[0.1, 0, 0.1]]')}
"""What has to be added to a shipped scenario before it runs."""
PLANNERS = {'motion_planner', 'admittance', 'bimanual'}
OTHERS = {'control_simulation', 'plant', 'collision_monitor', 'recorder'}


@pytest.fixture(params=scenario_names())
def scenario(request: pytest.FixtureRequest) -> Scenario:
    return load_scenario(request.param, NEEDS.get(request.param, ()))


def wired(scenario: Scenario, **options: Any) -> dict[str, NodeSpec]:
    """Return the nodes by the names of their programs."""
    nodes = wire(scenario, WiringOptions(**options))
    assert len({node.full_name for node in nodes}) == len(nodes)
    return {node.executable: node for node in nodes}


def graph_config(parameters: Mapping[str, Any]) -> GraphConfig:
    """Return what every node is told: the parameters without a prefix."""
    own = {name: value for name, value in parameters.items() if '.' not in name}
    return parse_config(GraphConfig, '', own)


def test_nodes_of_a_scenario(scenario: Scenario) -> None:
    nodes = wired(scenario, out='runs')
    guided = scenario.planner.kind == 'guiding' or scenario.admittance.guides
    held = scenario.planner.kind == 'bimanual'
    planner = 'bimanual' if held else 'admittance' if guided else 'motion_planner'
    assert set(nodes) == OTHERS | {planner}
    assert {name for name, node in nodes.items() if node.ends_graph} == {'recorder'}


def test_the_parameters_hold_the_whole_scenario(scenario: Scenario) -> None:
    nodes = wired(scenario, out='runs')
    for name, node in nodes.items():
        given = node.parameters
        assert graph_config(given).period == scenario.period
        if name == 'recorder':
            continue
        robot = parse_config(RobotConfig, 'robot', given)
        assert Path(robot.urdf).is_absolute()
        assert Path(robot.urdf).name == Path(scenario.robot.urdf).name
        assert msgspec.structs.replace(robot, urdf=scenario.robot.urdf) == scenario.robot
    (planner,) = (nodes[name].parameters for name in PLANNERS & set(nodes))
    assert parse_config(PlannerConfig, 'planner', planner) == scenario.planner
    assert parse_config(BimanualConfig, 'bimanual', planner) == scenario.bimanual
    assert parse_config(WorldConfig, 'world', planner) == scenario.world
    plant = nodes['plant'].parameters
    assert parse_config(PlantConfig, 'plant', plant) == scenario.plant_in_world
    assert plant['random.seed'] == scenario.seed
    for name in ('plant', 'control_simulation'):
        assert parse_config(SafetyConfig, 'safety', nodes[name].parameters) == scenario.safety
    control = parse_config(ControlConfig, 'control', nodes['control_simulation'].parameters)
    for field, value in msgspec.structs.asdict(scenario.control).items():
        chosen = getattr(control, field)
        assert chosen is not None
        assert value in (chosen, None)
    recorded = nodes['recorder'].parameters['recorder.scenario']
    told = msgspec.json.decode(recorded, type=Scenario)
    assert told == scenario
    for name in (*PLANNERS & set(nodes), 'collision_monitor'):
        watched = parse_config(MonitorConfig, 'monitor', nodes[name].parameters)
        assert watched == told.monitor


def test_every_node_is_given_what_it_declares(scenario: Scenario) -> None:
    pytest.importorskip('rclpy')
    from simloop_ros.nodes.composed import KINDS

    for name, node in wired(scenario, out='runs').items():
        sections: Mapping[str, type[msgspec.Struct]] = KINDS[name].SECTIONS  # type: ignore[attr-defined]
        for section, kind in sections.items():
            parse_config(kind, section, node.parameters)
        prefixes = {key.partition('.')[0] for key in node.parameters if '.' in key}
        assert prefixes <= set(sections)


def test_the_parameter_file_has_the_same_values(scenario: Scenario) -> None:
    nodes = wire(scenario, WiringOptions(namespace='left', out='runs'))
    text = parameter_file(nodes)
    read = yaml.safe_load(text)
    assert list(read) == [node.full_name for node in nodes]
    for node in nodes:
        values = read[node.full_name]['ros__parameters']
        assert list(values) == list(node.parameters)
        for name, value in node.parameters.items():
            assert type(values[name]) is type(value)
            assert values[name] == value or (math.isnan(value) and math.isnan(values[name]))


def test_the_parameter_file_has_no_references() -> None:
    """PyYAML writes a list that occurs twice as a reference, which ROS does not read."""
    nodes = wire(load_scenario('yumi_step'), WiringOptions())
    assert nodes[0].parameters['robot.tips'] is nodes[-1].parameters['robot.tips']
    events = yaml.parse(parameter_file(nodes))
    assert not [event for event in events if isinstance(event, yaml.AliasEvent)]


@pytest.mark.parametrize('given', ['left/arm', '/left/arm', '/left/arm/'])
def test_a_namespace_moves_every_node(given: str) -> None:
    scenario = load_scenario('sphere_step')
    plain, moved = wired(scenario), wired(scenario, namespace=given)
    for name, node in moved.items():
        assert node.full_name == f'/left/arm/{name}'
        assert plain[name].full_name == f'/{name}'
        assert node.executable == plain[name].executable
        changed = {
            key
            for key, value in node.parameters.items()
            if str(value) != str(plain[name].parameters[key])
        }
        # There is one /clock, and there may be several graphs.
        assert changed == ({'publish.clock'} if name == 'plant' else set())


def test_who_has_a_clock() -> None:
    scenario = load_scenario('sphere_step')
    assert has_clock(wire(scenario, WiringOptions()))
    assert not has_clock(wire(scenario, WiringOptions(realtime=True)))
    assert not has_clock(wire(scenario, WiringOptions(namespace='left')))
    assert not has_clock(wire(scenario, WiringOptions(realtime=True, simulated=False)))


def test_without_a_plant_time_is_real() -> None:
    with pytest.raises(ConfigError, match='add realtime'):
        wire(load_scenario('sphere_step'), WiringOptions(simulated=False))


def test_a_robot_takes_the_place_of_the_plant() -> None:
    scenario = load_scenario('sphere_step', ['plant.noise=1e-5'])
    nodes = wired(scenario, realtime=True, simulated=False, out='runs')
    assert set(nodes) == {'motion_planner'} | OTHERS - {'plant'}
    recorder = nodes['recorder'].parameters
    assert recorder['recorder.simulated'] is False
    assert recorder['recorder.truth'] is False
    assert all(graph_config(node.parameters).realtime for node in nodes.values())


HOLD = ('period=0.002', 'monitor.calibration=yumi_collision', 'monitor.kind=disturbance_observer')


def test_two_hands_have_a_node_of_their_own() -> None:
    nodes = wired(load_scenario('yumi_hold'), out='runs')
    assert 'motion_planner' not in nodes
    assert nodes['bimanual'].parameters['sensing.drivers'] is False
    assert 'reporting.wrist_tare_time' not in nodes['collision_monitor'].parameters
    for scenario, told in (('yumi_hold', True), ('yumi_step', False)):
        plant = wired(load_scenario(scenario))['plant'].parameters
        assert parse_config(PublishConfig, 'publish', plant).hands is told


def test_a_monitor_is_told_what_the_wrists_feel() -> None:
    for name, settings in (
        ('yumi_hold', HOLD),
        ('yumi_collision', ('plant.sensors={noise: 5}',)),  # whatever the hands do
    ):
        told = wired(load_scenario(name, settings))['collision_monitor'].parameters
        assert told['reporting.wrist_tare_time'] == 0.1
    for name, settings in (('yumi_hold', ()), ('yumi_collision', ())):
        quiet = wired(load_scenario(name, settings))['collision_monitor'].parameters
        assert 'reporting.wrist_tare_time' not in quiet


def test_without_a_plant_the_drivers_of_the_sensors_speak() -> None:
    scenario = load_scenario('yumi_hold', ['plant.sensors=null', *HOLD])
    nodes = wired(scenario, realtime=True, simulated=False)
    assert 'plant' not in nodes
    for name in ('bimanual', 'collision_monitor'):
        assert nodes[name].parameters['sensing.drivers'] is True
    assert nodes['collision_monitor'].parameters['reporting.wrist_tare_time'] == 0.1
    alone = load_scenario('yumi_collision', ['plant.sensors={noise: 5}'])  # nobody has sensors
    nodes = wired(alone, realtime=True, simulated=False)
    assert 'reporting.wrist_tare_time' not in nodes['collision_monitor'].parameters


@pytest.mark.parametrize(
    ('setting', 'reason'),
    [
        ('plant.sensors=null', 'wrist sensors'),
        ('monitor.reaction=float', 'would part hands'),
        ('admittance.source=observer', 'a yield'),
    ],
)
def test_what_contradicts_two_hands_is_refused_before_anything_starts(
    setting: str, reason: str
) -> None:
    with pytest.raises(ConfigError, match=reason):
        wire(load_scenario('yumi_hold', [setting]), WiringOptions())


def test_a_calibration_of_the_user_is_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = find_calibration('sphere_collision', 0.005)
    (tmp_path / 'mine.yaml').write_bytes(shipped.read_bytes())
    monkeypatch.chdir(tmp_path)
    scenario = load_scenario('sphere_collision', ['monitor.calibration=mine.yaml'])
    nodes = wired(scenario)
    for name in ('motion_planner', 'collision_monitor'):
        given = parse_config(MonitorConfig, 'monitor', nodes[name].parameters)
        assert given.calibration == str(tmp_path / 'mine.yaml')


@pytest.mark.parametrize('text', ['-1', '100', '1.5', '', 'high', '٣٣٣'])
def test_a_priority_is_a_number_that_linux_has(text: str) -> None:
    assert (read_priority('0'), read_priority('99')) == (0, 99)
    with pytest.raises(ConfigError, match='from 0 to 99'):
        read_priority(text)


def test_in_real_time_all_but_the_recorder_are_urgent(scenario: Scenario) -> None:
    for realtime in (False, True):
        for name, node in wired(scenario, realtime=realtime, out='runs').items():
            urgent = realtime and name != 'recorder'
            assert (graph_config(node.parameters).priority > 0) == urgent


@pytest.mark.parametrize(
    ('settings', 'realtime', 'law', 'rollback'),
    [
        ([], False, 'deadbeat', 'measured'),
        ([], True, 'computed_torque', 'observer'),
        (['plant.noise=1e-5'], False, 'deadbeat', 'observer'),
        (['plant.resolution=1e-5'], False, 'deadbeat', 'observer'),
        (['plant.noise=1e-5', 'control.rollback=measured'], False, 'deadbeat', 'measured'),
        (['control.rollback=measured'], True, 'computed_torque', 'measured'),
        (['control.rollback=observer'], False, 'deadbeat', 'observer'),
        (['control.law=deadbeat'], True, 'deadbeat', 'observer'),
        (['control.law=computed_torque'], False, 'computed_torque', 'measured'),
        (['control.law=pid'], True, 'pid', 'observer'),
    ],
)
def test_choices_that_a_scenario_leaves_open(
    settings: list[str], realtime: bool, law: str, rollback: str
) -> None:
    nodes = wired(load_scenario('sphere_step', settings), realtime=realtime)
    given = nodes['control_simulation'].parameters
    assert given['control.law'] == law
    assert given['control.rollback'] == rollback


@pytest.mark.parametrize(
    ('setting', 'differs'),
    [
        ('seed=1', False),
        ('plant.noise=1e-5', True),
        ('plant.delay=2', True),
        ('plant.takes=position', True),
    ],
)
def test_the_truth_is_told_where_it_is_not_what_is_measured(setting: str, differs: bool) -> None:
    nodes = wired(load_scenario('sphere_step', [setting]), out='runs')
    publish = parse_config(PublishConfig, 'publish', nodes['plant'].parameters)
    assert publish.truth is differs
    assert nodes['recorder'].parameters['recorder.truth'] is differs


def test_the_planner_knows_the_error_of_the_encoders() -> None:
    """It is no sign of a hand, nor of a motion that cannot be followed."""
    settings = ['plant.noise=1e-5', 'plant.resolution=1e-4']
    for name, planner in (('sphere_guiding', 'admittance'), ('sphere_step', 'motion_planner')):
        scenario = load_scenario(name, settings)
        given = wired(scenario)[planner].parameters['tracking.noise']
        assert given == scenario.plant.encoder_error > 0


def test_nobody_waits_for_a_recorder_that_is_not_there() -> None:
    scenario = load_scenario('sphere_step')
    with_recorder, without = wired(scenario, out='runs'), wired(scenario)
    assert 'recorder' not in without
    assert all(not graph_config(node.parameters).window for node in without.values())
    assert all(graph_config(node.parameters).window for node in with_recorder.values())


def test_who_describes_the_robot() -> None:
    scenario = load_scenario('sphere_step')
    for description in (True, False):
        given = wired(scenario, description=description)['plant'].parameters
        assert parse_config(PublishConfig, 'publish', given).description is description


def test_results_go_where_the_user_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    nodes = wired(load_scenario('sphere_step'), out='here', figures=False)
    assert nodes['recorder'].parameters['recorder.out'] == str(tmp_path / 'here')
    assert nodes['recorder'].parameters['recorder.figures'] is False


def test_a_robot_that_is_not_there() -> None:
    with pytest.raises(ModelError, match='no such robot description'):
        wire(load_scenario('sphere_step', ['robot.urdf=nowhere.urdf']), WiringOptions())


@pytest.mark.parametrize(('plant', 'engine'), [('', 'pinocchio'), ('none', 'pinocchio')])
def test_no_choice_of_a_plant_changes_nothing(plant: str, engine: str) -> None:
    assert load_scenario('sphere_step', plant_settings(plant)).plant.engine == engine


@pytest.mark.parametrize('plant', ['pinocchio', 'pybullet', 'mujoco'])
def test_choice_of_the_plant(plant: str) -> None:
    assert load_scenario('sphere_collision', plant_settings(plant)).plant.engine == plant


STREAM = {'stream_commands': '/arm/commands', 'robot_states': '/joint_states'}


def test_a_surrogate_streams_its_positions_to_the_robot() -> None:
    scenario = load_scenario('lwr_tcp', ['admittance.source=driver'])
    nodes = wired(scenario, realtime=True, robot_torques='/arm/torques', **STREAM)
    plant = nodes['plant'].parameters
    assert plant['stream.commands'] == '/arm/commands'
    assert plant['stream.robot'] == '/joint_states'
    assert 'stream.joint_states' not in plant  # that is left as it is
    assert ('measured_external_torque', '/arm/torques') in nodes['admittance'].remappings


def test_the_action_has_the_name_that_a_robot_is_known_by(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario, name = load_scenario('irb120_rectangle'), 'arm/follow'
    monkeypatch.setattr(node_parameters, 'find_spec', lambda _: None)
    with pytest.raises(ConfigError, match='control_msgs is not installed'):
        wired(scenario, action=name)
    monkeypatch.setattr(node_parameters, 'find_spec', lambda _: object())
    nodes = wired(scenario, action=name)
    assert ('follow_joint_trajectory', name) in nodes['motion_planner'].remappings
    with pytest.raises(ConfigError, match=r'action: .* given; letters, digits'):
        wired(scenario, action='my arm')


@pytest.mark.parametrize(
    ('source', 'options', 'reason'),
    [
        ('driver', {'realtime': True, 'simulated': False}, 'simulated plant'),
        ('none', {}, 'real time'),
        ('observer', {'realtime': True}, 'driver'),
        ('truth', {'realtime': True}, 'driver'),
    ],
)
def test_a_stream_that_cannot_be_is_refused(
    source: str, options: dict[str, Any], reason: str
) -> None:
    scenario = load_scenario('lwr_tcp', [f'admittance.source={source}'])
    with pytest.raises(ConfigError, match=reason):
        wire(scenario, WiringOptions(**options, **STREAM))


def test_a_trace_is_of_real_time() -> None:
    scenario = load_scenario('yumi_step')
    for node in wired(scenario, realtime=True, out='runs', trace='/somewhere').values():
        assert graph_config(node.parameters).trace == '/somewhere'
    with pytest.raises(ConfigError, match='add realtime'):
        wire(scenario, WiringOptions(trace='/somewhere'))


DRIVER: dict[str, Any] = {'simulated': False, 'realtime': True, 'driver_topic': '/arm/commands'}


def test_a_driver_gets_a_process_beside_it() -> None:
    pytest.importorskip('rclpy')
    from simloop_ros.nodes.robot_follower import RobotFollowerNode

    scenario = load_scenario('yumi_step')
    assert 'robot_follower' not in wired(scenario, simulated=False, realtime=True)
    given = {'driver_output': 'position', 'gravity_handled': True}
    nodes = wired(scenario, **DRIVER, **given)
    follower = nodes['robot_follower'].parameters
    sections = {key.partition('.')[0] for key in follower if '.' in key}
    assert sections == {*RobotFollowerNode.SECTIONS, 'qos_overrides'}
    assert parse_config(DriverConfig, 'driver', follower) == DriverConfig(
        topic='/arm/commands', output='position', gravity_handled=True
    )
    assert graph_config(follower).priority == PRIORITY
    waits = parse_config(DriverConfig, 'driver', nodes['control_simulation'].parameters)
    assert waits.topic == '/arm/commands'


def test_the_process_beside_a_driver_is_never_shared(tmp_path: Path) -> None:
    nodes = wire(load_scenario('yumi_step'), WiringOptions(**DRIVER))
    names = [program.name for program in programs(nodes, tmp_path, composed=True)]
    assert names == ['composed', 'robot_follower']
    [shared, follower] = programs(nodes, tmp_path, composed=True)
    assert 'robot_follower' not in shared.command
    assert 'simloop_ros.nodes.robot_follower' in follower.command


@pytest.mark.parametrize(
    ('options', 'reason'),
    [
        ({'simulated': True}, 'takes the place of the plant'),
        ({'driver_output': 'speed'}, 'driver_output'),
        ({'driver_topic': '', 'gravity_handled': True}, 'only with a driver_topic'),
    ],
)
def test_a_driver_that_cannot_be_is_refused(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        wire(load_scenario('yumi_step'), WiringOptions(**{**DRIVER, **options}))


SIX = ('robot.lock=[lwr_a6_joint]',)  # joints are left


def test_a_controller_follows_in_real_time() -> None:
    scenario = load_scenario('lwr_tcp', SIX)
    given = {'robotstudio': 'robot.example:5000', 'robotstudio_time': '0.25'}
    nodes = wired(scenario, realtime=True, out='runs', **given)
    link = parse_config(LinkConfig, 'robotstudio', nodes['robotstudio'].parameters)
    assert link == LinkConfig(host='robot.example', port=5000, move_time=0.25)
    assert graph_config(nodes['robotstudio'].parameters).priority == 0  # it waits for a network
    assert nodes['robotstudio'].parameters['robot.urdf'] == nodes['plant'].parameters['robot.urdf']
    assert 'robotstudio' not in wired(scenario, realtime=True)
    with pytest.raises(ConfigError, match='add realtime'):
        wire(scenario, WiringOptions(robotstudio='robot.example:5000'))


def test_the_link_is_given_what_it_declares() -> None:
    pytest.importorskip('rclpy')
    from simloop_ros.nodes.robotstudio import RobotStudioNode

    scenario = load_scenario('lwr_tcp', SIX)
    given = wired(scenario, realtime=True, robotstudio='[::1]:5000')['robotstudio']
    for section, kind in RobotStudioNode.SECTIONS.items():
        parse_config(kind, section, given.parameters)
    prefixes = {key.partition('.')[0] for key in given.parameters if '.' in key}
    assert prefixes == set(RobotStudioNode.SECTIONS)
    assert given.parameters['robotstudio.host'] == '::1'


@pytest.mark.parametrize(
    ('address', 'seconds', 'reason'),
    [
        ('5000', '', 'HOST:PORT is needed'),
        ('robot', '', 'HOST:PORT is needed'),
        (':5000', '', 'HOST:PORT is needed'),
        ('::1:5000', '', 'HOST:PORT is needed'),
        ('robot:', '', 'from 1 to 65535'),
        ('robot:0', '', 'from 1 to 65535'),
        ('robot:65536', '', 'from 1 to 65535'),
        ('robot:5000', 'soon', "'soon' given"),
        ('robot:5000', '0.001', 'do not fit 4 characters'),
    ],
)
def test_an_address_or_a_time_that_is_none(address: str, seconds: str, reason: str) -> None:
    options = WiringOptions(realtime=True, robotstudio=address, robotstudio_time=seconds)
    with pytest.raises(ConfigError, match=reason):
        wire(load_scenario('lwr_tcp', SIX), options)


@pytest.mark.parametrize(('name', 'joints'), [('yumi_step', 14), ('lwr_tcp', 7)])
def test_a_robot_that_no_controller_can_follow(name: str, joints: int) -> None:
    options = WiringOptions(realtime=True, robotstudio='robot:5000')
    with pytest.raises(ConfigError, match=f'the robot has {joints} joints, a packet has 6: hold'):
        wire(load_scenario(name), options)


def test_a_robot_that_is_too_slow_for_its_first_move(tmp_path: Path) -> None:
    urdf = tmp_path / 'slow.urdf'
    robot = load_scenario('irb120_rectangle').robot
    text = load_robot(robot, resource_folder('urdf')).urdf
    urdf.write_text(re.sub(r'velocity="[^"]*"', 'velocity="0.1"', text))
    scenario = load_scenario('irb120_rectangle', [f'robot.urdf={urdf}'])
    with pytest.raises(UnsafeCommandError, match='10 s to cross its range given'):
        wire(scenario, WiringOptions(realtime=True, robotstudio='robot:5000'))


def test_a_node_that_teaches() -> None:
    """It is there if a file is named, knows the task that is played, and has no priority."""
    led = wired(load_scenario('lwr_teach'), realtime=True, teach='task.yaml')['teach']
    config = parse_config(TeachConfig, 'teach', led.parameters)
    assert (config.out, config.task) == (str(Path('task.yaml').absolute()), '')
    assert graph_config(led.parameters).priority == 0
    repeated = wired(load_scenario('lwr_repeat'), teach='~/task.yaml')['teach']
    config = parse_config(TeachConfig, 'teach', repeated.parameters)
    assert (config.out, config.task) == (str(Path('~/task.yaml').expanduser()), 'lwr_led')
    assert 'teach' not in wired(load_scenario('lwr_teach'))
    with pytest.raises(ConfigError, match='teach: task given; a YAML file is needed'):
        wired(load_scenario('lwr_teach'), teach='task')


def test_the_file_of_a_task_is_found_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / 'task.yaml'
    path.write_text(find_task('lwr_led').read_text())
    monkeypatch.chdir(tmp_path)
    planner = wired(load_scenario('lwr_repeat', ['planner.file=task.yaml']))['motion_planner']
    assert planner.parameters['planner.file'] == str(path)
    with pytest.raises(ConfigError, match='unknown task'):
        wired(load_scenario('lwr_repeat', ['planner.file=task']))
