"""Trials with injected contacts: which share is found, and after what time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np

from ..collision.build import build_monitor
from ..collision.calibration import Calibration
from ..collision.collision_monitor import CollisionMonitor
from ..core.errors import LogError
from ..core.values import Array
from ..robot.model import RobotModel
from .injection import ContactConfig, ContactTorque, RandomContacts, rise
from .monitoring import MonitorRun, Progress
from .observing import Seen

AFTER = 0.1
"""Time after the end of a contact in which it still counts as found [s]: filters lag."""


class Sensitivity(msgspec.Struct, frozen=True):
    """What a monitor found of the INJECTED contacts on a link.

    :ivar force: its size [N].
    :ivar trials: contacts that began while no alarm was on.
    :ivar left_out: those that began during an alarm, or where nothing was judged.
    :ivar found: number.
    :ivar share: of the trials.
    :ivar median_delay: from the beginning of the force to the verdict [s], of those found; NaN
        without any.
    :ivar p95_delay: likewise, of 95 % of those found.
    """

    monitor: str
    link: str
    force: float
    trials: int
    left_out: int
    found: int
    share: float
    median_delay: float
    p95_delay: float


class Found(msgspec.Struct, frozen=True):
    """An INJECTED contact at a given time, and whether it was found.

    :ivar delay: from its beginning to the verdict [s]; ``None`` where it was not found.
    :ivar torque_error: rms of the estimated external torque against the injected one, in the
        second half of the contact [N m].
    """

    monitor: str
    link: str
    time: float
    force: float
    delay: float | None
    torque_error: float | None


class _Start(msgspec.Struct, frozen=True):
    """Where a trial begins: the monitor before its first row."""

    part: int
    row: int
    direction: Array
    snapshot: Any
    quiet: bool


def random_trials(
    config: RandomContacts,
    kind: str,
    parts: Sequence[Seen],
    model: RobotModel,
    calibration: Calibration,
    run: MonitorRun,
    progress: Progress = lambda _: None,
) -> tuple[Sensitivity, ...]:
    """Return what a monitor finds of random contacts in the judged part of a log.

    Each trial goes back to the monitor's state at its time in the log as it is, adds the force,
    and goes on until ``AFTER`` the contact.

    :param run: of the same monitor without contacts.
    """
    monitor = build_monitor(kind, model, parts[0].period, calibration)
    starts = _starts(config, parts, monitor, run)
    torque = ContactTorque(model)
    table = []
    for i, link in enumerate(config.links):
        units = [_unit_torques(torque, parts[s.part], s, link, config) for s in starts]
        for j, force in enumerate(config.forces):
            delays = [
                _delay(monitor, parts[start.part], start, force * unit)
                for start, unit in zip(starts, units, strict=True)
                if start.quiet
            ]
            table.append(_summed(kind, link, force, delays, len(starts)))
            done = i * len(config.forces) + j + 1
            progress(done / (len(config.links) * len(config.forces)))
    return tuple(table)


def _starts(
    config: RandomContacts, parts: Sequence[Seen], monitor: CollisionMonitor, run: MonitorRun
) -> list[_Start]:
    """Return the starts of the trials, with the monitor's states from one pass over the log."""
    rng = np.random.default_rng(config.seed)
    period = parts[0].period
    length = int(np.ceil((config.duration + AFTER) / period))
    sizes = [part.rows for part in parts]
    of_part = np.repeat(np.arange(len(parts)), sizes)
    in_part = np.concatenate([np.arange(size) for size in sizes])
    room = in_part + length <= np.array(sizes)[of_part]
    # The whole contact has to be in judged rows: none may touch what was calibrated on.
    ends = np.minimum(np.arange(len(in_part)) + length, len(in_part) - 1)
    possible = np.flatnonzero(room & run.judged & run.judged[ends])
    if not possible.size:
        raise LogError(
            f'no time of the judged part is free for a contact of {config.duration:g} s: '
            'calibrate on less of the log, or inject shorter contacts'
        )
    chosen = rng.choice(possible, config.count)
    directions = rng.normal(size=(config.count, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    snapshots: dict[int, Any] = {}
    wanted, row = set(chosen.tolist()), 0
    for part in parts:
        for k in range(part.rows):
            if row in wanted:
                snapshots[row] = monitor.snapshot()
            monitor.step(part.observation(k))
            row += 1
    before = np.maximum(chosen - 1, 0)
    quiet = run.share[before] < 1.0
    return [
        _Start(int(of_part[r]), int(in_part[r]), d, snapshots[int(r)], bool(free))
        for r, d, free in zip(chosen, directions, quiet, strict=True)
    ]


def _unit_torques(
    torque: ContactTorque, part: Seen, start: _Start, link: str, config: RandomContacts
) -> Array:
    """Return what one newton adds to the effort in each row of a trial, shape ``(rows, n)``.

    The torque that drives the measured motion against a force ``f`` is smaller by ``J^T f``. A
    row has the torque of the one before it, see ``seen``.
    """
    rows = int(np.ceil((config.duration + AFTER) / part.period))
    found = np.zeros((rows, part.measured.shape[1]))
    for k in range(1, rows):
        size = rise((k - 1) * part.period, config.duration, config.ramp)
        if size:
            q = part.measured[start.row + k - 1]
            found[k] = -size * torque.torque(q, link, start.direction)
    return found


def _delay(monitor: CollisionMonitor, part: Seen, start: _Start, added: Array) -> float:
    """Return the time until the contact is found [s]; NaN if it is not."""
    monitor.restore(start.snapshot)
    for k, more in enumerate(added):
        if monitor.step(part.observation(start.row + k, more)).verdict == 'contact':
            return k * part.period
    return np.nan


def _summed(
    kind: str, link: str, force: float, delays: Sequence[float], count: int
) -> Sensitivity:
    known = np.array([delay for delay in delays if np.isfinite(delay)])
    median, p95 = np.quantile(known, (0.5, 0.95)) if known.size else (np.nan, np.nan)
    share = known.size / len(delays) if delays else np.nan
    return Sensitivity(
        kind,
        link,
        force,
        len(delays),
        count - len(delays),
        known.size,
        share,
        float(median),
        float(p95),
    )


def adder(
    contacts: Sequence[ContactConfig], model: RobotModel
) -> Callable[[Seen, int], Array | None]:
    """Return what given contacts add to the effort of a row [N m]; ``None`` for nothing."""
    torque = ContactTorque(model)

    def added(part: Seen, row: int) -> Array | None:
        before, more = max(row - 1, 0), None
        for contact in contacts:
            since = float(part.time[before]) - contact.time
            size = rise(since, contact.duration, contact.ramp)
            if size:
                point = None if contact.point is None else np.array(contact.point)
                one = torque.torque(part.measured[before], contact.link, contact.vector, point)
                more = -size * one if more is None else more - size * one
        return more

    return added


def found_contacts(
    contacts: Sequence[ContactConfig], run: MonitorRun, parts: Sequence[Seen], model: RobotModel
) -> tuple[Found, ...]:
    """Return which of the given contacts a monitor found in a run with all of them."""
    rows = [(part, k) for part in parts for k in range(part.rows)]
    results = []
    for contact in contacts:
        end = contact.time + contact.duration
        during = (run.time >= contact.time) & (run.time <= end + AFTER) & (run.share >= 1.0)
        first = float(run.time[during][0]) - contact.time if during.any() else None
        late = np.flatnonzero(
            (run.time >= contact.time + 0.5 * contact.duration) & (run.time < end)
        )
        added = adder([contact], model)
        wrong = [run.torque[r] + more for r in late if (more := added(*rows[r])) is not None]
        error = float(np.sqrt(np.mean(np.square(wrong)))) if wrong else None
        size = float(np.linalg.norm(contact.vector))
        results.append(Found(run.kind, contact.link, contact.time, size, first, error))
    return tuple(results)
