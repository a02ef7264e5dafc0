"""What a graph adds to the log: live names, stamps of real time, single messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.highlevel import AnyReader
from rosbags.interfaces import QosDurability
from rosbags.typesys import Stores, get_typestore

from simloop_ros.record.columns import COLUMNS
from simloop_ros.record.folder import RAW_LIVE, RAW_STAMPS
from simloop_ros.record.live_log import (
    NOT_LIVE,
    LiveLog,
    LiveLogWriter,
    LiveMessage,
    read_live_log,
)
from simloop_ros.record.log import LogArray
from simloop_ros.record.log_topics import CONTACTS, EVERY_TOPIC, SAFETY
from simloop_ros.record.mcap import McapReader, read_mcap, write_mcap

NOW = 1_700_000_000_123_456_789  # ns
PERIOD = 0.002
NAMES = {topic: f'/left{topic}' for topic in EVERY_TOPIC}
STORE = get_typestore(Stores.ROS2_JAZZY)
STATUS, ARRAY = (f'diagnostic_msgs/msg/Diagnostic{kind}' for kind in ('Status', 'Array'))


def status(name: str, hardware: str) -> Any:
    pair = STORE.types['diagnostic_msgs/msg/KeyValue'](key='force [N]', value='3.0')
    return STORE.types[STATUS](2, name, 'why', hardware, [pair])


def array(*statuses: Any) -> bytes:
    time = STORE.types['builtin_interfaces/msg/Time'](*divmod(NOW, 10**9))
    header = STORE.types['std_msgs/msg/Header'](stamp=time, frame_id='')
    return bytes(STORE.serialize_cdr(STORE.types[ARRAY](header, list(statuses)), ARRAY))


MESSAGES = (
    LiveMessage(SAFETY, NOW - 5, bytes(STORE.serialize_cdr(status('plant', ''), STATUS))),
    LiveMessage(CONTACTS, NOW + 9, array(status('tip', 'wall'), status('elbow', 'box'))),
    LiveMessage(CONTACTS, NOW + 7, array()),
)


def test_what_was_written_is_read_without_an_incomplete_end(tmp_path: Path) -> None:
    assert read_live_log(tmp_path) is NOT_LIVE
    writer = LiveLogWriter(tmp_path, NAMES, stamped=True)
    for stamp in (NOW, NOW + 2):
        writer.stamp(stamp)
    for message in MESSAGES:
        writer.add(message)
    writer.close()
    writer.close()
    read = read_live_log(tmp_path)
    assert (read.names, read.messages) == (NAMES, MESSAGES)
    assert read.stamps is not None
    assert read.stamps.tolist() == [NOW, NOW + 2]
    for name in (RAW_LIVE, RAW_STAMPS):  # of a process that was killed
        (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:-1])
    cut = read_live_log(tmp_path)
    assert cut.messages == MESSAGES[:-1]
    assert cut.stamps is not None
    assert cut.stamps.tolist() == [NOW]


def test_without_stamps_time_is_simulated(tmp_path: Path) -> None:
    LiveLogWriter(tmp_path, NAMES, stamped=False).close()
    assert read_live_log(tmp_path) == LiveLog(NAMES)


@pytest.fixture
def log(tmp_path: Path) -> tuple[Path, np.ndarray]:
    """Give a log of four rows, of which one came late."""
    rows = np.random.default_rng(2).standard_normal((4, len(COLUMNS), 3))
    stamps = NOW + np.array([0, 2_000_000, 4_000_000, 8_000_000])
    live = LiveLog(NAMES, stamps, MESSAGES)
    path = tmp_path / 'log.mcap'
    write_mcap(LogArray(rows), path, ('a', 'b', 'c'), PERIOD, {}, '<robot/>', live=live)
    return path, rows


def test_it_is_read_back_as_that_of_lockstep(log: tuple[Path, np.ndarray]) -> None:
    path, rows = log
    read = read_mcap(path)
    assert read.columns.tobytes() == rows.tobytes()
    np.testing.assert_allclose(read.time, PERIOD * np.arange(1, 5), rtol=0.0, atol=1e-9)
    assert McapReader(path).description == '<robot/>'


def test_others_see_the_names_and_stamps_of_the_graph(log: tuple[Path, np.ndarray]) -> None:
    path, _ = log
    found: dict[str, list[int]] = {}
    with AnyReader([path], default_typestore=STORE) as bag:
        times = [stamp for _, stamp, _ in bag.messages()]
        for connection, stamp, raw in bag.messages():
            message = bag.deserialize(raw, connection.msgtype)
            found.setdefault(connection.topic, []).append(stamp)
            if connection.topic == '/left/safety':
                assert (message.name, message.message) == ('plant', 'why')
            elif connection.topic == '/left/contacts' and message.status:
                assert [each.hardware_id for each in message.status] == ['wall', 'box']
            elif connection.topic == '/left/joint_states':
                assert message.header.stamp.sec * 10**9 + message.header.stamp.nanosec == stamp
        kept = {
            connection.topic: [qos.durability for qos in connection.ext.offered_qos_profiles]
            for connection in bag.connections
        }
    assert times == sorted(times)
    assert min(times) == NOW - 5
    assert found['/left/joint_states'] == [NOW + round(1e6 * k) for k in (0, 2, 4, 8)]
    assert found['/left/contacts'] == [NOW + 7, NOW + 9]
    for topic in ('/left/robot_description', '/left/safety'):
        assert kept[topic] == [QosDurability.TRANSIENT_LOCAL]
