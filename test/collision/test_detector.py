"""The detector: a contact is located from its first step on, and told once."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.collision.build import build_monitor
from simloop_ros.collision.collision_monitor import MonitorLimits
from simloop_ros.collision.contact_classifier import ContactClassifier
from simloop_ros.collision.detector import (
    ESTIMATE_PERIOD,
    LOCATING_DELAY,
    LONGEST_WAIT,
    CollisionDetector,
)
from simloop_ros.collision.disturbance_observer import DisturbanceObserver
from simloop_ros.collision.isolation import Clue, Hit, Isolation

H = 0.002
OUTSIDE = np.array([3.0, 1.0])  # [N m]


class Counting(Isolation):
    """Keeps what it is asked."""

    def __init__(self, model, noise):
        super().__init__(model, noise)
        self.clues: list[Clue] = []

    def locate(self, clue: Clue) -> Hit:
        self.clues.append(clue)
        return super().locate(clue)


@pytest.fixture
def detector(two_link):
    shape = (DisturbanceObserver.regimes, DisturbanceObserver.channels, 2)
    limits = MonitorLimits(np.full(shape, 0.5), np.full(two_link.n, 0.1))
    isolation = Counting(two_link, np.full((DisturbanceObserver.regimes, 2), 0.05))
    monitor = DisturbanceObserver(two_link, H, limits)
    return CollisionDetector(monitor, ContactClassifier(two_link.effort_limit, H), isolation)


def test_a_contact_is_told_once_and_estimated_all_the_time(detector, two_link, swing):
    told = [detector.step(row) for row in swing(two_link, OUTSIDE, period=H, steps=600)]
    began = next(i for i, alarm in enumerate(told) if alarm.contact)
    (at,) = [i for i, alarm in enumerate(told) if alarm.hit is not None]
    assert at - began + 1 == round(LOCATING_DELAY / H)
    assert all(alarm.running is None for alarm in told[:began])
    assert all(alarm.running is not None for alarm in told[began:])
    assert told[at].hit is told[at].running


def test_a_long_contact_is_located_less_and_less_often(detector, two_link, swing):
    rows = swing(two_link, OUTSIDE, period=H, steps=1400)
    counts = [len(detector.isolation.clues) for row in rows if detector.step(row).kind != 'none']
    early = round(LOCATING_DELAY / H)
    assert counts[:early] == list(range(1, early + 1))  # a step is ESTIMATE_PERIOD
    assert ESTIMATE_PERIOD == H
    steps = round(LONGEST_WAIT / H)
    late = np.flatnonzero(np.diff(counts))
    assert np.diff(late).max() == steps
    assert counts[-1] < 0.12 * len(counts)


def test_what_the_torque_was_before_the_contact_is_its_error(detector, two_link, swing):
    """The unrest does not grow with the contact."""
    for row in swing(two_link, OUTSIDE, period=H, steps=600, noise=1e-7):
        detector.step(row)
    first, last = detector.isolation.clues[0], detector.isolation.clues[-1]
    assert first.unrest.any()
    assert np.abs(first.unrest).max() < 0.1**2
    np.testing.assert_array_equal(first.unrest, last.unrest)


def test_it_goes_back_bit_for_bit_amid_a_contact(detector, two_link, swing):
    rows = list(swing(two_link, OUTSIDE, period=H, steps=500, noise=1e-7))
    for row in rows[:415]:
        detector.step(row)
    saved = detector.snapshot()
    ends = []
    for _ in range(2):
        ends.append([detector.step(row) for row in rows[415:]])
        detector.restore(saved)
    for one, other in zip(*ends, strict=True):
        assert (one.kind, one.hit is None) == (other.kind, other.hit is None)
        np.testing.assert_array_equal(one.running.point, other.running.point)
        assert one.running.probability == other.running.probability


def test_reset_forgets_the_contact(detector, two_link, swing):
    rows = list(swing(two_link, OUTSIDE, period=H, steps=500))
    fresh = [detector.step(row).running for row in rows]
    detector.reset()
    again = [detector.step(row).running for row in rows]
    assert [each is None for each in fresh] == [each is None for each in again]
    np.testing.assert_array_equal(fresh[-1].point, again[-1].point)


def test_without_thresholds_nothing_is_located(two_link, swing):
    detector = CollisionDetector(build_monitor('disturbance_observer', two_link, H))
    for row in swing(two_link, OUTSIDE, period=H, steps=600):
        alarm = detector.step(row)
        assert (alarm.contact, alarm.hit, alarm.running) == (False, None, None)
