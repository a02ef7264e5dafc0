"""Accident or intention: by how fast a torque rises against what the joint bears."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.collision.contact_classifier import (
    IMPACT_TIME,
    SEPARATION_TIME,
    ContactClassifier,
)
from simloop_ros.collision.observation import Reading

H = 0.001
LIMIT = np.array([40.0, 4.0])


def ramp(rate: np.ndarray, steps: int, threshold: float = 0.05):
    """Yield readings of torques that rise from zero; contact above a part of the limit."""
    for k in range(steps):
        torque = rate * k * H
        verdict = 'contact' if np.abs(torque / LIMIT).max() > threshold else 'free'
        yield Reading(torque, torque, verdict, 0.0)


@pytest.mark.parametrize('joint', [0, 1])
@pytest.mark.parametrize(('times', 'kind'), [(0.8, 'push'), (1.25, 'impact')])
def test_an_impact_is_on_the_way_to_the_effort_limit(joint, times, kind):
    """The border is a torque that would be at the limit in ``IMPACT_TIME`` seconds."""
    rate = np.zeros(2)
    rate[joint] = -times * LIMIT[joint] / IMPACT_TIME
    classifier = ContactClassifier(LIMIT, H)
    seen = [classifier.step(reading) for reading in ramp(rate, 150)]
    assert seen[0] == 'none'
    assert seen[-1] == kind


def test_a_push_that_stays_does_not_become_an_impact_but_a_blow_does():
    classifier = ContactClassifier(LIMIT, H)
    held = Reading(np.array([3.0, 0.0]), np.array([3.0, 0.0]), 'contact', -1.0)
    for reading in ramp(0.5 * LIMIT / IMPACT_TIME, 150):
        classifier.step(reading)
    for _ in range(500):
        last = classifier.step(held)
    assert last == 'push'
    blow = Reading(np.array([9.0, 0.0]), np.array([9.0, 0.0]), 'contact', -3.0)
    assert classifier.step(blow) == 'impact'
    assert classifier.step(held) == 'impact'


def test_the_next_contact_is_judged_anew():
    classifier = ContactClassifier(LIMIT, H)
    for reading in ramp(3.0 * LIMIT / IMPACT_TIME, 100):
        classifier.step(reading)
    quiet = Reading(np.zeros(2), np.zeros(2), 'free', 1.0)
    seen = [classifier.step(quiet) for _ in range(round(SEPARATION_TIME / H) + 2)]
    assert (seen[0], seen[-1]) == ('impact', 'none')
    slow = [classifier.step(reading) for reading in ramp(0.5 * LIMIT / IMPACT_TIME, 150)]
    assert slow[-1] == 'push'
