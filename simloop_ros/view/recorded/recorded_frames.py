"""From the rows of a log to frames."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ...core.values import Array
from ...record.columns import COLUMNS, TRUE_POSITION
from ...record.hands_log import HANDS_COLUMNS
from ...report.series import Envelope
from ..description import Abilities, Description
from ..frame import Body, Force, Frame, Progress
from ..live.describe import BEAM, bodies_of, paths_of
from .recorded_forces import RecordedForces
from .recorded_run import RecordedRun
from .timeline import LocatedContact, Timeline

TRACES = {
    'desired_position': ('desired position', 'rad'),
    'true_position': ('position', 'rad'),
    'desired_velocity': ('required velocity', 'rad/s'),
    'velocity': ('velocity', 'rad/s'),
    'effort': ('effort', 'N m'),
    'rollback_effort': ('rollback effort', 'N m'),
    'true_external_torque': ('external torque', 'N m'),
    'external_torque': ('estimated external torque', 'N m'),
}
"""Column of the log -> its name and unit in a plot: the six signals of 000, section 6.2, and the
external torque, true and estimated, where the log has them."""
WINDOW = 10.0
"""Time of the signals that come with a frame after a leap [s]."""
MOST_ROWS = 1200
"""Rows of signals in a frame; of more, the least and the largest of every few are kept."""
TWIN = COLUMNS.index('position')
POSE = HANDS_COLUMNS.index('object_pose')


class RecordedFrames:
    """Makes frames of a run, in any order."""

    def __init__(self, run: RecordedRun):
        self._run, self._model = run, run.facts.model
        self._forces = RecordedForces(run.facts, run.columns)
        self._timeline = Timeline(run.events)
        traced = [name for name in TRACES if name in run.columns]
        self._traced = [run.columns.index(name) for name in traced]
        self._traces = tuple(TRACES[name] for name in traced)
        self._shown = -1  # last row whose signals a frame had
        self._at_location: tuple[LocatedContact, pin.SE3] | None = None

    def describe(self) -> Description:
        """Return the scene, and what can be done with it."""
        run = self._run
        facts, summary = run.facts, run.summary
        return Description(
            title=f'{summary.get("scenario", facts.scenario.name)} (recorded)',
            model=self._model,
            period=run.period,
            duration=run.log.rows * run.period,
            bodies=bodies_of(facts),
            goals=facts.goals,
            paths=paths_of(facts),
            columns=self._traces,
            scalars=(),
            keys=(),
            abilities=Abilities(pauses=True, steps=True, rewinds=True),
            notes=(*run.notes, *self._forces.notes),
        )

    def at(self, step: int, progress: Progress) -> Frame:
        """Return the frame at the end of a step; -1 for the start.

        It has the signals since the last frame; after a leap those of ``WINDOW`` before it.

        :raises ConfigError: the log was damaged in the meantime.
        """
        time = (step + 1) * self._run.period
        times, trace = self._signals(step)
        if step < 0:
            row = None
            joints = twin = self._model.home
        else:
            row = self._run.log.read(step, step + 1)[0]
            joints, twin = row[TRUE_POSITION], row[TWIN]
        return Frame(
            time=time,
            joints=joints,
            twin=twin,
            forces=self._forces_at(step, row, time),
            bodies=self._bodies(step),
            effective_masses=self._effective_masses(joints),
            alarm=self._timeline.alarm(time),
            activity=self._timeline.activity(time),
            progress=progress,
            times=times,
            trace=trace,
            scalars=np.zeros((len(times), 0)),
        )

    def _signals(self, step: int) -> tuple[Array, Array]:
        """Return times [s], shape ``(rows,)``, and signals, ``(rows, columns, n)``."""
        h, last = self._run.period, step + 1
        window = round(WINDOW / h)
        first = self._shown + 1 if 0 <= step - self._shown <= window else max(0, last - window)
        self._shown = step
        shape = len(self._traced), self._model.n
        envelope = Envelope(last - first, MOST_ROWS)
        for start in range(first, last, MOST_ROWS):
            rows = self._run.log.read(start, min(start + MOST_ROWS, last))
            envelope.add(rows[:, self._traced])
        times: Array = np.asarray((first + envelope.index + 1) * h, np.float64)
        return times, envelope.values(shape)

    def _forces_at(self, step: int, row: Array | None, time: float) -> tuple[Force, ...]:
        if row is None:
            return ()
        forces = self._forces.at(step, row)
        located = self._timeline.located(time)
        if located is None or located.point is None or located.force is None:
            return forces
        point = self._on_link(located, row[TRUE_POSITION])
        return (*forces, Force('estimated', located.link, point, located.force))

    def _on_link(self, located: LocatedContact, q: Array) -> Array:
        """Return where the point is now that was located on a link [m], shape ``(3,)``."""
        assert located.point is not None
        if located.link not in self._model.links or not np.isfinite(q).all():
            return located.point
        if self._at_location is None or self._at_location[0] is not located:
            step = min(max(0, round(located.time / self._run.period) - 1), self._run.log.rows - 1)
            then = self._run.log.read(step, step + 1)[0, TRUE_POSITION]
            self._at_location = located, self._model.frame_poses(then, [located.link])[0]
        now = self._model.frame_poses(q, [located.link])[0]
        point: Array = now.act(self._at_location[1].actInv(located.point))
        return point

    def _bodies(self, step: int) -> tuple[Body, ...]:
        """Return where the object of two hands is."""
        if self._run.hands is None or self._run.facts.scenario.plant.object is None or step < 0:
            return ()
        pose = self._run.hands.read(step, step + 1)[0, POSE]
        if not np.isfinite(pose).all():
            return ()
        turn = pin.Quaternion(pin.exp3(pose[3:]))
        return (Body(BEAM, pose[:3], np.array([turn.w, turn.x, turn.y, turn.z])),)

    def _effective_masses(self, q: Array) -> Array | None:
        masses = self._run.facts.tip_masses
        if masses is None or not np.isfinite(q).all():
            return None
        return masses.at(q)[:, None] * masses.direction
