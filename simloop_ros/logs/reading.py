"""Logs of any kind as recordings of a robot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError, LogError, UnknownNameError
from ..core.values import Array, Flags
from ..record.folder import LOG
from ..record.mcap import McapReader, read_mcap
from ..robot.model import RobotModel
from .bags import bag_files, read_bag
from .mapping import LogMapping
from .recording import RawLog, RobotRecording
from .sample_clock import on_sender_clock
from .tables import NUMPY, read_tables

TEXT = ('.csv', '.txt', '.tsv', '.dat')
"""Endings of the names of tables."""
SHOWN_ROWS = 3
"""Rows that a message names."""


def read_recording(
    path: Path, model: RobotModel, mapping: LogMapping | None = None
) -> RobotRecording:
    """Read a log of a robot.

    :param path: our MCAP or the folder of a run, a bag of rosbag2 (.db3, .mcap or its folder), a
        text or numpy file, or the folder of such files that the mapping names.
    :param model: the robot; the log has to have all of its joints.
    :raises LogError: it cannot be read, or is not of this robot.
    """
    return aligned(read_log(path, mapping, model.joint_names), model, mapping)


def read_log(path: Path, mapping: LogMapping | None, model_joints: Sequence[str] = ()) -> RawLog:
    """Read the numbers of a log, its joints as they are there.

    :param model_joints: names for the columns of a log without names.
    :raises LogError: it cannot be read.
    """
    if not path.exists():
        raise LogError(f'{path}: not there; name a bag, a log of simloop, a table or a folder')
    run = path / LOG if path.is_dir() else path
    if run.suffix.lower() == '.mcap' and run.is_file() and _is_ours(run):
        return _read_own(run)
    if bag_files(path):
        return read_bag(path, mapping or LogMapping())
    if path.is_dir() and mapping is None:
        raise LogError(
            f'{path}: a folder without a bag or a log; name a file, or say in a mapping which '
            'files it has (--map)'
        )
    if not path.is_dir() and path.suffix.lower() not in (*TEXT, *NUMPY):
        raise LogError(
            f'{path}: not a log: its name must end with .mcap, .db3, '
            f'{", ".join((*TEXT, *NUMPY))}, or be that of a folder'
        )
    return read_tables(path, mapping, model_joints)


def aligned(raw: RawLog, model: RobotModel, mapping: LogMapping | None = None) -> RobotRecording:
    """Return a log in the order of the robot's joints, without rows that are no numbers.

    The measured effort becomes a torque with gravity in it, by its declared meaning.

    :raises LogError: a joint is missing, or there is no valid row.
    """
    mapping = mapping or LogMapping()
    if not len(raw.time):
        raise LogError(f'{raw.source}: no samples: the log is empty')
    places = _places(raw, model, mapping)
    effort = None if mapping.effort_means == 'none' else _picked(raw.effort, places)
    recording = RobotRecording(
        raw.source,
        model.joint_names,
        raw.time,
        raw.position[:, places],
        _picked(raw.velocity, places),
        effort,
        _picked(raw.command, places),
        raw.notes,
    )
    recording = _without_nan(recording)
    recording = msgspec.structs.replace(recording, time=recording.time - recording.time[0])
    if mapping.clock == 'sender':
        recording = on_sender_clock(recording)
    if recording.effort is None:
        return recording
    torque = as_torque(recording.effort, recording.position, model, mapping)
    return msgspec.structs.replace(recording, effort=torque)


def as_torque(effort: Array, position: Array, model: RobotModel, mapping: LogMapping) -> Array:
    """Return the measured torque with gravity in it [N m], shape ``(rows, n)``.

    :param effort: in its declared meaning, shape ``(rows, n)``.
    :param position: [rad], shape ``(rows, n)``.
    :raises ConfigError: a joint has no drive gain.
    """
    if mapping.effort_means == 'current':
        for joint in mapping.drive_gains:
            if joint not in model.joint_names:
                raise ConfigError(
                    f'drive_gains: {UnknownNameError("joint", joint, model.joint_names)}'
                )
        missing = [name for name in model.joint_names if name not in mapping.drive_gains]
        if missing:
            raise ConfigError(
                f'drive_gains: none for {", ".join(missing)}; the torque per current of each '
                'joint is needed [N m/A]'
            )
        return effort * np.array([mapping.drive_gains[name] for name in model.joint_names])
    if mapping.effort_means == 'torque_without_gravity':
        data = model.pin_model.createData()
        gravity = [
            pin.computeGeneralizedGravity(model.pin_model, data, q).copy() for q in position
        ]
        return effort + np.array(gravity)
    return effort


def log_names(raw: RawLog, mapping: LogMapping | None = None) -> tuple[str, ...]:
    """Return the joints of a log by the names that the model should have for them."""
    mapping = mapping or LogMapping()
    return tuple(mapping.model_name(name) for name in raw.joint_names)


def _places(raw: RawLog, model: RobotModel, mapping: LogMapping) -> list[int]:
    """Return the place in the log of each of the model's joints."""
    names = log_names(raw, mapping)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise LogError(f'{raw.source}: the joint {twice!r} is there twice')
    missing = [name for name in model.joint_names if name not in names]
    if missing:
        raise LogError(
            f'{raw.source}: {UnknownNameError("joint of the robot", missing[0], names)}: is it a '
            'log of this robot? Other names: rename or prefix in a mapping (--map)'
        )
    return [names.index(name) for name in model.joint_names]


def _picked(values: Array | None, places: list[int]) -> Array | None:
    if values is None:
        return None
    found: Array = values[:, places]
    return found if np.isfinite(found).any() else None


def _without_nan(recording: RobotRecording) -> RobotRecording:
    """Return the rows whose numbers are all finite, and a note about the others."""
    names = ('time', 'position', 'velocity', 'effort', 'command')
    bad: dict[str, Flags] = {}
    for name in names:
        values = getattr(recording, name)
        if values is not None:
            bad[name] = ~np.isfinite(values.reshape(len(values), -1)).all(axis=1)
    every = np.logical_or.reduce(list(bad.values()))
    if not every.any():
        return recording
    if every.all():
        names_bad = [name for name in bad if bad[name].all()] or list(bad)
        raise LogError(
            f'{recording.source}: no row with numbers only: {", ".join(names_bad)} are NaN '
            'throughout; leave the signal out of the mapping, or record it'
        )
    first = np.flatnonzero(every)[:SHOWN_ROWS]
    shown = ', '.join(str(row) for row in first) + (', ...' if every.sum() > SHOWN_ROWS else '')
    where = ', '.join(name for name, rows in bad.items() if rows.any())
    note = (
        f'{int(every.sum())} of {len(every)} rows have no number (NaN) in {where}: rows {shown}; '
        'they are left out, as gaps'
    )
    kept = recording.picked(~every)
    return msgspec.structs.replace(kept, notes=(*recording.notes, note))


def _is_ours(path: Path) -> bool:
    try:
        McapReader(path)
    except ConfigError:
        return False
    return True


def _read_own(path: Path) -> RawLog:
    log = read_mcap(path)
    if not len(log.time):
        raise LogError(f'{path}: the log has no steps')
    if 'measured_position' not in log.names:
        raise LogError(f'{path}: a log of hands, without joints; name the log of the run')
    return RawLog(
        str(path),
        log.joint_names,
        log.time,
        log.column('measured_position').copy(),
        command=log.column('effort').copy(),
    )
