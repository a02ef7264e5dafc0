"""Contact with obstacles: forces from statics, not from an engine."""

import gc

import numpy as np
import pytest

from simloop_ros.core.errors import ConfigError
from simloop_ros.core.values import JointState

H = 0.001
SINK = 1e-4
"""How far a body may sink into what carries it [m]: measured 1e-5 (PyBullet), 2e-6 (MuJoCo)."""


def drop(plant, steps=1000, effort=0.0):
    for _ in range(steps):
        plant.step(np.array([effort]))


@pytest.fixture(
    params=[
        {'kind': 'plane', 'position': [3.0, -2.0, 0.2]},
        {'kind': 'plane', 'position': [0.0, 0.0, 0.2], 'normal': [0.0, 0.0, 3.0]},
        {'kind': 'box', 'position': [0.0, 0.0, 0.1], 'size': [1.0, 1.0, 0.2]},
        {'kind': 'sphere', 'position': [0.0, 0.0, 0.0], 'radius': 0.2},
    ],
    ids=['plane', 'long normal', 'box', 'sphere'],
)
def support(request):
    """Return a thing whose top is 0.2 m above the origin."""
    return {'name': 'support', **request.param}


def test_at_rest_the_contact_force_is_the_weight(contact_engine, build, ball, support):
    plant = build(ball, H, engine=contact_engine, obstacles=[support])
    plant.start(JointState(np.array([0.35]), np.zeros(1)))
    drop(plant)
    assert plant.observe()[0] == pytest.approx(0.2 + 0.1, abs=SINK)
    (contact,) = plant.report().contacts
    assert (contact.link, contact.obstacle) == ('ball', 'support')
    assert contact.force == pytest.approx(9.82, rel=1e-6)
    assert contact.point == pytest.approx((0.0, 0.0, 0.2), abs=SINK)
    assert contact.normal == pytest.approx((0.0, 0.0, 1.0), abs=1e-6)


def test_a_push_adds_to_the_contact_force(contact_engine, build, ball, support):
    plant = build(ball, H, engine=contact_engine, obstacles=[support])
    plant.start(JointState(np.array([0.31]), np.zeros(1)))
    drop(plant, effort=-5.0)
    assert plant.report().contacts[0].force == pytest.approx(14.82, rel=1e-6)


def test_a_fall_does_not_bounce(contact_engine, build, ball):
    plant = build(ball, H, engine=contact_engine, obstacles=[{'kind': 'plane'}])
    plant.start(JointState(np.array([0.3]), np.zeros(1)))
    heights = []
    for _ in range(600):
        drop(plant, 1)
        heights.append(plant.observe()[0])
    assert max(heights[np.argmin(heights) :]) < 0.1 + SINK


def test_no_contact_in_the_air_or_after_a_start(contact_engine, build, ball):
    plant = build(ball, H, engine=contact_engine, obstacles=[{'kind': 'plane'}])
    plant.start(JointState(np.array([0.3]), np.zeros(1)))
    drop(plant, 10)
    assert plant.report().contacts == ()
    drop(plant, 600)
    assert plant.report().contacts
    plant.start(JointState(np.array([0.3]), np.zeros(1)))
    assert plant.report().contacts == ()


def test_a_plane_fills_what_is_behind_its_normal(contact_engine, build, ball):
    """A ceiling at 0.5 m stops a ball of radius 0.1 m at 0.4 m."""
    ceiling = {'kind': 'plane', 'position': [0, 0, 0.5], 'normal': [0, 0, -1]}
    plant = build(ball, H, engine=contact_engine, obstacles=[ceiling])
    plant.start(JointState(np.array([0.3]), np.zeros(1)))
    drop(plant, effort=9.82 + 3.0)
    assert plant.observe()[0] == pytest.approx(0.4, abs=SINK)
    (contact,) = plant.report().contacts
    assert contact.force == pytest.approx(3.0, rel=1e-6)
    assert contact.normal == pytest.approx((0.0, 0.0, -1.0), abs=1e-6)


LYING = np.pi / 2


@pytest.mark.parametrize(
    ('body', 'top'),
    [
        ({'kind': 'cylinder', 'radius': 0.05, 'height': 0.6}, 0.3),
        ({'kind': 'cylinder', 'radius': 0.05, 'height': 0.6, 'rpy': [0, LYING, 0]}, 0.05),
        ({'kind': 'box', 'size': [0.6, 0.2, 0.1], 'rpy': [0, LYING, 0]}, 0.3),
    ],
)
def test_cylinders_and_turned_bodies_carry_a_ball(contact_engine, build, ball, body, top):
    plant = build(ball, H, engine=contact_engine, obstacles=[body])
    plant.start(JointState(np.array([top + 0.15]), np.zeros(1)))
    drop(plant, 600)
    assert plant.observe()[0] == pytest.approx(top + 0.1, abs=SINK)


def test_an_obstacle_with_a_mass_is_reported_where_it_flies(contact_engine, build, ball):
    stone = {'kind': 'sphere', 'position': [2.0, 0.0, 1.0], 'radius': 0.1, 'mass': 0.5}
    plant = build(
        ball,
        H,
        engine=contact_engine,
        obstacles=[
            {'kind': 'plane', 'position': [0.0, 0.0, -1.0]},
            {**stone, 'name': 'stone', 'velocity': [1.0, 0.0, 0.0]},
        ],
    )
    (before,) = plant.report().bodies
    assert before.name == 'stone'
    assert before.position == pytest.approx([2.0, 0.0, 1.0])
    drop(plant, 100)
    (body,) = plant.report().bodies
    fallen = 9.82 * H**2 * 100 * 101 / 2
    assert body.position == pytest.approx([2.0 + 100 * H, 0.0, 1.0 - fallen], abs=1e-6)
    assert body.quaternion == pytest.approx([1.0, 0.0, 0.0, 0.0])
    snapshot = plant.snapshot()
    drop(plant, 10)
    plant.restore(snapshot)
    assert plant.report().bodies[0].position.tobytes() == body.position.tobytes()


def test_several_obstacles_of_one_name_and_sum_of_forces(contact_engine, build, ball):
    """Two boxes that share the place under the ball: together they carry it."""
    boxes = [
        {'kind': 'box', 'position': [x, 0.0, 0.0], 'size': [0.2, 0.2, 0.2]} for x in (-0.05, 0.05)
    ]
    plant = build(ball, H, engine=contact_engine, obstacles=boxes)
    plant.start(JointState(np.array([0.25]), np.zeros(1)))
    drop(plant)
    (contact,) = plant.report().contacts
    assert contact.force == pytest.approx(9.82, rel=1e-4)
    assert contact.point == pytest.approx((0.0, 0.0, 0.1), abs=SINK)


CUBE = """v -1 -1 -1\nv -1 -1 1\nv -1 1 -1\nv -1 1 1\nv 1 -1 -1\nv 1 -1 1\nv 1 1 -1\nv 1 1 1
f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n"""


def test_a_mesh_rests_on_the_floor(contact_engine, build, load, tmp_path):
    """Two meshes of one name, in two folders and of two sizes, that together are 0.3 m high."""
    parts = []
    for name, scale, height in (('low', 0.1, 0.0), ('high', 0.05, 0.15)):
        (tmp_path / name).mkdir()
        (tmp_path / name / 'cube.obj').write_text(CUBE)
        parts.append(
            f"""<collision><origin xyz="0 0 {height}"/><geometry>
            <mesh filename="{tmp_path}/{name}/cube.obj" scale="{scale} {scale} {scale}"/>
            </geometry></collision>"""
        )
    model = load(
        f"""<robot name="r"><link name="world"/><link name="tower">
        <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"
        ixy="0" ixz="0" iyz="0"/></inertial>{''.join(parts)}</link>
        <joint name="z" type="prismatic"><parent link="world"/><child link="tower"/>
        <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
    )
    planes = [
        {'kind': 'plane', 'name': 'floor'},
        {'kind': 'plane', 'name': 'roof', 'position': [0, 0, 0.5], 'normal': [0, 0, -1]},
    ]
    plant = build(model, H, engine=contact_engine, obstacles=planes)
    # PyBullet rolls a margin of 1 mm around a mesh.
    for effort, obstacle, height in ((0.0, 'floor', 0.1), (19.64, 'roof', 0.3)):
        plant.start(JointState(np.array([0.2]), np.zeros(1)))
        drop(plant, 600, effort)
        (contact,) = plant.report().contacts
        assert contact.obstacle == obstacle
        assert contact.force == pytest.approx(9.82, rel=1e-4)
        assert plant.observe()[0] == pytest.approx(height, abs=0.002)


def test_links_that_cannot_move_touch_nothing(contact_engine, build, load):
    base = """<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"
        ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><geometry><box size="1 1 1"/></geometry></collision>"""
    model = load(
        f"""<robot name="r"><link name="foot">{base}</link><link name="stand">{base}</link>
        <link name="arm">{base.replace('collision', 'visual')}</link>
        <joint name="bolt" type="fixed"><parent link="foot"/><child link="stand"/></joint>
        <joint name="turn" type="continuous"><parent link="stand"/><child link="arm"/>
        <axis xyz="0 0 1"/></joint></robot>"""
    )
    plant = build(model, H, engine=contact_engine, obstacles=[{'kind': 'plane'}])
    drop(plant, 10)
    assert plant.report().contacts == ()


def test_links_do_not_touch_each_other(contact_engine, build, arm):
    """The links' spheres overlap when the arm is folded; far obstacles change nothing."""
    start = JointState(np.array([0.0, 0.0, 0.0, -0.3, 3.0, 0.0, 0.0]), np.zeros(7))
    far = {'kind': 'sphere', 'position': [50.0, 0.0, 0.0]}
    plant, free = build(arm, H, engine=contact_engine, obstacles=[far]), build(arm, H)
    for each in (plant, free):
        each.start(start)
        for _ in range(20):
            each.step(np.zeros(7))
    assert plant.report().contacts == ()
    assert plant.observe() == pytest.approx(free.observe(), abs=1e-10)


def test_pybullet_snapshots_outlive_and_die_with_their_plant(build, ball):
    pytest.importorskip('pybullet')
    plant = build(ball, H, engine='pybullet', obstacles=[{'kind': 'plane'}])
    other = build(ball, H, engine='pybullet', obstacles=[{'kind': 'plane'}])
    states = [plant.snapshot() for _ in range(50)]
    with pytest.raises(ValueError, match='plant that it was taken from'):
        other.restore(states[0])
    kept = other.snapshot()
    plant.close()
    plant.close()
    # The next client gets the closed one's number; freeing old states must not free its states.
    third = build(ball, H, engine='pybullet', obstacles=[{'kind': 'plane'}])
    fresh = third.snapshot()
    del states
    gc.collect()
    third.restore(fresh)
    other.restore(kept)


THROWN = {
    'kind': 'sphere',
    'name': 'thrown',
    'position': [0.0, 0.0, 0.0],
    'radius': 0.05,
    'mass': 0.5,
    'velocity': [0.0, 0.0, 4.0],
}
GAP = 0.5 - 0.1 - 0.05  # m, between the two spheres at the start
WEIGHT = 9.82  # N


def test_a_thrown_body_flies_freely_and_gives_its_momentum(contact_engine, build, ball):
    """Upwards, against a ball of 1 kg that is held up: without bouncing they go on together."""
    plant = build(ball, H, engine=contact_engine, obstacles=[THROWN])
    plant.start(JointState(np.array([0.5]), np.zeros(1)))
    steps = 0
    while not plant.report().contacts:
        drop(plant, 1, WEIGHT)
        steps += 1
        assert steps < 1000
    speed = np.sqrt(4.0**2 - 2.0 * WEIGHT * GAP)
    assert steps * H == pytest.approx((4.0 - speed) / WEIGHT, abs=3 * H)
    drop(plant, 10, WEIGHT)
    together = 0.5 * speed / 1.5
    assert plant.truth.velocity[0] == pytest.approx(together, rel=0.05)


def test_a_flight_goes_on_bit_for_bit_from_a_snapshot(contact_engine, build, ball):
    plant = build(ball, H, engine=contact_engine, obstacles=[THROWN])
    plant.start(JointState(np.array([0.5]), np.zeros(1)))
    drop(plant, 50, WEIGHT)
    flying = plant.snapshot()
    drop(plant, 200, WEIGHT)
    end = plant.truth
    plant.restore(flying)
    drop(plant, 200, WEIGHT)
    np.testing.assert_array_equal(plant.truth.position, end.position)
    np.testing.assert_array_equal(plant.truth.velocity, end.velocity)
    plant.start(JointState(np.array([0.5]), np.zeros(1)))  # thrown once more
    drop(plant, 250, WEIGHT)
    np.testing.assert_array_equal(plant.truth.position, end.position)


@pytest.mark.parametrize(
    ('change', 'message'),
    [({'kind': 'plane'}, 'has no mass'), ({'mass': 0.0}, 'give it a mass')],
)
def test_what_cannot_be_thrown_is_refused(contact_engine, build, ball, change, message):
    with pytest.raises(ConfigError, match=message):
        build(ball, H, engine=contact_engine, obstacles=[{**THROWN, **change}])
