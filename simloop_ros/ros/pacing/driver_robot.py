"""The robot behind a driver, by what the driver takes."""

from __future__ import annotations

from collections.abc import Callable

from ...core.values import Array
from ...robot.model import RobotModel
from ...safety.config import SafetyConfig
from .config import DriverConfig
from .driven_robot import DrivenRobot
from .effort_driven import EffortDriven
from .position_driven import PositionDriven


def build_driven_robot(
    model: RobotModel,
    period: float,
    safety: SafetyConfig,
    driver: DriverConfig,
    bandwidth: float,
    publish: Callable[[Array], None],
) -> DrivenRobot:
    """Return the robot of a driver; see their classes for the parameters."""
    if driver.output == 'position':
        return PositionDriven(model, period, safety, publish)
    return EffortDriven(
        model,
        period,
        safety,
        publish,
        bandwidth=bandwidth,
        gravity_handled=driver.gravity_handled,
        guided=driver.guided,
    )
