"""What a configuration means for the joints, and that its defaults are pleasant and stable."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from simloop_ros.config_types import field_docs
from simloop_ros.errors import UnknownNameError
from simloop_ros.guiding.config import AdmittanceConfig, JointAdmittance, compliance

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
