"""External wrenches that are decided from step to step, or were in an earlier run."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
import csv
from pathlib import Path
from typing import ClassVar

import msgspec
import numpy as np

from ..core.errors import ConfigError
from ..core.files import read_text
from ..core.values import UNDISTURBED, Array, Disturbance
from ..robot.model import RobotModel, wrench_torque
from .plant import Plant, total_torque
from .wrapper import PlantWrapper

HEADER = ('step', 'link', 'fx', 'fy', 'fz', 'tx', 'ty', 'tz')
"""Columns of a file of wrenches: forces [N] and torques [N m]."""


class LinkWrench(msgspec.Struct, frozen=True, gc=False):
    """A wrench on a link.

    :ivar wrench: force and torque at the origin of the link's frame, in world axes [N, N m],
        shape ``(6,)``.
    """

    link: str
    wrench: Array


class AppliedWrenches(PlantWrapper):
    """Add the wrenches ``w`` of each step to the external torque: ``tau_ext + J(q)^T w``.

    They act in all of the period, with the Jacobian at its start. It is put around all other
    wrappers, so that a run in which wrenches were decided and one that repeats them are the same,
    bit for bit.
    """

    _remembered: ClassVar[tuple[str, ...]] = ('_plant', '_index')

    def __init__(self, plant: Plant, model: RobotModel):
        super().__init__(plant)
        self._robot = model
        self._data = model.pin_model.createData()
        self._begin()

    def _begin(self) -> None:
        self._index = 0

    @abstractmethod
    def _wrenches(self, effort: Array, disturbance: Disturbance) -> Sequence[LinkWrench]:
        """Return the wrenches of this step.

        :param effort: of the drives [N m], shape ``(n,)``; with the other disturbance.
        """

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts [N m], a disturbance and the wrenches of this step for one period."""
        torque, position = disturbance.torque, self._plant.truth.position
        for applied in self._wrenches(effort, disturbance):
            frame = self._robot.frame(applied.link)
            own = wrench_torque(self._robot.pin_model, self._data, position, frame, applied.wrench)
            torque = total_torque(own, torque)
        self._index += 1
        self._plant.step(effort, Disturbance(torque, disturbance.object_wrench))


class RecordedWrenches(AppliedWrenches):
    """The wrenches of an earlier run, step by step.

    :param wrenches: by the number of their step, from 0.
    :raises UnknownNameError: one acts on a link that the robot does not have.
    """

    def __init__(
        self, plant: Plant, model: RobotModel, wrenches: Mapping[int, Sequence[LinkWrench]]
    ):
        super().__init__(plant, model)
        for link in {each.link for step in wrenches.values() for each in step}:
            model.frame(link)
        self._recorded = wrenches

    def _wrenches(self, effort: Array, disturbance: Disturbance) -> Sequence[LinkWrench]:  # noqa: ARG002
        return self._recorded.get(self._index, ())


def write_wrenches(path: Path, wrenches: Mapping[int, Sequence[LinkWrench]]) -> None:
    """Write wrenches by step as a CSV file, each number with all its digits."""
    with path.open('w', newline='') as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        for step in sorted(wrenches):
            for each in wrenches[step]:
                writer.writerow((step, each.link, *map(repr, each.wrench.tolist())))


def read_wrenches(path: Path) -> dict[int, tuple[LinkWrench, ...]]:
    """Read a file of wrenches.

    :raises ConfigError: it is none.
    """
    rows = csv.reader(read_text(path).splitlines())
    if tuple(next(rows, ())) != HEADER:
        raise ConfigError(
            f'{path}: not a file of wrenches: its first line is not {",".join(HEADER)}'
        )
    return _by_step(_row(path, line, row) for line, row in enumerate(rows, start=2))


def _row(path: Path, line: int, row: Sequence[str]) -> tuple[int, LinkWrench]:
    try:
        step, wrench = int(row[0]), np.array([float(text) for text in row[2:]])
    except (IndexError, ValueError) as error:
        raise ConfigError(f'{path}, line {line}: {error}') from error
    if step < 0 or wrench.shape != (6,) or not np.isfinite(wrench).all():
        raise ConfigError(f'{path}, line {line}: a step from 0, a link and six finite numbers')
    return step, LinkWrench(row[1], wrench)


def _by_step(rows: Iterable[tuple[int, LinkWrench]]) -> dict[int, tuple[LinkWrench, ...]]:
    found: dict[int, tuple[LinkWrench, ...]] = {}
    for step, wrench in rows:
        found[step] = (*found.get(step, ()), wrench)
    return found
