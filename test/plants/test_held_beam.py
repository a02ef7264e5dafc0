"""A soft beam between two hands: laws of contact, friction and free bodies.

The robot of `two_palms` is two hands on slides: the forces on them can be written down.
"""

import msgspec
import numpy as np
import pinocchio as pin
import pytest
from steps import at
from two_palms import GAP, LENGTH, G, drive, robot

from simloop_ros.control.config import ControlConfig
from simloop_ros.control.control_simulation import ControlSimulation
from simloop_ros.core.errors import ConfigError
from simloop_ros.core.values import JointState
from simloop_ros.plants.beam_body import BeamBody, BodyState
from simloop_ros.plants.beam_contact import Surfaces
from simloop_ros.plants.beam_palms import BeamPalms
from simloop_ros.plants.config import HeldObject

H = 0.001


@pytest.fixture
def hands(load):
    """Two hands of 2 kg, with sensors behind the palms, askew."""
    return robot(load, sensors=('left_sensor', 'right_sensor'))


@pytest.fixture
def anvils(load):
    """Return hands that a beam cannot move, without gravity."""
    return robot(load, 1e6, gravity=(0.0, 0.0, 0.0))


def grip(plant, close=GAP + 0.001, steps=400):
    for _ in range(steps):
        drive(plant, close)


def compression(plant):
    _, left, _, right = plant.truth.position
    return LENGTH - ((LENGTH / 2 + GAP + left) - (-LENGTH / 2 - GAP + right))


def in_world(plant, model):
    """Return the forces on the hands in world axes and their torques about the world's origin."""
    poses = model.frame_poses(plant.truth.position, model.sensors)
    return np.array(
        [
            pose.act(pin.Force(wrench)).vector
            for pose, wrench in zip(poses, plant.report().true_wrenches, strict=True)
        ]
    )


def with_body(plant, **changes):
    """Change the motion of the beam by hand."""
    snapshot = plant.snapshot()
    body = msgspec.structs.replace(snapshot.beam.body, **changes)
    beam = msgspec.structs.replace(snapshot.beam, body=body, asleep=False)
    plant.restore(msgspec.structs.replace(snapshot, beam=beam))


@pytest.mark.parametrize('stiffness', [5e4, 5e5])
def test_at_rest_the_force_is_stiffness_times_compression(build, hands, stiffness):
    plant = build(hands, H, object={'stiffness': stiffness})
    grip(plant, steps=600)
    left, right = in_world(plant, hands)
    force = stiffness * compression(plant)
    assert force > 15.0
    assert left[1] == pytest.approx(force, rel=1e-6)
    assert right[1] == pytest.approx(-force, rel=1e-6)


@pytest.mark.parametrize('stiffness', [5e4, 5e5])
def test_deadbeat_control_presses_it_quietly(build, hands, stiffness):
    """Each drive holds like a spring of M/h^2 then, in series with the beam."""
    plant = build(hands, H, object={'stiffness': stiffness}, mass_bias=0.1)
    control = ControlSimulation(hands, ControlConfig().resolved(noisy=False, flexible=False), H)
    control.start(plant.truth)
    press = 10.0 / stiffness
    seen = []
    for step in range(500):
        close = (GAP + press) * min(1.0, step / 200)
        command = control.step(at(np.array([0.0, -close, 0.0, close])))
        plant.step(command.effort)
        control.rollback(command, plant.observe())
        seen.append(in_world(plant, hands)[0, 1])
    drives = 2.0 / H**2
    expected = 2 * press / (1 / stiffness + 2 / drives)
    assert seen[-100:] == pytest.approx([expected] * 100, rel=1e-3)
    assert seen[-1] == pytest.approx(stiffness * compression(plant), rel=1e-6)


def test_both_hands_together_carry_the_weight(build, hands):
    plant = build(hands, H, object={'mass': 0.7})
    grip(plant)
    for step in range(1000):
        drive(plant, GAP + 0.001, 0.02 * min(1.0, step / 400))
    assert plant.report().object.position[2] > 0.019
    forces = in_world(plant, hands)
    centre = plant.report().object.position
    total = forces.sum(axis=0)
    total[3:] -= np.cross(centre, total[:3])
    assert total == pytest.approx([0, 0, -0.7 * G, 0, 0, 0], abs=1e-6)
    assert forces[:, 2] == pytest.approx([-0.35 * G] * 2, rel=1e-6)


def test_the_external_torque_is_that_of_the_beam_and_of_pushes(build, hands):
    push = {'link': 'left', 'start': 0.3, 'duration': 10, 'force': [0, 0, 4]}
    plant = build(hands, H, object={}, pushes=[push])
    grip(plant)
    left, right = in_world(plant, hands)
    torque = [left[2] + 4.0, left[1], right[2], right[1]]
    assert plant.report().external == pytest.approx(torque, abs=1e-9)


def test_it_swings_between_palms_with_the_root_of_4k_over_m(build, anvils):
    """Semi-implicit steps of 0.25 rad at most swing faster by 0.26 % at most."""
    stiffness, mass = 1e5, 0.5
    beam = {'stiffness': stiffness, 'mass': mass, 'damping_ratio': 0, 'friction': 0}
    plant = build(anvils, 1e-4, object={**beam, 'table': False})
    plant.start(JointState(np.array([0, -GAP - 2e-4, 0, GAP + 2e-4]), np.zeros(4)))
    with_body(plant, position=np.array([0, 1e-4, 0]))
    course = []
    for _ in range(1000):
        plant.step(np.zeros(4))
        course.append(plant.report().object.position[1])
    signs = np.sign(course)
    crossings = np.flatnonzero(signs[1:] != signs[:-1])
    half = (crossings[-1] - crossings[0]) / (len(crossings) - 1) * 1e-4
    assert len(crossings) > 20
    assert np.pi / half == pytest.approx(np.sqrt(4 * stiffness / mass), rel=5e-3)
    assert np.abs(course[-100:]).max() == pytest.approx(1e-4, rel=0.02)


def test_the_damping_ratio_is_that_of_this_swing(build, anvils):
    """A peak is exp(-2 pi r / sqrt(1 - r^2)) of the one before."""
    ratio = 0.05
    plant = build(anvils, 1e-4, object={'damping_ratio': ratio, 'friction': 0, 'table': False})
    plant.start(JointState(np.array([0, -GAP - 5e-4, 0, GAP + 5e-4]), np.zeros(4)))
    with_body(plant, position=np.array([0, 1e-4, 0]))
    course = []
    for _ in range(400):
        plant.step(np.zeros(4))
        course.append(plant.report().object.position[1])
    course = np.array(course)
    peak = (course[1:-1] > course[:-2]) & (course[1:-1] > course[2:])
    peaks = course[1:-1][peak]
    assert len(peaks) > 3
    decrement = np.log(peaks[:-1] / peaks[1:])[:3]
    assert decrement == pytest.approx(2 * np.pi * ratio / np.sqrt(1 - ratio**2), rel=0.05)


@pytest.mark.parametrize('friction', [0.0, 0.6])
def test_bounces_gain_no_energy(build, load, friction):
    model = robot(load, 20.0, gravity=(0.0, 0.0, 0.0))
    beam = {'damping_ratio': 0, 'friction': friction, 'table': False}
    plant = build(model, H, object=beam)
    velocity, spin = np.array([0.02, 0.4, 0.01]), np.array([0.5, 0.3, -0.4])
    with_body(plant, velocity=velocity, spin=spin)
    moments = 0.5 / 12 * np.array([LENGTH**2 + 0.04**2, 2 * 0.04**2, LENGTH**2 + 0.04**2])

    def energy():
        held, (lift_l, left, lift_r, right) = plant.report().object, plant.truth.velocity
        spin = pin.exp3(held.rotation_vector).T @ held.velocity[3:]
        speed = held.velocity[:3] @ held.velocity[:3]
        slides = 2 * lift_l**2 + left**2 + 2 * lift_r**2 + right**2
        return 0.25 * speed + 0.5 * moments @ spin**2 + 10.0 * slides

    start, hits, free = 0.25 * velocity @ velocity + 0.5 * moments @ spin**2, 0, []
    touching = False
    for _ in range(300):
        plant.step(np.zeros(4))
        pressed = plant.report().true_wrenches.any()
        hits += pressed and not touching
        touching = pressed
        assert energy() < 1.01 * start
        if not pressed:
            free.append(energy())
    assert hits >= 3
    if friction == 0.0:
        assert np.array(free) == pytest.approx(start, rel=0.01)
    else:
        assert max(free[1:]) < 1.005 * start


def test_it_falls_freely_when_the_palms_part(build, hands):
    plant = build(hands, H, object={})
    grip(plant)
    for step in range(600):
        drive(plant, GAP + 0.001, 0.1 * min(1.0, step / 400))
    assert plant.report().object.position[2] > 0.099
    for _ in range(50):
        drive(plant, 0.0, 0.1)
    assert not plant.report().true_wrenches.any()
    before = plant.report().object.velocity[2]
    for _ in range(50):
        drive(plant, 0.0, 0.1)
    assert plant.report().object.velocity[2] - before == pytest.approx(-G * 50 * H, rel=1e-9)


def test_it_is_carried_only_if_friction_bears_its_weight(build, hands):
    """2 mu N = share m g; the lift itself adds 1.2 % to the weight."""
    mass, lift = 0.5, 0.005
    trial = build(hands, H, object={'mass': mass})
    grip(trial)
    normal = in_world(trial, hands)[0, 1]
    for share, carried in ((0.96, False), (1.04, True)):
        friction = float(share * mass * G / (2 * normal))
        plant = build(hands, H, object={'mass': mass, 'friction': friction})
        grip(plant)
        for step in range(600):
            s = min(1.0, step / 500)
            drive(plant, GAP + 0.001, lift * s**3 * (10 - 15 * s + 6 * s**2))
        height = plant.report().object.position[2]
        hand = plant.truth.position[0]
        assert hand == pytest.approx(lift, abs=2e-4)
        assert abs(height - hand) < 1e-4 if carried else height < 1e-4


def test_on_the_table_it_lies_still(build, hands):
    """A palm half a millimetre away keeps it from falling asleep."""
    plant = build(hands, H, object={'rpy': [0, 0, 0.02]})
    plant.start(JointState(np.array([0, -GAP + 1e-3, 0, 0]), np.zeros(4)))
    start = plant.report().object
    for _ in range(400):
        drive(plant, GAP - 1e-3)
    assert not plant.snapshot().beam.asleep
    now = plant.report().object
    assert np.abs(now.position - start.position).max() < 1e-12
    assert np.abs(now.rotation_vector - start.rotation_vector).max() < 1e-12
    assert not plant.report().true_wrenches.any()


def test_dropped_on_the_table_it_comes_to_rest_and_sleeps(build, hands):
    plant = build(hands, H, object={'damping_ratio': 0.5})
    with_body(plant, position=np.array([0.0, 0.0, 0.003]), spin=np.array([0.1, 0.2, 0.0]))
    for _ in range(800):
        drive(plant, 0.0)
    assert plant.snapshot().beam.asleep
    held = plant.report().object
    assert not held.velocity.any()
    assert np.abs(held.position[:2]).max() < 1e-3
    assert held.position[2] == pytest.approx(0.0, abs=1e-7)
    assert pin.exp3(held.rotation_vector)[2] == pytest.approx([0, 0, 1], abs=1e-6)


def test_hands_that_touch_nothing_move_as_without_a_beam(build, hands):
    """They come as near as 0.2 mm, so that contact is looked for."""
    config = {'friction': {'coulomb': 0.3, 'viscous': 0.1}, 'mass_bias': 0.1, 'step': H / 2}
    plants = build(hands, H, object={}, **config), build(hands, H, **config)
    for step in range(300):
        for plant in plants:
            drive(plant, (GAP - 2e-4) * np.sin(0.02 * step), 0.01 * np.sin(0.01 * step))
    first, second = (plant.truth for plant in plants)
    assert np.array_equal(first.position, second.position)
    assert np.array_equal(first.velocity, second.velocity)


class SlowPalms(BeamPalms):
    """Palms that never take the short way."""

    def _surely_far(self, joints, body):  # noqa: ARG002
        return False


def test_a_quick_look_overlooks_no_palm_that_is_near(shipped):
    """Anywhere about the beam, which tumbles, at speeds from 1 mrad/s to 100 rad/s."""
    model, random = shipped('workerbot'), np.random.default_rng(5)
    config = HeldObject(position=(0.4, 0.0, 0.82))
    palms = SlowPalms(model, H, BeamBody(config, model.gravity), config.palm)
    far, near = [], []
    for _ in range(1000):
        speed = 10.0 ** random.uniform(-3.0, 2.0)
        body = BodyState(
            position=np.array(config.position),
            rotation=pin.exp3(random.normal(scale=0.3, size=3)),
            velocity=0.1 * speed * random.normal(size=3),
            spin=speed * random.normal(size=3),
        )
        joints = JointState(
            model.home + random.normal(scale=0.02, size=model.n),
            speed * random.normal(size=model.n),
        )
        far.append(BeamPalms._surely_far(palms, joints, body))
        near.append(palms.near(joints, body, None) is not None)
    assert not np.any(np.logical_and(far, near))
    assert min(sum(far), sum(near)) > 200


def test_a_falling_beam_does_not_disturb_the_hands(build, hands):
    plants = build(hands, H, object={'table': False}), build(hands, H)
    for _ in range(200):
        for plant in plants:
            drive(plant, 0.2 * GAP)
    assert np.array_equal(plants[0].truth.position, plants[1].truth.position)
    fallen = plants[0].report().object
    assert fallen.velocity[2] == pytest.approx(-G * 0.2, rel=1e-9)
    assert fallen.position[2] == pytest.approx(-G * 0.02, rel=2e-3)


def test_a_palm_that_comes_from_behind_touches_nothing(build, hands):
    plant = build(hands, H, object={})
    plant.start(JointState(np.array([0, -GAP - LENGTH / 2, 0, 0]), np.array([0, 0.3, 0, 0])))
    for _ in range(200):
        plant.step(np.array([4 * G, 0, 4 * G, 0]))
        assert not plant.report().true_wrenches.any()
    assert plant.truth.position[1] > 0.0


def test_beside_the_palm_there_is_no_contact(build, hands):
    plant = build(hands, H, object={'position': [0.06, 0, 0]})
    grip(plant)
    assert compression(plant) > 1e-3
    assert not plant.report().true_wrenches.any()


REFUSALS = {
    'kind': ({'object': {'kind': 'rigid'}}, 'kind soft'),
    'engine': ({'object': {}, 'engine': 'mujoco'}, 'pinocchio or pybullet'),
    'flexible': ({'object': {}, 'flexible_joints': True}, 'flexible_joints'),
    'position': ({'object': {}, 'takes': 'position'}, 'efforts'),
    'hands': (
        {'object': {}, 'hands': [{'link': 'left', 'stiffness': 1, 'damping': 1, 'max_force': 1}]},
        'plant.hands',
    ),
    'tilted': ({'object': {'rpy': [0.1, 0, 0]}}, 'roll and pitch'),
    'overlap': ({'object': {'length': 0.11}}, 'left_palm is in the beam'),
    'stiff': ({'object': {'stiffness': 1e14}}, 'heavier or softer'),
}


@pytest.mark.parametrize('name', REFUSALS)
def test_refusals(name, build, hands):
    config, message = REFUSALS[name]
    with pytest.raises(ConfigError, match=message):
        build(hands, H, **config)


def test_one_hand_is_not_enough(build, block):
    with pytest.raises(ConfigError, match='two hands'):
        build(block, H, object={})


def test_palms_may_touch_the_beam_at_the_start(build, hands):
    build(hands, H, object={'length': LENGTH + 2 * GAP})


def test_yumi_presses_a_beam_with_one_palm(build, yumi):
    """The beam floats before the left palm, weighs little, and is thrown at it: it bounces."""
    tip = yumi.frame_poses(yumi.home, yumi.tips)[0]
    rotation = tip.rotation @ pin.rpy.rpyToMatrix(-np.pi / 2, 0.0, 0.0)
    position = tip.translation + 0.042 * tip.rotation[:, 2]
    beam = {
        'position': position.tolist(),
        'rpy': pin.rpy.matrixToRpy(rotation).tolist(),
        'table': False,
    }
    plant = build(yumi, H, object=beam)
    with_body(plant, velocity=-0.5 * tip.rotation[:, 2])
    hold = pin.rnea(
        yumi.pin_model, yumi.pin_model.createData(), yumi.home, np.zeros(14), np.zeros(14)
    )
    impulse, away = np.zeros(6), 0.0
    for _ in range(30):
        plant.step(hold)
        impulse += H * plant.report().true_wrenches[0]
    away = plant.report().object.velocity[:3] @ tip.rotation[:, 2]
    assert not plant.report().true_wrenches[1].any()
    assert away > 0.0
    fall = G * 0.03 * -tip.rotation[2, 2]
    assert -impulse[2] == pytest.approx(0.5 * (away + 0.5 - fall), rel=0.02)
    left = np.array([name.endswith('_l') for name in yumi.joint_names])
    assert np.abs(plant.truth.velocity[left]).max() > 1e-3
    assert np.abs(plant.truth.velocity[~left]).max() < 1e-12


def test_a_free_beam_that_turns_keeps_its_angular_momentum():
    """In the world, while its axis wanders: Euler's equations, up to the order of the step."""
    body = BeamBody(HeldObject(length=0.3, width=0.1, mass=1.0), np.zeros(3))
    surfaces = Surfaces(np.zeros((2, 3)), np.tile(np.eye(3), (2, 1, 1)), np.zeros((2, 6)))
    start = BodyState(np.zeros(3), np.eye(3), np.zeros(3), np.array([2.0, 3.0, 1.0]))
    momentum = body.moments * start.spin
    state, h = start, 1e-4
    for _ in range(5000):
        state = body.moved(state, np.zeros((2, 6)), surfaces, h, np.zeros(6))
    assert np.abs(state.spin - start.spin).max() > 1.0  # it wanders
    now = state.rotation @ (body.moments * state.spin)
    np.testing.assert_allclose(now, momentum, rtol=0.0, atol=1e-3 * np.abs(momentum).max())
