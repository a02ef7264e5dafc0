"""The explanation of a calibration, and what has changed since."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..robot.model import RobotModel
from .drift_regressor import PER_TIP, DriftRegressor, at_joint
from .explanation import Explainer, Explanation


class DriftingExplainer(Explainer):
    """The explanation of the calibration, and what has changed since.

    :param regressor: of the changes.
    """

    def __init__(self, model: RobotModel, explanation: Explanation):
        super().__init__(model, explanation)
        self._learnt = explanation
        self.regressor = DriftRegressor(model, self.pin_model, explanation)
        frames = [self.pin_model.frames[frame] for frame in model.tip_frames]
        self._tips = [(frame.parentJoint, at_joint(frame.placement)) for frame in frames]
        self._scratch_loaded = pin.Model(self.pin_model)
        self._sharp = np.stack((self._sharpness, self.regressor.bend))
        self._size = np.stack((self._coulomb, np.zeros(model.n)))
        self._loaded = False

    def change(self, mean: Array) -> None:
        """Take over a change of the parameters, shape ``(size,)``."""
        learnt, joints = self._learnt, self.regressor.joints
        dry, bend, viscous, offset = mean[:joints].reshape(4, -1)
        self._size = np.stack((learnt.coulomb + dry, bend))
        self._viscous = learnt.viscous + viscous
        self._offset = learnt.offset + offset
        loads = mean[joints:]
        self._loaded = bool(loads.any())
        if self._loaded:
            added: dict[int, Array] = {}
            for (joint, moved), load in zip(self._tips, loads.reshape(-1, PER_TIP), strict=True):
                added[joint] = added.get(joint, np.zeros(PER_TIP)) + moved @ load
            for joint, more in added.items():
                body = self.pin_model.inertias[joint].toDynamicParameters()
                self._scratch_loaded.inertias[joint] = pin.Inertia.FromDynamicParameters(
                    body + more
                )

    @property
    def present(self) -> pin.Model:
        """Return the model with what the tips carry."""
        return self._scratch_loaded if self._loaded else self.pin_model

    def torque(self, q: Array, v: Array, a: Array) -> Array:
        """Return the torque [N m], shape ``(n,)``, that the motion needs without contact."""
        torque: Array = pin.rnea(self.present, self._data, q, v, a)
        dry = self._sharp * v
        np.tanh(dry, dry)
        size = self._size
        if self._asymmetry.size or self._stribeck.size:
            size = np.stack((size[0] + self._more_dry(dry[0], v), size[1]))
        dry *= size
        torque += dry[0]
        torque += dry[1]
        torque += self._viscous * v
        torque += self._offset
        return torque
