"""From the records of steps to frames."""

from __future__ import annotations

import numpy as np

from ...assembly.assemble import Assembly
from ...core.values import Array
from ...loop.step_record import StepRecord
from ..frame import Alarm, Force, Frame, Progress
from .interaction import Interaction

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
NOTICED = 0.5
"""Force from which something is a contact [N]."""


class FrameBuilder:
    """Keeps the signals of the steps since the last frame, and makes frames.

    :param interaction: the plant of the run.
    """

    def __init__(self, assembly: Assembly, interaction: Interaction):
        facts = assembly.facts
        self._model, self._scenario = facts.model, facts.scenario
        self._interaction = interaction
        self._masses = facts.tip_masses
        self._rows: list[StepRecord] = []
        self._last: StepRecord | None = None
        self._began: float | None = None  # when the present contact began [s]
        self._delay: float | None = None  # of the present alarm [s]

    def forget(self) -> None:
        """Forget the steps so far: time was set back."""
        self._rows.clear()
        self._last = self._began = self._delay = None

    def take(self, record: StepRecord) -> None:
        """Keep a step."""
        self._rows.append(record)
        self._last = record
        self._watch(record)

    def frame(self, progress: Progress) -> Frame:
        """Return a frame with the steps since the last one."""
        model, last, h = self._model, self._last, self._scenario.period
        trace = np.array([_signals(record, model.n) for record in self._rows])
        scalars = np.array([_scalars(record) for record in self._rows])
        times = h * np.array([record.index + 1.0 for record in self._rows])
        self._rows.clear()
        joints = self._interaction.truth.position
        report = None if last is None else last.planner
        return Frame(
            time=0.0 if last is None else (last.index + 1) * h,
            joints=joints,
            twin=joints if last is None else last.rollback.state.position,
            forces=self._forces(last),
            bodies=self._interaction.balls.bodies,
            effective_masses=self._effective_masses(joints),
            alarm=self._alarm(last),
            activity='' if report is None else report.activity,
            progress=progress,
            times=times,
            trace=trace.reshape(len(times), len(COLUMNS), model.n),
            scalars=scalars.reshape(len(times), len(SCALARS)),
        )

    def _watch(self, record: StepRecord) -> None:
        """Note when a contact begins, and how late the monitor says so."""
        time = (record.index + 1) * self._scenario.period
        if _touched(record, self._interaction.forces):
            self._began = time if self._began is None else self._began
        else:
            self._began = None
        detection = record.monitor
        if detection is None or detection.kind == 'none':
            self._delay = None
        elif self._delay is None and self._began is not None and detection.contact:
            self._delay = time - self._began

    def _alarm(self, record: StepRecord | None) -> Alarm | None:
        detection = None if record is None else record.monitor
        if detection is None or not self._scenario.monitor.watches:
            return None
        margin = 1.0 - detection.reading.margin
        hit = detection.running
        if detection.kind == 'none' or hit is None:
            return Alarm(detection.kind, delay=self._delay, margin=margin)
        return Alarm(detection.kind, hit.link, hit.probability, self._delay, margin)

    def _forces(self, record: StepRecord | None) -> tuple[Force, ...]:
        """Return the forces that act, and the one that is estimated."""
        forces = list(self._interaction.forces)
        if record is None:
            return tuple(forces)
        q = record.plant.truth.position
        for hand, done in zip(self._scenario.plant.hands, record.plant.hands, strict=True):
            if done.held:
                pose = self._model.frame_poses(q, [hand.link])[0]
                forces.append(Force('hand', hand.link, pose.act(np.array(hand.point)), done.force))
        time = record.index * self._scenario.period
        for push in self._scenario.plant.pushes:
            if push.link in self._model.links and push.start <= time < push.start + push.duration:
                pose = self._model.frame_poses(q, [push.link])[0]
                forces.append(Force('push', push.link, pose.translation, np.array(push.force)))
        hit = None if record.monitor is None else record.monitor.running
        if hit is not None and hit.point is not None and hit.force is not None:
            forces.append(Force('estimated', hit.link, hit.point, hit.force))
        return tuple(forces)

    def _effective_masses(self, q: Array) -> Array | None:
        if self._masses is None:
            return None
        return self._masses.at(q)[:, None] * self._masses.direction


def _signals(record: StepRecord, n: int) -> tuple[Array, ...]:
    """Return ``COLUMNS`` of a step, each of shape ``(n,)``."""
    reading = None if record.monitor is None else record.monitor.reading
    return (
        record.setpoint.position,
        record.plant.truth.position,
        record.command.effort,
        record.rollback.effort,
        record.plant.external,
        np.full(n, np.nan) if reading is None else reading.torque,
    )


def _scalars(record: StepRecord) -> tuple[float, float]:
    """Return ``SCALARS`` of a step."""
    margin = np.nan if record.monitor is None else 1.0 - record.monitor.reading.margin
    return margin, sum(hand.energy for hand in record.plant.hands)


def _touched(record: StepRecord, forces: tuple[Force, ...]) -> bool:
    """Return whether something acts on the robot."""
    acting = any(float(force.vector @ force.vector) > NOTICED**2 for force in forces)
    return acting or any(contact.force > NOTICED for contact in record.plant.contacts)
