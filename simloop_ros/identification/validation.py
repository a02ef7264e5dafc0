"""How well a model explains torques: measured beside expected, after the same filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..collision.explanation import Explainer, Explanation
from ..core.values import Array
from ..robot.model import RobotModel
from .low_pass import FilterForm
from .motion import Stretch, Track, tracks


@dataclass(frozen=True)
class Comparison:
    """Torques of a motion.

    :ivar time: [s], shape ``(rows,)``.
    :ivar measured: [N m], shape ``(rows, n)``.
    :ivar expected: by the name of the model [N m], shape ``(rows, n)`` each.
    """

    time: Array
    measured: Array
    expected: Mapping[str, Array]

    def rms(self, name: str) -> Array:
        """Return the rms error of a model [N m], shape ``(n,)``."""
        return np.sqrt(np.mean((self.measured - self.expected[name]) ** 2, axis=0))

    def at(self, time: Array) -> Comparison:
        """Return the rows at some times only [s]."""
        kept = np.isin(self.time, time)
        expected = {name: values[kept] for name, values in self.expected.items()}
        return Comparison(self.time[kept], self.measured[kept], expected)

    @property
    def measured_rms(self) -> Array:
        """Return the rms of the measured torque about its mean [N m], shape ``(n,)``."""
        return self.measured.std(axis=0)


def compare(
    model: RobotModel,
    explanations: Mapping[str, Explanation],
    stretches: Sequence[Stretch],
    cutoff: float,
    form: FilterForm = 'causal',
) -> Comparison:
    """Return the torques that models expect for a motion, beside the measured ones.

    :raises ConfigError: there is too little motion.
    """
    made = tracks(stretches, cutoff, form)
    return Comparison(
        time=np.concatenate([each.time for each in made]),
        measured=np.concatenate([each.filtered(each.torque) for each in made]),
        expected={
            name: np.concatenate([_expected(Explainer(model, explanation), each) for each in made])
            for name, explanation in explanations.items()
        },
    )


def _expected(explainer: Explainer, track: Track) -> Array:
    motion = zip(track.position, track.velocity, track.acceleration, strict=True)
    return track.filtered(np.array([explainer.torque(*state) for state in motion]))
