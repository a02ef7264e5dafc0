"""How the graph of a scenario can run. Importing it loads neither ROS nor an engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path

import msgspec

from ...core.errors import ConfigError
from ...drivers.config import ControllersConfig
from ...robotstudio.config import LinkConfig

NO_PLANT = 'none'
"""Choice of the plant where a real robot takes its place."""
PRIORITY = 50
"""Default of ``WiringOptions.priority``."""
MAX_PRIORITY = 99
ADD_REALTIME = 'add realtime (--realtime of simloop launch, realtime:=true of ros2 launch)'
"""Remedy for what is not possible in lockstep."""


class WiringOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How the graph of a scenario shall run.

    :ivar realtime: whether time is real; else lockstep.
    :ivar simulated: whether the plant is simulated; else a robot's driver is there.
    :ivar namespace: of all nodes; empty for none.
    :ivar out: folder for the results; empty if nothing is recorded.
    :ivar numbered: whether each run gets a number after that name, see ``RunFolder``.
    :ivar figures: whether the recorder draws figures.
    :ivar endless: whether the recorder goes on until it is stopped.
    :ivar description: whether the plant publishes ``robot_description``; else the
        ``robot_state_publisher`` does.
    :ivar remappings: of topics, for all nodes.
    :ivar stream_joint_states: topic for the simulated positions as JointState, and
        ``stream_commands`` as Float64MultiArray, for a real robot that takes positions only;
        empty for none.
    :ivar robot_states: topic of a real robot's joint states; empty for the default.
    :ivar robot_torques: topic of a robot's external torques; empty for the default.
    :ivar action: name of the action FollowJointTrajectory; empty for the default.
    :ivar driver_topic: topic on which the driver of a robot takes its commands; empty if it takes
        ``effort_command``. ``driver_output``, ``driver_message``, ``driver_joints``,
        ``driver_controllers`` and ``gravity_handled``: see ``DriverConfig``.
    :ivar driver_lag: time from a command to its effect, beyond the driver's own period [s].
    :ivar driver_effort: what ``effort`` in its joint states is, see ``DriverContract``; empty
        where nobody knows.
    :ivar trace: in real time, folder for the pauses of each process, see ``PauseLog``; empty for
        none.
    :ivar robotstudio: ``HOST:PORT`` of a controller that is sent the positions as targets; empty
        for none.
    :ivar robotstudio_time: its move time from target to target [s]; empty for the default.
    :ivar teach: file of the task that is taught, or corrected; empty for none.
    :ivar priority: in real time, ``SCHED_FIFO`` priority of all nodes but recorder, teach and
        robotstudio, if the system allows it; 0 for none.
    """

    realtime: bool = False
    simulated: bool = True
    namespace: str = ''
    out: str = ''
    numbered: bool = False
    figures: bool = True
    endless: bool = False
    description: bool = True
    remappings: tuple[tuple[str, str], ...] = ()
    stream_joint_states: str = ''
    stream_commands: str = ''
    robot_states: str = ''
    robot_torques: str = ''
    action: str = ''
    driver_topic: str = ''
    driver_output: str = ''
    driver_message: str = ''
    driver_joints: tuple[str, ...] = ()
    driver_controllers: ControllersConfig = ControllersConfig()
    driver_lag: float = 0.0
    driver_effort: str = ''
    gravity_handled: bool = False
    trace: str = ''
    robotstudio: str = ''
    robotstudio_time: str = ''
    teach: str = ''
    priority: int = PRIORITY

    @property
    def absolute_namespace(self) -> str:
        """Return the namespace with a leading slash; empty for none."""
        name = self.namespace.strip('/')
        return f'/{name}' if name else ''

    @property
    def stream(self) -> dict[str, str]:
        """Return the topics of a real robot that takes positions only, by their parameters."""
        topics = {
            'stream.joint_states': self.stream_joint_states,
            'stream.commands': self.stream_commands,
            'stream.robot': self.robot_states,
        }
        return {name: topic for name, topic in topics.items() if topic}


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
    'robot_states': "topic of a real robot's joint states",
    'robot_torques': "topic of a robot's external torques",
    'action': 'name of the action FollowJointTrajectory (docs/goals.md)',
    'driver_topic': "topic on which a robot's driver takes its commands as Float64MultiArray",
}
"""Fields of ``WiringOptions`` that are names of a real robot's topics, and what they mean."""

VIEW = 'a page in the browser shows the graph, as simloop view --graph does (docs/view.md)'
TEACH = 'file of a task that is taught, or corrected, while the graph runs (docs/teach.md)'
DRIVER = "driver of a real robot that takes the plant's place: of config/drivers, or a YAML file"
DRIVER_SETTING = 'change a value of the driver file, for instance rate=200'
DRIVER_OUTPUTS = ('effort', 'position')
DRIVER_OUTPUT = f'what the driver takes there: {" or ".join(DRIVER_OUTPUTS)}'
GRAVITY_HANDLED = 'the robot compensates gravity itself: efforts are sent without it'


def refuse_unknown(words: Sequence[str], launch_file: str, known: Iterable[str]) -> None:
    """Raise ConfigError for a launch argument that does not exist.

    Only if the launch file is the one that was started: arguments of one that includes it are
    others.

    :param words: of the command line.
    """
    if Path(launch_file).name not in (Path(word).name for word in words):
        return
    valid = tuple(known)
    for name, mark, _ in (word.partition(':=') for word in words):
        if mark and name not in valid:
            near = get_close_matches(name, valid, 1)
            hint = f'; did you mean {near[0]}?' if near else ''
            raise ConfigError(f'{name}:= is no argument of {Path(launch_file).name}{hint}')


def plant_settings(plant: str) -> list[str]:
    """Return what a choice of the plant changes in the scenario: an engine, ``none``, or empty."""
    return [] if plant in ('', NO_PLANT) else [f'plant.engine={plant}']


def read_priority(text: str) -> int:
    """Return a priority that was given as text, or raise ConfigError."""
    if not text.isdecimal() or int(text) > MAX_PRIORITY:
        raise ConfigError(
            f'priority: {text!r} given; a whole number from 0 to {MAX_PRIORITY} is needed'
        )
    return int(text)
