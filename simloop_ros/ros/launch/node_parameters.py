"""The parameters of each node of a scenario's graph."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
import re
from typing import Any, Literal

import msgspec

from ...collision.detector import find_calibration
from ...control.config import ControlConfig
from ...core.errors import ConfigError
from ...core.resources import resource_folder
from ...drivers.joint_order import command_joints
from ...planning.config import TaskConfig
from ...robot.config import RobotConfig
from ...robot.loading import load_robot
from ...robot.urdf import find_description
from ...robotstudio.axes import linked_axes
from ...robotstudio.config import LinkConfig, parse_address, read_move_time
from ...robotstudio.packet import JOINTS
from ...scenario.robot_files import is_robot_or_scenario_file
from ...scenario.scenario import Scenario
from ...teaching.config import TeachConfig
from ...teaching.task_file import find_task
from ..node.parameter_values import parameter_values
from ..pacing.config import DriverConfig, GoalListConfig, PublishConfig
from .driven import bearing_delay
from .guidable import refuse_guiding
from .options import ADD_REALTIME, ROBOT_TOPICS, WiringOptions

ROS_NAME = re.compile(r'(~/|/)?[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*')
"""Names of topics and namespaces that ROS allows."""


def refuse_options(scenario: Scenario, options: WiringOptions) -> None:
    """Raise ConfigError for options that contradict the scenario."""
    _refuse_names(options)
    source = scenario.admittance.source
    if source == 'driver' and not options.realtime:
        raise ConfigError(f'admittance.source: a driver measures in real time: {ADD_REALTIME}')
    if source == 'truth' and not options.simulated:
        raise ConfigError('admittance.source: only a simulated plant publishes the truth')
    if options.action and find_spec('control_msgs') is None:
        raise ConfigError(
            'action: control_msgs is not installed; leave it out, or get it (docs/goals.md)'
        )
    if options.trace and not options.realtime:
        raise ConfigError(f'trace: in lockstep nothing is late: {ADD_REALTIME}')
    if options.driver_topic:
        if options.simulated:
            raise ConfigError(
                'driver_topic: a driver takes the place of the plant: add plant none'
            )
    elif options.driver_output or options.gravity_handled:
        raise ConfigError(
            'driver_output, gravity_handled: only with a driver_topic (--driver-topic TOPIC of '
            'simloop launch, driver_topic:=TOPIC of ros2 launch)'
        )
    refuse_guiding(scenario, options)
    streams = options.stream_joint_states or options.stream_commands
    if options.robot_states and options.simulated and not streams:
        raise ConfigError('robot_states: of a real robot: add plant none, or stream_commands')
    if streams:
        if not (options.realtime and options.simulated):
            raise ConfigError("a stream of positions is a simulated plant's, in real time")
        if scenario.admittance.guides and source != 'driver':
            raise ConfigError(
                f'admittance.source: {source} is of the simulated robot; the torques of a robot '
                'that follows its positions are needed: driver'
            )


def _refuse_names(options: WiringOptions) -> None:
    """Raise ConfigError for a namespace or a topic that ROS does not allow."""
    topics = {name: getattr(options, name) for name in ROBOT_TOPICS}
    for option, name in {'namespace': options.absolute_namespace, **topics}.items():
        if name and not ROS_NAME.fullmatch(name):
            raise ConfigError(
                f'{option}: {name!r} given; letters, digits and _ are allowed, none of its parts '
                'between slashes begins with a digit'
            )


Executable = Literal[
    'motion_planner',
    'admittance',
    'bimanual',
    'control_simulation',
    'plant',
    'robot_follower',
    'collision_monitor',
    'recorder',
    'robotstudio',
    'teach',
]
Parameters = dict[str, Any]


def node_parameters(scenario: Scenario, options: WiringOptions) -> dict[Executable, Parameters]:
    """Return the parameters that each node of a scenario has for itself; raises ConfigError."""
    scenario = _with_absolute_paths(scenario)
    urdf = find_description(scenario.robot.urdf, resource_folder('urdf'))
    robot = {**parameter_values(scenario.robot, 'robot'), 'robot.urdf': str(urdf.absolute())}
    real = not options.simulated
    control = scenario.control.resolved(
        noisy=scenario.plant.encoder_error > 0.0,
        realtime=options.realtime,
        flexible=scenario.plant.flexible_joints,
    )
    guarded = scenario.safety.resolved(real=real)
    control, guarded = bearing_delay(control, guarded, scenario.period, options)
    safety = parameter_values(guarded, 'safety')
    parameters: dict[Executable, Parameters] = {
        _planner(scenario): {**robot, **_planner_parameters(scenario, options, control), **safety},
        'control_simulation': {**robot, **parameter_values(control, 'control'), **safety},
    }
    if options.simulated:
        parameters['plant'] = {**robot, **_plant_parameters(scenario, options), **safety}
    if options.driver_topic:
        if options.driver_joints:
            command_joints(options.driver_joints, load_robot(scenario.robot, urdf.parent))
        driver = parameter_values(_driver(options), 'driver')
        parameters['control_simulation'] |= driver  # it waits for the follower
        parameters['robot_follower'] = {
            **robot,
            **parameter_values(control, 'control'),
            **safety,
            **driver,
            'driver.guided': _planner(scenario) == 'admittance',
        }
    parameters['collision_monitor'] = {**robot, **_monitor_parameters(scenario, options)}
    if options.out:
        parameters['recorder'] = {
            'recorder.scenario': msgspec.json.encode(scenario).decode(),
            'recorder.out': str(Path(options.out).absolute()),
            'recorder.numbered': options.numbered,
            'recorder.simulated': options.simulated,
            'recorder.truth': _publishes_truth(scenario, options),
            'recorder.figures': options.figures,
            'recorder.endless': options.endless,
            'recorder.commands': _driver(options).output if options.driver_topic else '',
            'recorder.lag': options.driver_lag,
            'recorder.gravity_handled': options.gravity_handled,
        }
    if options.robotstudio:
        link = _link(options, scenario.robot)
        parameters['robotstudio'] = {**robot, **parameter_values(link, 'robotstudio')}
    if options.teach:
        parameters['teach'] = {**robot, **parameter_values(_teach(scenario, options), 'teach')}
    return parameters


def _with_absolute_paths(scenario: Scenario) -> Scenario:
    """Return the scenario for nodes that may be started in another folder than a user's files."""
    task = scenario.planner
    if isinstance(task, TaskConfig) and find_task(task.file) == Path(task.file).expanduser():
        file = str(Path(task.file).expanduser().absolute())
        planner = msgspec.structs.replace(task, file=file)
        scenario = msgspec.structs.replace(scenario, planner=planner)
    given = scenario.monitor.calibration
    if not given or find_calibration(given, scenario.period) != Path(given):
        return scenario
    path = str(Path(given).absolute())
    monitor = msgspec.structs.replace(scenario.monitor, calibration=path)
    return msgspec.structs.replace(scenario, monitor=monitor)


def _planner(scenario: Scenario) -> Executable:
    if scenario.planner.kind == 'bimanual':
        return 'bimanual'
    guiding = scenario.admittance.guides or scenario.planner.kind == 'guiding'
    return 'admittance' if guiding else 'motion_planner'


def _publishes_truth(scenario: Scenario, options: WiringOptions) -> bool:
    """Return whether the true state differs from the measured one."""
    return options.simulated and not scenario.plant.shows_truth


def _sensing(options: WiringOptions) -> Parameters:
    return {'sensing.drivers': not options.simulated}


def _planner_parameters(
    scenario: Scenario, options: WiringOptions, control: ControlConfig
) -> Parameters:
    return {
        **parameter_values(scenario.planner, 'planner'),
        **parameter_values(scenario.goal_limits, 'goal_limits'),
        **parameter_values(GoalListConfig(list=scenario.goals), 'goals'),
        **parameter_values(scenario.monitor, 'monitor'),
        **parameter_values(scenario.reaction, 'reaction'),
        **parameter_values(scenario.admittance, 'admittance'),
        **parameter_values(scenario.bimanual, 'bimanual'),
        **parameter_values(scenario.world, 'world'),
        'random.seed': scenario.seed,
        'tracking.noise': scenario.plant.encoder_error,
        'tracking.compliance': control.compliance(scenario.period),
        **(
            {'tracking.contact_stiffness': scenario.contact_stiffness}
            if scenario.contact_stiffness is not None
            else {}
        ),
        **(_sensing(options) if _planner(scenario) == 'bimanual' else {}),
    }


def _plant_parameters(scenario: Scenario, options: WiringOptions) -> Parameters:
    publish = PublishConfig(
        truth=_publishes_truth(scenario, options),
        torque=scenario.admittance.guides,
        hands=_planner(scenario) == 'bimanual',
        clock=not options.absolute_namespace,
        description=options.description,
    )
    return {
        **parameter_values(scenario.plant_in_world, 'plant'),
        **parameter_values(publish, 'publish'),
        'random.seed': scenario.seed,
        **options.stream,
    }


def _driver(options: WiringOptions) -> DriverConfig:
    given: dict[str, Any] = {
        'topic': options.driver_topic,
        'gravity_handled': options.gravity_handled,
        'joints': options.driver_joints,
        'controllers': options.driver_controllers,
    }
    chosen = {'output': options.driver_output, 'message': options.driver_message}
    given |= {key: value for key, value in chosen.items() if value}
    try:
        return msgspec.convert(msgspec.to_builtins(given), DriverConfig)
    except msgspec.ValidationError as error:
        raise ConfigError(f'driver_output: {options.driver_output!r} given: {error}') from error


def _monitor_parameters(scenario: Scenario, options: WiringOptions) -> Parameters:
    watches = scenario.monitor.watches
    tare_time = scenario.wrist_tare(simulated=options.simulated) if watches else None
    sensors: Parameters = {}
    if tare_time is not None:
        sensors = {'reporting.wrist_tare_time': tare_time, **_sensing(options)}
    return {
        **parameter_values(scenario.monitor, 'monitor'),
        'reporting.every_step': watches or scenario.admittance.guides,
        **sensors,
    }


def _teach(scenario: Scenario, options: WiringOptions) -> TeachConfig:
    if not is_robot_or_scenario_file(options.teach):
        raise ConfigError(f'teach: {options.teach} given; a YAML file is needed, as task.yaml')
    played = scenario.planner.file if isinstance(scenario.planner, TaskConfig) else ''
    return TeachConfig(out=str(Path(options.teach).expanduser().absolute()), task=played)


def _link(options: WiringOptions, robot: RobotConfig) -> LinkConfig:
    if not options.realtime:
        raise ConfigError(f'robotstudio: a controller moves in real time: {ADD_REALTIME}')
    host, port = parse_address(options.robotstudio)
    link = LinkConfig(host=host, port=port)
    if options.robotstudio_time:
        seconds = read_move_time(options.robotstudio_time)
        link = msgspec.structs.replace(link, move_time=seconds)
    model = load_robot(robot, resource_folder('urdf'))
    if model.n != JOINTS:
        raise ConfigError(
            f'robotstudio: the robot has {model.n} joints, a packet has {JOINTS}: hold the others '
            'with robot.lock, or send the finished run with simloop robotstudio --joints'
        )
    linked_axes(model, link)
    return link
