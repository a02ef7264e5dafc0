"""Guiding a robot: force on the hand, limits of the motion, and invalid torques."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
import msgspec
import numpy as np
import pytest

from simloop_ros.core.errors import UnknownNameError
from simloop_ros.guiding.config import AdmittanceConfig, JointAdmittance
from simloop_ros.guiding.energy_tank import stored
from simloop_ros.guiding.guidance import Guidance
from simloop_ros.guiding.limits import Compliant
from simloop_ros.robot.model import RobotModel

H = 0.002
ROUNDING = 1e-9  # of sums of thousands of steps, relative to the largest number in them
RIGHT_ANGLE = np.pi / 2
exhaustive = settings(max_examples=50, derandomize=True)


class Hand:
    """A spring and a damper at a lever of 1 m on the last joint, measured after a delay."""

    def __init__(self, guidance: Guidance, stiffness: float, damping: float, delay: int = 0):
        self.guidance, self.stiffness, self.damping = guidance, stiffness, damping
        self.angle = self.speed = self.torque = self.work = 0.0
        self._line = deque([0.0] * delay)

    def step(self, target: float | None, speed: float = 0.0) -> float:
        """Lead towards a target [rad], or let go; return the joint's angle [rad]."""
        self.torque = 0.0
        if target is not None:
            self.torque = self.stiffness * (target - self.angle)
            self.torque += self.damping * (speed - self.speed)
        self._line.append(self.torque)
        measured = self._line.popleft()
        end = self.guidance.step(np.zeros(2), np.array([0.0, measured]))
        self.work += self.torque * (float(end.position[1]) - self.angle)
        self.angle, self.speed = float(end.position[1]), float(end.velocity[1])
        return self.angle


def lead(robot: RobotModel, adapt: bool) -> tuple[Hand, np.ndarray]:
    """Return the hand that guided a joint by 90 degrees in 3 s, and the way back [rad]."""
    hand = Hand(Guidance(robot, AdmittanceConfig(adapt=adapt), H), 2000.0, 50.0)
    for i in range(1500):
        hand.step(RIGHT_ANGLE * (i + 1) / 1500, RIGHT_ANGLE / 3.0)
    for _ in range(250):
        hand.step(RIGHT_ANGLE)
    return hand, np.array([hand.step(None) for _ in range(5000)])


def test_experiment_1(two_link: RobotModel) -> None:
    """001, 5.1: half the energy at most, a slower way back, and no overshoot."""
    degree = np.radians(1.0)
    constant, constant_back = lead(two_link, adapt=False)
    adapted, adapted_back = lead(two_link, adapt=True)
    assert adapted.work < 0.5 * constant.work
    for back in (constant_back, adapted_back):
        assert back.max() < RIGHT_ANGLE + degree
        assert back.min() > -degree
        assert abs(back[-1]) < degree
    half = RIGHT_ANGLE / 2
    assert np.argmax(adapted_back < half) > 2 * np.argmax(constant_back < half)


def test_a_tenth_of_a_metre_per_second_needs_little_force(two_link: RobotModel) -> None:
    hand = Hand(Guidance(two_link, AdmittanceConfig(), H), 1000.0, 20.0)
    for i in range(1500):
        hand.step(0.1 * H * (i + 1), 0.1)
    assert 0.0 < hand.torque < 2.5


@pytest.mark.parametrize(('adapt', 'dead_zone'), [(False, 0.5), (True, 0.0), (True, 0.5)])
@pytest.mark.parametrize('stiffness', [10.0, 100.0, 1000.0])
@pytest.mark.parametrize('delay', [0, 2])
def test_an_elastic_hand_is_stable_up_to_4_ms(
    two_link: RobotModel, adapt: bool, stiffness: float, delay: int, dead_zone: float
) -> None:
    """A hand without damping of its own is the worst; it pulls by 5 cm and then stays for 4 s."""
    config = AdmittanceConfig(adapt=adapt, dead_zone=dead_zone)
    hand = Hand(Guidance(two_link, config, H), stiffness, 0.0, delay)
    course = np.array([hand.step(0.05) for _ in range(2000)])
    assert np.abs(course).max() < 0.1
    assert np.ptp(course[-200:]) <= 0.01 * np.ptp(course)


def torques(robot: RobotModel, steps: int, seed: int) -> np.ndarray:
    """Return pushes and pulls as large as the effort limits, and pauses, shape ``(steps, n)``."""
    rng = np.random.default_rng(seed)
    held = rng.normal(size=(steps // 50 + 1, robot.n)) * np.minimum(robot.effort_limit, 50.0)
    held[rng.random(len(held)) < 0.3] = 0.0
    return np.repeat(held, 50, axis=0)[:steps] + rng.normal(scale=0.01, size=(steps, robot.n))


def run(guidance: Guidance, desired: np.ndarray, pushes: np.ndarray) -> list[Compliant]:
    return [guidance.step(desired, push) for push in pushes]


@pytest.mark.parametrize('seed', range(2))
def test_no_torque_leads_a_joint_beyond_its_limits(yumi: RobotModel, seed: int) -> None:
    config = AdmittanceConfig(mass=0.1, damping=2.0, stiffness=1.0)
    home = np.clip(yumi.home, yumi.lower + 0.05, yumi.upper - 0.05)
    course = run(Guidance(yumi, config, H), home, torques(yumi, 3000, seed))
    q = np.array([c.position for c in course])
    v = np.array([c.velocity for c in course])
    a = np.array([c.acceleration for c in course])
    assert (q >= yumi.lower - ROUNDING).all()
    assert (q <= yumi.upper + ROUNDING).all()
    assert (np.abs(v) <= config.speed * yumi.velocity_limit * (1.0 + ROUNDING)).all()
    assert np.abs(a).max() <= config.acceleration * (1.0 + ROUNDING)
    assert np.abs(np.diff(v, axis=0)).max() <= config.acceleration * H * (1.0 + ROUNDING)
    assert (np.abs(v) > 0.99 * config.speed * yumi.velocity_limit).any(), 'no limit was near'


@exhaustive
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_the_account_of_energy_is_never_overdrawn(
    two_link: RobotModel, seed: int, together: bool
) -> None:
    """With any torque and any changes of configuration, in a small range at a small speed."""
    rng = np.random.default_rng(seed)
    robot = in_range(two_link, np.full(2, -0.3), np.full(2, 0.4))

    def draw() -> AdmittanceConfig:
        return AdmittanceConfig(
            damping=rng.uniform(0.0, 40.0),
            stiffness=10.0 ** rng.uniform(0.0, 2.0),
            touched_damping=rng.uniform(),
            touched_stiffness=rng.uniform(),
            stiffness_time=10.0 ** rng.uniform(-3.0, 0.0),
            fall_time=10.0 ** rng.uniform(-3.0, 0.0),
            reserve=1.0,
            acceleration=1e6,
            speed=0.2,
            together=together,
            dead_zone=0.0,
        )

    guidance = Guidance(robot, draw(), H)
    work, largest = np.zeros(2), 1.0
    start = guidance.tank
    for _ in range(8):
        push = rng.normal(scale=30.0, size=2) * (rng.random() < 0.7)
        for _ in range(30):
            before = guidance.snapshot().state.deflection
            guidance.step(np.zeros(2), push)
            after = guidance.snapshot().state
            work = work + push * (after.deflection - before)
            energy = stored(after, guidance.parameters)
            largest = max(largest, np.abs(work).max(), energy.max())
            assert (energy + guidance.tank <= work + start + ROUNDING * largest).all()
            assert (guidance.tank >= -ROUNDING * largest).all()
            assert (-work <= start + ROUNDING * largest).all()
        guidance.configure(draw())


def in_range(robot: RobotModel, lower: np.ndarray, upper: np.ndarray) -> RobotModel:
    return replace(robot, lower=lower, upper=upper)


@pytest.mark.parametrize('settings', [{}, {'keep': 'pose'}, {'isotropy': 10.0, 'together': False}])
def test_going_back_repeats_the_run_bit_for_bit(yumi: RobotModel, settings: dict) -> None:
    guidance = Guidance(yumi, AdmittanceConfig(stuck_time=0.05, **settings), H)
    pushes = torques(yumi, 400, 7)
    pushes[100] = np.nan
    pushes[150:] += np.where(np.arange(250)[:, None] < 100, 0.0, 1e6)
    pushes[250:330] = pushes[250]
    for begin in (0, 101, 200, 300):
        guidance.reset()
        run(guidance, yumi.home, pushes[:begin])
        snapshot = guidance.snapshot()
        copy = msgspec.json.encode(snapshot, enc_hook=np.ndarray.tolist)
        first = run(guidance, yumi.home + 1e-3, pushes[begin:])
        end = msgspec.json.encode(guidance.snapshot(), enc_hook=np.ndarray.tolist)
        guidance.restore(snapshot)
        assert msgspec.json.encode(snapshot, enc_hook=np.ndarray.tolist) == copy
        second = run(guidance, yumi.home + 1e-3, pushes[begin:])
        assert msgspec.json.encode(guidance.snapshot(), enc_hook=np.ndarray.tolist) == end
        for a, b in zip(first, second, strict=True):
            assert a.position.tobytes() == b.position.tobytes()
            assert a.velocity.tobytes() == b.velocity.tobytes()
            assert a.acceleration.tobytes() == b.acceleration.tobytes()


def test_configuring_moves_nothing(yumi: RobotModel) -> None:
    guidance = Guidance(yumi, AdmittanceConfig(), H)
    run(guidance, yumi.home, torques(yumi, 200, 8))
    state = guidance.snapshot().state
    guidance.configure(AdmittanceConfig(mass=5.0, damping=4.0, stiffness=400.0, dead_zone=0.0))
    assert guidance.snapshot().state is state
    with pytest.raises(UnknownNameError):
        guidance.configure(AdmittanceConfig(joints={'nose': JointAdmittance()}))


def test_without_a_touch_the_desired_trajectory_is_kept(yumi: RobotModel) -> None:
    guidance = Guidance(yumi, AdmittanceConfig(), H)
    for i in range(500):
        desired = yumi.home + 0.01 * (1.0 - np.cos(i * H))
        end = guidance.step(desired, np.zeros(yumi.n))
        assert end.position.tobytes() == desired.tobytes()


def test_a_desired_position_that_jumps_is_gone_to_smoothly(yumi: RobotModel) -> None:
    config = AdmittanceConfig()
    guidance = Guidance(yumi, config, H)
    q, v = guidance.step(yumi.home, np.zeros(yumi.n)).position, np.zeros(yumi.n)
    goal = np.clip(yumi.home + 0.3, yumi.lower, yumi.upper)
    for _ in range(5000):
        end = guidance.step(goal, np.zeros(yumi.n))
        assert np.abs(end.velocity - v).max() <= config.acceleration * H * (1.0 + ROUNDING)
        # The speed may be larger within the step than at its ends.
        most = np.abs([v, end.velocity]).max() + 0.25 * config.acceleration * H
        assert np.abs(end.position - q).max() <= H * most
        q, v = end.position, end.velocity
    np.testing.assert_allclose(q, goal, atol=1e-3)


def test_bad_torques_are_counted_and_nothing_jumps(yumi: RobotModel) -> None:
    config = AdmittanceConfig()
    guidance = Guidance(yumi, config, H)
    pushes = torques(yumi, 1000, 9)
    pushes[100:110, 3] = np.nan
    pushes[200, :] = np.inf
    pushes[300:305] = 1e12
    pushes[400:] = pushes[400]
    course = run(guidance, yumi.home, pushes)
    q = np.array([c.position for c in course])
    v = np.array([c.velocity for c in course])
    assert np.isfinite(q).all()
    assert np.abs(np.diff(v, axis=0)).max() <= config.acceleration * H * (1.0 + ROUNDING)
    most = np.abs(v).max() + 0.25 * config.acceleration * H
    assert np.abs(np.diff(q, axis=0)).max() <= H * most
    assert guidance.faults.not_finite == 11
    assert guidance.faults.bounded >= 5
    assert guidance.faults.stuck == 99
    guidance.reset()
    assert guidance.faults.not_finite == 0


def test_a_hand_that_holds_still_is_no_stuck_sensor(two_link: RobotModel) -> None:
    hand = Hand(Guidance(two_link, AdmittanceConfig(), H), 500.0, 20.0)
    for _ in range(15_000):
        hand.step(0.5)
    assert hand.guidance.faults.stuck == 0


def test_a_joint_that_is_touched_alone_softens_alone_if_asked(two_link: RobotModel) -> None:
    push = np.array([5.0, 0.0])
    for together in (True, False):
        guidance = Guidance(two_link, AdmittanceConfig(together=together), H)
        free = guidance.parameters.damping
        for _ in range(200):
            guidance.step(np.zeros(2), push)
        soft = guidance.parameters.damping < 0.9 * free
        np.testing.assert_array_equal(soft, [True, together])


def test_a_robot_that_settles_stays_where_it_was_led(two_link: RobotModel) -> None:
    """Settling changes neither position nor velocity; afterwards nothing draws the robot back."""
    guidance = Guidance(two_link, AdmittanceConfig(), H)
    assert guidance.settle() is None  # nobody knows yet where it is
    desired, push = np.zeros(2), np.array([8.0, -3.0])
    for k in range(200):
        guided = guidance.step(desired + 1e-4 * k, push)
    settled = guidance.settle()
    np.testing.assert_allclose(settled, guided.position, rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(guidance.deflection.velocity, guided.velocity, rtol=0.0, atol=1e-15)
    path = [guided]
    for _ in range(500):
        path.append(guidance.step(settled, None))
        settled = guidance.settle()
    speeds = np.array([point.velocity for point in path])
    kick = AdmittanceConfig().acceleration * H * (1.0 + ROUNDING)
    assert np.abs(np.diff(speeds, axis=0)).max() <= kick
    assert np.abs(speeds[-1]).max() < 1e-6
    assert (np.sign(speeds[1:-1]) * np.sign(guided.velocity) >= 0.0).all()  # never back


def test_a_gap_is_coasted_over_without_a_jump(two_link: RobotModel) -> None:
    """Neither position nor velocity jumps, and the account of energy stays as it is."""
    guidance = Guidance(two_link, AdmittanceConfig(), H)
    desired, push = np.zeros(2), np.array([8.0, -3.0])
    for _ in range(200):
        guidance.step(desired, push)
    before, parameters = guidance.deflection, guidance.parameters
    energy = guidance.tank + stored(guidance.snapshot().state, parameters)
    guidance.coast(desired, 10, 10 * H, 0.9)
    after = guidance.deflection
    np.testing.assert_allclose(after.position, before.position + 10 * H * before.velocity)
    np.testing.assert_allclose(after.velocity, 0.9 * before.velocity)
    left = guidance.tank + stored(guidance.snapshot().state, parameters)
    np.testing.assert_allclose(left, energy, rtol=1e-12)
    # The hand has let go: what would brake the robot at once takes effect within ten steps.
    speeds = [after.velocity]
    for _ in range(20):
        guidance.step(desired, np.zeros(2))
        speeds.append(guidance.deflection.velocity)
    brakes = np.abs(np.diff(np.array(speeds), axis=0))
    assert (brakes[0] < 0.2 * brakes.max(axis=0)).all()
    assert (np.abs(np.array(speeds)[-1]) < 0.5 * np.abs(after.velocity)).all()


def test_a_short_gap_does_not_end_the_recovery_from_a_long_one(two_link: RobotModel) -> None:
    """Else a torque that grew in the long one would take effect at once."""

    def first_change(gaps: list[int]) -> np.ndarray:
        guidance = Guidance(two_link, AdmittanceConfig(), H)
        desired = np.zeros(2)
        for _ in range(200):
            guidance.step(desired, np.array([8.0, -3.0]))
        for steps in gaps:
            guidance.coast(desired, steps, steps * H, 1.0)
            before = guidance.deflection.velocity
            guidance.step(desired, np.zeros(2))
        return np.abs(guidance.deflection.velocity - before)

    assert (first_change([20, 1]) < 0.3 * first_change([1])).all()
    assert (first_change([1] * 20) > 0.25 * first_change([1])).all()  # short ones do not add up
