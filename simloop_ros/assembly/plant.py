"""From a configuration to a simulated robot."""

from __future__ import annotations

import numpy as np

from ..core.values import Flags, JointState
from ..plants.build import BuiltPlant, build_plant
from ..plants.config import PlantConfig
from ..plants.overlap import refuse_overlap
from ..robot.model import RobotModel
from ..safety.brake import Brake
from ..safety.config import SafetyConfig
from ..scenario.contradictions import refuse_pushes


def build_simulated_robot(
    config: PlantConfig,
    model: RobotModel,
    period: float,
    seed: int,
    safety: SafetyConfig,
    *,
    picks_up: bool = False,
) -> BuiltPlant:
    """Build the plant, at rest at its home, which no obstacle may fill; see ``build_plant``."""

    def brakes(joints: Flags) -> Brake:
        return Brake(model, period, safety, joints)

    refuse_pushes(config, model.links)
    rng = np.random.default_rng(seed)
    built = build_plant(config, model, period, rng, brakes, picks_up=picks_up)
    refuse_overlap(model, config.obstacles, model.home)
    built.plant.start(JointState(model.home, np.zeros(model.n)))
    return built
