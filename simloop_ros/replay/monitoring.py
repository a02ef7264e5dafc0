"""The monitors that run live, over a log: thresholds from one part of it, verdicts on the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np

from ..calibration.calibrate import Calibrator, largest_jump
from ..collision.build import KINDS, build_monitor
from ..collision.calibration import Calibration
from ..collision.differences import PositionDifference
from ..collision.disturbance_observer import DisturbanceObserver
from ..collision.explanation import Explanation
from ..collision.observation import Observation
from ..collision.tail import BLOCK_DURATION, USUAL_TAIL, Tail
from ..core.errors import ConfigError, LogError
from ..core.values import Array, Flags
from ..robot.model import RobotModel
from .alarms import AlarmRate, LogAlarm, alarm_rate, find_alarms
from .observing import Seen

REPLAYED = tuple(kind for kind in KINDS if kind != PositionDifference.kind)
"""Monitors that need no desired position, which a log of another controller does not have."""
SHORT_TAIL = Tail(share=0.5, fewest=10)
"""Of logs that are too short for the usual tail: the larger half of the block maxima, 10 at least,
from 5 s of motion."""
Progress = Callable[[float], None]


class Span(msgspec.Struct, frozen=True):
    """A part of a log, as shares of its duration: 0 to 0.5 is the first half."""

    begin: float
    end: float

    def times(self, duration: float) -> tuple[float, float]:
        """Return begin and end [s]; the end of the log is beyond its last sample."""
        return self.begin * duration, self.end * duration if self.end < 1.0 else np.inf

    def holds(self, time: Array, duration: float) -> Flags:
        """Return which times [s] are in it, shape ``(rows,)``."""
        begin, end = self.times(duration)
        inside: Flags = (time >= begin) & (time < end)
        return inside


class MonitorRun(msgspec.Struct, frozen=True):
    """What a monitor said about a log; ``rows`` samples.

    :ivar kind: of the monitor.
    :ivar time: [s], shape ``(rows,)``.
    :ivar share: largest residual by its threshold, shape ``(rows,)``; NaN where not judged.
    :ivar torque: estimated external torque [N m], shape ``(rows, n)``.
    :ivar judged: rows with a verdict that nothing came from, shape ``(rows,)``.
    :ivar alarms: in those rows.
    :ivar calibrating: alarms in the rows that thresholds or the model come from.
    """

    kind: str
    time: Array
    share: Array
    torque: Array
    judged: Flags
    alarms: tuple[LogAlarm, ...]
    calibrating: tuple[LogAlarm, ...]
    rate: AlarmRate


def calibrate_on(
    parts: Sequence[Seen],
    model: RobotModel,
    explanation: Explanation,
    times: tuple[float, float],
    alarms_per_hour: float,
    kinds: Sequence[str],
) -> Calibration:
    """Return thresholds from a part of a log, by the statistics of ``simloop calibrate``.

    A log of less than 50 s has more of its block maxima in the tail, see ``SHORT_TAIL``.

    :param times: begin and end of that part [s].
    :param kinds: monitors to calibrate.
    :raises LogError: the part is too short, or the robot rests in it.
    """
    inside = [(part.time >= times[0]) & (part.time < times[1]) for part in parts]
    positions = [part.measured[rows] for part, rows in zip(parts, inside, strict=True)]
    jumps = [largest_jump(q) for q in positions if len(q) > 2]
    duration = sum(len(q) * part.period for q, part in zip(positions, parts, strict=True))
    blocks = duration / BLOCK_DURATION
    usual = blocks * USUAL_TAIL.share >= USUAL_TAIL.fewest
    calibrator = Calibrator(
        model, parts[0].period, alarms_per_hour, tail=USUAL_TAIL if usual else SHORT_TAIL
    )
    plain = [kind for kind in kinds if kind != DisturbanceObserver.kind]
    if not jumps:
        raise LogError('the part of the log to calibrate on is empty: give another --calibrate-on')
    try:
        return calibrator.from_motion(
            _observations(parts, *times), explanation, np.max(jumps, axis=0), duration, plain
        )
    except ConfigError as error:
        raise LogError(f'--calibrate-on: {error}; give more of the log') from error


def _observations(parts: Sequence[Seen], begin: float, end: float) -> Iterator[Observation]:
    for part in parts:
        yield from part.observations(begin, end)


def run_monitor(
    kind: str,
    parts: Sequence[Seen],
    model: RobotModel,
    calibration: Calibration,
    used: Callable[[Array], Flags],
    added: Callable[[Seen, int], Array | None] = lambda *_: None,
    progress: Progress = lambda _: None,
) -> MonitorRun:
    """Run a monitor over a log.

    :param used: which times [s] thresholds or the model come from: they are not judged.
    :param added: torque to add to the effort of a row [N m], or ``None``.
    """
    monitor = build_monitor(kind, model, parts[0].period, calibration)
    rows = sum(part.rows for part in parts)
    share, contact, torque = np.empty(rows), np.zeros(rows, bool), np.empty((rows, model.n))
    row = 0
    for part in parts:
        for k in range(part.rows):
            reading = monitor.step(part.observation(k, added(part, k)))
            unknown = reading.verdict == 'unknown'
            share[row] = np.nan if unknown else 1.0 - reading.margin
            contact[row] = reading.verdict == 'contact'
            torque[row] = reading.torque
            row += 1
            if row % 4096 == 0:
                progress(row / rows)
    time = np.concatenate([part.time for part in parts])
    inside = used(time)
    judged = ~inside & np.isfinite(share)
    loud = np.abs(torque) / np.array(calibration.noise[kind])[0]
    alarms, calibrating = (
        find_alarms(time, contact & where, share, loud, model.joint_names)
        for where in (~inside, inside)
    )
    seconds = float(judged.sum()) * parts[0].period
    rate = alarm_rate(len(alarms), seconds)
    return MonitorRun(kind, time, share, torque, judged, alarms, calibrating, rate)
