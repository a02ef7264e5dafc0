"""A lost message is requested and sent again; a message that is only late is not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

rclpy = pytest.importorskip('rclpy')
from rclpy.context import Context  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from rclpy.node import Node  # noqa: E402
from std_msgs.msg import Header  # noqa: E402

from simloop_ros.ros.transport.qos import EVENTS  # noqa: E402
from simloop_ros.ros.transport.resend import FIRST_REQUESTS, REQUEST_INTERVAL, Resend  # noqa: E402

STAMP = 1_500_000_000
ITEM = ('joint_states', STAMP)


class Desk:
    """Two ends of the topic ``resend`` in one context: who asks, and who answers."""

    def __init__(self, context: Context):
        self.node = Node('asking', context=context)
        self.executor = SingleThreadedExecutor(context=context)
        self.executor.add_node(self.node)
        self.wanted: tuple[tuple[str, int], ...] = ()
        self.gaps: tuple[tuple[str, int], ...] = ()
        self.sent: list[int] = []
        publisher = self.node.create_publisher(Header, 'resend', EVENTS)
        self.resend = Resend(publisher, lambda: self.wanted, lambda: self.gaps)
        self.resend.sources['joint_states'] = self.sent.append
        self.node.create_subscription(Header, 'resend', self.resend.answer, EVENTS)

    def spin_until(self, asked: int) -> None:
        for _ in range(200):
            if self.resend.answered >= asked:
                return
            self.executor.spin_once(timeout_sec=0.05)
        raise AssertionError('the requests did not arrive')


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    monkeypatch.setenv('FASTDDS_BUILTIN_TRANSPORTS', 'UDPv4')
    context = Context()
    rclpy.init(context=context, domain_id=57)
    desk = Desk(context)
    yield desk
    desk.executor.shutdown()
    desk.node.destroy_node()
    rclpy.shutdown(context=context)


def test_a_request_reaches_the_source_with_its_stamp(desk: Desk) -> None:
    desk.resend.request(*ITEM)
    desk.spin_until(1)
    assert desk.sent == [STAMP]


def test_what_nobody_here_publishes_is_not_answered(desk: Desk) -> None:
    desk.resend.request('effort_command', STAMP)
    desk.resend.request(*ITEM)
    desk.spin_until(1)
    assert desk.sent == [STAMP]


def test_missing_messages_are_requested_at_growing_intervals(desk: Desk) -> None:
    desk.wanted = (ITEM,)
    ticks = 2 * REQUEST_INTERVAL + 2
    desk.resend.tick()  # not quiet yet: nothing is known of the time before
    asked = []
    for tick in range(ticks):
        before = desk.resend.requested
        desk.resend.tick()
        if desk.resend.requested > before:
            asked.append(tick)
    assert asked == [*FIRST_REQUESTS, REQUEST_INTERVAL, 2 * REQUEST_INTERVAL]
    assert 'joint_states at 1.5 s' in desk.resend.waiting


def test_while_others_arrive_only_gaps_are_requested(desk: Desk) -> None:
    desk.wanted = (ITEM,)
    for _ in range(20):
        desk.resend.received += 1
        desk.resend.tick()
    assert desk.resend.requested == 0
    desk.gaps = (ITEM,)
    for _ in range(3):
        desk.resend.received += 1
        desk.resend.tick()
    assert desk.resend.requested == 1


def test_what_has_come_is_not_requested(desk: Desk) -> None:
    desk.wanted = (ITEM,)
    desk.resend.tick()
    desk.wanted = (('joint_states', STAMP + 1),)
    desk.resend.tick()
    desk.resend.tick()
    assert desk.resend.requested == 1
