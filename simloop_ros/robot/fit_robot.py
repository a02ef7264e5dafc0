"""Robots that are fit for control."""

from __future__ import annotations

from ..core.errors import ModelError
from ..core.resources import resource_folder
from .check import check_robot
from .config import RobotConfig
from .model import RobotModel


def load_fit_robot(config: RobotConfig) -> RobotModel:
    """Load a robot that is fit for control.

    :raises ModelError: it is not, with the reason.
    """
    checked = check_robot(config, resource_folder('urdf'))
    if checked.model is None:
        unfit = [problem for problem in checked.problems if problem.fatal]
        more = f' (and {len(unfit) - 1} more: simloop check)' if len(unfit) > 1 else ''
        # A key of the robot's configuration is no fault of its description.
        whose = (
            '' if unfit[0].where.startswith('robot.') else f'{config.urdf}: not fit for control: '
        )
        raise ModelError(f'{whose}{unfit[0].where}: {unfit[0].what}; {unfit[0].remedy}{more}')
    return checked.model
