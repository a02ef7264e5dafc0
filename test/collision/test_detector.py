"""The detector: a contact is located once, in the step or beside the loop, with one result."""

from __future__ import annotations

import numpy as np

from simloop_ros.collision.build import build_monitor
from simloop_ros.collision.collision_monitor import MonitorLimits
from simloop_ros.collision.contact_classifier import ContactClassifier
from simloop_ros.collision.detector import LOCATING_DELAY, CollisionDetector
from simloop_ros.collision.disturbance_observer import DisturbanceObserver
from simloop_ros.collision.isolation import Isolation

H = 0.002
OUTSIDE = np.array([3.0, 1.0])  # [N m]


def test_a_contact_is_located_the_same_beside_the_loop(two_link, swing):
    jump = np.full(two_link.n, 0.1)
    limits = MonitorLimits(
        np.full((DisturbanceObserver.regimes, DisturbanceObserver.channels, 2), 0.5), jump
    )
    isolation = Isolation(two_link, np.full((DisturbanceObserver.regimes, 2), 0.05))
    rows = list(swing(two_link, OUTSIDE, period=H, steps=600))
    told = {}
    for at_once in (True, False):
        monitor = DisturbanceObserver(two_link, H, limits)
        kind = ContactClassifier(two_link.effort_limit, H)
        detector = CollisionDetector(monitor, kind, isolation, at_once=at_once)
        told[at_once] = [detector.step(row) for row in rows]
    began = next(i for i, alarm in enumerate(told[True]) if alarm.contact)
    (at,) = [i for i, alarm in enumerate(told[True]) if alarm.hit is not None]
    assert [i for i, alarm in enumerate(told[False]) if alarm.due is not None] == [at]
    assert at - began + 1 == round(LOCATING_DELAY / H)
    beside, within = isolation.locate(told[False][at].due), told[True][at].hit
    assert (beside.joint, beside.probability) == (within.joint, within.probability)
    np.testing.assert_array_equal(beside.point, within.point)


def test_without_thresholds_nothing_is_located(two_link, swing):
    detector = CollisionDetector(build_monitor('disturbance_observer', two_link, H))
    for row in swing(two_link, OUTSIDE, period=H, steps=600):
        alarm = detector.step(row)
        assert (alarm.contact, alarm.hit, alarm.due) == (False, None, None)
