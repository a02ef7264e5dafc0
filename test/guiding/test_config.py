"""What a configuration means for the joints, and that its defaults are pleasant and stable."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from simloop_ros.core.config_types import field_docs
from simloop_ros.core.errors import ConfigError, UnknownNameError
from simloop_ros.guiding.compliance import compliance
from simloop_ros.guiding.config import AdmittanceConfig, JointAdmittance

NAMES = ('a', 'b', 'c')


def test_exceptions_by_joint_name() -> None:
    config = AdmittanceConfig(mass=2.0, joints={'b': JointAdmittance(mass=3.0, dead_zone=0.0)})
    means = compliance(config, NAMES)
    np.testing.assert_array_equal(means.free.mass, [2.0, 3.0, 2.0])
    np.testing.assert_array_equal(means.free.damping, [config.damping] * 3)
    np.testing.assert_array_equal(means.dead_zone, [config.dead_zone, 0.0, config.dead_zone])


def test_touched_values_are_shares_of_the_free_ones() -> None:
    config = AdmittanceConfig(damping=10.0, stiffness=20.0, touched_damping=0.5)
    means = compliance(config, NAMES)
    np.testing.assert_array_equal(means.touched.damping, [5.0] * 3)
    constant = compliance(msgspec.structs.replace(config, adapt=False), NAMES)
    assert constant.touched is constant.free


def test_every_joint_has_its_share_by_its_reach() -> None:
    reach = np.array([1.0, 0.5, 0.2])
    config = AdmittanceConfig(
        mass=2.0, damping=8.0, dead_zone=1.0, joints={'c': JointAdmittance(mass=3.0)}
    )
    means = compliance(config, NAMES, reach)
    np.testing.assert_allclose(means.free.mass, [2.0, 0.5, 3.0])
    np.testing.assert_allclose(means.free.damping, [8.0, 2.0, 0.32])
    np.testing.assert_allclose(means.dead_zone, reach)
    plain = compliance(msgspec.structs.replace(config, by_reach=False), NAMES, reach)
    np.testing.assert_array_equal(plain.free.damping, [8.0] * 3)


def test_a_dead_zone_that_is_left_open_is_the_error_of_the_torque() -> None:
    config = AdmittanceConfig(dead_zone=None, joints={'b': JointAdmittance(dead_zone=7.0)})
    means = compliance(config, NAMES, torque_error=np.array([0.1, 0.2, 0.3]))
    np.testing.assert_array_equal(means.dead_zone, [0.1, 7.0, 0.3])
    with pytest.raises(ConfigError, match=r'admittance\.dead_zone.*simloop calibrate'):
        compliance(config, NAMES)


def test_a_joint_that_the_robot_has_not_is_named() -> None:
    config = AdmittanceConfig(joints={'elbow': JointAdmittance()})
    with pytest.raises(UnknownNameError, match=r"'elbow'.*valid: a, b, c"):
        compliance(config, NAMES)


@pytest.mark.parametrize(
    'text',
    ['{mass: 0}', '{damping: -1}', '{touched_stiffness: 1.1}', '{speed: 0}', '{dead: 1}'],
)
def test_values_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.yaml.decode(text, type=AdmittanceConfig)


@pytest.mark.parametrize('kind', [AdmittanceConfig, JointAdmittance])
def test_every_field_is_explained(kind: type[msgspec.Struct]) -> None:
    assert set(field_docs(kind)) == set(kind.__struct_fields__)
