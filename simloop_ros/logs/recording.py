"""What a robot did, as it was recorded: joints over time, whatever file they came from."""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np

from ..core.values import Array, Flags

Signal = Literal['measured', 'command']
"""Which torques of a recording: those that the robot measured, or those that it was sent."""


class RawLog(msgspec.Struct, frozen=True):
    """The numbers of a log in SI units, with the joints as the log has them.

    :ivar source: file or folder, for messages.
    :ivar joint_names: as in the log; empty where it has no names.
    :ivar time: [s], shape ``(rows,)``, as it was recorded.
    :ivar position: [rad], shape ``(rows, joints)``.
    :ivar velocity: [rad/s], likewise; ``None`` where the log has none, as all below.
    :ivar effort: what the robot reports, in its own meaning, shape ``(rows, joints)``.
    :ivar command: torque that was sent [N m], shape ``(rows, joints)``.
    :ivar notes: what was left out or is missing, one line each.
    """

    source: str
    joint_names: tuple[str, ...]
    time: Array
    position: Array
    velocity: Array | None = None
    effort: Array | None = None
    command: Array | None = None
    notes: tuple[str, ...] = ()


class RobotRecording(msgspec.Struct, frozen=True):
    """A recorded motion of a robot, its joints in the order of the robot's model.

    :ivar source: file or folder, for messages.
    :ivar joint_names: those of the model.
    :ivar time: [s], shape ``(rows,)``, growing; the first row has zero.
    :ivar position: [rad], shape ``(rows, n)``.
    :ivar velocity: as recorded [rad/s], shape ``(rows, n)``; ``None`` where there is none.
    :ivar effort: measured torque, with what gravity needs in it [N m], shape ``(rows, n)``;
        ``None`` where there is none.
    :ivar command: torque that was sent in the period before the row [N m], shape ``(rows, n)``;
        ``None`` where there is none.
    :ivar notes: what was left out or is missing, one line each.
    """

    source: str
    joint_names: tuple[str, ...]
    time: Array
    position: Array
    velocity: Array | None = None
    effort: Array | None = None
    command: Array | None = None
    notes: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """Return the number of samples."""
        return len(self.time)

    @property
    def duration(self) -> float:
        """Return the time from the first to the last sample [s]."""
        return float(self.time[-1] - self.time[0]) if self.rows else 0.0

    def torque(self, signal: Signal) -> Array | None:
        """Return the torques of one kind [N m], shape ``(rows, n)``, or ``None``."""
        return self.effort if signal == 'measured' else self.command

    def picked(self, rows: Flags | slice) -> RobotRecording:
        """Return some of the rows."""

        def part(values: Array | None) -> Array | None:
            return None if values is None else np.ascontiguousarray(values[rows])

        return msgspec.structs.replace(
            self,
            time=self.time[rows],
            position=self.position[rows],
            velocity=part(self.velocity),
            effort=part(self.effort),
            command=part(self.command),
        )
