"""From the records of steps to frames."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from math import inf
from typing import Any

import numpy as np
import pinocchio as pin

from ...assembly.assemble import Assembly
from ...core.values import Array
from ...loop.step_record import StepRecord
from ..force_peaks import FOLLOWS, ForcePeaks
from ..frame import Force, Frame, Progress, ShownAlarm, ShownBody
from .contact_watch import ContactWatch
from .interaction import Interaction
from .motion_stop import phase_of

COLUMNS = (
    ('desired position', 'rad'),
    ('position', 'rad'),
    ('effort', 'N m'),
    ('rollback effort', 'N m'),
    ('external torque', 'N m'),
    ('estimated external torque', 'N m'),
)
"""q_d, q, tau and tau' of 000, and the external torque, true and as the monitor estimates it."""
SCALARS = (('monitor residual', 'share of threshold'), ('energy of the hands', 'J'))
ACTIVITIES = {'active': 'goes to a goal', 'paused': 'paused', 'reached': 'is at its goal'}
"""What the robot does, by what became of the last goal."""
LONGEST_TRACE = 2.0
"""Time of which a frame has the signals [s], at most."""
BEAM = 'beam'
"""Name of the object of two hands."""


class FrameBuilder:
    """Keeps the signals of the steps since the last frame, and makes frames.

    :param interaction: what persons do to the plant.
    """

    def __init__(self, assembly: Assembly, interaction: Interaction):
        facts = assembly.facts
        self._model, self._scenario = facts.model, facts.scenario
        self._data = facts.model.pin_model.createData()
        self._loop, self._motion = assembly.loop, assembly.motion
        self._interaction = interaction
        self._masses = facts.tip_masses
        self._watch = ContactWatch(facts.scenario)
        longest = max(1, round(LONGEST_TRACE / facts.scenario.period))
        self._rows: deque[tuple[StepRecord, float]] = deque(maxlen=longest)
        self._last: StepRecord | None = None
        self._peaks = ForcePeaks()
        self._framed = -inf  # time of the last frame of this motion [s]
        self._joints = facts.model.home

    def forget(self) -> None:
        """Forget the steps so far: time was set back."""
        self._rows.clear()
        self._peaks.clear()
        self._framed = -inf
        self._last = None
        self._watch.forget()

    def take(self, record: StepRecord) -> None:
        """Keep a step."""
        self._rows.append((record, self._interaction.grips.energy))
        self._last = record
        for force in (*self._interaction.balls.acting, *_contacts(record)):
            self._peaks.take(force)
        self._watch.take(record, self._interaction.forces)

    def frame(self, progress: Progress) -> Frame:
        """Return a frame with the steps since the last one."""
        loop, n = self._loop, self._model.n
        records = [record for record, _ in self._rows]
        times = self._scenario.period * np.array([record.index + 1.0 for record in records])
        trace = np.empty((len(records), len(COLUMNS), n))
        for k, column in enumerate(_signals(records, n)):
            trace[:, k] = column
        scalars = np.array([_scalars(*row) for row in self._rows])
        self._rows.clear()
        joints = self._interaction.truth.position
        if np.isfinite(joints).all():  # one that diverged stays where it was last
            self._joints = joints
        forces = self._forces()
        if progress.latest - self._framed <= FOLLOWS:
            forces = self._peaks.over(forces)
        self._framed = progress.latest
        self._peaks.clear()
        return Frame(
            time=progress.latest,
            joints=self._joints,
            twin=loop.control.state.position,
            forces=forces,
            bodies=self._bodies(),
            effective_masses=self._effective_masses(forces),
            alarm=self._alarm(),
            activity=self._activity(),
            progress=progress,
            times=times,
            trace=trace,
            scalars=scalars.reshape(len(times), len(SCALARS)),
        )

    def _alarm(self) -> ShownAlarm | None:
        detection = None if self._last is None else self._last.monitor
        if detection is None or not self._scenario.monitor.watches:
            return None
        margin = 1.0 - detection.reading.margin
        hit = detection.running
        if detection.kind == 'none' or hit is None:
            return ShownAlarm(detection.kind, delay=self._watch.delay, margin=margin)
        return ShownAlarm(detection.kind, hit.link, hit.probability, self._watch.delay, margin)

    def _activity(self) -> str:
        """Return what the robot does; nothing for a motion as planned."""
        reactive, goals = self._motion.reactive, self._motion.goal_planner
        if reactive is not None and reactive.activity != 'moving':
            return f'{reactive.activity} ({reactive.active})'
        if self._last is not None and self._last.planner is not None:
            return self._last.planner.activity
        if goals is None or not goals.taken_over:
            return ''
        return ACTIVITIES.get(phase_of(goals) or '', 'stopped')

    def _forces(self) -> tuple[Force, ...]:
        """Return the forces that act, and the one that is estimated."""
        forces, record = list(self._interaction.forces), self._last
        if record is None or not np.isfinite(record.plant.truth.position).all():
            return tuple(forces)
        q, plant, report = record.plant.truth.position, self._scenario.plant, record.plant
        model, data = self._model, self._data
        if plant.hands or plant.pushes:
            pin.framesForwardKinematics(model.pin_model, data, q)
        for hand, done in zip(plant.hands, report.hands, strict=False):
            if done.held:
                point = data.oMf[model.frame(hand.link)].act(np.array(hand.point))
                forces.append(Force('hand', hand.link, point, done.force))
        time = record.index * self._scenario.period
        for push in plant.pushes:
            if push.link in model.links and push.start <= time < push.start + push.duration:
                origin = data.oMf[model.frame(push.link)].translation.copy()
                forces.append(Force('push', push.link, origin, np.array(push.force)))
        forces += _contacts(record)
        hit = None if record.monitor is None else record.monitor.running
        if hit is not None and hit.point is not None and hit.force is not None:
            forces.append(Force('estimated', hit.link, hit.point, hit.force))
        return tuple(forces)

    def _bodies(self) -> tuple[ShownBody, ...]:
        """Return where balls, moving obstacles and the beam are."""
        report = self._interaction.report()
        bodies = [ShownBody(each.name, each.position, each.quaternion) for each in report.bodies]
        if report.object is not None:
            turn = pin.Quaternion(pin.exp3(report.object.rotation_vector))
            wxyz = np.array([turn.w, turn.x, turn.y, turn.z])
            bodies.append(ShownBody(BEAM, report.object.position, wxyz))
        return (*bodies, *self._interaction.balls.bodies)

    def _effective_masses(self, forces: tuple[Force, ...]) -> Array | None:
        if self._masses is None:
            return None
        pulls = [force.vector for force in forces if force.kind in ('mouse', 'hand')]
        strongest = max(pulls, key=np.linalg.norm, default=np.zeros(3))
        size = float(np.linalg.norm(strongest))
        along = strongest / size if size > 0.0 else self._masses.direction
        masses = self._masses.at(self._joints, along)
        return np.where(np.isfinite(masses), masses, 0.0)[:, None] * along


def _contacts(record: StepRecord) -> list[Force]:
    """Return the forces of the contacts of a step on the robot."""
    return [
        Force('contact', each.link, np.array(each.point), each.force * np.array(each.normal))
        for each in record.plant.contacts
    ]


def _signals(records: list[StepRecord], n: int) -> Iterator[Any]:
    """Yield ``COLUMNS`` of some steps, each of shape ``(steps, n)`` if there are any."""
    unknown = np.full(n, np.nan)
    yield [record.setpoint.position for record in records] or 0.0
    yield [record.plant.truth.position for record in records] or 0.0
    yield [record.command.effort for record in records] or 0.0
    yield [record.rollback.effort for record in records] or 0.0
    yield [record.plant.external for record in records] or 0.0
    yield [
        unknown if record.monitor is None else record.monitor.reading.torque for record in records
    ] or 0.0


def _scalars(record: StepRecord, energy: float) -> tuple[float, float]:
    """Return ``SCALARS`` of a step.

    :param energy: of the persons at the pages [J].
    """
    margin = np.nan if record.monitor is None else 1.0 - record.monitor.reading.margin
    return margin, sum((hand.energy for hand in record.plant.hands), energy)
