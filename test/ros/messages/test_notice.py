"""What the collision monitor says survives the way; anything else is refused."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
import numpy as np
import pytest
from rclpy.serialization import deserialize_message, serialize_message

from simloop_ros.collision.detector import Detection
from simloop_ros.collision.isolation import Hit
from simloop_ros.collision.load import Load
from simloop_ros.collision.observation import Reading
from simloop_ros.core.errors import MessageError
from simloop_ros.record.events import Located
from simloop_ros.ros.messages.notice import Notice, from_message, to_message

STAMP = 1_234_567_891
READING = Reading(np.zeros(2), np.zeros(2), 'contact', -3.0)
HIT = Hit(1, 'link2', 0.9, np.array([0.1, 0.2, 0.3]), np.array([0.0, -5.0, 0.0]), 0.01)


def sent(detection: Detection) -> Notice:
    data = serialize_message(to_message(STAMP, detection))
    return from_message(deserialize_message(data, DiagnosticArray))


@pytest.mark.parametrize('contact', [False, True])
@pytest.mark.parametrize('kind', ['none', 'push', 'impact'])
def test_a_notice_survives_the_way(contact: bool, kind: str) -> None:
    notice = sent(Detection(contact, kind, READING))  # type: ignore[arg-type]
    assert (notice.stamp, notice.contact, notice.kind) == (STAMP, contact, kind)
    assert notice.margin == -3.0
    assert notice.located is None


@pytest.mark.parametrize(
    ('kind', 'level'),
    [
        ('none', DiagnosticStatus.OK),
        ('push', DiagnosticStatus.WARN),
        ('impact', DiagnosticStatus.ERROR),
    ],
)
def test_an_impact_is_an_error_and_a_push_a_warning(kind: str, level: bytes) -> None:
    message = to_message(STAMP, Detection(True, kind, READING))  # type: ignore[arg-type]
    assert [status.level for status in message.status] == [level]


def test_a_located_hit_is_told_with_its_place() -> None:
    located = sent(Detection(True, 'impact', READING, HIT)).located
    assert located == Located('link2', 0.9, (0.1, 0.2, 0.3), (0.0, -5.0, 0.0))


@pytest.mark.parametrize('taken', [False, True])
def test_a_load_is_told_to_the_last_bit(taken: bool) -> None:
    load = Load('tool', 0.1 + 0.2, 0.01, (1 / 3, -1e-17, 0.0), taken)
    notice = sent(Detection(True, 'push', READING, HIT, load=load))
    assert notice.load == load
    assert notice.located is not None
    assert sent(Detection(True, 'push', READING)).load is None


def test_a_doubt_is_told_in_every_step() -> None:
    doubting = Reading(np.zeros(2), np.zeros(2), 'unknown', 1.0, 'friction of a is beyond')
    assert sent(Detection(False, 'none', doubting)).doubt == 'friction of a is beyond'
    assert not sent(Detection(False, 'none', READING)).doubt


def test_a_running_estimate_is_told_beside_the_location() -> None:
    other = Hit(0, 'link1', 0.6, HIT.point, HIT.force, 0.5)
    notice = sent(Detection(True, 'impact', READING, HIT, other))
    assert (notice.located and notice.located.link) == 'link2'
    assert notice.running == Located('link1', 0.6)
    assert sent(Detection(True, 'impact', READING, None, other)).located is None


def test_a_place_that_the_torques_do_not_tell_is_not_told() -> None:
    vague = Hit(1, 'link2', 0.9, HIT.point, HIT.force, 0.5)
    assert sent(Detection(True, 'push', READING, vague)).located == Located('link2', 0.9)


def status(message: str, *values: tuple[str, str]) -> DiagnosticStatus:
    pairs = [KeyValue(key=key, value=value) for key, value in values]
    return DiagnosticStatus(message=message, values=pairs)


@pytest.mark.parametrize(
    'statuses',
    [
        [],
        [status('impact', ('contact', 'true'), ('margin', '1'))] * 2,
        [status('hello', ('contact', 'true'), ('margin', '1'))],
        [status('impact')],
        [status('impact', ('contact', 'true'))],
        [status('impact', ('contact', 'maybe'), ('margin', '1'))],
        [status('impact', ('contact', '1'), ('margin', '1'))],
        [status('impact', ('contact', 'true'), ('margin', '1e999'))],
        [status('impact', ('contact', 'true'), ('margin', '1' + '0' * 400))],
        [status('impact', ('contact', 'true'), ('margin', '1'), ('link', '"a"'))],
        [
            status(
                'impact',
                ('contact', 'true'),
                ('margin', '1'),
                ('link', '"a"'),
                ('probability', '1'),
                ('step', '7'),
            )
        ],
    ],
)
def test_anything_else_is_refused(statuses: list[DiagnosticStatus]) -> None:
    with pytest.raises(MessageError):
        from_message(DiagnosticArray(status=statuses))
