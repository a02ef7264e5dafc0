"""A snapshot holds everything that changes: compared attribute by attribute, bit for bit."""

from functools import partial

from attributes import attributes, differing
import numpy as np
from plant_kinds import PLANTS, H, effort
import pytest
from two_palms import GAP, drive, robot

from simloop_ros.core.values import Disturbance, JointState
from simloop_ros.plants.arm_stops import ArmStops
from simloop_ros.plants.config import ArmStop
from simloop_ros.plants.friction import JointFriction
from simloop_ros.plants.motor_driven_plant import MotorDrivenPlant
from simloop_ros.plants.pinocchio_plant import PinocchioPlant
from simloop_ros.plants.spring_contact import Spring, SpringContact, point_jacobian
from simloop_ros.safety.brake import Brake
from simloop_ros.safety.config import SafetyConfig

STEPS, ONWARD = 420, 25
MOMENTS = 7
"""Random moments at which a snapshot is taken, one in each part of the run."""
SENSORS = {
    'noise': 0.5,
    'torque_noise': 0.01,
    'bias': 2.0,
    'faults': [{'tip': 'tool', 'kind': 'frozen', 'start': 0.4}],
}


def swing(plant, step):
    """Move the arm of seven joints; now and then an external torque acts on it."""
    # Damping keeps a bare arm that falls among obstacles within reason.
    torque = 0.1 * effort(step + 9) if step % 7 == 3 else None
    plant.step(effort(step) - 1.0 * plant.truth.velocity, Disturbance(torque))


def from_config(config):
    def make(fixture):
        return fixture('build')(fixture('arm'), H, **config), swing

    return make


def motors_without_drives(fixture):
    return MotorDrivenPlant(fixture('arm'), H, None, coulomb=0.3), swing


def arm_stops(fixture):
    """Free, braking, holding; an external torque makes the brake slip now and then."""
    arm = fixture('arm')

    def brakes(joints):
        return Brake(arm, H, SafetyConfig(brake_time=0.02), joints)

    stops = [ArmStop(tip='tool', start=0.2)]
    return ArmStops(PinocchioPlant(arm, H), arm, H, stops, brakes), swing


def spring(fixture):
    """The arm is thrown at a half space, which it has left again at the end."""
    arm, start = fixture('arm'), JointState(np.full(7, 0.4), np.linspace(0.5, 1.0, 7))
    link, point = arm.links[-1], np.array([0.05, 0.0, 0.02])
    data = arm.pin_model.createData()
    jacobian, place = point_jacobian(arm.pin_model, data, start.position, arm.frame(link), point)
    velocity = jacobian @ start.velocity
    direction = velocity / np.linalg.norm(velocity)
    half_space = Spring(link, point, place + 0.1 * direction, direction, 2e4)

    def build(step):
        return JointFriction(PinocchioPlant(arm, step), arm, step, 0.3, 0.1)

    plant = SpringContact(build, arm, H / 4, half_space)
    plant.start(start)
    return plant, swing


def held_beam(fixture, **config):
    """A grip, a lift and a fall, with pushes on a hand and on the beam."""
    hands = robot(fixture('load'), sensors=('left_sensor', 'right_sensor'))
    pushes = [
        {'link': 'right', 'start': 0.1, 'duration': 0.1, 'force': [0, 3, 1]},
        {'link': 'object', 'start': 0.15, 'duration': 0.1, 'force': [0.2, 0, 1]},
    ]
    plant = fixture('build')(hands, 0.001, object={}, pushes=pushes, **config)

    def grip(plant, step):
        close = min(GAP + 0.001, 1e-4 * step) if step < 350 else 0.0
        drive(plant, close, 5e-5 * max(0, step - 200))

    return plant, grip


def held_beam_all(fixture):
    faults = [
        {'tip': 'left_palm', 'kind': 'frozen', 'start': 0.2},
        {'tip': 'right_palm', 'kind': 'lost', 'start': 0.3},
    ]
    sensors = {'noise': 0.5, 'bias': 2.0, 'faults': faults}
    friction = {'coulomb': 0.5}
    return held_beam(fixture, sensors=sensors, noise=1e-6, friction=friction, step=0.0005, delay=2)


KINDS = {
    **{name: from_config(config) for name, config in PLANTS.items()},
    'sensors': from_config({'sensors': SENSORS, 'noise': 1e-4}),
    'motors without drives': motors_without_drives,
    'arm stops': arm_stops,
    'spring': spring,
    'held beam': held_beam,
    'held beam all': held_beam_all,
    'pybullet held beam': partial(held_beam, engine='pybullet', step=0.0005),
}


def shown(plant):
    """Return everything there is of a plant, and what it shows."""
    return {
        **attributes(plant.report()),
        **{f'observe(){path}': value for path, value in attributes(plant.observe()).items()},
        **{f'plant{path}': value for path, value in attributes(plant).items()},
    }


@pytest.mark.parametrize('name', KINDS)
def test_restore_brings_back_every_attribute(name, request):
    """Step, snapshot, go on, restore, go on again: the same, whatever happened in between."""
    if 'pybullet' in name:
        pytest.importorskip('pybullet')
    plant, take_step = KINDS[name](request.getfixturevalue)
    rng = np.random.default_rng(list(name.encode()))
    part = STEPS // MOMENTS
    moments = part * np.arange(MOMENTS) + rng.integers(part, size=MOMENTS)
    compared = {moment + after for moment in moments for after in (0, 1, ONWARD)}
    snapshots, held, straight = {}, {}, {}
    for step in range(STEPS + ONWARD + 1):
        if step in moments:
            snapshots[step] = plant.snapshot()
            held[step] = attributes(snapshots[step])
        if step in compared:
            straight[step] = shown(plant)
        take_step(plant, step)
    for moment in rng.permutation(moments):
        plant.restore(snapshots[moment])
        for step in range(moment, moment + ONWARD + 1):
            if step in compared:
                assert differing(shown(plant), straight[step]) == [], step
            take_step(plant, step)
    for moment, snapshot in snapshots.items():
        assert differing(attributes(snapshot), held[moment]) == []


@pytest.mark.parametrize('name', KINDS)
def test_a_start_forgets_the_past(name, request):
    """The same start gives the same run whatever was before."""
    if 'pybullet' in name:
        pytest.importorskip('pybullet')
    plant, take_step = KINDS[name](request.getfixturevalue)
    start = JointState(plant.truth.position + 0.001, np.full_like(plant.truth.velocity, 0.02))
    runs = []
    for steps in (150, 37, 150):
        plant.start(start)
        runs.append([shown(plant)])
        for step in range(steps):
            take_step(plant, step)
        runs[-1].append(shown(plant))
    assert differing(runs[1][0], runs[0][0]) == []
    assert differing(runs[2][0], runs[0][0]) == []
    assert differing(runs[2][1], runs[0][1]) == []


@pytest.mark.parametrize('name', [name for name in PLANTS if 'hands' in PLANTS[name]])
def test_the_arm_was_guided_by_hands(name, request):
    plant, take_step = KINDS[name](request.getfixturevalue)
    reports = []
    for step in range(300):
        take_step(plant, step)
        reports.append(plant.report().hands)
    held = np.array([[hand.held for hand in hands] for hands in reports])
    assert held.any(axis=0).all()
    assert not held.all(axis=0).any()
    assert not held[-1][0]
    assert all(hand.energy != 0.0 for hand in reports[-1])


@pytest.mark.parametrize('name', [name for name in PLANTS if 'obstacles' in PLANTS[name]])
def test_the_arm_met_obstacles(name, request):
    if 'pybullet' in name:
        pytest.importorskip('pybullet')
    plant, take_step = KINDS[name](request.getfixturevalue)
    met, fastest = set(), 0.0
    for step in range(300):
        take_step(plant, step)
        met |= {contact.obstacle for contact in plant.report().contacts}
        fastest = max(fastest, np.abs(plant.truth.velocity).max())
    assert met == {'box'}
    assert fastest < 50.0


def test_the_arm_met_the_spring(request):
    plant, take_step = spring(request.getfixturevalue)
    touching = []
    for step in range(STEPS):
        take_step(plant, step)
        touching.append(plant.force > 0.0)
    first = np.argmax(touching)
    assert STEPS // MOMENTS < first < first + sum(touching) < STEPS


def test_the_brake_was_free_braking_and_holding(request):
    plant, take_step = arm_stops(request.getfixturevalue)
    brakes = []
    for step in range(STEPS):
        take_step(plant, step)
        brakes.append(plant._stops[0].brake.snapshot())
    assert not brakes[50].steps
    assert any(brake.steps and brake.held is None for brake in brakes)
    assert brakes[-1].held is not None


@pytest.mark.parametrize('name', ['held beam', 'pybullet held beam'])
def test_the_beam_was_held_and_dropped(name, request):
    if 'pybullet' in name:
        pytest.importorskip('pybullet')
    plant, take_step = KINDS[name](request.getfixturevalue)
    pressed = []
    for step in range(STEPS + ONWARD):
        take_step(plant, step)
        pressed.append(plant.report().true_wrenches.any())
    assert pressed[300]
    assert not any(pressed[:50])
    assert not pressed[-1]
