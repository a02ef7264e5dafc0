"""The time of a run that is played."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from simloop_ros.view.recorded.playback import LEAP, LONGEST_GAP, Playback

ROUNDING = 1e-9
gaps = st.lists(st.floats(0.0, LONGEST_GAP), max_size=30)


@given(gaps=gaps, speed=st.floats(0.01, 5.0))
def test_goes_on_with_real_time(gaps, speed):
    playback, now = Playback(1e3), 5.0
    playback.speed = speed
    playback.play()
    playback.look(now)
    for gap in gaps:
        now += gap
        playback.look(now)
    assert playback.time == pytest.approx(speed * sum(gaps), abs=ROUNDING)


def test_stands_while_it_is_paused_or_nobody_looks():
    playback = Playback(10.0)
    playback.look(0.0)
    playback.look(0.2)
    assert playback.time == 0.0
    playback.play()
    playback.look(1.0)
    playback.look(1.1)
    playback.look(500.0)
    assert playback.time == pytest.approx(0.1 + LONGEST_GAP)
    playback.pause()
    playback.look(500.1)
    assert playback.time == pytest.approx(0.1 + LONGEST_GAP)


def test_ends_at_the_end_and_plays_from_the_start_again():
    playback = Playback(0.3)
    playback.speed = 0.0
    playback.play()
    playback.look(1.0)
    assert (playback.time, playback.playing) == (0.3, False)
    assert playback.duration < LEAP
    playback.play()
    assert (playback.time, playback.playing) == (0.0, True)


def test_seeks_only_within_the_run():
    playback = Playback(2.0)
    playback.seek(-1.0)
    assert playback.time == 0.0
    playback.seek(9.0)
    assert playback.time == 2.0


def test_factor_is_what_it_was_lately():
    playback = Playback(100.0)
    playback.speed = 2.0
    assert playback.factor == 0.0
    playback.play()
    for i in range(60):
        playback.look(i / 30.0)
    assert playback.factor == pytest.approx(2.0)
