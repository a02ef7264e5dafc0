"""JointState as bytes: what other libraries write and read, and nothing that breaks the reader."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
import math
import random
import struct
import time
import tracemalloc

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
import numpy as np
import pytest
from rosbags.typesys import Stores, get_typestore

from simloop_ros.core.errors import MessageError
from simloop_ros.record.joint_state_cdr import JointStateLayout, scan_joint_state
from simloop_ros.ros.messages.joint_state import (
    ABSENT,
    DecodedJointState,
    JointStateDecoder,
    JointStateEncoder,
)

rclpy = pytest.importorskip('rclpy')
from rclpy.context import Context  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from rclpy.serialization import deserialize_message, serialize_message  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

FIELDS = ('position', 'velocity', 'effort')
SUBSETS = [tuple(f for i, f in enumerate(FIELDS) if bits >> i & 1) for bits in range(1, 8)]
ARMS = [f'yumi_joint_{i}_{side}' for side in 'lr' for i in range(1, 8)]
ODD_FLOATS = [-0.0, 5e-324, -2.2250738585072009e-308, 1.7976931348623157e308, 0.1, -1e-300]
STORE = get_typestore(Stores.ROS2_JAZZY)
DISCOVERY = 20.0  # s, of the clock on the wall: two nodes find and hear each other

names_of_joints = st.lists(
    st.text('abc_é関', min_size=1, max_size=9), min_size=1, max_size=16, unique=True
)
stamps = st.integers(0, 2**31 * 10**9 - 1)
finite = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(ODD_FLOATS)


def typed(names=ARMS, stamp=0, frame_id='', **fields) -> JointState:
    message = JointState(name=list(names))
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10**9)
    message.header.frame_id = frame_id
    for field, values in fields.items():
        setattr(message, field, array('d', values))
    return message


def by_rosbags(message: JointState, little_endian: bool = True) -> bytes:
    """Return what another library makes of a message; its padding is zero."""
    types = STORE.types
    stamp = message.header.stamp
    header = types['std_msgs/msg/Header'](
        stamp=types['builtin_interfaces/msg/Time'](sec=stamp.sec, nanosec=stamp.nanosec),
        frame_id=message.header.frame_id,
    )
    own = types['sensor_msgs/msg/JointState'](
        header=header,
        name=list(message.name),
        **{field: np.array(getattr(message, field), np.float64) for field in FIELDS},
    )
    kind = 'sensor_msgs/msg/JointState'
    return bytes(STORE.serialize_cdr(own, kind, little_endian=little_endian))


def values(n: int = 14, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(n)


def same(a: DecodedJointState, b: DecodedJointState) -> bool:
    """Return whether two results are equal, bit by bit."""
    arrays = [(getattr(a, field), getattr(b, field)) for field in FIELDS]
    return a.stamp == b.stamp and all(
        (x is ABSENT) == (y is ABSENT) and x.tobytes() == y.tobytes() for x, y in arrays
    )


def outcome(decoder: JointStateDecoder, data: bytes) -> DecodedJointState | str:
    """Return the result or the text of the refusal; nothing else may come out."""
    try:
        return decoder.decode(data)
    except MessageError as error:
        refused = str(error)
    assert '\n' not in refused
    return refused


def refusal(message: JointState | bytes, names=ARMS, fields=('position',)) -> str:
    data = message if isinstance(message, bytes) else serialize_message(message)
    result = outcome(JointStateDecoder(names, fields, 'joint_states'), data)
    assert isinstance(result, str)
    return result


@st.composite
def states(draw):
    names, fields = draw(names_of_joints), draw(st.sampled_from(SUBSETS))
    arrays = [draw(hnp.arrays(np.float64, len(names), elements=finite)) for _ in fields]
    return names, draw(stamps), dict(zip(fields, arrays, strict=True))


@settings(max_examples=150)
@given(state=states())
def test_others_write_the_same_bytes_and_read_the_same_message(state):
    names, stamp, fields = state
    data = JointStateEncoder(names, tuple(fields)).encode(stamp, *fields.values())
    message = typed(names, stamp, **fields)
    assert data == by_rosbags(message)
    # rclpy leaves random bytes in the padding, where we write zeros, and behind the message.
    pairs = zip(data, serialize_message(message), strict=False)
    assert all(own in (theirs, 0) for own, theirs in pairs)
    read = deserialize_message(data, JointState)
    assert read == message
    for field, array_ in fields.items():
        assert getattr(read, field).tobytes() == array_.tobytes()


@settings(max_examples=150)
@given(state=states(), data=st.data())
def test_reads_others_in_our_order_bit_by_bit(state, data):
    names, stamp, fields = state
    ours = data.draw(st.permutations(names))[: data.draw(st.integers(1, len(names)))]
    message = typed(names, stamp, data.draw(st.text(max_size=9, alphabet='ab/é')), **fields)
    decoder = JointStateDecoder(ours, tuple(fields))
    index = [names.index(name) for name in ours]
    for written in (
        serialize_message(message),
        by_rosbags(message),
        by_rosbags(message, little_endian=False),
    ):
        for _ in range(2):  # as a new layout, then as a known one
            read = decoder.decode(written)
            assert read.stamp == decoder.stamp(written) == stamp
            for field in FIELDS:
                if field in fields:
                    got = getattr(read, field)
                    assert got.tobytes() == fields[field][index].tobytes()
                    assert got.dtype == np.float64
                    assert got.dtype.isnative
                    assert got.flags.aligned
                else:
                    assert getattr(read, field) is ABSENT


def test_our_own_template_lies_where_a_scan_finds_it():
    for fields in SUBSETS:
        layout = JointStateLayout(ARMS, fields)
        scan = scan_joint_state(layout.template)
        assert scan.size == layout.size
        assert [name.decode() for name in scan.joint_names] == ARMS
        for field in fields:
            dtype, offset = layout.dtype.fields[field][:2]
            assert scan.values[field] == slice(offset, offset + dtype.itemsize)


def test_a_known_layout_gives_new_numbers_whatever_lies_in_padding_and_options():
    decoder = JointStateDecoder(ARMS, ('position', 'effort'))
    rng = np.random.default_rng(1)
    clean = JointStateEncoder(ARMS, ('position', 'effort')).encode(0, values(), values())
    scan = scan_joint_state(clean)
    meaning = [*scan.fixed, *scan.values.values(), slice(4, 12)]
    free = np.ones(len(clean), bool)
    for place in meaning:
        free[place] = False
    assert free[2:4].all()  # options
    assert free.sum() > len(ARMS)  # some bytes behind each name
    for k in range(20):
        position, effort = values(seed=2 * k), values(seed=2 * k + 1)
        message = np.frombuffer(
            JointStateEncoder(ARMS, ('position', 'effort')).encode(k, position, effort), np.uint8
        ).copy()
        message[free] = rng.integers(0, 256, free.sum())
        read = decoder.decode(message.tobytes() + rng.bytes(k))
        assert read.stamp == k
        np.testing.assert_array_equal(read.position, position)
        np.testing.assert_array_equal(read.effort, effort)
    assert len(decoder._layouts) == 1


def test_few_layouts_are_remembered_and_all_are_read():
    decoder = JointStateDecoder(ARMS, ('position',))
    for k in range(60):
        extra = [f'gripper_{k % 20}']
        data = serialize_message(typed(extra + ARMS, k, position=[9.0, *values(seed=k)]))
        np.testing.assert_array_equal(decoder.decode(data).position, values(seed=k))
        assert len(decoder._layouts) <= 4


def test_results_do_not_change_with_the_buffer():
    data = JointStateEncoder(ARMS, ('position',)).encode(5, values())
    for names in (ARMS, ARMS[::-1], ARMS[3:5]):
        position = JointStateDecoder(names, ('position',)).decode(data).position
        assert not position.flags.writeable or position.base is None


def test_strided_and_foreign_arrays_are_written_by_value():
    encoder = JointStateEncoder(ARMS, ('position',))
    wide = np.zeros((14, 3))
    wide[:, 1] = values()
    expected = encoder.encode(7, values())
    assert encoder.encode(7, wide[:, 1]) == expected
    assert encoder.encode(7, values().astype('>f8')) == expected
    assert encoder.encode(7, np.arange(14)) == encoder.encode(7, np.arange(14.0))


def test_what_does_not_fit_is_not_written():
    encoder = JointStateEncoder(ARMS, ('position', 'effort'))
    for arrays in ([values()], [values()] * 3, [values(), values(13)], [values(), values(1)]):
        with pytest.raises(ValueError, match=r'fit|zip'):
            encoder.encode(0, *arrays)
    for stamp in (-1, 2**31 * 10**9):
        with pytest.raises(ValueError, match='stamp'):
            encoder.encode(stamp, values(), values())
    for kind in (JointStateEncoder, JointStateDecoder):
        for names, fields in (
            ([], FIELDS),
            (['a', 'a'], FIELDS),
            (ARMS, ()),
            (ARMS, ('effort', 'position')),
            (ARMS, ('acceleration',)),
        ):
            with pytest.raises(ValueError, match=r'joint names|fields'):
                kind(names, fields)


@pytest.mark.parametrize(
    ('message', 'expected'),
    [
        (
            typed(ARMS[1:-1], position=values(12)),
            "joint_states: joint 'yumi_joint_1_l' is missing (got 12 of 14 joints)",
        ),
        (JointState(), "joint_states: joint 'yumi_joint_1_l' is missing (got 0 of 14 joints)"),
        (
            typed([*ARMS, ARMS[3]], position=values(15)),
            "joint_states: joint 'yumi_joint_4_l' comes twice",
        ),
        (
            typed([*ARMS, 'a\nb', 'a\nb'], position=values(16)),
            "joint_states: joint 'a\\nb' comes twice",
        ),
        (typed(effort=values()), 'joint_states: position has 0 values for 14 joints'),
        (typed(position=values(13)), 'joint_states: position has 13 values for 14 joints'),
        (
            typed([*ARMS, 'gripper'], position=values()),
            'joint_states: position has 14 values for 15 joints',
        ),
    ],
)
def test_a_message_that_cannot_be_used_is_refused_in_one_line(message, expected):
    assert refusal(message) == expected


@pytest.mark.parametrize('bad', [math.nan, -math.nan, math.inf, -math.inf])
@pytest.mark.parametrize('joint', [0, 6, 13])
def test_only_needed_numbers_must_be_finite(bad, joint):
    spoilt = values()
    spoilt[joint] = bad
    decoder = JointStateDecoder(ARMS[::-1], ('velocity',), 'joint_states')
    for little_endian in (True, False):
        ignored = typed(
            [*ARMS, 'gripper'],
            position=[*spoilt, 0],
            velocity=[*values(), bad],
            effort=[bad],
        )
        read = decoder.decode(by_rosbags(ignored, little_endian))
        np.testing.assert_array_equal(read.velocity, values()[::-1])
        assert read.position is ABSENT
        assert read.effort is ABSENT
        needed = by_rosbags(typed([*ARMS, 'gripper'], velocity=[*spoilt, 0]), little_endian)
        for _ in range(2):
            shown = f'velocity of {ARMS[joint]!r} is {np.float64(bad)}'
            assert outcome(decoder, needed) == f'joint_states: {shown}'


@pytest.mark.parametrize('bad', [math.nan, math.inf, -math.inf])
def test_where_it_is_allowed_a_number_need_not_be_finite(bad):
    spoilt = values()
    spoilt[3] = bad
    decoder = JointStateDecoder(ARMS, ('effort',), 'wrist_wrenches', finite=False)
    for little_endian in (True, False):
        data = by_rosbags(typed(effort=spoilt), little_endian)
        for _ in range(2):
            np.testing.assert_array_equal(decoder.decode(data).effort, spoilt)
    with pytest.raises(MessageError, match='is missing'):
        decoder.decode(by_rosbags(typed(ARMS[:3], effort=spoilt[:3])))


def test_the_largest_numbers_are_finite():
    largest = np.full(14, np.finfo(float).max)
    data = JointStateEncoder(ARMS, ('position',)).encode(0, largest)
    position = JointStateDecoder(ARMS, ('position',)).decode(data).position
    np.testing.assert_array_equal(position, largest)


@pytest.mark.parametrize(('sec', 'nanosec'), [(-1, 0), (-(2**31), 5), (0, 10**9), (3, 2**32 - 1)])
def test_a_stamp_that_is_no_time_is_refused(sec, nanosec):
    data = bytearray(JointStateEncoder(ARMS, ('position',)).encode(0, values()))
    data[4:12] = struct.pack('<iI', sec, nanosec)
    decoder = JointStateDecoder(ARMS, ('position',), 'joint_states')
    for read in (decoder.stamp, decoder.decode):
        with pytest.raises(MessageError, match=r'^joint_states: the stamp of .* is not valid$'):
            read(bytes(data))


@pytest.mark.parametrize(
    'data', [b'', b'\0', b'\0\1\0\0', b'\0\7\0\0' + bytes(400), b'\0\3\0\0' + bytes(400)]
)
def test_other_bytes_have_no_stamp(data):
    decoder = JointStateDecoder(ARMS, ('position',))
    for read in (decoder.stamp, decoder.decode):
        with pytest.raises(MessageError, match='no stamp in plain CDR'):
            read(data)


def test_every_prefix_is_refused():
    whole = JointStateEncoder(ARMS, ('velocity',)).encode(3, values())
    warm = JointStateDecoder(ARMS, ('velocity',))
    warm.decode(whole)
    for size in range(len(whole)):
        assert isinstance(outcome(warm, whole[:size]), str)
        refusal(whole[:size], fields=('velocity',))


@pytest.mark.parametrize('little_endian', [True, False])
def test_no_flipped_bit_is_read_in_two_ways(little_endian):
    """A decoder that knows the layout, and one that does not, agree on each single error."""
    whole = by_rosbags(
        typed([*ARMS[:5], 'x'], 3, 'w', position=values(6), effort=values(6)), little_endian
    )
    names, fields = ARMS[:5], ('position', 'effort')
    warm = JointStateDecoder(names, fields)
    good = warm.decode(whole)
    refused = 0
    for bit in range(8 * len(whole)):
        data = bytearray(whole)
        data[bit // 8] ^= 1 << bit % 8
        warm._layouts = warm._layouts[-1:]
        results = [outcome(d, bytes(data)) for d in (warm, JointStateDecoder(names, fields))]
        if isinstance(results[0], str):
            assert results[0] == results[1]
            refused += 1
        else:
            assert same(*results)
    assert same(warm.decode(whole), good)
    assert refused > 8 * 5 * len(ARMS[0])  # at least each bit of the names


@settings(max_examples=200)
@given(seed=st.integers(0, 2**32), head=st.binary(max_size=60))
def test_no_bytes_end_in_another_error(seed, head):
    """Random bytes, with and without a true beginning, and true messages with random errors."""
    rng = random.Random(seed)
    encoder = JointStateEncoder(ARMS[:3], ('position', 'velocity'))
    whole = encoder.encode(1, values(3), values(3))
    warm = JointStateDecoder(ARMS[:3], ('position', 'velocity'))
    warm.decode(whole)
    for _ in range(50):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 5)):
            data[rng.randrange(len(data))] = rng.choice((0, 1, 255, rng.randrange(256)))
        outcome(warm, bytes(data))
        outcome(warm, bytes(data[: rng.randrange(len(data))]) + rng.randbytes(9))
    outcome(warm, head)
    for known in (2, 12, 20):
        outcome(warm, whole[:known] + head)


@pytest.mark.parametrize('count', [2**32 - 1, 2**31, 10**6])
def test_a_false_length_costs_no_memory(count):
    encoded = JointStateEncoder(ARMS, ('position',)).encode(0, values())
    scan = scan_joint_state(encoded)
    decoder = JointStateDecoder(ARMS, ('position',))
    lengths = [place.start for place in scan.fixed if place.stop - place.start == 4]
    tracemalloc.start()
    for start in lengths:
        data = bytearray(encoded)
        struct.pack_into('<I', data, start, count)
        assert isinstance(outcome(decoder, bytes(data)), str)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100_000


@pytest.fixture
def context(monkeypatch) -> Iterator[Context]:
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    context = Context()
    rclpy.init(context=context)
    yield context
    context.try_shutdown()


def test_typed_and_raw_nodes_understand_each_other(context):
    executor = SingleThreadedExecutor(context=context)
    raw_node = rclpy.create_node('raw_node', context=context)
    typed_node = rclpy.create_node('typed_node', context=context)
    for node in (raw_node, typed_node):
        executor.add_node(node)
    raw_got, typed_got = [], []
    raw_node.create_subscription(JointState, 'to_raw', raw_got.append, 10, raw=True)
    typed_node.create_subscription(JointState, 'to_typed', typed_got.append, 10)
    raw_publisher = raw_node.create_publisher(JointState, 'to_typed', 10)
    typed_publisher = typed_node.create_publisher(JointState, 'to_raw', 10)

    def spin_until(done) -> None:
        deadline = time.monotonic() + DISCOVERY
        while not done():
            assert time.monotonic() < deadline
            executor.spin_once(timeout_sec=0.01)

    publishers = (raw_publisher, typed_publisher)
    spin_until(lambda: all(p.get_subscription_count() for p in publishers))
    encoder = JointStateEncoder(ARMS, ('position', 'effort'))
    decoder = JointStateDecoder(ARMS[::-1], ('velocity',))
    try:
        for k in range(1, 21):
            raw_publisher.publish(encoder.encode(k, values(seed=k), -values(seed=k)))
            # The long frame_id leaves its traces in the padding of the next message.
            frame_id = 'a frame with a long name' if k % 2 else ''
            typed_publisher.publish(typed(ARMS, k, frame_id, velocity=values(seed=k)))
            spin_until(lambda k=k: min(len(raw_got), len(typed_got)) == k)
            assert typed_got[-1] == typed(ARMS, k, position=values(seed=k), effort=-values(seed=k))
            assert isinstance(raw_got[-1], bytes)
            read = decoder.decode(raw_got[-1])
            assert read.stamp == k
            np.testing.assert_array_equal(read.velocity, values(seed=k)[::-1])
        assert len(decoder._layouts) == 2
    finally:
        executor.shutdown()
        for node in (raw_node, typed_node):
            node.destroy_node()
