"""The controls of a ball that is thrown at the robot."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin
import viser

from ...core.values import Array
from ...robot.model import RobotModel
from ..actions import Throw

DISTANCE = 0.6
"""From which a ball is thrown [m]."""
GRAVITY = 9.81


class Throwing:
    """Throws a ball at a link, from a side that is chosen."""

    def __init__(self, gui: viser.GuiApi, model: RobotModel, send: Callable[[Throw], None]):
        self._model, self._send = model, send
        moving = [  # a joint may have the name of a link
            frame.name
            for frame in model.pin_model.frames
            if frame.type == pin.FrameType.BODY and frame.parentJoint > 0
        ]
        self._link = gui.add_dropdown('at', moving, initial_value=moving[len(moving) // 2])
        self._side = gui.add_slider(
            'from [deg]',
            min=-180.0,
            max=180.0,
            step=15.0,
            initial_value=-90.0,
            hint='0: from where x points, 90: from where y points',
        )
        self._speed = gui.add_slider('speed [m/s]', min=1.0, max=8.0, step=0.5, initial_value=3.0)
        self._mass = gui.add_slider('mass [kg]', min=0.05, max=2.0, step=0.05, initial_value=0.3)
        gui.add_button('Throw').on_click(lambda _: self._throw())
        self.joints: Array = model.home

    def _throw(self) -> None:
        at = self._model.frame_poses(self.joints, [self._link.value])[0].translation
        angle, speed = np.deg2rad(self._side.value), float(self._speed.value)
        start = at + DISTANCE * np.array([np.cos(angle), np.sin(angle), 0.0])
        time = DISTANCE / speed
        velocity = (at - start) / time + np.array([0.0, 0.0, 0.5 * GRAVITY * time])
        self._send(Throw(tuple(start.tolist()), tuple(velocity.tolist()), float(self._mass.value)))
