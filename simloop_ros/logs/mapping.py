"""How a log is to be read, as typed data: which numbers are what, in which units."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from ..core.config_messages import convert
from ..core.config_types import EffortMeaning, Positive
from ..core.errors import ConfigError, UnknownNameError
from ..scenario.keys import check_keys, check_leaves
from ..scenario.robot_files import read_mapping

JOINT = '{joint}'
"""Stands for the name of each joint in the name of a column."""
Columns = str | tuple[str | int, ...]
UNITS: dict[str, dict[str, float]] = {
    'time': {'s': 1.0, 'ms': 1e-3, 'us': 1e-6, 'ns': 1e-9},
    'position': {'rad': 1.0, 'deg': 0.017453292519943295},
    'velocity': {'rad/s': 1.0, 'deg/s': 0.017453292519943295},
    'effort': {'N m': 1.0, 'mN m': 1e-3, 'A': 1.0, 'mA': 1e-3},
    'command': {'N m': 1.0, 'mN m': 1e-3},
}
"""Signal -> its units and their size in SI; the first one where none is given."""


class SignalMapping(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where the numbers of one signal are.

    :ivar file: that has them, beside the log; the log itself where none is given.
    :ivar columns: their names or numbers (the first is 0), one for each joint; or one name for
        all, in which ``{joint}`` stands for that of the joint. All columns of ``file`` where none
        are given. Of a numpy file with several arrays, the name of the array.
    :ivar layout: ``rows``, a line for each sample, or ``stacked``, one number a line and as many
        lines for each sample as there are joints.
    :ivar unit: of the numbers: time ``s``, ``ms``, ``us`` or ``ns``; position ``rad`` or ``deg``;
        velocity ``rad/s`` or ``deg/s``; effort ``N m``, ``mN m``, ``A`` or ``mA``.
    """

    file: str = ''
    columns: Columns = ()
    layout: Literal['rows', 'stacked'] = 'rows'
    unit: str = ''


class LogMapping(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How to read a log; a bag needs no more than what it does not say itself.

    :ivar description: one line about it.
    :ivar joints: names of the columns' joints in their order, as the robot's model has them; those
        of the model where none are given and the log has no names.
    :ivar rename: name of a joint in the log -> its name in the model.
    :ivar prefix: what the names of joints in the log begin with.
    :ivar model_prefix: what they begin with in the model instead.
    :ivar topic: of a bag, with sensor_msgs/JointState; needed where there are several.
    :ivar stamps: of a bag: those in the ``header`` of messages, or when they were ``received``.
    :ivar clock: ``sender`` for the times at which samples were taken, where the motion shows that
        stamps are of a program that polled; ``recorded`` for the stamps as they are.
    :ivar delimiter: between two columns; found out where none is given.
    :ivar skip: number of lines before the names of the columns, or the first numbers.
    :ivar time: where the stamps are; without it, ``rate`` is needed.
    :ivar rate: of samples without stamps [Hz].
    :ivar position: where the positions are.
    :ivar velocity: where the velocities are.
    :ivar effort: where the measured efforts are.
    :ivar command: where the commanded torques are, with what gravity needs in them.
    :ivar effort_means: what the measured effort is: ``torque``, ``torque_without_gravity``,
        ``current`` (of the motors, with ``drive_gains``), or ``none``, to leave it out.
    :ivar drive_gains: torque per current by joint [N m/A].
    """

    description: str = ''
    joints: tuple[str, ...] = ()
    rename: dict[str, str] = {}
    prefix: str = ''
    model_prefix: str = ''
    topic: str = ''
    stamps: Literal['header', 'received'] = 'header'
    clock: Literal['sender', 'recorded'] = 'sender'
    delimiter: str = ''
    skip: int = 0
    time: SignalMapping | None = None
    rate: Positive | None = None
    position: SignalMapping | None = None
    velocity: SignalMapping | None = None
    effort: SignalMapping | None = None
    command: SignalMapping | None = None
    effort_means: EffortMeaning = 'torque'
    drive_gains: dict[str, float] = {}

    def signal(self, name: str) -> SignalMapping | None:
        """Return where the numbers of a signal are, by the name of its key."""
        found: SignalMapping | None = getattr(self, name)
        return found

    def scale(self, name: str) -> float:
        """Return the size of a signal's unit in SI."""
        found = self.signal(name)
        return UNITS[name][found.unit] if found is not None and found.unit else 1.0

    def model_name(self, joint: str) -> str:
        """Return the model's name of a joint, from that in the log."""
        if joint in self.rename:
            return self.rename[joint]
        if not joint.startswith(self.prefix):
            return joint
        return self.model_prefix + joint.removeprefix(self.prefix)


def load_log_mapping(path: Path) -> LogMapping:
    """Read a mapping file.

    :raises ConfigError: a key or value is not valid, with the nearest valid one.
    """
    raw = read_mapping(path)
    try:
        check_keys(raw, LogMapping, '')
        check_leaves(raw)
        mapping = convert(raw, LogMapping, 'the whole')
        _refuse(mapping)
    except ConfigError as error:
        raise ConfigError(f'{path}: {error}') from error
    return mapping


def _refuse(mapping: LogMapping) -> None:
    """Raise ConfigError for values that contradict each other."""
    for name, units in UNITS.items():
        signal = mapping.signal(name)
        if signal is not None and signal.unit and signal.unit not in units:
            raise ConfigError(f'{name}.unit: {UnknownNameError("unit", signal.unit, units)}')
    if len(set(mapping.joints)) < len(mapping.joints):
        raise ConfigError('joints: a name is given twice; keep one')
    if mapping.effort_means == 'current' and not mapping.drive_gains:
        raise ConfigError('effort_means: current needs drive_gains, by joint [N m/A]')
    if mapping.effort_means != 'current' and mapping.drive_gains:
        raise ConfigError(
            f'drive_gains are for effort_means: current, not for {mapping.effort_means}; '
            'leave them out'
        )
    if mapping.skip < 0:
        raise ConfigError(f'skip: {mapping.skip} lines; 0 or more is needed')
    if mapping.time is not None and mapping.rate is not None:
        raise ConfigError('time and rate are both given; keep the one that is right')
