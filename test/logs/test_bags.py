"""Bags of rosbag2, written by another library, whole and cut off."""

from __future__ import annotations

from mcap.writer import CompressionType, Writer
import msgspec
import numpy as np
import pytest
from robot_logs import JOINT_STATE, cut, message, recording, write_bag
from rosbags.rosbag2 import StoragePlugin

from simloop_ros.core.errors import LogError
from simloop_ros.logs.mapping import LogMapping
from simloop_ros.logs.reading import read_log, read_recording

STAMPED = 1e-9
"""Stamps are whole nanoseconds [s]."""


@pytest.fixture(scope='module')
def two_link(shipped):
    return shipped('two_link')


@pytest.mark.parametrize('storage', [StoragePlugin.SQLITE3, StoragePlugin.MCAP])
def test_a_bag_is_read_bit_for_bit_whatever_the_order_of_joints(two_link, tmp_path, storage):
    made = recording(two_link, 0.5)
    bag = write_bag(tmp_path / 'bag', made, storage=storage)
    for path in (bag, next(p for p in bag.iterdir() if p.suffix in ('.db3', '.mcap'))):
        found = read_recording(path, two_link)
        np.testing.assert_array_equal(found.position, made.position)
        np.testing.assert_array_equal(found.velocity, made.velocity)
        np.testing.assert_array_equal(found.effort, made.effort)
        np.testing.assert_allclose(found.time, made.time, atol=STAMPED)
        assert found.notes == ()
    names = list(reversed(made.joint_names))
    other = write_bag(tmp_path / 'other', made, names, storage)
    swapped = read_recording(other, two_link)
    np.testing.assert_array_equal(swapped.position, made.position[:, ::-1])


@pytest.mark.parametrize('compression', list(CompressionType))
def test_compressed_chunks_are_read(two_link, tmp_path, compression):
    made, path = recording(two_link, 0.5), tmp_path / 'log.mcap'
    write_chunks(path, made, compression)
    found = read_recording(path, two_link)
    np.testing.assert_array_equal(found.effort, made.effort)


def write_chunks(path, made, compression=CompressionType.ZSTD, size=2000):
    with path.open('wb') as file:
        writer = Writer(file, chunk_size=size, compression=compression)
        writer.start(profile='ros2')
        schema = writer.register_schema(JOINT_STATE, 'ros2msg', b'')
        channel = writer.register_channel('/js', 'cdr', schema)
        for k in range(made.rows):
            stamp = round(1e9 * made.time[k]) + 10**9
            fields = made.position[k], made.velocity[k], made.effort[k]
            data = message(list(made.joint_names), stamp, *fields)
            writer.add_message(channel, stamp, data, stamp)
        writer.finish()


def test_a_cut_off_mcap_is_read_up_to_there_and_that_is_said(two_link, tmp_path):
    made, path = recording(two_link, 0.5), tmp_path / 'log.mcap'
    write_chunks(path, made)
    found = read_recording(cut(path, 0.5), two_link)
    assert 10 < found.rows < made.rows
    np.testing.assert_array_equal(found.position, made.position[: found.rows])
    assert f'only its first {found.rows} messages were read' in found.notes[0]
    with pytest.raises(LogError, match='cut off before its first joint state'):
        read_recording(cut(path, 0.02), two_link)


def test_a_cut_off_database_is_read_up_to_there_or_refused(two_link, tmp_path):
    made = recording(two_link, 4.0)
    whole = next(write_bag(tmp_path / 'bag', made).glob('*.db3')).read_bytes()
    path = tmp_path / 'cut.db3'
    for share in (0.9, 0.69, 0.5, 0.43):  # within a page, most of them
        path.write_bytes(whole[: int(share * len(whole))])
        found = read_recording(path, two_link)
        np.testing.assert_array_equal(found.position, made.position[: found.rows])
        assert 0.5 * share * made.rows < found.rows < made.rows
        assert f'only its first {found.rows} messages' in found.notes[0]
    path.write_bytes(whole[: len(whole) // 50])
    with pytest.raises(LogError, match='cut off or damaged'):
        read_recording(path, two_link)
    path.write_bytes(b'not a database at all' * 100)
    with pytest.raises(LogError, match='not a database'):
        read_recording(path, two_link)
    path.write_bytes(b'')
    with pytest.raises(LogError, match='empty'):
        read_recording(path, two_link)


def test_headers_without_stamps_give_way_to_the_recorder(two_link, tmp_path):
    made = recording(two_link, 0.2)
    bag = write_bag(tmp_path / 'bag', made, stamped=False)
    found = read_recording(bag, two_link)
    np.testing.assert_allclose(found.time, made.time, atol=STAMPED)
    assert 'no stamps' in found.notes[0]
    asked = read_recording(
        write_bag(tmp_path / 'b', made), two_link, LogMapping(stamps='received')
    )
    np.testing.assert_allclose(asked.time, made.time, atol=STAMPED)


def test_a_topic_that_is_not_there_is_told_with_the_nearest(two_link, tmp_path):
    bag = write_bag(tmp_path / 'bag', recording(two_link, 0.2), topic='/robot/joint_states')
    assert read_log(bag, LogMapping(topic='robot/joint_states')).time.size
    with pytest.raises(LogError, match='did you mean /robot/joint_states'):
        read_log(bag, LogMapping(topic='/joint_states'))


def test_a_bag_without_messages_is_empty(two_link, tmp_path):
    made = recording(two_link, 0.2).picked(slice(0, 0))
    with pytest.raises(LogError, match='no message on /joint_states: the log is empty'):
        read_recording(write_bag(tmp_path / 'bag', made), two_link)


def test_a_bag_without_efforts_has_none(two_link, tmp_path):
    made = msgspec.structs.replace(recording(two_link, 0.2), effort=None, velocity=None)
    found = read_recording(write_bag(tmp_path / 'bag', made), two_link)
    assert found.effort is None
    assert found.velocity is None
