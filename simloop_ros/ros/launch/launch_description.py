"""Launch descriptions: the nodes of ``wiring`` and ``view`` as launch actions.

Beside the launch files the only module that imports the ROS ``launch`` package.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterable, Mapping, Sequence
import os
from pathlib import Path
import sys
import tempfile

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, ExecuteProcess, LogInfo, OpaqueFunction, Shutdown
from launch.events.process import ProcessExited
from launch_ros.actions import Node

from ...core.errors import ConfigError, MissingDependencyError, SimloopError
from ...core.resources import PACKAGE, resource_folder
from ...drivers.config import DriverContract
from ...drivers.loading import load_driver
from ...record.run_folder import RunFolder
from ...robot.loading import load_robot
from ...scenario.loading import load_scenario
from ...scenario.shipped import scenario_names
from ..messages.description import with_mesh_addresses
from ..node.parent import LAUNCHER
from .driven import driven_options, driver_settings, measuring, refuse_rate
from .graph import GRACE
from .options import (
    DRIVER,
    DRIVER_OUTPUT,
    GRAVITY_HANDLED,
    NO_PLANT,
    PRIORITY,
    ROBOT_TOPICS,
    ROBOTSTUDIO,
    TEACH,
    VIEW,
    WiringOptions,
    plant_settings,
    read_priority,
    refuse_unknown,
)
from .view import SLIDERS, page_command, read_description, sliders, view_robot, view_scenario
from .wiring import NodeSpec, has_clock, parameter_file, wire

ANY_SCENARIO = 'simloop'
"""Name of the launch file whose scenario is an argument."""
ROBOT = 'robot'
"""Name of the launch file for a real robot, whose driver has to be named."""
FIRST_SCENARIO = 'step'
"""What a real robot does if nothing else is asked for."""
OWN_PROCESS = {LAUNCHER: str(os.getpid())}
"""Environment of our programs: they end with this process."""
ARGUMENTS = {
    'period': ('', 'length of one step [s]; empty for that of the scenario'),
    'plant': (
        '',
        'physics engine (pinocchio, pybullet, mujoco), or none for the driver of a real robot; '
        'empty for that of the scenario',
    ),
    'view': ('false', f'whether {VIEW}'),
    'rviz': ('false', 'whether rviz shows the robot, its ghost, wrenches and contacts'),
    'namespace': ('', 'of all nodes and topics'),
    'composed': ('false', 'whether all nodes are in one process'),
    'realtime': ('false', 'whether time is real; else lockstep'),
    'priority': (
        str(PRIORITY),
        'real time: SCHED_FIFO priority of the nodes, where the system allows it; 0 for none',
    ),
    **{name: ('', f'{text}; empty for none') for name, text in ROBOT_TOPICS.items()},
    'driver': ('', f'{DRIVER}; empty for none'),
    'driver_settings': ('', 'further values of the driver file, as "rate=200; gravity=robot"'),
    'driver_output': ('', f'{DRIVER_OUTPUT}; empty for the first'),
    'gravity_handled': ('false', f'whether {GRAVITY_HANDLED}'),
    **{name: ('', f'{text}; may be empty') for name, text in ROBOTSTUDIO.items()},
    'teach': ('', f'{TEACH}; empty for none'),
    'record': ('true', 'whether the run is recorded, and over when the scenario is'),
    'out': (
        '',
        'folder for the results; empty for the next of runs/SCENARIO-0001, ...',
    ),
    'settings': ('', 'further values of the scenario, as "seed=1; robot.tips=[tool0]"'),
}
"""Default and description of each launch argument of a scenario."""


def describe_scenario(launch_file: str) -> LaunchDescription:
    """Describe the graph of the scenario that a launch file is called after (links unresolved)."""
    name = Path(launch_file).name.removesuffix('.launch.py')
    fixed = '' if name in (ANY_SCENARIO, ROBOT) else name
    which = DeclareLaunchArgument(
        'scenario',
        default_value=FIRST_SCENARIO if name == ROBOT else None,
        description=f'a YAML file, or one of {", ".join(scenario_names())}',
    )
    needed = ('driver',) if name == ROBOT else ()
    return LaunchDescription(
        [
            *([] if fixed else [which]),
            *(
                DeclareLaunchArgument(
                    argument,
                    default_value=None if argument in needed else default,
                    description=text,
                )
                for argument, (default, text) in ARGUMENTS.items()
            ),
            OpaqueFunction(function=_scenario_actions, args=[fixed, launch_file]),
        ]
    )


def describe_robot_view() -> LaunchDescription:
    """Describe rviz with a robot that is moved by sliders."""
    return LaunchDescription(
        [
            DeclareLaunchArgument('robot', description='name of a robot, or a URDF or xacro file'),
            DeclareLaunchArgument(
                'namespace', default_value='', description='of all nodes and topics'
            ),
            OpaqueFunction(function=_view_actions),
        ]
    )


def _scenario_actions(
    context: LaunchContext, fixed_name: str, launch_file: str
) -> list[LaunchDescriptionEntity]:
    given = context.launch_configurations
    refuse_unknown(sys.argv, launch_file, (*ARGUMENTS, *([] if fixed_name else ['scenario'])))
    settings = _split(given['settings'])
    if given['period']:
        settings.append(f'period={given["period"]}')
    settings += plant_settings(given['plant'])
    driver = _driver(given)
    if driver is not None:
        settings += driver_settings(driver, settings)
    scenario = load_scenario(fixed_name or given['scenario'], settings)
    folder, numbered = '', not given['out']
    if _flag(context, 'record'):
        folder = given['out'] or str(Path('runs') / scenario.name)
    rviz = _flag(context, 'rviz')
    options = WiringOptions(
        realtime=_flag(context, 'realtime'),
        simulated=given['plant'] != NO_PLANT,
        namespace=_namespace(context),
        out=folder,
        numbered=numbered,
        description=not rviz,
        priority=read_priority(given['priority']),
        driver_output=given['driver_output'],
        gravity_handled=_flag(context, 'gravity_handled'),
        teach=given['teach'],
        **{name: given[name] for name in (*ROBOT_TOPICS, *ROBOTSTUDIO)},
    )
    if driver is not None:
        refuse_rate(driver, scenario)
        scenario = measuring(driver, scenario)
        options = driven_options(options, driver)
    nodes = wire(scenario, options)
    if folder:
        RunFolder(Path(folder), numbered=numbered).discard()  # else the recorder claims it
    viewers: tuple[NodeSpec, ...] = ()
    if rviz:
        model = load_robot(scenario.robot, resource_folder('urdf'))
        viewers = view_scenario(
            with_mesh_addresses(model.urdf), nodes[0].namespace, use_sim_time=has_clock(nodes)
        )
        _require_packages(viewers)
    parameters = _write_parameters((*nodes, *viewers))
    programs = _composed(nodes) if _flag(context, 'composed') else nodes
    return [
        *(_action(node, parameters, on_exit=_end_graph(node)) for node in programs),
        *(_action(node, parameters) for node in viewers),
        *([_page(nodes[0].namespace)] if _flag(context, 'view') else []),
    ]


def _driver(given: Mapping[str, str]) -> DriverContract | None:
    """Return the driver that is asked for; none if the plant is simulated, or nothing is said."""
    if not given['driver']:
        return None
    if given['plant'] not in ('', NO_PLANT):
        raise ConfigError('driver: it takes the place of the plant; leave plant out')
    return load_driver(given['driver'], _split(given['driver_settings']))


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(';') if part.strip()]


def _view_actions(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    urdf = read_description(context.launch_configurations['robot'])
    namespace = _namespace(context)
    states, rviz = view_robot(urdf, namespace)
    _require_packages((states, rviz))
    slider = sliders(namespace)
    parameters = _write_parameters((states, slider, rviz))
    actions: list[LaunchDescriptionEntity] = [
        _action(states, parameters, on_exit=_end_graph(states)),
        _action(rviz, parameters, on_exit=_end_graph(rviz)),
    ]
    if _is_installed(SLIDERS):
        actions.append(_action(slider, parameters))
    else:
        actions.append(LogInfo(msg=f'the joints stay where they are: install {SLIDERS}'))
    return actions


def _action(
    node: NodeSpec,
    parameters: Path,
    on_exit: Callable[[ProcessExited, LaunchContext], Shutdown | None] | None = None,
) -> Node:
    return Node(
        package=node.package,
        executable=node.executable,
        name=node.name or None,
        namespace=node.namespace,
        parameters=[str(parameters)],
        remappings=list(node.remappings),
        arguments=list(node.arguments),
        additional_env=OWN_PROCESS if node.package == PACKAGE else None,
        # A recorder with a long log needs longer to end than launch waits for.
        sigterm_timeout=str(GRACE),
        output='screen',
        on_exit=on_exit,
    )


def _page(namespace: str) -> ExecuteProcess:
    """Return the page in the browser; the graph goes on without it."""
    return ExecuteProcess(
        name='view',
        cmd=list(page_command(namespace)),
        additional_env=OWN_PROCESS,
        output='screen',
    )


def _composed(nodes: Sequence[NodeSpec]) -> list[NodeSpec]:
    """Return the processes of a graph whose nodes share one, but for those that are apart."""
    together = [node for node in nodes if not node.apart]
    shared = NodeSpec(
        executable='composed',
        namespace=together[0].namespace,
        parameters={},
        remappings=together[0].remappings,
        arguments=tuple(node.executable for node in together),
        ends_graph=any(node.ends_graph for node in together),
    )
    return [shared, *(node for node in nodes if node.apart)]


def _end_graph(node: NodeSpec) -> Callable[[ProcessExited, LaunchContext], Shutdown | None]:

    def end(event: ProcessExited, context: LaunchContext) -> Shutdown | None:
        if context.is_shutdown:
            return None
        if event.returncode:
            # Only an exception gives ros2 launch another status than 0.
            who = 'the run' if node.ends_graph else node.executable
            raise SimloopError(f'{who} ended with status {event.returncode}')
        return Shutdown(
            reason='the run is over' if node.ends_graph else f'{node.executable} ended'
        )

    return end


def _write_parameters(nodes: Iterable[NodeSpec]) -> Path:
    """Write the parameters of all nodes to a file that is there as long as this process."""
    folder = tempfile.TemporaryDirectory(prefix='simloop_')
    atexit.register(folder.cleanup)
    path = Path(folder.name) / 'parameters.yaml'
    path.write_text(parameter_file(node for node in nodes if node.parameters))
    return path


def _namespace(context: LaunchContext) -> str:
    """Return the namespace that is asked for, in the one of the launch file that includes ours."""
    given = context.launch_configurations
    parts = f'{given.get("ros_namespace", "")}/{given["namespace"]}'.split('/')
    return ''.join(f'/{part}' for part in parts if part)


def _flag(context: LaunchContext, name: str) -> bool:
    text = context.launch_configurations[name]
    if text.lower() not in ('true', 'false'):
        raise ConfigError(f'{name}:={text} is neither true nor false')
    return text.lower() == 'true'


def _require_packages(nodes: Iterable[NodeSpec]) -> None:
    """Raise MissingDependencyError for programs of packages that are not there."""
    missing = sorted({node.package for node in nodes if not _is_installed(node.package)})
    if missing:
        wanted = ' '.join(f'ros-$ROS_DISTRO-{name.replace("_", "-")}' for name in missing)
        raise MissingDependencyError(
            f'rviz needs {", ".join(missing)}, not found in AMENT_PREFIX_PATH: '
            f'sudo apt install {wanted}'
        )


def _is_installed(package: str) -> bool:
    try:
        get_package_prefix(package)
    except PackageNotFoundError:
        return False
    return True
