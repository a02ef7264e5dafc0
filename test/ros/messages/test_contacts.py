"""Contacts go through a message and back, and can be sent again."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
import pytest
from rclpy.serialization import deserialize_message, serialize_message

from simloop_ros.core.errors import MessageError
from simloop_ros.core.values import Contact
from simloop_ros.ros.messages.contacts import from_message, to_message
from simloop_ros.ros.messages.stamps import join
from simloop_ros.ros.transport.channels import OUTBOX_SIZE, StampedPublisher

CONTACTS = (
    Contact('tip', 'wall', 0.1 + 0.2, (0.1, -1e-300, 3.0)),
    Contact('link1', 'ceiling', 5e-324, (0.0, 0.1 + 0.2, -2.0)),
)
STAMP = 12_345_678_901


class Listener:
    """Takes what a publisher is given."""

    def __init__(self) -> None:
        self.messages: list[DiagnosticArray] = []

    def publish(self, message: DiagnosticArray) -> None:
        self.messages.append(message)


@pytest.mark.parametrize('contacts', [(), CONTACTS[:1], CONTACTS])
def test_contacts_survive_the_way_bit_for_bit(contacts: tuple[Contact, ...]) -> None:
    data = serialize_message(to_message(STAMP, contacts))
    message = deserialize_message(data, DiagnosticArray)
    assert join(message.header.stamp) == STAMP
    assert from_message(message) == contacts


@pytest.mark.parametrize('force', ['', 'strong', 'nan', 'inf', '-inf', '1e999'])
def test_a_force_that_is_no_number_is_refused(force: str) -> None:
    message = to_message(STAMP, CONTACTS)
    message.status[1].values[0] = KeyValue(key='force [N]', value=force)
    with pytest.raises(MessageError, match='force'):
        from_message(message)


@pytest.mark.parametrize('point', ['', '1 2', '1 2 3 4', '1 2 nan', '1 2 there'])
def test_a_point_that_is_none_is_refused(point: str) -> None:
    message = to_message(STAMP, CONTACTS)
    message.status[1].values[1] = KeyValue(key='point [m]', value=point)
    with pytest.raises(MessageError, match='point'):
        from_message(message)


def test_a_status_without_values_is_refused() -> None:
    with pytest.raises(MessageError, match='without force and point'):
        from_message(DiagnosticArray(status=[DiagnosticStatus(name='tip')]))


def test_what_was_sent_is_sent_again_and_nothing_else() -> None:
    listener = Listener()
    publisher = StampedPublisher(listener)  # type: ignore[arg-type]
    for stamp in range(OUTBOX_SIZE + 10):
        publisher.send(stamp, to_message(stamp, CONTACTS))
    listener.messages.clear()
    for stamp in (
        OUTBOX_SIZE + 9,
        10,
        9,
        -1,
        OUTBOX_SIZE + 10,
    ):  # 9 is too old
        publisher.send_again(stamp)
    assert [join(message.header.stamp) for message in listener.messages] == [OUTBOX_SIZE + 9, 10]
    assert all(from_message(message) == CONTACTS for message in listener.messages)
