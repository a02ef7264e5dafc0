"""Laws of internal forces, 003 section 2.3; what is expected is worked out by hand or by SVD."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.bimanual.internal_force import (
    MIN_GRASP_DISTANCE,
    checked_points,
    grasp_map,
    split,
)
from simloop_ros.core.errors import ConfigError

EXACT = 1e-12  # what the issue asks for
SVD = 1e-11  # of numpy's null space of a matrix with entries of up to ten
GRASPS = 300  # of each number of hands; ``simloop bench bimanual`` has 10,000
BEAM = np.array([[0.0, 0.04, 0.0], [0.0, -0.04, 0.0]])


def random_grasp(rng: np.random.Generator, hands: int) -> np.ndarray:
    """Return points anywhere, nearly in a line, far away, or as near as is not refused."""
    points = rng.uniform(-1.0, 1.0, (hands, 3))
    kind = rng.integers(4)
    if kind == 1:
        line = rng.normal(size=3)
        points = np.outer(np.linspace(-1.0, 1.0, hands), line) + 1e-9 * points
    elif kind == 2:
        points = 10.0 * points
    elif kind == 3:
        points = MIN_GRASP_DISTANCE * (
            1.1 * np.arange(hands)[:, None] * [1.0, 0.0, 0.0] + 0.02 * points
        )
    return points


def sizes(points: np.ndarray, wrenches: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """Return by how much rounding of each row of a sum is to be measured, shape ``(6,)``."""
    forces = np.abs(wrenches[:, :3]).sum()
    arm = np.abs(points - centre).max()
    return np.repeat([forces, np.abs(wrenches[:, 3:]).sum() + arm * forces], 3)


def random_pose(rng: np.random.Generator) -> pin.SE3:
    return pin.SE3(pin.exp3(rng.normal(size=3)), rng.normal(size=3))


def wrench_map(rotation: np.ndarray, origin: np.ndarray) -> np.ndarray:
    """Return what takes a wrench from S to C, 003 (2.5): ``[R 0; S(p) R R]``."""
    return pin.SE3(rotation, origin).toDualActionMatrix()


def null_space(matrix: np.ndarray) -> np.ndarray:
    _, values, rows = np.linalg.svd(matrix)
    return rows[np.count_nonzero(values > 1e-9 * values[0]) :].T


@pytest.mark.parametrize('hands', [2, 3, 4])
def test_parts_are_what_they_are_called(hands: int) -> None:
    rng = np.random.default_rng(hands)
    for _ in range(GRASPS):
        points, wrenches = random_grasp(rng, hands), rng.normal(size=(hands, 6))
        parts = split(points, wrenches)
        centre = rng.normal(size=3)
        at_centre = grasp_map(points, centre)
        internal = at_centre @ parts.internal.ravel()
        moving = at_centre @ (parts.moving - wrenches).ravel()
        assert (np.abs(internal) <= EXACT * sizes(points, parts.internal, centre)).all()
        assert (np.abs(moving) <= EXACT * sizes(points, wrenches, centre)).all()
        again = split(points, parts.moving).internal
        assert np.abs(again).max() <= EXACT * np.abs(parts.moving).max()
        np.testing.assert_allclose(parts.internal + parts.moving, wrenches, atol=EXACT)
        assert abs(np.vdot(parts.internal, parts.moving)) <= EXACT * np.vdot(wrenches, wrenches)


@pytest.mark.parametrize('hands', [2, 3, 4])
def test_equals_the_null_space_of_003(hands: int) -> None:
    """(2.11) as it is written, with sensors turned anyhow and any compliance frame."""
    rng = np.random.default_rng(10 + hands)
    for _ in range(100):
        points, readings = random_grasp(rng, hands), rng.normal(size=(hands, 6))
        frame = random_pose(rng)
        turns = [random_pose(rng).rotation for _ in range(hands)]
        to_centre = [
            wrench_map(frame.rotation.T @ turn, frame.actInv(point))
            for turn, point in zip(turns, points, strict=True)
        ]
        null = null_space(np.hstack(to_centre))
        assert null.shape[1] == 6 * hands - 6
        expected = (null @ (null.T @ readings.ravel())).reshape(hands, 6)
        world = np.array([np.kron(np.eye(2), t) @ w for t, w in zip(turns, readings, strict=True)])
        found = split(points, world).internal
        own = np.array([np.kron(np.eye(2), t.T) @ w for t, w in zip(turns, found, strict=True)])
        np.testing.assert_allclose(own, expected, atol=SVD)
        # (2.12), (2.13): at the compliance point the internal wrenches add up to nothing.
        there = [to @ w for to, w in zip(to_centre, own, strict=True)]
        assert np.abs(np.sum(there, axis=0)).max() < SVD * np.abs(there).max()


def test_two_hands_press_a_beam() -> None:
    """The object pushes the hands apart by 30 N: all of it is internal."""
    wrenches = np.array([[0.0, 30.0, 0.0, 0.0, 0.0, 0.0], [0.0, -30.0, 0.0, 0.0, 0.0, 0.0]])
    parts = split(BEAM, wrenches)
    np.testing.assert_array_equal(parts.internal, wrenches)
    assert not parts.moving.any()
    assert not parts.total.any()
    assert parts.squeeze == 30.0


def test_a_shared_weight_has_no_internal_part() -> None:
    weight = np.array([[0.0, 0.0, -2.5, 0.0, 0.0, 0.0]] * 2)
    parts = split(BEAM, weight)
    assert not parts.internal.any()
    assert parts.squeeze == 0.0
    np.testing.assert_array_equal(parts.total, [0.0, 0.0, -5.0, 0.0, 0.0, 0.0])


def test_behind_the_palms_a_shared_weight_would_look_internal() -> None:
    """So the split is made at the tips: 60 mm behind them each half weight has a moment."""
    behind = BEAM + 0.06 * np.sign(BEAM)
    moment = np.array([0.06 * 2.5, -0.06 * 2.5])  # about x: (tip - sensor) x force
    read = np.array([[0.0, 0.0, -2.5, m, 0.0, 0.0] for m in moment])
    parts = split(behind, read)
    np.testing.assert_allclose(parts.internal[:, 3], moment)
    np.testing.assert_allclose(parts.total, [0.0, 0.0, -5.0, 0.0, 0.0, 0.0], atol=1e-15)


def test_a_weight_on_one_hand_is_half_internal() -> None:
    """Of ``W`` on hand 1 at arm ``l``: moments, worked out by hand with (1 + l^2)."""
    w, arm = 4.0, 0.04
    parts = split(BEAM, np.array([[0.0, 0.0, w, 0.0, 0.0, 0.0], np.zeros(6)]))
    turn = 0.5 * w * arm / (1.0 + arm**2)  # of b, about x
    np.testing.assert_allclose(parts.moving[0], [0, 0, 0.5 * w + turn * arm, turn, 0, 0])
    np.testing.assert_allclose(parts.moving[1], [0, 0, 0.5 * w - turn * arm, turn, 0, 0])


def test_opposite_twists_are_internal() -> None:
    twist = np.array([[0, 0, 0, 0.3, -0.2, 0.5], [0, 0, 0, -0.3, 0.2, -0.5]], dtype=float)
    parts = split(BEAM, twist)
    np.testing.assert_array_equal(parts.internal, twist)
    assert parts.squeeze == 0.0  # a twist is no press


@pytest.mark.parametrize('hands', [2, 3, 4])
def test_press_moves_no_object_and_is_measured_as_what_it_is(hands: int) -> None:
    rng = np.random.default_rng(20 + hands)
    for _ in range(50):
        points = random_grasp(rng, hands)
        press = split(points, np.zeros((hands, 6))).press
        lengths = np.linalg.norm(press[:, :3], axis=1)
        assert np.mean(lengths) == pytest.approx(1.0, rel=EXACT)
        total = grasp_map(points, rng.normal(size=3)) @ press.ravel()
        assert np.abs(total).max() < EXACT * 100.0
        outward = points - points.mean(axis=0)
        assert (np.einsum('ij,ij->i', outward, press[:, :3]) > 0.0).all()
        parts = split(points, -7.5 * press)
        assert parts.squeeze == pytest.approx(-7.5, rel=1e-11)


def test_wrench_map_keeps_power() -> None:
    """Power is the same in both frames: the velocity of a rigid body says what (2.5) must be."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        pose = random_pose(rng)  # of S in C
        wrench, twist = rng.normal(size=6), rng.normal(size=6)  # in S; of the body at C, in C
        velocity = twist[:3] + np.cross(twist[3:], pose.translation)
        at_s = np.concatenate([pose.rotation.T @ velocity, pose.rotation.T @ twist[3:]])
        there = wrench_map(pose.rotation, pose.translation) @ wrench
        assert twist @ there == pytest.approx(at_s @ wrench, abs=EXACT)
        np.testing.assert_allclose(there, pose.act(pin.Force(wrench)).vector, atol=EXACT)


@pytest.mark.parametrize(
    ('points', 'message'),
    [
        ([[0.0, 0.0, 0.0]], 'two hands'),
        ([[0.0, 0.0], [1.0, 0.0]], r'\(hands, 3\)'),
        ([[0.0, 0.0, 0.0], [np.nan, 0.0, 0.0]], 'not finite'),
        ([[0.0, 0.0, 0.0], [0.0, 5e-4, 0.0]], r'1 and 2 are 0.0005 m apart'),
        ([[0.1, 0.0, 0.0], [0.0, 0.0, 0.0], [0.1, 0.0, 0.0]], '1 and 3 are 0 m apart'),
    ],
)
def test_points_that_are_refused(points: list, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        checked_points(np.array(points))


def test_the_nearest_points_are_taken() -> None:
    points = np.array([[0.0, 0.0, 0.0], [0.0, 1.001 * MIN_GRASP_DISTANCE, 0.0]])
    assert checked_points(points).tobytes() == points.tobytes()
    with pytest.raises(ConfigError, match='apart'):
        split(0.5 * points, np.ones((2, 6)))


# A press of 30 N along the beam, as two crooked sensors read it; C is not in the middle, and all
# coordinates are in axes of C.
TURNS = (pin.exp3(np.array([0.7, -0.3, 0.4])), pin.exp3(np.array([-0.2, 0.9, 1.5])))
ARMS = np.array([0.01, 0.005, -0.02]) - BEAM  # from each S to C
PRESS = np.array([[0.0, 30.0, 0.0, 0.0, 0.0, 0.0], [0.0, -30.0, 0.0, 0.0, 0.0, 0.0]])
READINGS = np.concatenate(
    [np.kron(np.eye(2), turn.T) @ wrench for turn, wrench in zip(TURNS, PRESS, strict=True)]
)
SENSORS = tuple(zip(TURNS, ARMS, strict=True))


def missed(blocks: list[np.ndarray]) -> float:
    """Return how much of the press (2.11) does not find with these matrices [N]."""
    null = null_space(np.hstack(blocks))
    return float(np.abs(null @ (null.T @ READINGS) - READINGS).max())


def jacobian(turn: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """Return (2.6) with the arm from S to C in axes of S."""
    return np.block([[turn, -turn @ pin.skew(turn.T @ arm)], [np.zeros((3, 3)), turn]])


def test_inverse_transpose_of_2_6() -> None:
    for turn, arm in SENSORS:
        np.testing.assert_allclose(
            np.linalg.inv(jacobian(turn, arm)).T, wrench_map(turn, -arm), atol=1e-14
        )
    assert missed([wrench_map(t, -a) for t, a in SENSORS]) < SVD


def test_slips_of_003_break_the_law() -> None:
    """Each by itself, the rest being right: docs/bimanual.md lists them."""
    left, right = TURNS
    good = [wrench_map(t, -a) for t, a in SENSORS]

    def printed(p: np.ndarray) -> np.ndarray:  # (2.7): index at (2, 1), sign at (2, 3)
        x, y, z = p
        return np.array([[0.0, -z, y], [0.0, 0.0, x], [-y, x, 0.0]])

    def with_arm(cross: np.ndarray, turn: np.ndarray) -> np.ndarray:
        return np.block([[turn, np.zeros((3, 3))], [cross, turn]])

    wrong = {
        '2.7': [with_arm(-t @ printed(t.T @ a), t) for t, a in SENSORS],
        'inverse without transpose, A line 20': [
            np.linalg.inv(jacobian(t, a)) for t, a in SENSORS
        ],
        'Rot_RC for the left, B line 109': [
            with_arm(-left @ pin.skew(left.T @ ARMS[0]), right),
            good[1],
        ],
        'arms in axes of C behind the rotation, A line 18, B lines 92, 102': [
            with_arm(-t @ pin.skew(a), t) for t, a in SENSORS
        ],
    }
    for name, blocks in wrong.items():
        assert missed(blocks) > 0.1, name
