"""Hands: the law of a spring-damper, its limits, its energy, and that it is stable by itself."""

from math import exp, pi, sqrt

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import ConfigError, UnknownNameError
from simloop_ros.core.values import JointState
from simloop_ros.plants.config import Hand
from simloop_ros.plants.hand import Hands
from simloop_ros.plants.pinocchio_plant import PinocchioPlant
from simloop_ros.plants.spring_contact import point_jacobian

H = 0.002
ROUNDING = 1e-9
HOLD = {'link': 'block', 'stiffness': 500.0, 'damping': 20.0, 'max_force': 50.0}
TOOL = {'link': 'tool', 'point': [0.05, 0.0, 0.1], 'damping': 50.0, 'max_force': 1e4}
THROWN = JointState(np.full(7, 0.4), np.linspace(0.5, 1.0, 7))


def run(plant, steps, effort=None):
    """Return the reports of the first hand, one for each step."""
    reports = []
    for _ in range(steps):
        plant.step(np.zeros_like(plant.observe()) if effort is None else effort)
        reports.append(plant.report().hands[0])
    return reports


def energy(model, state):
    data = model.pin_model.createData()
    return pin.computeMechanicalEnergy(model.pin_model, data, state.position, state.velocity)


def test_at_rest_the_gap_is_force_over_stiffness(build, block):
    plant = build(block, H, hands=[HOLD])
    last = run(plant, 4000, np.array([7.0]))[-1]
    assert last.force == pytest.approx([-7.0, 0.0, 0.0], abs=ROUNDING)
    assert plant.observe()[0] == pytest.approx(7.0 / 500.0, abs=ROUNDING)
    assert plant.report().external == pytest.approx([-7.0], abs=ROUNDING)


def test_a_held_block_is_an_oscillator(build, block):
    """x = v/w exp(-d t) sin(w t), d = c/2m, w^2 = k/m - d^2; the error is of the order of h."""
    hand = {**HOLD, 'damping': 4.0, 'grip': 0.0}
    d = 4.0 / (2.0 * 2.0)
    w = sqrt(500.0 / 2.0 - d * d)

    def error(h):
        plant = build(block, h, hands=[hand])
        plant.start(JointState(np.zeros(1), np.ones(1)))
        worst = 0.0
        for i in range(1, round(4.0 * pi / w / h)):
            plant.step(np.zeros(1))
            exact = exp(-d * i * h) * np.sin(w * i * h) / w
            worst = max(worst, abs(plant.truth.position[0] - exact))
        return worst

    assert error(0.0005) < 0.3 * error(0.002) < 0.3 * 0.05 / w


@pytest.mark.parametrize('damping', [0.0, 5.0, 50.0, 500.0])
@pytest.mark.parametrize('stiffness', [10.0, 1e5])
def test_the_lightest_link_is_held(build, feather, stiffness, damping):
    """Without damping m v^2 + k x^2 stays, x being the mean of two steps; with it, it fades.

    Of 20 g: an explicit force would run away from h^2 k + 2 h c = 4 m on, here at 1e5 or 50.
    """
    hand = {**HOLD, 'stiffness': stiffness, 'damping': damping, 'max_force': 1e9, 'grip': 0.0}
    plant = build(feather, H, hands=[hand])
    plant.start(JointState(np.zeros(1), np.ones(1)))
    energies = [0.02 + stiffness * (0.5 * H) ** 2]
    for _ in range(1000):
        before = plant.truth.position[0]
        plant.step(np.zeros(1))
        mean, speed = 0.5 * (before + plant.truth.position[0]), plant.truth.velocity[0]
        energies.append(0.02 * speed**2 + stiffness * mean**2)
    relative = np.array(energies) / energies[0]
    assert relative.max() < 1.0 + ROUNDING
    if damping:
        assert relative[-1] < 0.01
    else:
        assert relative == pytest.approx(np.ones(1001), rel=ROUNDING)


@pytest.mark.parametrize('stiffness', [10.0, 1000.0, 5000.0])
def test_a_passive_arm_in_a_hand_loses_energy(build, weightless_arm, stiffness):
    """Mechanical energy and that of the spring fall, but for the integrator's own swing."""
    plant = build(weightless_arm, H, hands=[{**TOOL, 'stiffness': stiffness, 'grip': 0.0}])
    plant.start(THROWN)
    data, frame = weightless_arm.pin_model.createData(), weightless_arm.frame('tool')
    point = np.array(TOOL['point'])

    def place():
        q = plant.truth.position
        return point_jacobian(weightless_arm.pin_model, data, q, frame, point)[1]

    target = place()
    energies = [energy(weightless_arm, THROWN)]
    for _ in range(1500):
        plant.step(np.zeros(7))
        gap = target - place()
        energies.append(energy(weightless_arm, plant.truth) + 0.5 * stiffness * gap @ gap)
    swing = 0.02 * energies[0]
    assert np.all(np.array(energies) <= np.minimum.accumulate(energies) + swing)
    assert energies[-1] < 0.5 * energies[0]


def test_the_work_of_a_hand_is_the_energy_of_the_arm(build, hanging_arm):
    """Nothing else gives or takes energy; the integrator's error falls with h."""
    path = {'kind': 'line', 'velocity': [0.1, 0.1, 0.2]}
    hand = {**TOOL, 'stiffness': 1000.0, 'path': path, 'start': 0.1, 'end': 0.8}

    def miss(h):
        plant = build(hanging_arm, h, hands=[hand])
        plant.start(JointState(np.full(7, 0.1), np.zeros(7)))
        before = energy(hanging_arm, plant.truth)
        work = run(plant, round(0.9 / h))[-1].energy
        gain = energy(hanging_arm, plant.truth) - before
        return abs(gain - work), abs(work)

    (coarse, work), (fine, _) = miss(0.002), miss(0.0005)
    assert work > 0.5
    assert coarse < 0.02 * work
    assert fine < 0.35 * coarse


def test_energy_is_the_sum_of_power(build, arm):
    hand = {**TOOL, 'stiffness': 1000.0, 'start': 0.02, 'end': 0.3}
    reports = run(build(arm, H, hands=[hand]), 200)
    assert reports[-1].energy == pytest.approx(H * sum(report.power for report in reports))
    assert reports[-1].power == 0.0
    assert reports[-1].energy == reports[160].energy != 0.0


def test_the_force_is_limited(build, arm):
    hand = {**TOOL, 'stiffness': 5000.0, 'max_force': 12.0}
    sizes = [np.linalg.norm(report.force) for report in run(build(arm, H, hands=[hand]), 500)]
    assert max(sizes) == pytest.approx(12.0, rel=ROUNDING)


def test_a_grip_makes_no_jump_even_on_a_moving_robot(build, weightless_arm):
    hand = {**TOOL, 'stiffness': 5000.0, 'start': 0.1, 'grip': 0.1}
    path = {'kind': 'line', 'velocity': [0.5, 0.0, 0.0]}
    plant = build(weightless_arm, H, hands=[{**hand, 'path': path}])
    plant.start(THROWN)
    forces = np.array([report.force for report in run(plant, 100)])
    assert not forces[:51].any()
    jumps = np.linalg.norm(np.diff(forces[:101], axis=0), axis=1)
    assert jumps[50] < 0.1  # the first step after the grip: s is below 1e-4 there
    assert jumps.max() < 0.1 * np.linalg.norm(forces, axis=1).max()


def test_a_release_is_immediate_and_whole_steps_count(build, block):
    hand = {**HOLD, 'start': 0.3, 'end': 0.7, 'grip': 0.0}
    held = [report.held for report in run(build(block, 0.1, hands=[hand]), 10)]
    assert held == [False] * 3 + [True] * 4 + [False] * 3
    plant = build(block, 0.1, hands=[hand])
    last = run(plant, 10, np.ones(1))[-1]
    assert not last.force.any()
    assert not last.gap.any()
    assert not plant.report().external.any()


def test_it_pulls_with_the_jacobian_of_its_point(build, arm):
    plant = build(arm, H, hands=[{**TOOL, 'stiffness': 1000.0}])
    run(plant, 100)
    q, data = plant.truth.position, arm.pin_model.createData()
    run(plant, 1)
    (report,) = plant.report().hands
    point = np.array(TOOL['point'])
    jacobian, _ = point_jacobian(arm.pin_model, data, q, arm.frame('tool'), point)
    assert plant.report().external == pytest.approx(jacobian.T @ report.force, abs=ROUNDING)


def test_two_hands_on_two_links_hold_a_heavy_arm(build, arm):
    """The report has the force of each; together they are the external torque."""
    hands = [
        {**TOOL, 'stiffness': 3000.0},
        {'link': 'link2', 'stiffness': 3000.0, 'damping': 80.0, 'max_force': 1e4},
    ]
    plant = build(arm, H, hands=hands, friction={'viscous': 5.0})
    for _ in range(3000):
        q = plant.truth.position
        plant.step(np.zeros(7))
    data, total = arm.pin_model.createData(), np.zeros(7)
    for hand, report in zip(hands, plant.report().hands, strict=True):
        point = np.array(hand.get('point', np.zeros(3)))
        frame = arm.frame(hand['link'])
        total += point_jacobian(arm.pin_model, data, q, frame, point)[0].T @ report.force
        assert np.linalg.norm(report.force) > 5.0
    assert plant.report().external == pytest.approx(total, abs=ROUNDING)


def test_dry_friction_does_not_change_the_law_at_rest(build, block):
    """A stuck joint moves otherwise than predicted; the hand corrects it within a few steps."""
    path = {'kind': 'waypoints', 'waypoints': [{'time': 0.5, 'offset': [0.02, 0.0, 0.0]}]}
    plant = build(block, H, hands=[{**HOLD, 'path': path}], friction={'coulomb': 30.0})
    last = run(plant, 500)[-1]
    assert plant.observe()[0] == pytest.approx(0.0, abs=ROUNDING)
    assert last.force == pytest.approx([10.0, 0.0, 0.0], abs=1e-6)


def test_a_hand_acts_in_every_physics_step(build, arm):
    """Steps of a finer plant and physics steps are the same; the report has their mean torque."""
    hand = {**TOOL, 'stiffness': 2000.0}
    coarse = build(arm, H, hands=[hand], step=H / 5)
    fine = build(arm, H / 5, hands=[hand])
    for _ in range(50):
        coarse.step(np.zeros(7))
        torques = []
        for _ in range(5):
            fine.step(np.zeros(7))
            torques.append(fine.report().external)
    assert np.array_equal(coarse.observe(), fine.observe())
    assert coarse.report().external == pytest.approx(np.mean(torques, axis=0), rel=1e-12)


@pytest.mark.parametrize('substeps', [1, 2, 20])
@pytest.mark.parametrize('stiffness', [1000.0, 1e5])
def test_a_force_that_stays_for_several_physics_steps_makes_no_energy(block, stiffness, substeps):
    """A held force is late by half a step, as a damping of -k h/2 would be; it is compensated."""
    hand = msgspec.convert({**HOLD, 'stiffness': stiffness, 'damping': 0, 'grip': 0}, Hand)
    hand = msgspec.structs.replace(hand, max_force=1e9)
    plant = Hands(
        PinocchioPlant(block, H, substeps), block, H, [hand], (substeps - 1) / (2 * substeps)
    )
    plant.start(JointState(np.zeros(1), np.ones(1)))
    speeds = []
    for _ in range(2000):
        plant.step(np.zeros(1))
        speeds.append(abs(plant.truth.velocity[0]))
    assert max(speeds[-500:]) == pytest.approx(max(speeds[:500]), rel=0.01)


@pytest.mark.parametrize('coulomb', [0.0, 0.5])
@pytest.mark.parametrize('damping', [0.0, 50.0])
@pytest.mark.parametrize('stiffness', [10.0, 1000.0, 5000.0])
def test_flexible_joints_are_held_too(build, weightless_arm, stiffness, damping, coulomb):
    """Springs and torque control are predicted from the last step; the arm never gets faster."""
    hand = {**TOOL, 'stiffness': stiffness, 'damping': damping, 'grip': 0.0}
    friction = {'coulomb': coulomb}
    plant = build(weightless_arm, H, hands=[hand], flexible_joints=True, friction=friction)
    plant.start(JointState(weightless_arm.home, np.full(7, 0.1)))
    energies = [energy(weightless_arm, plant.truth)]
    for _ in range(500):
        plant.step(np.zeros(7))
        energies.append(energy(weightless_arm, plant.truth))
    assert max(energies) < 1.02 * energies[0]


def test_it_guides_every_engine_alike(engine, build, arm):
    """The engines agree within 1e-10 for a moment, and so do the hands on them."""
    hand = {**TOOL, 'stiffness': 1000.0}
    force = run(build(arm, H, engine=engine, hands=[hand]), 50)[-1].force
    reference = run(build(arm, H, hands=[hand]), 50)[-1].force
    assert force == pytest.approx(reference, rel=1e-7)


def test_an_unknown_link_is_named_with_the_nearest(build, block):
    with pytest.raises(UnknownNameError, match='did you mean block'):
        build(block, H, hands=[{**HOLD, 'link': 'blokc'}])


def test_a_release_before_the_grip_is_refused(build, block):
    with pytest.raises(ConfigError, match='block lets go at 1 s'):
        build(block, H, hands=[{**HOLD, 'start': 2.0, 'end': 1.0}])
