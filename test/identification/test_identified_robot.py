"""The identified robot as files: read again, it has the identified dynamics."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.collision.explanation import Explainer, nothing_learnt
from simloop_ros.core.errors import ModelError
from simloop_ros.identification.identified_robot import identified_config, identified_urdf
from simloop_ros.robot.config import JointFrictionConfig
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.scenario.robot_files import robot_config


@pytest.mark.parametrize('name', ['two_link', 'lwr', 'irb120'])
def test_read_again_it_explains_the_same_torque(name, shipped, tmp_path):
    model, config = shipped(name), robot_config(name)
    rng = np.random.default_rng(4)
    bodies = []
    for body in list(model.pin_model.inertias)[1:]:
        scale = np.exp(0.3 * rng.normal())
        lever = np.asarray(body.lever) + 0.01 * rng.normal(size=3)
        changed = pin.Inertia(scale * body.mass, lever, scale * np.asarray(body.inertia))
        bodies.append(tuple(changed.toDynamicParameters().tolist()))
    numbers = {
        key: tuple(rng.uniform(0.1, 1.0, model.n).tolist())
        for key in (
            'armature',
            'coulomb',
            'smoothing',
            'viscous',
            'offset',
            'asymmetry',
            'stribeck',
            'fading',
        )
    }
    explanation = msgspec.structs.replace(nothing_learnt(model), inertias=tuple(bodies), **numbers)
    path = tmp_path / 'identified.urdf'
    path.write_text(identified_urdf(model, config, explanation))
    again = load_fit_robot(identified_config(model, config, explanation, str(path)))
    assert again.joint_names == model.joint_names
    for _ in range(4):
        state = rng.normal(size=(3, model.n))
        np.testing.assert_allclose(
            Explainer(again, nothing_learnt(again)).torque(*state),
            Explainer(model, explanation).torque(*state),
            atol=1e-8,
        )


def test_a_joint_that_the_robot_has_not_is_refused():
    config = msgspec.structs.replace(
        robot_config('two_link'), friction={'elbow': JointFrictionConfig(coulomb=1.0)}
    )
    with pytest.raises(ModelError, match=r'robot\.friction'):
        load_fit_robot(config)
