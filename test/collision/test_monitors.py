"""Every monitor: what it estimates, what it rejects, and what it forgets."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.collision.build import KINDS, build_monitor
from simloop_ros.collision.collision_monitor import MonitorLimits
from simloop_ros.collision.differences import ForceDifference
from simloop_ros.collision.disturbance_observer import (
    BANDWIDTHS,
    TURN_MEMORY,
    TURNING_FACTOR,
    DisturbanceObserver,
)
from simloop_ros.collision.explanation import nothing_learnt
from simloop_ros.collision.momentum_observer import GAIN, MomentumObserver
from simloop_ros.collision.observation import Observation
from simloop_ros.core.errors import UnknownNameError
from simloop_ros.core.values import JointState

H = 1.0 / 1000.0
ROUNDING = 1e-6  # [N m]: of torques of some 10 N m from positions divided by h^2
TOLERANCES = {
    'position_difference': 0.05,  # it takes the inertia at the end of the step, not at its start
    'disturbance_observer': 0.01,  # its velocity lags by jerk over bandwidth squared
}


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.mark.parametrize('robot', ['sphere', 'two_link', 'yumi'])
def test_every_monitor_estimates_a_constant_torque(kind, robot, shipped, swing):
    """Whatever the robot does meanwhile, and with no residual before."""
    model = shipped(robot)
    outside = push(model, 3.0 * np.cos(1.0 + np.arange(model.n)))
    monitor = build_monitor(kind, model, H)
    torques = [monitor.step(row).torque for row in swing(model, outside, steps=900)]
    assert np.abs(torques[399]).max() < max(ROUNDING, 0.1 * TOLERANCES.get(kind, 0.0))
    tolerance = TOLERANCES.get(kind, 1e-5)
    scale = np.abs(outside).max()
    np.testing.assert_allclose(torques[-1], outside, rtol=tolerance, atol=tolerance * scale)


def push(model, acceleration):
    """Return the torque that accelerates the robot so at its home [N m], shape ``(n,)``."""
    inertia = pin.crba(model.pin_model, model.pin_model.createData(), model.home)
    return inertia.reshape(model.n, -1) @ acceleration


def test_without_a_calibration_there_is_no_contact(kind, two_link, swing):
    monitor = build_monitor(kind, two_link, H)
    rows = swing(two_link, np.array([100.0, 50.0]), steps=500)
    readings = [monitor.step(row) for row in rows]
    assert {reading.verdict for reading in readings} == {'unknown', 'free'}
    assert all(reading.margin == 1.0 for reading in readings)


def test_a_residual_at_its_threshold_is_contact(kind, two_link, swing):
    """The margin is what is left of the threshold: from 1 to 0, and below."""
    monitor = build_monitor(kind, two_link, H)
    list(map(monitor.step, swing(two_link, np.array([2.0, 1.0]), steps=900)))
    residuals = np.abs(monitor.residuals)
    for factor, verdict in ((1.01, 'free'), (0.99, 'contact')):
        limits = MonitorLimits(
            np.broadcast_to(factor * residuals, (monitor.regimes, *residuals.shape)), jumps(2)
        )
        limited = type(monitor)(two_link, H, limits)
        last = [limited.step(row) for row in swing(two_link, np.array([2.0, 1.0]), steps=900)][-1]
        assert last.verdict == verdict
        assert last.margin == pytest.approx(1.0 - 1.0 / factor, abs=1e-9)


def test_a_residual_of_just_its_threshold_is_contact(two_link):
    """Nothing is left of the margin; half of the threshold leaves half of it."""
    limits = MonitorLimits(np.full((1, 1, 2), 2.0), jumps(2))  # N m
    home, still = two_link.home, np.zeros(2)
    for residual, verdict, margin in ((2.0, 'contact', 0.0), (1.0, 'free', 0.5)):
        monitor = ForceDifference(two_link, H, limits)
        effort = np.array([residual, 0.0])
        for k in range(round(monitor.settling / H) + 2):
            reading = monitor.step(
                Observation(k * H, home, effort, home, JointState(home, still), still)
            )
        assert (reading.verdict, reading.margin) == (verdict, margin)


def jumps(n: int) -> np.ndarray:
    return np.full(n, 1e-2)


def test_a_reset_forgets(kind, two_link, swing):
    rows = list(swing(two_link, np.array([2.0, 1.0]), steps=500, noise=1e-5))
    monitor = build_monitor(kind, two_link, H)
    fresh = [monitor.step(row).residual for row in rows]
    monitor.reset()
    np.testing.assert_array_equal([monitor.step(row).residual for row in rows], fresh)


def test_momentum_rises_as_the_exact_first_order_filter(yumi, swing):
    """``r_k = (1 - e^(-K h k)) tau_ext`` for a constant torque, at any period."""
    outside = push(yumi, np.linspace(-5.0, 5.0, yumi.n))
    for period in (1.0 / 2000.0, 1.0 / 200.0):
        monitor = MomentumObserver(yumi, period)
        rows = swing(yumi, outside, steps=100, begin=60, period=period)
        residuals = [monitor.step(row).residual for row in rows]
        for k in (1, 10, 40):
            expected = (1.0 - exp(-GAIN * period * k)) * outside
            np.testing.assert_allclose(residuals[59 + k], expected, atol=ROUNDING)


def test_momentum_is_the_textbooks_in_the_limit(yumi):
    """``(p+ - p)/h - (tau + C^T v - g)``, with the matrices, differs by the order of the step."""
    model, data = yumi.pin_model, yumi.pin_model.createData()
    rng = np.random.default_rng(2)
    q, v = yumi.home, rng.normal(size=14)
    effort = pin.rnea(model, data, q, v, rng.normal(size=14))
    outside = push(yumi, rng.normal(size=14))
    differences = []
    for period in (1e-3, 1e-4):
        a = pin.aba(model, data, q, v, effort + outside)
        new_v = v + period * a
        new_q = q + period * new_v
        momenta = [pin.crba(model, data, x) @ y for x, y in ((q, v), (new_q, new_v))]
        coriolis = pin.computeCoriolisMatrix(model, data, q, v)
        weight = pin.computeGeneralizedGravity(model, data, q)
        rate = effort + coriolis.T @ v - weight
        textbook = (momenta[1] - momenta[0]) / period - rate
        ours = pin.rnea(model, data, q, v, (new_v - v) / period) - effort
        differences.append(np.abs(textbook - ours).max())
    assert differences[0] < 0.05
    assert differences[1] == pytest.approx(0.1 * differences[0], rel=0.2)


def test_faster_channels_know_earlier(two_link, swing):
    """Each channel reaches half of a torque in about its time constant, in order."""
    outside = np.array([2.0, 1.0])
    monitor = DisturbanceObserver(two_link, H)
    residuals = np.array(
        [(monitor.step(row), monitor.residuals)[1] for row in swing(two_link, outside, steps=700)]
    )
    half = [int(np.flatnonzero(residuals[400:, c, 0] > 1.0)[0]) for c in range(len(BANDWIDTHS))]
    assert half == sorted(half)
    for steps, bandwidth in zip(half, BANDWIDTHS, strict=True):
        assert steps * H < 3.0 / bandwidth + H


def test_slower_channels_are_quieter(two_link, swing):
    monitor = DisturbanceObserver(two_link, H)
    rows = swing(two_link, steps=3000, noise=1e-5)
    residuals = np.array([(monitor.step(row), monitor.residuals)[1] for row in rows])[500:]
    assert np.all(np.diff(residuals.std(axis=0), axis=0) < 0.0)


def test_joints_that_turn_or_are_faster_than_learnt_have_their_own_regime(two_link, swing):
    """Seen at every step of a swing: slow or just turned, in between, and too fast."""
    learnt = msgspec.structs.replace(
        nothing_learnt(two_link), smoothing=(1e-3, 1e-3), fastest=(0.3, 0.3)
    )
    monitor = DisturbanceObserver(two_link, H, explanation=learnt)
    hold = round(TURN_MEMORY / H)
    regimes, speeds = [], []
    for row in swing(two_link, steps=3000):
        monitor.step(row)
        regimes.append(monitor.regime)
        speeds.append(row.state.velocity)
    regimes, speeds = np.array(regimes)[500:], np.array(speeds)[500:]
    odd = (np.abs(speeds) < 0.9 * TURNING_FACTOR * 1e-3) | (np.abs(speeds) > 0.31)
    checked = 5  # steps in which a check has come and the filtered speed too
    assert regimes[checked:][odd[checked:] & odd[:-checked]].all()
    calm = (np.abs(speeds) > 1.1 * TURNING_FACTOR * 1e-3) & (np.abs(speeds) < 0.29)
    long_calm = [calm[i - hold - 5 : i + 1].all(axis=0) for i in range(hold + 5, len(calm))]
    assert not regimes[hold + 5 :][np.array(long_calm)].any()
    assert np.any(long_calm)


def test_an_unknown_kind_names_the_valid_ones(two_link):
    with pytest.raises(UnknownNameError, match='disturbance_observer'):
        build_monitor('disturbance', two_link, H)


@dataclass(frozen=True)
class MalformedSample:
    """What is done to one observation, and which counter it moves."""

    what: str

    @property
    def counter(self) -> str:
        return 'not_finite' if self.what == 'huge' else self.what

    def spoil(self, row: Observation, n: int) -> Observation:
        bad = np.full(n, 1e150 if self.what == 'huge' else np.nan)
        change = {
            'not_finite': {
                'measured': bad,
                'effort': bad,
                'desired': bad,
                'rollback_effort': bad,
                'state': JointState(bad, bad),
            },
            'jumps': {'measured': row.measured + 0.05},
            'gaps': {},  # the steps after it are left out
        }[self.counter]
        return msgspec.structs.replace(row, **change)


@pytest.mark.parametrize('what', ['not_finite', 'huge', 'jumps', 'gaps'])
def test_malformed_samples_are_rejected_counted_and_no_collision(kind, what, two_link, swing):
    """Thresholds are far below the residuals that the samples would make if they were used."""
    rows = list(swing(two_link, steps=900))
    monitor = build_monitor(kind, two_link, H)
    limits = MonitorLimits(np.full((monitor.regimes, monitor.channels, 2), 0.02), np.full(2, 1e-3))
    monitor = type(monitor)(two_link, H, limits)
    bad = MalformedSample(what)
    readings = []
    for i, row in enumerate(rows):
        if what == 'gaps' and 600 < i < 604:
            continue
        given = bad.spoil(row, 2) if i == 600 else row
        readings.append(monitor.step(given))
    assert readings[599].verdict == 'free'
    assert 'unknown' in {reading.verdict for reading in readings[600:602]}
    assert readings[-1].verdict == 'free'
    assert 'contact' not in {reading.verdict for reading in readings}
    assert all(np.isfinite(reading.residual).all() for reading in readings)
    assert getattr(monitor.validator, bad.counter) == monitor.validator.rejected == 1


def test_a_real_impact_is_not_rejected(two_link, swing):
    """So hard that its first sample looks like a jump; found all the same, and not counted."""
    limits = MonitorLimits(np.full((2, len(BANDWIDTHS), 2), 1.0), np.full(2, 1e-5))
    monitor = DisturbanceObserver(two_link, H, limits)
    outside = np.array([3000.0, 0.0])
    verdicts = [monitor.step(row).verdict for row in swing(two_link, outside, steps=410)]
    assert verdicts[399] == 'free'
    assert 'contact' in verdicts[400:403]
    assert monitor.validator.rejected == 0


def test_at_its_threshold_a_residual_is_contact_and_below_it_is_not(two_link):
    """Exactly: a residual of 2 N m has the margin 0 at a threshold of 2 N m."""
    still = JointState(two_link.home, np.zeros(2))
    for threshold, verdict in ((2.0, 'contact'), (np.nextafter(2.0, 3.0), 'free')):
        limits = MonitorLimits(np.full((1, 1, 2), threshold), jumps(2))
        monitor = ForceDifference(two_link, H, limits)
        for i in range(round(monitor.settling / H) + 2):
            reading = monitor.step(
                Observation(
                    H * i, two_link.home, np.full(2, 3.0), two_link.home, still, np.ones(2)
                )
            )
        assert reading.verdict == verdict
