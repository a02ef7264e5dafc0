"""Simulation in the control loop of collaborative robot arms.

What programs may build on is listed in ``__all__`` and described in ``docs/api.md``; the rest may
change. Names are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = '0.2.0'

if TYPE_CHECKING:
    from .assembly.assemble import Assembly, assemble
    from .assembly.run import run
    from .collision.monitor import Monitor
    from .collision.observation import Observation, Reading
    from .control.control_simulation import ControlSimulation
    from .control.joint_laws import EffortLaw
    from .control.laws import AccelerationLaw
    from .core.errors import (
        ConfigError,
        DivergenceError,
        GoalError,
        ModelError,
        SimloopError,
        StorageError,
    )
    from .core.values import (
        Command,
        Disturbance,
        ExternalInputs,
        JointState,
        PlannerReport,
        PlantReport,
        Rollback,
        Setpoint,
    )
    from .loop.loop import Loop
    from .loop.step_record import StepRecord
    from .planning.offline import OfflinePlanner
    from .planning.planner import Planner
    from .plants.pinocchio_plant import PinocchioPlant
    from .plants.plant import Plant
    from .record.columns import columns_of
    from .robot.model import RobotModel
    from .scenario.loading import load_scenario
    from .scenario.scenario import Scenario
    from .scenario.shipped import scenario_names

PUBLIC = {
    'AccelerationLaw': 'control.laws',
    'Assembly': 'assembly.assemble',
    'Command': 'core.values',
    'ConfigError': 'core.errors',
    'ControlSimulation': 'control.control_simulation',
    'Disturbance': 'core.values',
    'DivergenceError': 'core.errors',
    'EffortLaw': 'control.joint_laws',
    'ExternalInputs': 'core.values',
    'GoalError': 'core.errors',
    'JointState': 'core.values',
    'Loop': 'loop.loop',
    'ModelError': 'core.errors',
    'Monitor': 'collision.monitor',
    'Observation': 'collision.observation',
    'OfflinePlanner': 'planning.offline',
    'PinocchioPlant': 'plants.pinocchio_plant',
    'Planner': 'planning.planner',
    'PlannerReport': 'core.values',
    'Plant': 'plants.plant',
    'PlantReport': 'core.values',
    'Reading': 'collision.observation',
    'RobotModel': 'robot.model',
    'Rollback': 'core.values',
    'Scenario': 'scenario.scenario',
    'Setpoint': 'core.values',
    'SimloopError': 'core.errors',
    'StepRecord': 'loop.step_record',
    'StorageError': 'core.errors',
    'assemble': 'assembly.assemble',
    'columns_of': 'record.columns',
    'load_scenario': 'scenario.loading',
    'run': 'assembly.run',
    'scenario_names': 'scenario.shipped',
}
"""Public name -> the module that it is in."""
__all__ = [*PUBLIC, '__version__']


def __getattr__(name: str) -> Any:
    if name not in PUBLIC:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    value = getattr(import_module(f'.{PUBLIC[name]}', __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *PUBLIC})
