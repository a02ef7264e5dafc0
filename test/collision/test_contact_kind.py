"""Accident or intention: by how fast a torque rises against what the joint bears."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.collision.contact_kind import HARD, OVER, ContactKind
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
    """The border is a torque that would be at the limit in ``HARD`` seconds."""
    rate = np.zeros(2)
    rate[joint] = -times * LIMIT[joint] / HARD
    kinds = ContactKind(LIMIT, H)
    seen = [kinds.step(reading) for reading in ramp(rate, 150)]
    assert seen[0] == 'none'
    assert seen[-1] == kind


def test_a_push_that_stays_does_not_become_an_impact_but_a_blow_does():
    kinds = ContactKind(LIMIT, H)
    held = Reading(np.array([3.0, 0.0]), np.array([3.0, 0.0]), 'contact', -1.0)
    for reading in ramp(0.5 * LIMIT / HARD, 150):
        kinds.step(reading)
    for _ in range(500):
        last = kinds.step(held)
    assert last == 'push'
    blow = Reading(np.array([9.0, 0.0]), np.array([9.0, 0.0]), 'contact', -3.0)
    assert kinds.step(blow) == 'impact'
    assert kinds.step(held) == 'impact'


def test_the_next_contact_is_judged_anew():
    kinds = ContactKind(LIMIT, H)
    for reading in ramp(3.0 * LIMIT / HARD, 100):
        kinds.step(reading)
    quiet = Reading(np.zeros(2), np.zeros(2), 'free', 1.0)
    seen = [kinds.step(quiet) for _ in range(round(OVER / H) + 2)]
    assert (seen[0], seen[-1]) == ('impact', 'none')
    assert [kinds.step(reading) for reading in ramp(0.5 * LIMIT / HARD, 150)][-1] == 'push'


def test_an_earlier_memory_gives_the_same_again():
    kinds = ContactKind(LIMIT, H)
    readings = list(ramp(1.5 * LIMIT / HARD, 120))
    for reading in readings[:20]:
        kinds.step(reading)
    memory = kinds.snapshot()
    first = [kinds.step(reading) for reading in readings[20:]]
    kinds.restore(memory)
    assert [kinds.step(reading) for reading in readings[20:]] == first
