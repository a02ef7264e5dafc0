"""Snapshots: complete, never written into, and going back repeats everything bit for bit."""

from __future__ import annotations

from copy import deepcopy

import msgspec
import numpy as np
import pytest

from simloop_ros.collision.build import KINDS, build_monitor
from simloop_ros.collision.collision_monitor import MonitorLimits
from simloop_ros.collision.contact_classifier import ContactClassifier
from simloop_ros.collision.detector import CollisionDetector
from simloop_ros.collision.sample_validation import SampleValidator
from simloop_ros.collision.wrist_torque import WristTorque

H = 1.0 / 1000.0
JUMP, MALFORMED, GAP = 520, 540, 560
MOMENTS = (0, 1, 300, 430, JUMP, JUMP + 1, MALFORMED + 1, GAP + 1, 640)
"""Snapshots at the start, in free motion, in contact, amid rejected samples, and after them."""


def values(thing):
    """Return everything that an object holds, without its scratch memory, in plain types."""
    if isinstance(thing, np.ndarray):
        return thing.shape, thing.tobytes()
    if isinstance(thing, msgspec.Struct):
        return tuple(values(each) for each in msgspec.structs.astuple(thing))
    if isinstance(thing, (tuple, list)):
        return tuple(values(each) for each in thing)
    if type(thing).__module__.startswith('simloop_ros.collision'):
        return {name: values(each) for name, each in vars(thing).items()}
    if isinstance(thing, float):
        return np.float64(thing).tobytes()  # NaN equals itself
    return thing if isinstance(thing, (int, str, type(None))) else type(thing)


def disturbed(rows):
    """Yield observations with a jump, one that is not finite, and a gap."""
    for i, row in enumerate(rows):
        if i == JUMP:
            yield msgspec.structs.replace(row, measured=row.measured + 0.05)
        elif i == MALFORMED:
            yield msgspec.structs.replace(row, measured=row.measured * np.nan)
        elif not GAP <= i < GAP + 3:
            yield row


def check(thing, rows):
    """Check the snapshots of some object with ``step`` at all moments."""
    saved = {}
    outputs = []
    for i, row in enumerate(rows):
        if i in MOMENTS:
            saved[i] = thing.snapshot()
            saved[i] = saved[i], deepcopy(saved[i])
        outputs.append(values(thing.step(row)))
    end = values(thing)
    for i, (snapshot, copy) in saved.items():
        assert values(snapshot) == values(copy), 'somebody wrote into a snapshot'
        thing.restore(snapshot)
        assert values(thing.snapshot()) == values(copy)
        assert [values(thing.step(row)) for row in rows[i:]] == outputs[i:]
        assert values(thing) == end
        assert values(snapshot) == values(copy), 'somebody wrote into a snapshot'


@pytest.mark.parametrize('kind', KINDS)
def test_a_detector_goes_back_bit_for_bit(kind, two_link, swing):
    plain = build_monitor(kind, two_link, H)
    limit = 1e-6 if kind == 'position_difference' else 0.5
    limits = MonitorLimits(np.full((plain.regimes, plain.channels, 2), limit), np.full(2, 1e-3))
    monitor = type(plain)(two_link, H, limits)
    detector = CollisionDetector(monitor, ContactClassifier(two_link.effort_limit, H))
    rows = list(disturbed(swing(two_link, np.array([3.0, 1.0]), steps=700, noise=1e-7)))
    check(detector, rows)
    detector.reset()
    fresh = [detector.step(row) for row in rows]
    assert {each.kind for each in fresh} > {'none'}
    assert {each.reading.verdict for each in fresh} == {'unknown', 'free', 'contact'}
    assert monitor.validator.rejected == 3


def test_a_tare_goes_back_bit_for_bit(yumi, swing):
    wrist_torque = WristTorque(yumi, 0.4, H)
    readings = np.random.default_rng(1).normal(size=(700, len(yumi.sensors), 6))
    rows = list(zip(swing(yumi, steps=700), readings, strict=True))

    class Step:
        snapshot, restore = wrist_torque.snapshot, wrist_torque.restore

        def step(self, row):
            return wrist_torque.explain(*row)

    check(Step(), rows)


def test_a_validator_goes_back_amid_an_impact():
    """Every attribute, while samples are suspect, accepted, and calm again."""
    validator = SampleValidator(H, np.full(2, 1e-4))
    positions = np.zeros((40, 2))
    positions[10] = 0.5  # a jump that is over in the next sample
    positions[20:30] = 0.01 * np.arange(10)[:, None] ** 2  # an impact that goes on
    positions[30:] = positions[29]
    saved = []
    for i, position in enumerate(positions):
        saved.append((validator.snapshot(), values(validator)))
        if validator.check(H * i, position, 0.0) == 'restart':
            validator.start(H * i, position, np.zeros(2))
    assert validator.jumps > 0
    assert {snapshot.calm for snapshot, _ in saved} == {True, False}
    for snapshot, before in reversed(saved):
        validator.restore(snapshot)
        assert values(validator) == before
