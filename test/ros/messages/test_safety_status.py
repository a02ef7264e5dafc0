"""A safety status goes through a message and back, and nothing else is taken for one."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from hypothesis import given
from hypothesis import strategies as st
import pytest
from rclpy.serialization import deserialize_message, serialize_message

from simloop_ros.ros.driver.controller_switch import STATES
from simloop_ros.ros.messages.safety_status import (
    COUNT_LIMIT,
    NO_CONTROL,
    NO_DRIVER,
    STAMP,
    STOPS,
    SafetyStatus,
    from_message,
    origin,
    to_message,
)

TEXT = st.text(st.characters(exclude_categories=['Cs'], exclude_characters='\0'), min_size=1)


@given(
    st.builds(
        SafetyStatus,
        source=TEXT,
        stopped=TEXT | st.just(''),
        stops=st.integers(0, COUNT_LIMIT - 1),
        diverged=st.booleans(),
        stamp=st.integers(-1, COUNT_LIMIT - 1),
        paused=st.booleans(),
        state=st.sampled_from(['', *STATES.values()]),
    )
)
def test_a_status_survives_the_way(status: SafetyStatus) -> None:
    data = serialize_message(to_message(status))
    assert from_message(deserialize_message(data, DiagnosticStatus)) == status


def test_a_stop_is_an_error_for_every_reader_of_diagnostics() -> None:
    assert to_message(SafetyStatus('plant', 'why', 1)).level == DiagnosticStatus.ERROR
    assert to_message(SafetyStatus('plant', '', 1)).level == DiagnosticStatus.OK


def test_every_level_but_ok_is_a_stop_even_without_a_reason() -> None:
    message = to_message(SafetyStatus('user', '', 0))
    for level in (DiagnosticStatus.WARN, DiagnosticStatus.ERROR, DiagnosticStatus.STALE):
        message.level, message.message = level, ''
        status = from_message(message)
        assert status
        assert status.stopped


@pytest.mark.parametrize('key', [STOPS, STAMP])
@pytest.mark.parametrize('value', [None, '', 'one', '1.5', 'nan', '9' * 400, '9' * 5000, '1e3'])
def test_what_has_no_usable_numbers_is_nothing(key: str, value: str | None) -> None:
    message = to_message(SafetyStatus('plant', 'why', 1, stamp=5))
    others = [item for item in message.values if item.key != key]
    message.values = others if value is None else [*others, KeyValue(key=key, value=value)]
    assert from_message(message) is None


def test_a_negative_number_of_stops_is_nothing() -> None:
    assert from_message(to_message(SafetyStatus('plant', 'why', -1))) is None


def test_the_origin_of_a_stop_is_found_through_all_who_repeat_it() -> None:
    repeated = 'control_simulation: robot_follower: joint_states: no message for 9 periods'
    first = ('robot_follower', 'joint_states: no message for 9 periods')
    assert origin(SafetyStatus('plant', repeated, 1)) == first
    assert origin(SafetyStatus('plant', 'test', 1)) == ('plant', 'test')


def test_a_level_of_lateness_is_told() -> None:
    status = SafetyStatus('admittance', '', 0, level='soft')
    assert from_message(to_message(status)) == status


def test_a_follower_has_a_word_for_each_state() -> None:
    words = {NO_DRIVER, NO_CONTROL, *STATES.values()}
    assert len(words) == 6
    for word in words:
        status = from_message(to_message(SafetyStatus('robot_follower', '', 0, state=word)))
        assert status
        assert (status.state, status.level) == (word, '')
