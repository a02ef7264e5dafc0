"""What a planner's node is told about its motion."""

from __future__ import annotations

import msgspec

from ...assembly.motion import MotionSettings
from ...bimanual.config import BimanualConfig
from ...collision.config import MonitorConfig
from ...goals.config import GoalLimits
from ...guiding.config import AdmittanceConfig
from ...planning.config import PlannerConfig
from ...reaction.config import ReactionConfig
from ...world.config import WorldConfig
from ..pacing.config import GoalListConfig, RandomConfig, TrackingConfig
from .block_node import BlockNode

MOTION_SECTIONS: dict[str, type[msgspec.Struct]] = {
    'planner': PlannerConfig,
    'goals': GoalListConfig,
    'goal_limits': GoalLimits,
    'tracking': TrackingConfig,
    'monitor': MonitorConfig,
    'reaction': ReactionConfig,
    'admittance': AdmittanceConfig,
    'bimanual': BimanualConfig,
    'world': WorldConfig,
    'random': RandomConfig,
}
"""Sections of the parameters."""


def motion_settings(node: BlockNode) -> MotionSettings:
    """Return the settings of a motion, from the parameters of a node.

    In real time the goals of the list are none of them: they are planned beside the motion.
    """
    graph = node.graph
    return MotionSettings(
        period=graph.period,
        planner=node.config(PlannerConfig, 'planner'),
        goals=() if graph.realtime else node.config(GoalListConfig, 'goals').list,
        goal_limits=node.config(GoalLimits, 'goal_limits'),
        bimanual=node.config(BimanualConfig, 'bimanual'),
        monitor=node.config(MonitorConfig, 'monitor'),
        reaction=node.config(ReactionConfig, 'reaction'),
        admittance=node.config(AdmittanceConfig, 'admittance'),
        world=node.config(WorldConfig, 'world'),
        seed=node.config(RandomConfig, 'random').seed,
        **msgspec.structs.asdict(node.config(TrackingConfig, 'tracking')),
    )
