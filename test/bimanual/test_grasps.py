"""Where the hands take the object."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.bimanual.config import Grasp, KnownObject
from simloop_ros.bimanual.grasps import grasps_of, shifted
from simloop_ros.core.errors import ConfigError

TIPS = ('left', 'right')


def known(*grasps: tuple[tuple[float, ...], tuple[float, ...]]) -> KnownObject:
    return KnownObject(grasps=tuple(Grasp(position=p, rpy=r) for p, r in grasps))


def test_the_ends_of_the_beam() -> None:
    left, right = grasps_of(KnownObject(length=0.1), TIPS)
    np.testing.assert_allclose(left.translation, [0.0, 0.05, 0.0])
    np.testing.assert_allclose(right.translation, [0.0, -0.05, 0.0])
    # Columns: x axis along that of the object, z axis into it.
    np.testing.assert_allclose(left.rotation[:, [0, 2]].T, [[1, 0, 0], [0, -1, 0]], atol=1e-15)
    np.testing.assert_allclose(right.rotation[:, [0, 2]].T, [[1, 0, 0], [0, 1, 0]], atol=1e-15)


def test_grasps_that_are_given() -> None:
    given = known(((0.0, 0.0, 0.2), (np.pi, 0.0, 0.0)), ((0.0, 0.0, -0.2), (0.0, 0.0, 0.3)))
    left, right = grasps_of(given, TIPS)
    np.testing.assert_allclose(left.rotation[:, 2], [0.0, 0.0, -1.0], atol=1e-15)
    np.testing.assert_allclose(right.rotation, pin.exp3(np.array([0.0, 0.0, 0.3])), atol=1e-15)


def test_along_the_palm() -> None:
    left, _ = grasps_of(KnownObject(), TIPS)
    before = shifted(left, -0.02)
    np.testing.assert_allclose(before.translation, [0.0, 0.06, 0.0], atol=1e-15)
    np.testing.assert_array_equal(before.rotation, left.rotation)


@pytest.mark.parametrize(
    ('grasps', 'message'),
    [
        ([((0.0, 0.1, 0.0), (1.57, 0.0, 0.0))], '1 for 2 tips'),
        (2 * [((0.0, 0.1, 0.0), (1.57, 0.0, 0.0))], '0 m apart'),
        (
            [((0.0, 0.1, 0.0), (1.57, 0.0, 0.0)), ((0.0, -0.1, 0.0), (1.57, 0.0, 0.0))],
            'palm of right faces away',
        ),
    ],
)
def test_refused(grasps: list, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        grasps_of(known(*grasps), TIPS)
