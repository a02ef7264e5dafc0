"""The log of two hands: its rows, its file, its share in the digest, and the way back in time."""

from __future__ import annotations

import hashlib
from pathlib import Path
import time
from typing import Any

from mcap_ros2.reader import read_ros2_messages
import numpy as np
import pytest
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore
from steps import into

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.core.values import ObjectReport, PathCorrection
from simloop_ros.loop.loop import Loop
from simloop_ros.record import log_topics
from simloop_ros.record.columns import hands_row
from simloop_ros.record.folder import HANDS_LOG
from simloop_ros.record.hands_log import (
    AXES,
    HANDS_COLUMNS,
    correction_row,
    object_row,
)
from simloop_ros.record.log import LogArray, LogReader, LogWriter
from simloop_ros.record.log_topics import HANDS_TOPICS, SEPARATE_HANDS_TOPICS
from simloop_ros.record.mcap import McapReader, read_mcap, write_mcap
from simloop_ros.record.metrics import compute_metrics
from simloop_ros.scenario.loading import load_scenario

TIPS = ('left', 'right')
TASKS = (
    '{do: approach, path: cp, clearance: 0.005, durations: [0.15]}, '
    '{do: grasp, squeeze: 20, durations: [0.15]}, {do: hold, duration: 0.1}, '
    '{do: move, by: [0, 0, 0.02], duration: 0.25}'
)
CARRY = (f'bimanual.tasks=[{TASKS}]', 'rest=0.05', 'seed=7')
TOUCHED = 0.26  # s: both hands press by then


@pytest.fixture(scope='module')
def carried(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Give the folder of a short carry with noisy sensors, and its summary."""
    folder = tmp_path_factory.mktemp('carry')
    settings = (*CARRY, 'graphs=[]')
    return folder, run(
        assemble(load_scenario('workerbot_carry', settings)), folder, time.perf_counter
    )


def test_an_object_is_its_place_its_rotation_vector_and_its_velocity() -> None:
    turn, place, velocity = np.array([0.1, -0.2, 0.3]), np.array([1.0, 2.0, 3.0]), np.arange(6.0)
    pose, moved = object_row(ObjectReport(place, turn, velocity))
    np.testing.assert_allclose(pose, [*place, *turn], rtol=0.0, atol=1e-15)
    np.testing.assert_array_equal(moved, velocity)
    np.testing.assert_array_equal(object_row(None), np.zeros((2, 6)))


def test_a_correction_is_a_displacement_then_a_turn() -> None:
    position, rotation = np.arange(6.0).reshape(2, 3), np.arange(10.0, 16.0).reshape(2, 3)
    rows = correction_row(PathCorrection(position, rotation))
    np.testing.assert_array_equal(rows, [[0, 1, 2, 10, 11, 12], [3, 4, 5, 13, 14, 15]])


def test_a_row_is_what_the_plant_and_the_planner_report_after_the_step() -> None:
    loop = assemble(load_scenario('workerbot_carry', CARRY)).loop
    rows: list[tuple[int, np.ndarray, str]] = []
    for _ in range(300):
        record = loop.step()
        assert record.planner is not None
        row, report = np.array(hands_row(record)), loop.plant.report()
        rows.append((record.index, row, record.planner.activity))
        assert record.index == loop.index - 1
        np.testing.assert_array_equal(row[:2], report.wrenches)
        np.testing.assert_array_equal(row[4:6], report.true_wrenches)
    model = loop.control.model
    poses = model.frame_poses(loop.plant.truth.position, model.sensors)
    left, right = (
        pose.rotation @ force for pose, force in zip(poses, rows[-1][1][4:6, :3], strict=True)
    )
    assert left[1] > 10.0  # N: the beam is to the right of the left hand, and pressed
    assert right[1] < -10.0
    off = np.abs(rows[-1][1][:2] - rows[-1][1][4:6])  # what the sensors add
    assert 0.1 < off[:, :3].max() < 10.0
    held = loop.plant.report().object
    assert held is not None
    np.testing.assert_array_equal(rows[-1][1][6, :3], held.position)
    np.testing.assert_array_equal(rows[-1][1][7], held.velocity)
    assert np.abs(rows[-1][1][2:4, 1]).min() > 1e-4  # m: both hands gave way along the beam
    assert rows[-1][2] == 'task 2 (grasp)'


def test_there_is_a_file_of_the_hands_beside_the_log(carried: tuple[Path, dict]) -> None:
    folder, summary = carried
    log = read_mcap(folder / HANDS_LOG)
    assert (log.joint_names, log.names) == (AXES, HANDS_COLUMNS)
    assert log.columns.shape == (summary['steps'], len(HANDS_COLUMNS), len(AXES))
    assert np.isfinite(log.columns).all()
    before = log.time < 0.2
    assert not log.column('true_wrench_1')[before].any()
    assert log.column('wrench_1')[before].any()  # noise and bias
    assert not log.column('correction_1')[before].any()
    lifted = log.column('object_pose')[-1, :3] - log.column('object_pose')[0, :3]
    np.testing.assert_allclose(lifted, [0.0, 0.0, 0.02], rtol=0.0, atol=2e-4)
    assert not list(folder.glob('*.raw'))


def test_other_readers_decode_the_same(tmp_path: Path) -> None:
    rows = np.random.default_rng(1).standard_normal((5, len(HANDS_COLUMNS), 6))
    rows[2, :2] = np.nan  # a lost sensor
    with LogWriter(tmp_path / 'raw', 6, HANDS_COLUMNS) as writer:
        for row in rows:
            writer.append(row)
    reader, path = LogReader(tmp_path / 'raw', 6, HANDS_COLUMNS), tmp_path / HANDS_LOG
    write_mcap(reader, path, AXES, 0.001, {}, '<robot/>', groups=TIPS)
    np.testing.assert_array_equal(np.concatenate(list(McapReader(path).chunks())), rows)
    seen = {topic: [] for topic in HANDS_TOPICS}
    for entry in read_ros2_messages(path, topics=list(HANDS_TOPICS)):
        both = [f'{tip}/{axis}' for tip in TIPS for axis in AXES]
        own = entry.channel.topic == '/object_state'
        assert list(entry.ros_msg.name) == (list(AXES) if own else both)
        seen[entry.channel.topic].append(entry.ros_msg)
    again = {topic: [] for topic in HANDS_TOPICS}
    with AnyReader([path], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as bag:
        for connection, _, raw in bag.messages():
            if connection.topic in again:
                again[connection.topic].append(bag.deserialize(raw, connection.msgtype))
    for messages in (seen, again):
        for topic, fields in HANDS_TOPICS.items():
            for field, columns in fields.items():
                found = [list(getattr(message, field)) for message in messages[topic]]
                expected = [rows[:, HANDS_COLUMNS.index(column)] for column in columns]
                np.testing.assert_array_equal(found, np.concatenate(expected, axis=1))


def test_a_log_of_an_earlier_version_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = np.random.default_rng(1).standard_normal((5, len(HANDS_COLUMNS), 6))
    with monkeypatch.context() as patch:
        patch.setattr(log_topics, 'LAYOUTS', ((HANDS_COLUMNS, SEPARATE_HANDS_TOPICS),))
        write_mcap(LogArray(rows, HANDS_COLUMNS), tmp_path / HANDS_LOG, AXES, 0.001, {}, '')
    np.testing.assert_array_equal(read_mcap(tmp_path / HANDS_LOG).columns, rows)


def test_the_digest_is_over_both_logs(tmp_path: Path, carried: tuple[Path, dict]) -> None:
    folder, summary = carried
    log, hands = McapReader(folder / 'log.mcap'), McapReader(folder / HANDS_LOG)
    both = hashlib.sha256()
    for reader in (log, hands):
        both.update(np.concatenate(list(reader.chunks())).tobytes())
    assert summary['digest'] == both.hexdigest() == compute_metrics(log, hands).digest
    rows = np.concatenate(list(hands.chunks()))
    rows.view(np.uint64)[-1, 0, 0] ^= np.uint64(1)
    with LogWriter(tmp_path / 'raw', 6, HANDS_COLUMNS) as writer:
        for row in rows:
            writer.append(row)
    changed = compute_metrics(log, LogReader(tmp_path / 'raw', 6, HANDS_COLUMNS))
    assert changed.digest != summary['digest']


def ahead(loop: Loop, path: Path, steps: int) -> bytes:
    """Return the bytes of both logs over some steps."""
    hands: list[bytes] = []
    with LogWriter(path, loop.control.model.n) as log:
        for _ in range(steps):
            record = loop.step()
            into(log)(record)
            assert record.planner is not None
            hands.append(np.array(hands_row(record)).tobytes() + record.planner.activity.encode())
    return path.read_bytes() + b''.join(hands)


@pytest.mark.parametrize(
    'settings',
    [(), ('plant.sensors.faults=[{tip: palm_r, kind: frozen, start: 0.29}]',)],
    ids=['whole', 'frozen sensor'],
)
def test_what_follows_a_state_follows_it_again(tmp_path: Path, settings: tuple[str, ...]) -> None:
    """With contact and noise, before it, as it begins, while the object is carried."""
    loop = assemble(load_scenario('workerbot_carry', [*CARRY, *settings])).loop
    for steps in (round(TOUCHED / 1e-3) - 20, 30, 200):
        ahead(loop, tmp_path / 'raw', steps)
        state = loop.snapshot()
        first = ahead(loop, tmp_path / 'raw', 60)
        loop.restore(state)
        assert ahead(loop, tmp_path / 'raw', 60) == first
        loop.restore(state)
    planner: Any = loop.planner
    assert planner.contact.contact
    assert bool(planner.halted) == bool(settings)
    loop.plant.close()
