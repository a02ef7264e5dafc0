"""From a scenario to its nodes: plain data for launch files and ``simloop launch``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml

from ...collision.detector import find_calibration
from ...core.errors import ConfigError
from ...core.resources import PACKAGE, resource_folder
from ...robot.config import RobotConfig
from ...robot.loading import load_robot
from ...robot.urdf import find_description
from ...robotstudio.axes import linked_axes
from ...robotstudio.config import LinkConfig, parse_address, read_move_time
from ...robotstudio.packet import JOINTS
from ...scenario.contradictions import refuse_contradictions
from ...scenario.scenario import Scenario
from ..node.config import PublishConfig
from ..node.parameter_values import parameter_values
from ..pacing.config import GraphConfig

NO_PLANT = 'none'
"""Choice of the plant where a real robot takes its place."""
ORDINARY_PRIORITY = ('recorder', 'robotstudio')
"""Nodes without real-time priority."""
PRIORITY = 50
"""Default of ``WiringOptions.priority``."""
MAX_PRIORITY = 99
RECORDER_WINDOW = 512
"""Steps that the plant may be ahead of the recorder, in lockstep."""

Executable = Literal[
    'motion_planner',
    'admittance',
    'bimanual',
    'control_simulation',
    'plant',
    'collision_monitor',
    'recorder',
    'robotstudio',
]


class NodeSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One node of the graph.

    :ivar executable: name of its program.
    :ivar package: ROS package that the program belongs to.
    :ivar name: in the graph; empty if it is that of the program.
    :ivar namespace: absolute, or empty for none.
    :ivar parameters: by name.
    :ivar remappings: from, to.
    :ivar arguments: of the program, before those of ROS.
    :ivar ends_graph: whether the graph is done when this node is.
    """

    executable: str
    package: str = PACKAGE
    name: str = ''
    namespace: str = ''
    parameters: dict[str, Any]
    remappings: tuple[tuple[str, str], ...] = ()
    arguments: tuple[str, ...] = ()
    ends_graph: bool = False

    @property
    def full_name(self) -> str:
        """Return the node's name with its namespace."""
        return f'{self.namespace}/{self.name or self.executable}'


class WiringOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How the graph of a scenario shall run.

    :ivar realtime: whether time is real; else lockstep.
    :ivar simulated: whether the plant is simulated; else a robot's driver is there.
    :ivar namespace: of all nodes; empty for none.
    :ivar out: folder for the results; empty if nothing is recorded.
    :ivar figures: whether the recorder draws figures.
    :ivar description: whether the plant publishes ``robot_description``; else the
        ``robot_state_publisher`` does.
    :ivar remappings: of topics, for all nodes.
    :ivar stream_joint_states: topic for the simulated positions as JointState, and
        ``stream_commands`` as Float64MultiArray, for a real robot that takes positions only;
        empty for none.
    :ivar robot_states: topic of that robot's joint states; empty for the default.
    :ivar robot_torques: topic of a robot's external torques; empty for the default.
    :ivar robotstudio: ``HOST:PORT`` of a controller that is sent the positions as targets; empty
        for none.
    :ivar robotstudio_time: its move time from target to target [s]; empty for the default.
    :ivar priority: in real time, ``SCHED_FIFO`` priority of all nodes but recorder and
        robotstudio, if the system allows it; 0 for none.
    """

    realtime: bool = False
    simulated: bool = True
    namespace: str = ''
    out: str = ''
    figures: bool = True
    description: bool = True
    remappings: tuple[tuple[str, str], ...] = ()
    stream_joint_states: str = ''
    stream_commands: str = ''
    robot_states: str = ''
    robot_torques: str = ''
    robotstudio: str = ''
    robotstudio_time: str = ''
    priority: int = PRIORITY


def wire(scenario: Scenario, options: WiringOptions) -> tuple[NodeSpec, ...]:
    """Return the nodes that run a scenario.

    :raises ConfigError: options or settings of the scenario contradict each other, or do not fit
        the robot.
    """
    if not options.simulated and not options.realtime:
        raise ConfigError('without a simulated plant time has to be real: add realtime')
    refuse_contradictions(scenario, simulated=options.simulated)
    guides, source = scenario.admittance.guides, scenario.admittance.source
    if source == 'driver' and not options.realtime:
        raise ConfigError('admittance.source: a driver measures in real time: add realtime')
    if source == 'truth' and not options.simulated:
        raise ConfigError('admittance.source: only a simulated plant publishes the truth')
    stream = {
        'stream.joint_states': options.stream_joint_states,
        'stream.commands': options.stream_commands,
        'stream.robot': options.robot_states,
    }
    if options.stream_joint_states or options.stream_commands:
        if not (options.realtime and options.simulated):
            raise ConfigError("a stream of positions is a simulated plant's, in real time")
        if guides and source != 'driver':
            raise ConfigError(
                f'admittance.source: {source} is of the simulated robot; the torques of a robot '
                'that follows its positions are needed: driver'
            )
    namespace = '/' + options.namespace.strip('/') if options.namespace.strip('/') else ''
    urdf = find_description(scenario.robot.urdf, resource_folder('urdf'))
    robot = {
        **parameter_values(scenario.robot, 'robot'),
        'robot.urdf': str(urdf.absolute()),
    }
    given = scenario.monitor.calibration
    if given and find_calibration(given, scenario.period) == Path(given):
        # A file of the user: nodes may be started in another folder.
        path = str(Path(given).absolute())
        monitor = msgspec.structs.replace(scenario.monitor, calibration=path)
        scenario = msgspec.structs.replace(scenario, monitor=monitor)
    plant = scenario.plant
    noisy = plant.encoder_error > 0.0
    control = scenario.control.resolved(
        noisy=noisy, realtime=options.realtime, flexible=plant.flexible_joints
    )
    truth = options.simulated and not plant.shows_truth
    graph = GraphConfig(
        period=scenario.period,
        realtime=options.realtime,
        window=RECORDER_WINDOW if options.out else 0,
    )
    safety = parameter_values(scenario.safety, 'safety')
    planner = {
        **robot,
        **parameter_values(scenario.planner, 'planner'),
        **parameter_values(scenario.monitor, 'monitor'),
        **parameter_values(scenario.reaction, 'reaction'),
        **parameter_values(scenario.admittance, 'admittance'),
        **parameter_values(scenario.bimanual, 'bimanual'),
        **safety,
        'tracking.noise': plant.encoder_error,
        'tracking.compliance': control.compliance(scenario.period),
    }
    guiding = guides or scenario.planner.kind == 'guiding'
    two_hands = scenario.planner.kind == 'bimanual'
    sensing = {'sensing.drivers': not options.simulated}
    if two_hands:
        planner |= sensing
    executable: Executable = (
        'bimanual' if two_hands else 'admittance' if guiding else 'motion_planner'
    )
    parameters: dict[Executable, dict[str, Any]] = {
        executable: planner,
        'control_simulation': {**robot, **parameter_values(control, 'control'), **safety},
    }
    if options.simulated:
        publish = PublishConfig(
            truth=truth,
            torque=guides,
            hands=two_hands,
            clock=not namespace,
            description=options.description,
        )
        parameters['plant'] = {
            **robot,
            **parameter_values(plant, 'plant'),
            **safety,
            **parameter_values(publish, 'publish'),
            'random.seed': scenario.seed,
            **{name: topic for name, topic in stream.items() if topic},
        }
    awaited = scenario.monitor.watches or guides
    tare_time = scenario.wrist_tare(simulated=options.simulated)
    wrists = {} if tare_time is None else {'reporting.wrist_tare_time': tare_time, **sensing}
    parameters['collision_monitor'] = {
        **robot,
        **parameter_values(scenario.monitor, 'monitor'),
        'reporting.every_step': awaited,
        **(wrists if scenario.monitor.watches else {}),
    }
    if options.out:
        parameters['recorder'] = {
            'recorder.scenario': msgspec.json.encode(scenario).decode(),
            'recorder.out': str(Path(options.out).absolute()),
            'recorder.simulated': options.simulated,
            'recorder.truth': truth,
            'recorder.figures': options.figures,
        }
    if options.robotstudio:
        link = _link(options, scenario.robot)
        parameters['robotstudio'] = {**robot, **parameter_values(link, 'robotstudio')}
    common = parameter_values(graph, '')
    remappings = options.remappings
    if options.robot_torques:
        remappings = (*remappings, ('measured_external_torque', options.robot_torques))
    urgent = {'priority': options.priority} if options.realtime else {}
    return tuple(
        NodeSpec(
            executable=executable,
            namespace=namespace,
            parameters={**common, **own, **({} if executable in ORDINARY_PRIORITY else urgent)},
            remappings=remappings,
            ends_graph=executable == 'recorder',
        )
        for executable, own in parameters.items()
    )


def _link(options: WiringOptions, robot: RobotConfig) -> LinkConfig:
    """Return the link to a controller that can follow this robot."""
    if not options.realtime:
        raise ConfigError('robotstudio: a controller moves in real time: add realtime')
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


ROBOTSTUDIO = {
    'robotstudio': 'HOST:PORT of a controller of ABB that is sent the positions as targets',
    'robotstudio_time': f'its move time from target to target [s] ({LinkConfig().move_time:g})',
}
"""Fields of ``WiringOptions`` for the link to RobotStudio, and what they mean."""

ROBOT_TOPICS = {
    'stream_joint_states': (
        'topic for the simulated positions as JointState, for a robot that takes positions only'
    ),
    'stream_commands': "the same as Float64MultiArray, in the order of the model's joints",
    'robot_states': "topic of that robot's joint states",
    'robot_torques': "topic of a robot's external torques",
}
"""Fields of ``WiringOptions`` that are topics of a real robot, and what they mean."""


def plant_settings(plant: str) -> list[str]:
    """Return what a choice of the plant changes in the scenario.

    :param plant: physics engine; empty for that of the scenario, ``none`` for a robot's driver.
    """
    return [] if plant in ('', NO_PLANT) else [f'plant.engine={plant}']


def read_priority(text: str) -> int:
    """Return a priority that was given as text.

    :raises ConfigError: it is none.
    """
    if not text.isdecimal() or int(text) > MAX_PRIORITY:
        raise ConfigError(
            f'priority: {text!r} given; a whole number from 0 to {MAX_PRIORITY} is needed'
        )
    return int(text)


def has_clock(nodes: Iterable[NodeSpec]) -> bool:
    """Return whether one of the nodes publishes ``/clock``, so that others shall follow it."""
    return any(
        node.parameters.get('publish.clock', False) and not node.parameters['realtime']
        for node in nodes
    )


def parameter_file(nodes: Iterable[NodeSpec]) -> str:
    """Return the parameters of all nodes as the text of a ROS parameter file."""
    return yaml.dump(
        {node.full_name: {'ros__parameters': node.parameters} for node in nodes},
        Dumper=_Dumper,
        sort_keys=False,
    )


class _Dumper(yaml.SafeDumper):
    """Writes equal values out each time: ROS does not read YAML references."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True
