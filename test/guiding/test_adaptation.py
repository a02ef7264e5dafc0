"""Parameters fall on touch and rise on release, and never give energy away."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from simloop_ros.guiding.adaptation import Adaptation
from simloop_ros.guiding.compliance import compliance
from simloop_ros.guiding.config import AdmittanceConfig
from simloop_ros.guiding.energy_tank import StiffnessChange, gained, stored
from simloop_ros.guiding.joint_admittance import Admittance, AdmittanceState
from simloop_ros.guiding.touch import DeadZone, HandTouch, arms
from simloop_ros.maths.discretisation import Parameters
from simloop_ros.robot.model import RobotModel

H = 0.002
ROUNDING = 1e-12  # of sums over some hundred steps, relative to the largest energy in them
FREE = HandTouch(np.zeros(1), None)
TOUCHED = HandTouch(np.ones(1), np.array([True]))
# The same schedules every time: a failure is the code's, not the day's.
exhaustive = settings(max_examples=100, derandomize=True)


def adaptation(period: float = H, **config: float) -> Adaptation:
    settings = AdmittanceConfig(**config)
    return Adaptation(settings, compliance(settings, ('joint',)), period)


@pytest.mark.parametrize('period', [0.001, 0.01])
def test_the_course_is_exponential_whatever_the_period(period: float) -> None:
    config = AdmittanceConfig()
    adapting = adaptation(period)
    state = adapting.initial()
    for _ in range(round(0.2 / period)):
        state = adapting.step(state, TOUCHED, np.zeros(1))
    low = config.touched_damping
    want = config.damping * (low + (1.0 - low) * np.exp(-0.2 / config.fall_time))
    np.testing.assert_allclose(state.parameters.damping, want, rtol=1e-12)
    start = state.parameters
    for _ in range(round(0.3 / period)):
        state = adapting.step(state, FREE, np.zeros(1))
    for now, before, free, time in (
        (state.parameters.damping, start.damping, config.damping, config.damping_time),
        (state.parameters.stiffness, start.stiffness, config.stiffness, config.stiffness_time),
    ):
        np.testing.assert_allclose(now, free + (before - free) * np.exp(-0.3 / time), rtol=1e-12)


def test_parameters_that_have_arrived_are_constant() -> None:
    adapting = adaptation()
    state = adapting.initial()
    assert adapting.step(state, FREE, np.zeros(1)).parameters is state.parameters
    for _ in range(10_000):
        state = adapting.step(state, TOUCHED, np.zeros(1))
    assert adapting.step(state, TOUCHED, np.zeros(1)).parameters is state.parameters


def test_the_dead_zone_is_continuous_and_silent_inside() -> None:
    zone = DeadZone(np.array([0.5, 2.0]), np.eye(2, dtype=bool))
    torques = np.linspace(-3.0, 3.0, 601)
    course = np.array([zone(np.array([tau, tau])).torque for tau in torques])
    assert np.abs(np.diff(course, axis=0)).max() <= 0.01 + ROUNDING
    for i, width in enumerate((0.5, 2.0)):
        np.testing.assert_allclose(
            course[:, i], np.sign(torques) * np.maximum(np.abs(torques) - width, 0.0), atol=1e-15
        )
    assert zone(np.array([0.5, -2.0])).joints is None


def test_a_touch_anywhere_softens_the_arm_but_not_the_other_one(yumi: RobotModel) -> None:
    zone = DeadZone(np.full(yumi.n, 0.5), arms(yumi))
    torque = np.zeros(yumi.n)
    torque[yumi.joint_names.index('yumi_joint_4_l')] = 1.0
    joints = zone(torque).joints
    assert joints is not None
    np.testing.assert_array_equal(joints, [name.endswith('_l') for name in yumi.joint_names])


@st.composite
def schedules(draw: st.DrawFn) -> tuple[list[float], list[float], list[float], float]:
    """Return wanted stiffnesses, dampings and torques of some hundred steps, and the reserve.

    Each holds for some steps, so that the joint gets to move.
    """
    n = draw(st.integers(2, 25))
    numbers = st.floats(0.0, 1.0)
    stiffness = draw(st.lists(st.one_of(numbers, st.sampled_from([0.0, 1.0])), min_size=n))
    damping = draw(st.lists(numbers, min_size=n, max_size=n))
    torque = draw(st.lists(st.floats(-50.0, 50.0), min_size=n, max_size=n))
    return [400.0 * s for s in stiffness], [20.0 * d for d in damping], torque, draw(numbers)


@exhaustive
@given(schedules(), st.floats(0.001, 0.1), st.floats(0.05, 5.0))
def test_no_schedule_of_parameters_makes_energy(
    schedule: tuple[list[float], list[float], list[float], float], h: float, mass: float
) -> None:
    """``V + T`` after every step is no more than at the start and the torque's work since.

    The work is that of a constant torque on the way of a solution in steps half as long.
    """
    wanted, dampings, torques, reserve = schedule
    change = StiffnessChange(np.array([400.0]), reserve)
    admittance, halves = Admittance(h), Admittance(h / 2)
    state = AdmittanceState(np.zeros(1), np.zeros(1))
    stiffness, tank = np.array([400.0]), np.array([reserve])
    work, largest = 0.0, max(reserve, np.finfo(float).tiny)  # less has no twelve digits
    for s, d, tau in zip(wanted, dampings, torques, strict=False):
        torque = np.array([tau])
        for _ in range(8):
            stiffness, tank = change(stiffness, np.array([s]), tank, state.deflection)
            parameters = Parameters(np.array([mass]), np.array([d]), stiffness)
            after = admittance.step(state, parameters, torque).state
            tank = tank + gained(state, after, parameters, torque)
            part = state
            for _ in range(2):
                moved = halves.step(part, parameters, torque).state
                work += tau * float(moved.deflection[0] - part.deflection[0])
                part = moved
            state = after
            energy = float(stored(state, parameters)[0])
            largest = max(largest, energy, abs(work))
            assert energy + tank[0] <= work + reserve + ROUNDING * largest
            assert tank[0] >= -ROUNDING * largest
            # What came out, -work, is at most what was there.
            assert -work <= reserve + ROUNDING * largest


def test_without_a_tank_the_same_schedule_would_make_energy() -> None:
    """Stiff on the way in, soft on the way out: a pump, unless the stiffness is paid for."""

    def swing(paid: bool) -> float:
        change = StiffnessChange(np.array([400.0]), 0.0)
        admittance, state = Admittance(H), AdmittanceState(np.array([0.1]), np.zeros(1))
        stiffness, tank = np.array([40.0]), np.zeros(1)
        for _ in range(5000):
            inward = state.deflection[0] * state.velocity[0] <= 0.0
            wanted = np.array([400.0 if inward else 40.0])
            if paid:
                stiffness, tank = change(stiffness, wanted, tank, state.deflection)
            else:
                stiffness = wanted
            parameters = Parameters(np.ones(1), np.array([0.5]), stiffness)
            after = admittance.step(state, parameters, np.zeros(1)).state
            tank = tank + gained(state, after, parameters, np.zeros(1))
            state = after
        return float(stored(state, parameters)[0])

    assert swing(paid=False) > 1e3
    assert swing(paid=True) <= 0.5 * 40.0 * 0.1**2


def test_the_ceiling_is_what_the_free_robot_would_hold() -> None:
    change = StiffnessChange(np.array([40.0]), 2.0)
    e = np.array([0.5])
    stiffness, tank = change(np.array([10.0]), np.array([10.0]), np.array([1e6]), e)
    assert tank[0] + 0.5 * stiffness[0] * 0.25 == pytest.approx(2.0 + 0.5 * 40.0 * 0.25)


def test_a_full_tank_lets_the_stiffness_rise_as_wanted() -> None:
    change = StiffnessChange(np.array([40.0]), 2.0)
    wanted = np.array([20.0])
    stiffness, _ = change(np.array([10.0]), wanted, np.array([2.0]), np.array([0.5]))
    assert stiffness is wanted
    stiffness, tank = change(np.array([10.0]), wanted, np.array([0.5]), np.array([0.5]))
    np.testing.assert_allclose(stiffness, 14.0)
    np.testing.assert_allclose(tank, 0.0, atol=1e-15)
