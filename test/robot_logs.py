"""Logs of a robot that tests make themselves: a known motion with the torques that it needs."""

from __future__ import annotations

from pathlib import Path
import sqlite3

import numpy as np
import pinocchio as pin
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from simloop_ros.core.values import Array
from simloop_ros.logs.recording import RobotRecording
from simloop_ros.robot.model import RobotModel

STORE = get_typestore(Stores.ROS2_HUMBLE)
JOINT_STATE = 'sensor_msgs/msg/JointState'


def motion(model: RobotModel, time: Array) -> tuple[Array, Array, Array]:
    """Return positions, velocities and accelerations of sines about the middle of the ranges."""
    lower, upper = np.maximum(model.lower, -2.0), np.minimum(model.upper, 2.0)
    size = 0.3 * (upper - lower)
    rates = 1.0 + 0.37 * np.arange(model.n)
    phase = rates * time[:, None] + np.arange(model.n)
    q = 0.5 * (lower + upper) + size * np.sin(phase)
    return q, size * rates * np.cos(phase), -size * rates**2 * np.sin(phase)


def recording(
    model: RobotModel,
    duration: float = 8.0,
    period: float = 0.005,
    noise: float = 0.0,
    coulomb: float = 0.0,
    seed: int = 0,
    time: Array | None = None,
) -> RobotRecording:
    """Return a motion with the torques that it needs, with dry friction and white noise [N m]."""
    if time is None:
        time = period * np.arange(round(duration / period))
    q, v, a = motion(model, time)
    data = model.pin_model.createData()
    tau = np.array([pin.rnea(model.pin_model, data, *x).copy() for x in zip(q, v, a, strict=True)])
    rng = np.random.default_rng(seed)
    tau += coulomb * np.tanh(v / 0.01) + noise * rng.normal(size=tau.shape)
    return RobotRecording('made', model.joint_names, time, q, v, tau)


def message(names: list[str], stamp: int, *fields: Array) -> bytes:
    """Return a JointState in CDR, by another library than ours."""
    types = STORE.types
    header = types['std_msgs/msg/Header'](
        stamp=types['builtin_interfaces/msg/Time'](sec=stamp // 10**9, nanosec=stamp % 10**9),
        frame_id='base',
    )
    arrays = [np.asarray(values, np.float64) for values in fields]
    made = types[JOINT_STATE](header, names, *arrays)
    return bytes(STORE.serialize_cdr(made, JOINT_STATE))


def write_bag(
    path: Path,
    made: RobotRecording,
    names: list[str] | None = None,
    storage: StoragePlugin = StoragePlugin.SQLITE3,
    topic: str = '/joint_states',
    stamped: bool = True,
) -> Path:
    """Write a recording as a bag of rosbag2; return its folder."""
    names = list(made.joint_names) if names is None else names
    nothing = np.empty(0)
    with Writer(path, version=8, storage_plugin=storage) as bag:
        connection = bag.add_connection(topic, JOINT_STATE, typestore=STORE)
        for k in range(made.rows):
            stamp = 10**18 + round(1e9 * made.time[k])
            fields = [
                nothing if values is None else values[k]
                for values in (made.position, made.velocity, made.effort)
            ]
            data = message(names, stamp if stamped else 0, *fields)
            bag.write(connection, stamp + 1000, data)
    return path


def cut(path: Path, share: float) -> Path:
    """Cut a file off."""
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    return path


def rows_of(path: Path) -> int:
    """Return the number of messages in a sqlite3 bag."""
    with sqlite3.connect(path) as bag:
        return int(bag.execute('SELECT COUNT(*) FROM messages').fetchone()[0])
