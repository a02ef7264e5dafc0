"""Past the middleware: the same order, the same values, only where they fit."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip('rclpy')
from std_msgs.msg import Header

from simloop_ros.ros.messages.joint_state import DecodedJointState
from simloop_ros.ros.transport.channels import LocalBus

NAMES = ('a', 'b')
FIELDS = ('position', 'effort')


def message(stamp: int) -> DecodedJointState:
    return DecodedJointState(stamp, position=np.arange(2.0), effort=np.ones(2))


def test_messages_arrive_in_the_order_in_which_they_were_sent() -> None:
    """Also those that are sent while others are delivered: they come after."""
    bus = LocalBus()
    seen: list[tuple[str, int]] = []

    def first(arrived: DecodedJointState) -> None:
        seen.append(('first', arrived.stamp))
        if arrived.stamp < 2:
            bus.send(bus.readers('/x', NAMES, FIELDS), message(arrived.stamp + 1))

    bus.subscribe('/x', NAMES, ('position',), first)
    bus.subscribe('/x', NAMES, ('effort',), lambda m: seen.append(('second', m.stamp)))
    bus.send(bus.readers('/x', NAMES, FIELDS), message(0))
    assert bus.busy
    bus.run(100)
    assert not bus.busy
    assert seen == [(who, stamp) for stamp in range(3) for who in ('first', 'second')]


def test_a_number_of_deliveries_is_not_exceeded() -> None:
    bus = LocalBus()
    seen: list[int] = []
    bus.subscribe('/x', NAMES, FIELDS, lambda m: seen.append(m.stamp))
    for stamp in range(5):
        bus.send(bus.readers('/x', NAMES, FIELDS), message(stamp))
    bus.run(3)
    assert seen == [0, 1, 2]
    bus.run(3)
    assert seen == [0, 1, 2, 3, 4]


def test_only_readers_of_the_same_joints_and_fields_are_near() -> None:
    """The others get the message over the middleware, where joints are matched by name."""
    bus = LocalBus()
    bus.subscribe('/x', ('b', 'a'), FIELDS, lambda _: None)
    bus.subscribe('/x', NAMES, ('velocity',), lambda _: None)
    bus.subscribe('/y', NAMES, FIELDS, lambda _: None)
    assert bus.readers('/x', NAMES, FIELDS) == []


def test_a_reader_that_left_gets_nothing() -> None:
    bus = LocalBus()
    leave = bus.subscribe('/x', NAMES, FIELDS, lambda _: None)
    assert len(bus.readers('/x', NAMES, FIELDS)) == 1
    leave()
    assert bus.readers('/x', NAMES, FIELDS) == []


def test_a_request_goes_to_who_sends_its_topic() -> None:
    """In its turn, behind what is on its way; a topic that nobody here sends is asked outside."""
    bus = LocalBus()
    seen: list[str] = []
    bus.subscribe('/x', NAMES, FIELDS, lambda m: seen.append(f'message {m.stamp}'))
    bus.answer_requests({'x'}, lambda request: seen.append(f'request {request.frame_id}'))
    leave = bus.answer_requests({'y'}, lambda _: seen.append('of another topic'))
    bus.send(bus.readers('/x', NAMES, FIELDS), message(0))
    assert bus.request(Header(frame_id='x'))
    assert not bus.request(Header(frame_id='z'))
    bus.run(100)
    assert seen == ['message 0', 'request x']
    leave()
    assert not bus.request(Header(frame_id='y'))
