"""Laws of the contact control, with an independent object of springs."""

from __future__ import annotations

from collections.abc import Callable
import re

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.bimanual.config import BimanualConfig
from simloop_ros.bimanual.contact import ContactStep, ContactTarget
from simloop_ros.bimanual.contact_control import ContactControl
from simloop_ros.bimanual.hands import HandPoses
from simloop_ros.bimanual.impedance import LEVELS, impedance
from simloop_ros.bimanual.task_config import ImpedanceConfig
from simloop_ros.core.errors import ConfigError, MessageError, SimloopError
from simloop_ros.core.values import PathCorrection
from simloop_ros.maths.discretisation import Parameters

H = 1e-3
EXACT = 1e-12
ALIVE = 1e-11  # [N]
FREE, TARE = ContactTarget(None), ContactTarget(None, tare=True)
HELD = 0.02  # of the peak: below it the internal force counts as gone, as in the issue
WEIGHT = np.array([0.0, 0.0, -5.0])
POSE = pin.SE3(pin.exp3(np.array([0.3, -0.5, 0.8])), np.array([0.4, -0.1, 0.7]))


def facing(y: float) -> pin.SE3:
    """Return the grasp of a palm at ``y``, looking at the object's centre."""
    z = np.array([0.0, -np.sign(y), 0.0])
    x = np.array([1.0, 0.0, 0.0])
    return pin.SE3(np.column_stack([x, np.cross(z, x), z]), np.array([0.0, y, 0.0]))


TIPS = ('left', 'right')
GRASPS = (facing(0.04), facing(-0.04))
SENSORS = (
    pin.SE3(pin.exp3(np.array([0.1, 0.2, -0.7])), np.array([0.01, 0.0, -0.06])),
    pin.SE3(pin.exp3(np.array([-0.4, 0.0, 0.3])), np.array([0.0, 0.02, -0.06])),
)


def control(
    grasps: tuple[pin.SE3, ...] = GRASPS, period: float = H, **changed: object
) -> ContactControl:
    config = msgspec.structs.replace(BimanualConfig(), **changed)
    sensors = (SENSORS * 2)[: len(grasps)]
    tips = ('left', 'right', 'third', 'fourth')[: len(grasps)]
    return ContactControl(config, tips, grasps, sensors, WEIGHT, period)


def poses(grasps: tuple[pin.SE3, ...], correction: PathCorrection | None = None) -> list[pin.SE3]:
    """Return the tips in the world: hands that hold the object at ``POSE``, corrected."""
    tips = [POSE * grasp for grasp in grasps]
    if correction is None:
        return tips
    turn = POSE.rotation
    return [
        pin.SE3(pin.exp3(turn @ r) @ tip.rotation, tip.translation + turn @ p)
        for tip, p, r in zip(tips, correction.position, correction.rotation, strict=True)
    ]


def hands(tips: list[pin.SE3]) -> HandPoses:
    return HandPoses(
        np.array([tip.translation for tip in tips]), np.array([tip.rotation for tip in tips])
    )


def readings(tips: list[pin.SE3], wrenches: np.ndarray) -> np.ndarray:
    """Return what the sensors read of wrenches on the hands at their tips, in object axes."""
    found = []
    for tip, sensor, wrench in zip(tips, SENSORS * 2, wrenches, strict=False):
        world = pin.Force(np.kron(np.eye(2), POSE.rotation) @ wrench)
        at_tip = pin.SE3(np.eye(3), tip.translation).act(world)  # about the world's origin
        found.append((tip * sensor).actInv(at_tip).vector)
    return np.array(found)


class Springs:
    """A massless object between hands, on six springs at each; it finds its place by itself.

    :param stiffness: K between two hands [N/m]: each has 2 K, sideways 2/3 of it.
    """

    def __init__(self, grasps: tuple[pin.SE3, ...], stiffness: float, half_width: float = 0.02):
        k = 2.0 * stiffness
        sideways, turning = 2.0 / 3.0 * k, k * half_width**2
        self.k = np.diag([sideways, k, sideways, turning, turning, turning])
        self.maps = []
        for grasp in grasps:
            x, y, z = grasp.translation
            arm = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            self.maps.append(np.block([[np.eye(3), np.zeros((3, 3))], [arm, np.eye(3)]]))

    def wrenches(self, moved: np.ndarray, push: np.ndarray) -> np.ndarray:
        """Return the wrenches on the hands, in object axes, shape ``(hands, 6)``.

        :param moved: by how much each hand is where it would not press, shape ``(hands, 6)``.
        :param push: on the object from outside, shape ``(6,)``.
        """
        whole = sum(g @ self.k @ g.T for g in self.maps)
        pulled = sum(g @ self.k @ u for g, u in zip(self.maps, moved, strict=True))
        place = np.linalg.solve(whole, pulled + push)
        return np.array(
            [-self.k @ (u - g.T @ place) for g, u in zip(self.maps, moved, strict=True)]
        )


def run(
    controller: ContactControl,
    stiffness: float,
    target: Callable[[float], ContactTarget],
    pressed: Callable[[float], np.ndarray],
    duration: float,
    period: float = H,
    delay: int = 1,
    noise: float = 0.0,
    push: np.ndarray | None = None,
) -> list[ContactStep]:
    """Return the steps of hands that go exactly where they are sent, after a delay.

    :param delay: periods from a correction to the first reading that shows it.
    :param pressed: by time, how far the hands are sent beyond the object, ``(2, 6)``.
    """
    springs, steps, sent = Springs(GRASPS, stiffness), [], []
    rng = np.random.default_rng(1)
    outside = np.zeros(6) if push is None else push
    for i in range(round(duration / period)):
        none = PathCorrection(np.zeros((2, 3)), np.zeros((2, 3)))
        at = sent[-delay] if len(sent) >= delay else none
        tips = poses(GRASPS, at)
        moved = pressed(i * period) + np.hstack([at.position, at.rotation])
        measured = readings(tips, springs.wrenches(moved, outside))
        measured += noise * rng.normal(size=measured.shape)
        steps.append(controller.step(hands(tips), measured, target(i * period)))
        sent.append(steps[-1].correction)
    return steps


def inward(depth: float) -> np.ndarray:
    """Return both hands sent beyond the ends by ``depth`` [m]."""
    moved = np.zeros((2, 6))
    moved[:, 1] = [-depth, depth]
    return moved


def at_rest(wrenches: np.ndarray, step: int = 0) -> tuple[HandPoses, np.ndarray]:
    """Return hands and what is read; by ``step`` it changes a little, as that of a live sensor."""
    tips = poses(GRASPS)
    return hands(tips), readings(tips, wrenches) + ALIVE * (step % 2)


def press(force: float) -> np.ndarray:
    wrenches = np.zeros((2, 6))
    wrenches[:, 1] = [force, -force]
    return wrenches


@pytest.mark.parametrize('period', [1e-3, 5e-4])
@pytest.mark.parametrize('delay', [1, 2, 3])
@pytest.mark.parametrize('stiffness', [5e4, 1e5, 5e5])
def test_internal_force_goes_to_its_setpoint(stiffness: float, delay: int, period: float) -> None:
    """A contact at 10 mm/s, 0.5 mm deep at each hand; 003's figure 14.

    After the hands have arrived it takes 0.25 s at most, and the force never falls below what is
    setpoint, except by 1.5 % of its peak on the stiffest beam with a delay of 3 ms.
    """
    setpoint, arrival = 20.0, 0.05
    steps = run(
        control(period=period),
        stiffness,
        lambda _: ContactTarget(setpoint),
        lambda t: inward(5e-4 * min(1.0, t / arrival)),
        arrival + 0.25,
        period,
        delay,
    )
    squeeze = np.array([step.squeeze for step in steps])
    touched = int(np.argmax([step.contact for step in steps]))
    peak = int(np.argmax(squeeze))
    rest = 20.0 * 5e-4 + 0.05  # what the low stiffness leaves, and a bit
    assert abs(squeeze[-1] - setpoint) < HELD * (squeeze[peak] - setpoint) + rest
    assert touched < peak
    late = stiffness > 1e5 and delay * period > 2e-3
    assert squeeze[peak:].min() > setpoint - (0.015 * (squeeze[peak] - setpoint) if late else 0.0)
    assert not any(step.fault for step in steps)


@pytest.mark.parametrize('stiffness', [5e4, 5e5])
def test_noise_does_not_spoil_it(stiffness: float) -> None:
    noise, setpoint = 0.5, 20.0
    steps = run(
        control(sensor_noise=True),
        stiffness,
        lambda _: ContactTarget(setpoint),
        lambda t: inward(5e-4 * min(1.0, t / 0.05)),
        0.5,
        noise=noise,
    )
    late = np.array([step.squeeze for step in steps])[-200:]
    assert abs(late.mean() - setpoint) < 0.2
    assert late.std() < 1.5 * noise / np.sqrt(2.0)  # two sensors: the loop adds little to it
    assert not steps[-1].fault


@pytest.mark.parametrize('delay', [1, 2, 3])
def test_every_level_is_stable_on_the_stiffest_beam(delay: int) -> None:
    """All six axes at once: hands that are crooked, turned and too near."""
    crooked = np.array([[1e-4, -3e-4, 2e-4, 2e-3, -1e-3, 1e-3], [0, 2e-4, 1e-4, 0, 2e-3, -3e-3]])
    for mass in LEVELS['mass']:
        for damping in LEVELS['damping']:
            steps = run(
                control(impedance=ImpedanceConfig(mass=mass, damping=damping)),
                5e5,
                lambda _: ContactTarget(20.0),
                lambda _: crooked,
                0.15,
                delay=delay,
            )
            unwanted = [np.abs(step.internal - press(step.squeeze)).max() for step in steps]
            assert abs(steps[-1].squeeze - 20.0) < 0.1
            assert unwanted[-1] < 0.1 * unwanted[0]


def test_what_is_measured_is_what_acts() -> None:
    """A press, a weight and a push, by crooked sensors; the object is anyhow in the world."""
    weight = POSE.rotation.T @ WEIGHT
    push = np.array([1.0, -2.0, 3.0, 0.0, 0.0, 0.0])
    on_object = np.concatenate([weight, np.zeros(3)]) + push
    wrenches = press(30.0) + 0.5 * on_object
    step = control().step(*at_rest(wrenches), ContactTarget(20.0))
    np.testing.assert_allclose(step.internal, press(30.0), atol=1e-12)
    np.testing.assert_allclose(step.moving, -on_object, atol=1e-12)
    assert step.squeeze == pytest.approx(30.0)
    assert step.contact


def test_a_moment_is_taken_at_the_centre() -> None:
    """Grasps that are not about the centre: a force at one of them has an arm."""
    grasps = (facing(0.10), pin.SE3(facing(-0.04).rotation, np.array([0.02, -0.04, 0.01])))
    tips = poses(grasps)
    wrenches = np.array([[0.0, 0.0, 7.0, 0.0, 0.0, 0.0], np.zeros(6)])
    step = control(grasps).step(hands(tips), readings(tips, wrenches), FREE)
    np.testing.assert_allclose(step.moving, [0, 0, -7.0, -0.7, 0, 0], atol=1e-12)


def test_each_hand_is_a_mass_a_damper_and_a_spring() -> None:
    """003 (2.1) under a constant force, against its solution in closed form."""
    m, d, k, force, time = 2.0, 50.0, 200.0, 9.0, 0.1
    six = ImpedanceConfig(mass=(m,) * 6, damping=(d,) * 6, stiffness=(k,) * 6)
    controller = control(impedance=six, max_correction=1.0)
    for i in range(round(time / H)):
        step = controller.step(*at_rest(press(20.0 + force), i), ContactTarget(20.0))
    fast, slow = (0.5 * (-d + s * np.sqrt(d * d - 4.0 * k * m)) / m for s in (-1.0, 1.0))
    decay = (fast * np.exp(slow * time) - slow * np.exp(fast * time)) / (fast - slow)
    expected = force / k * (1.0 - decay)
    np.testing.assert_allclose(step.correction.position[:, 1], [expected, -expected], rtol=1e-9)
    assert np.abs(step.correction.position[:, [0, 2]]).max() < EXACT
    assert np.abs(step.correction.rotation).max() < EXACT


@pytest.mark.parametrize('bias', [0.0, 2.0])
def test_before_contact_corrections_are_exactly_zero(bias: float) -> None:
    controller = control()
    offset = bias * np.random.default_rng(0).normal(size=(2, 6))
    free, none = at_rest(np.zeros((2, 6)))
    for _ in range(100):
        controller.step(free, offset, TARE)
    for target in (FREE, ContactTarget(20.0)) * 20:
        step = controller.step(free, none + offset, target)
        assert not step.correction.position.any()
        assert not step.correction.rotation.any()
        assert not step.internal.any()
        assert not step.contact
    light = controller.step(
        free, readings(poses(GRASPS), press(2.9)) + offset, ContactTarget(20.0)
    )
    assert not light.contact
    assert not light.correction.position.any()
    assert light.squeeze == pytest.approx(2.9)


def test_a_noisy_bias_is_learnt() -> None:
    rng = np.random.default_rng(4)
    controller, bias, free = control(), rng.normal(size=(2, 6)), at_rest(press(0.0))[0]
    samples = bias + 0.5 * rng.normal(size=(400, 2, 6))
    for sample in samples:
        controller.step(free, sample, TARE)
    learnt = controller.snapshot().sensors.bias
    np.testing.assert_allclose(learnt, samples.mean(axis=0), atol=1e-12)


def test_contact_lasts_until_the_hands_are_free() -> None:
    controller = control()
    assert controller.step(*at_rest(press(3.1)), ContactTarget(20.0)).contact
    assert controller.step(*at_rest(press(0.5)), ContactTarget(20.0)).contact
    assert not controller.step(*at_rest(press(0.5)), FREE).contact
    assert not controller.step(*at_rest(press(0.5)), ContactTarget(20.0)).contact


def moved_aside(controller: ContactControl, steps: int = 200) -> ContactStep:
    for i in range(steps):
        last = controller.step(*at_rest(press(60.0 + 0.01 * i)), ContactTarget(20.0))
    return last


def test_corrections_of_free_hands_fade() -> None:
    controller = control()
    last = moved_aside(controller)
    before, velocity = np.abs(last.correction.position).max(), controller.snapshot().state.velocity
    faded = [controller.step(*at_rest(press(0.0)), FREE) for _ in range(1000)]
    path = np.array([step.correction.position[0, 1] for step in (last, *faded)])
    first = (path[1] - path[0]) / H
    assert abs(first - velocity[1]) < 66.0**2 * before * H  # no jump of the velocity
    assert np.abs(path[110:]).max() < 0.02 * before
    assert path.min() >= 0.0
    assert path[-1] == 0.0
    assert not controller.snapshot().state.deflection.any()


def test_without_force_control_all_is_measured_and_nothing_done() -> None:
    controller = control(force_control=False)
    last = moved_aside(controller)
    assert last.contact
    assert last.squeeze > 60.0
    assert not last.correction.position.any()
    assert controller.step(at_rest(press(0.0))[0], None, FREE).fault == ''


YIELD = Parameters(np.full(6, 1.0), np.full(6, 100.0), np.full(6, 400.0))


def test_the_object_yields_to_a_push_but_not_to_its_weight() -> None:
    weight = np.concatenate([POSE.rotation.T @ WEIGHT, np.zeros(3)])
    push = np.array([0.8, -1.2, 0.4, 0.0, 0.0, 0.0])
    controller = control()
    for i in range(5000):
        step = controller.step(
            *at_rest(press(20.0) + 0.5 * (weight + push), i), ContactTarget(20.0, YIELD)
        )
    np.testing.assert_allclose(step.correction.position, [push[:3] / 400.0] * 2, atol=1e-9)
    stayed = controller.step(*at_rest(press(20.0) + 0.5 * weight), ContactTarget(20.0))
    for _ in range(500):
        stayed = controller.step(*at_rest(press(20.0) + 0.5 * weight), ContactTarget(20.0))
    np.testing.assert_allclose(stayed.correction.position, step.correction.position, atol=1e-6)
    place = controller.snapshot().object_deflection
    np.testing.assert_allclose(place[:3], push[:3] / 400.0, atol=1e-6)
    controller.restore(controller.snapshot().settled())  # that is its place from now on
    for _ in range(500):
        still = controller.step(*at_rest(press(20.0) + 0.5 * weight), ContactTarget(20.0, YIELD))
    assert np.abs(still.correction.position).max() < 1e-9


def test_hands_stay_on_the_object_that_yields() -> None:
    """It turns a lot; the tips keep their pose to each other, as they hold one body."""
    weight = np.concatenate([POSE.rotation.T @ WEIGHT, np.zeros(3)])
    push = np.array([0.5, 0.3, -0.2, 60.0, -40.0, 80.0])
    springs = Springs(GRASPS, 1.0)
    shares = np.linalg.pinv(np.hstack(springs.maps)) @ (weight + push)  # no internal part
    controller = control(max_correction=1.0, sensor_range=5000.0)
    for i in range(300):
        wrenches = press(20.0) + shares.reshape(2, 6)
        step = controller.step(*at_rest(wrenches, i), ContactTarget(20.0, YIELD))
    assert step.fault == ''
    assert np.abs(step.correction.rotation).max() > 0.05
    one, other = poses(GRASPS, step.correction)
    np.testing.assert_allclose(
        one.actInv(other).homogeneous, GRASPS[0].actInv(GRASPS[1]).homogeneous, atol=1e-9
    )


def test_the_deflection_of_a_hand_turns_with_the_object() -> None:
    """Held by a fault: tips are those of hands moved aside first, on an object moved then."""
    rng, controller = np.random.default_rng(8), control()
    deflection = 0.3 * rng.normal(size=18)
    snapshot = controller.snapshot()
    state = msgspec.structs.replace(snapshot.state, deflection=deflection)
    controller.restore(msgspec.structs.replace(snapshot, state=state, fault='held'))
    found = poses(GRASPS, controller.step(*at_rest(press(0.0)), FREE).correction)
    moved = POSE * pin.SE3(pin.exp3(deflection[15:]), deflection[12:15])
    for tip, grasp, own in zip(found, GRASPS, deflection[:12].reshape(2, 6), strict=True):
        aside = pin.SE3(pin.exp3(own[3:]) @ grasp.rotation, grasp.translation + own[:3])
        np.testing.assert_allclose(tip.homogeneous, (moved * aside).homogeneous, atol=1e-12)


def test_a_turned_object_is_pushed_in_the_axes_it_had() -> None:
    """The hands have followed a turn about z: a push along the new x axis is seen as that."""
    controller = control(max_correction=1.0)
    turn = np.array([0.0, 0.0, 0.5])
    deflection = np.zeros(18)
    deflection[15:] = turn
    snapshot = controller.snapshot()
    state = msgspec.structs.replace(snapshot.state, deflection=deflection)
    controller.restore(msgspec.structs.replace(snapshot, state=state))
    middle = [pin.SE3(pin.exp3(turn), np.zeros(3)) * grasp for grasp in GRASPS]
    tips = [POSE * grasp for grasp in middle]
    along = np.concatenate([pin.exp3(turn) @ [1.0, 0.0, 0.0], np.zeros(3)])
    pressed = np.kron(np.eye(2), pin.exp3(turn)) @ press(20.0)[0]
    weight = np.concatenate([POSE.rotation.T @ WEIGHT, np.zeros(3)])
    wrenches = np.array([pressed, -pressed]) + 0.5 * (weight + along)
    controller.step(hands(tips), readings(tips, wrenches), ContactTarget(20.0, YIELD))
    moved = controller.snapshot().state.deflection[12:15]
    np.testing.assert_allclose(moved / np.linalg.norm(moved), along[:3], atol=1e-9)


def not_a_number(reading: np.ndarray) -> np.ndarray:
    broken = reading.copy()
    broken[1, 3] = np.nan
    return broken


def huge(reading: np.ndarray) -> np.ndarray:
    broken = reading.copy()
    broken[0, 0] = -2e4
    return broken


@pytest.mark.parametrize(
    ('break_it', 'message'),
    [
        (lambda _: None, 'wrist sensors lost'),
        (not_a_number, 'sensor of right lost'),
        (huge, r'left reads 2e\+04 N and .* N m: beyond its range of 500 N'),
    ],
)
def test_faults_of_sensors_stop_and_hold(
    break_it: Callable[[np.ndarray], np.ndarray | None], message: str
) -> None:
    controller = control()
    before = moved_aside(controller)
    held, reading = at_rest(press(60.0))
    step = controller.step(held, break_it(reading), ContactTarget(20.0))
    assert re.search(message, step.fault)
    np.testing.assert_array_equal(step.correction.position, before.correction.position)
    assert np.isfinite(step.squeeze)
    for target in (ContactTarget(20.0), FREE):  # it stays, whatever comes
        later = controller.step(held, reading, target)
        assert later.fault == step.fault
        np.testing.assert_array_equal(later.correction.position, before.correction.position)


def test_hands_that_press_too_much_stop_and_yield() -> None:
    """Both sensors read it, and are valid; one alone would be broken."""
    controller = control()
    moved_aside(controller)
    before = controller.snapshot().state.deflection[1]
    step = controller.step(*at_rest(press(520.0)), ContactTarget(20.0))
    assert re.match(r'the hands press with 5.. N: beyond the range .*, 500 N', step.fault)
    for i in range(20):
        step = controller.step(*at_rest(press(100.0 - i)), ContactTarget(20.0))
    assert step.fault.startswith('the hands press with')
    assert controller.snapshot().state.deflection[1] - before > 1e-4
    lost = controller.step(at_rest(press(80.0))[0], None, ContactTarget(20.0))
    assert lost.fault == step.fault
    stays = controller.step(*at_rest(press(80.0)), ContactTarget(20.0))
    np.testing.assert_array_equal(stays.correction.position, step.correction.position)


def test_a_frozen_noisy_sensor_is_found() -> None:
    rng, controller = np.random.default_rng(5), control(sensor_noise=True)
    free, reading = at_rest(press(0.0))
    samples = reading + 0.5 * rng.normal(size=(40, 2, 6))
    samples[20:, 1] = samples[19, 1]
    for i, noisy in enumerate(samples):
        step = controller.step(free, noisy, FREE)
        assert (step.fault != '') == (i >= 29)
    assert step.fault.startswith('wrist sensor of right frozen: 11 readings')


def test_a_frozen_sensor_without_noise_is_found_by_the_travel_of_its_hand() -> None:
    controller = control()
    free, reading = at_rest(press(60.0))
    for i in range(100):
        changed = reading.copy()
        changed[0] *= 1.0 + 1e-6 * i  # the left one lives
        step = controller.step(free, changed, ContactTarget(20.0))
        if step.fault:
            break
    assert step.fault.startswith('wrist sensor of right frozen')
    moved = np.linalg.norm(step.correction.position, axis=1)
    assert 50e-6 < moved[1] < 70e-6


def test_a_reading_that_is_held_because_the_next_is_late_is_not_frozen() -> None:
    controller = control()
    free, reading = at_rest(press(60.0))
    controller.step(free, reading, ContactTarget(20.0))
    for _ in range(100):
        step = controller.step(free, reading, ContactTarget(20.0), held=True)
    assert step.fault == ''
    for _ in range(100):
        step = controller.step(free, reading, ContactTarget(20.0))
    assert 'frozen' in step.fault


def test_a_dropped_object_is_no_frozen_sensor() -> None:
    controller = control()
    controller.step(*at_rest(press(20.0)), ContactTarget(20.0))
    for _ in range(100):
        step = controller.step(*at_rest(np.zeros((2, 6))), ContactTarget(20.0))
    assert step.squeeze == 0.0
    assert step.fault == ''
    assert np.abs(step.correction.position).max() > 1e-4  # the hands look for it


def test_too_large_a_correction_is_a_fault_and_is_not_made() -> None:
    controller = control(max_correction=5e-4)
    steps = [
        controller.step(*at_rest(press(200.0 + 0.01 * i)), ContactTarget(20.0)) for i in range(50)
    ]
    assert steps[-1].fault.startswith('correction of a hand is 0.5 mm: more than max_correction')
    assert max(np.linalg.norm(s.correction.position, axis=1).max() for s in steps) <= 5e-4


def test_too_large_a_turn_is_a_fault_and_is_not_made() -> None:
    # Torques that bend the object and press nothing: the hands turn, and stay where they are.
    controller = control(max_correction=5e-4)
    bent = press(20.0)
    bent[:, 3] += (3.0, -3.0)
    for _ in range(200):
        bent[:, 2] += (1e-9, -1e-9)  # no sensor is frozen
        step = controller.step(*at_rest(bent), ContactTarget(20.0))
        assert np.linalg.norm(step.correction.rotation, axis=1).max() <= 0.01  # 5e-4 m at 0.05 m
    assert (
        step.fault == 'correction of a hand is 0.01 rad: more than max_correction allows, 0.01 rad'
    )
    assert np.linalg.norm(step.correction.rotation, axis=1).max() > 0.009


def test_going_back_gives_the_same_bits() -> None:
    rng = np.random.default_rng(6)
    controller = control(sensor_noise=True)
    inputs = [at_rest(press(30.0) + rng.normal(size=(2, 6))) for _ in range(60)]
    targets = (
        [TARE] * 5 + [ContactTarget(20.0)] * 15 + [ContactTarget(20.0, YIELD)] * 20 + [FREE] * 20
    )

    def rest_of_it(start: int) -> list[bytes]:
        found = []
        for (at, reading), target in list(zip(inputs, targets, strict=True))[start:]:
            step = controller.step(at, reading, target)
            found.append(step.correction.position.tobytes() + step.internal.tobytes())
        return found

    rest_of_it(60)
    begin = controller.snapshot()
    for start in (3, 12, 25, 45):
        controller.restore(begin)
        for (at, reading), target in list(zip(inputs, targets, strict=True))[:start]:
            controller.step(at, reading, target)
        middle = controller.snapshot()
        straight = rest_of_it(start)
        controller.restore(middle)
        assert rest_of_it(start) == straight


def test_three_hands() -> None:
    """On a ring, with a press towards its middle: all yield along their own lines."""
    grasps = tuple(
        pin.SE3(pin.exp3(np.array([0.0, 0.0, turn])), np.zeros(3)) * facing(0.1)
        for turn in (0.0, 2.0, 4.2)
    )
    controller = control(grasps)
    tips = poses(grasps)
    arms = np.array([grasp.translation for grasp in grasps])
    arms -= arms.mean(axis=0)
    pattern = arms / np.linalg.norm(arms, axis=1).mean()
    wrenches = np.hstack([50.0 * pattern, np.zeros((3, 3))])
    step = controller.step(hands(tips), readings(tips, wrenches), ContactTarget(20.0))
    assert step.squeeze == pytest.approx(50.0)
    ratio = step.correction.position[:, :2] / pattern[:, :2]
    np.testing.assert_allclose(ratio, ratio[0, 0], rtol=1e-9)
    assert ratio[0, 0] > 0.0


def mirrored() -> pin.SE3:
    pose = pin.SE3.Identity()
    pose.rotation = np.diag([1.0, 1.0, -1.0])
    return pose


def stretched() -> pin.SE3:
    pose = pin.SE3.Identity()
    pose.rotation = 1.01 * np.eye(3)
    return pose


def endless() -> pin.SE3:
    return pin.SE3(np.eye(3), np.array([0.0, np.inf, 0.0]))


@pytest.mark.parametrize(
    ('grasps', 'sensors', 'message'),
    [
        ((facing(0.04),), SENSORS[:1], 'two hands'),
        ((facing(0.04), facing(0.0401)), SENSORS, '0.0001 m apart'),
        ((facing(0.04), mirrored()), SENSORS, 'mirror image'),
        ((facing(0.04), stretched()), SENSORS, r'R\^T R differs from 1'),
        ((facing(0.04), endless()), SENSORS, 'not finite'),
        (GRASPS, (SENSORS[0], stretched()), 'wrist sensor'),
        (GRASPS, SENSORS[:1], '1 wrist sensors and 2 tips for 2 grasps'),
    ],
)
def test_grasps_that_are_refused(
    grasps: tuple[pin.SE3, ...], sensors: tuple[pin.SE3, ...], message: str
) -> None:
    with pytest.raises(SimloopError, match=message):
        ContactControl(BimanualConfig(), TIPS[: len(grasps)], grasps, sensors, WEIGHT, H)


@pytest.mark.parametrize('weight', [np.zeros(2), np.array([0.0, 0.0, np.nan])])
def test_a_weight_that_is_none(weight: np.ndarray) -> None:
    with pytest.raises(ConfigError, match='weight'):
        ContactControl(BimanualConfig(), TIPS, GRASPS, SENSORS, weight, H)


def test_readings_of_another_shape() -> None:
    with pytest.raises(MessageError, match=r'\(3, 6\): \(2, 6\)'):
        control().step(hands(poses(GRASPS)), np.zeros((3, 6)), FREE)


@pytest.mark.parametrize('name', ['mass', 'damping', 'stiffness'])
@pytest.mark.parametrize('bad', [0.0, -1.0, np.nan, np.inf])
def test_impedances_that_are_refused(name: str, bad: float) -> None:
    with pytest.raises(ConfigError, match=f'impedance.{name}'):
        impedance(ImpedanceConfig(**{name: (1.0, 1.0, bad, 1.0, 1.0, 1.0)}))


def test_an_object_with_other_axes() -> None:
    three = Parameters(np.ones(3), np.ones(3), np.ones(3))
    with pytest.raises(ConfigError, match='3 axes; 6'):
        control().step(*at_rest(press(30.0)), ContactTarget(20.0, three))
