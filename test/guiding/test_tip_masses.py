"""The effective mass of every tip, and the elbow that belongs to it."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import ConfigError, UnknownNameError
from simloop_ros.guiding.config import AdmittanceConfig
from simloop_ros.guiding.tip_masses import TipMasses
from simloop_ros.robot.model import RobotModel

UP = (0.0, 0.0, 1.0)


def along(direction: tuple[float, float, float], **more: object) -> AdmittanceConfig:
    return msgspec.convert({'mass_direction': direction, **more}, AdmittanceConfig)


def test_each_tip_has_the_mass_that_its_reaction_to_a_force_tells(yumi: RobotModel) -> None:
    """A force along the direction accelerates the resting tip by force over mass."""
    masses = TipMasses(yumi, along((0.0, 0.0, 5.0)))
    q, zero = yumi.home, np.zeros(yumi.n)
    model, data = yumi.pin_model, yumi.pin_model.createData()
    for i, frame in enumerate(yumi.tip_frames):
        jacobian = pin.computeFrameJacobian(
            model, data, q, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        )[:3]
        push = jacobian.T @ np.array(UP)
        weight = pin.computeGeneralizedGravity(model, data, q)
        acceleration = jacobian @ pin.aba(model, data, q, zero, weight + push)
        assert masses.at(q)[i] == pytest.approx(1.0 / acceleration[2], rel=1e-9)
    hints = masses.hints(q)
    assert [hint.tip for hint in hints] == list(yumi.tips)
    np.testing.assert_allclose([hint.hint.mass for hint in hints], masses.at(q))


def test_the_elbow_is_in_the_middle_of_its_arm_or_as_told(yumi: RobotModel) -> None:
    assert TipMasses(yumi, along(UP)).elbows == ('yumi_link_4_l', 'yumi_link_4_r')
    told = along(UP, elbows={yumi.tips[1]: 'yumi_link_2_r'})
    assert TipMasses(yumi, told).elbows == ('yumi_link_4_l', 'yumi_link_2_r')


def test_along_a_path_numbers_that_ran_away_have_no_mass(two_link: RobotModel) -> None:
    masses = TipMasses(two_link, along(UP))
    path = np.array([two_link.home, [np.nan, 0.0], [np.inf, 0.0]])
    result = masses.along(path)
    np.testing.assert_array_equal(result[0], masses.at(two_link.home))
    assert np.isnan(result[1:]).all()
    assert masses.along(path[:0]).shape == (0, 1)


@pytest.mark.parametrize('direction', [(0.0, 0.0, 0.0), (1.0, np.nan, 0.0), (np.inf, 0.0, 0.0)])
def test_what_is_no_direction_is_refused(
    two_link: RobotModel, direction: tuple[float, float, float]
) -> None:
    with pytest.raises(ConfigError, match='mass_direction'):
        TipMasses(two_link, along(direction))


def test_unknown_names_are_refused(two_link: RobotModel) -> None:
    for elbows in ({'hand': 'link1'}, {two_link.tips[0]: 'no_such_link'}):
        with pytest.raises(UnknownNameError):
            TipMasses(two_link, along(UP, elbows=elbows))
