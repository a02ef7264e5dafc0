"""Impedance of hands and of the object: the levels of 003 section 3.2.1 (IMCO) as numbers."""

from __future__ import annotations

import numpy as np

from ..core.errors import ConfigError
from ..core.values import Array
from ..maths.discretisation import Parameters
from .task_config import ImpedanceConfig, Level, Six

LEVELS: dict[str, dict[Level, float]] = {
    'mass': {'low': 0.5, 'medium': 1.0, 'high': 4.0},
    'damping': {'low': 3000.0, 'medium': 6000.0, 'high': 12000.0},
    'stiffness': {'low': 20.0, 'medium': 1000.0, 'high': 10000.0},
}
"""Along an axis [kg, N s/m, N/m]. docs/bimanual.md, "Impedance", has the reasons: damping decides
how fast an internal force decays (``beta/(2 K_e)``) and how much delay is tolerated."""
ROTATION_ARM = 0.05
"""About an axis a level is ``ROTATION_ARM^2`` of that along it [m]: at least half the width of a
palm, so that no turning mode is stiffer, for its damping, than that along the beam."""


def impedance(config: ImpedanceConfig) -> Parameters:
    """Return mass, damping and stiffness of 003 (2.1) for the six axes, shape ``(6,)`` each.

    :raises ConfigError: one is not positive; ImpedanceConfig made by hand is not checked before.
    """
    return Parameters(
        _axes('mass', config.mass),
        _axes('damping', config.damping),
        _axes('stiffness', config.stiffness),
    )


def _axes(name: str, given: Level | Six) -> Array:
    if isinstance(given, str):
        value = LEVELS[name][given]
        return np.array([value] * 3 + [ROTATION_ARM * ROTATION_ARM * value] * 3)
    axes = np.array(given, dtype=float)
    if axes.shape != (6,) or not (np.isfinite(axes) & (axes > 0.0)).all():
        raise ConfigError(
            f'impedance.{name}: {given}; six positive numbers are needed, or a level: '
            f'{", ".join(LEVELS[name])}'
        )
    return axes
