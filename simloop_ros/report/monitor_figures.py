"""What the collision monitor saw in a run: its residuals again, from the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
import msgspec
import numpy as np

from ..collision.config import MonitorConfig
from ..collision.detector import build_detector
from ..collision.observation import Observation
from ..collision.wrist_torque import WristTorque
from ..core.values import Array, JointState
from ..record.folder import HANDS_LOG
from ..record.mcap import McapReader, read_mcap
from ..record.wording import effort_unit
from ..robot.config import RobotConfig
from ..robot.fit_robot import load_fit_robot
from .drawing import RED, Mark, draw_marks, empty_figure, finite, head, readable, shortened
from .joint_figures import COLOURS

LEAST_SHARE = 1e-2
"""Share of a threshold that is drawn at least: the axis is logarithmic."""
EFFORTS = {'N m': 'torque', 'N': 'force'}
"""Unit of an effort -> what it is called; a robot may have both kinds of joints."""
ALL_JOINTS = 'dimgrey'
"""Colour of what belongs to no single joint: none of ``COLOURS``."""
JOINTS_SHOWN = 7
"""Number of joints whose torque is drawn: those with the largest."""


class MonitorCurves(msgspec.Struct, frozen=True):
    """The readings of a collision monitor; ``rows`` steps.

    :ivar monitor: its kind.
    :ivar time: [s], shape ``(rows,)``.
    :ivar share: largest residual as a share of its threshold, shape ``(rows,)``; from 1 on there
        is a contact; NaN where a step was not judged.
    :ivar torque: estimated external torque [N m], shape ``(rows, n)``.
    :ivar unit: of it: another one for joints that slide.
    """

    monitor: str
    unit: str
    joint_names: tuple[str, ...]
    time: Array
    share: Array
    torque: Array


def monitor_curves(folder: Path, summary: Mapping[str, Any]) -> MonitorCurves:
    """Return what the monitor of a run read: the same monitor, given the steps of the log.

    :raises ConfigError: its calibration is no longer there.
    """
    settings, period = summary['settings'], summary['period']
    config = msgspec.convert(settings['monitor'], MonitorConfig)
    model = load_fit_robot(msgspec.convert(settings['robot'], RobotConfig))
    monitor = build_detector(config, model, period).monitor
    log = read_mcap(folder / 'log.mcap')
    names = (
        'desired_position',
        'effort',
        'measured_position',
        'position',
        'velocity',
        'rollback_effort',
    )
    wrist = None
    if (folder / HANDS_LOG).exists():
        wrist = WristTorque(model, settings['bimanual']['tare_time'], period)
        hands = np.concatenate(list(McapReader(folder / HANDS_LOG).chunks()))
    shares, torques = [], []
    for row, values in enumerate(zip(*(log.column(name) for name in names), strict=True)):
        desired, effort, measured, q, v, explained = values
        time = (row + 1) * period
        seen = Observation(time, desired, effort, measured, JointState(q, v), explained)
        reading = monitor.step(seen if wrist is None else wrist.explain(seen, hands[row, :2]))
        shares.append(np.nan if reading.verdict == 'unknown' else 1.0 - reading.margin)
        torques.append(reading.torque)
    unit = effort_unit(model.joint_units)
    return MonitorCurves(
        config.kind, unit, model.joint_names, log.time, np.array(shares), np.array(torques)
    )


def draw_residual(curves: MonitorCurves, title: str, events: Sequence[Mark] = ()) -> Figure:
    """Draw the largest share of a threshold, and the torques that are estimated."""
    figure, (share, torque) = empty_figure(2, 1, 2.4)
    shown = np.maximum(finite(curves.share), LEAST_SHARE)
    share.plot(curves.time, shown, color=ALL_JOINTS, lw=1)
    if np.isnan(curves.share).any():
        share.set_title('gaps: not judged', loc='right', fontsize=8, color='dimgrey', pad=3)
    share.axhline(1.0, color=RED, lw=1.2, ls='--')
    share.set_yscale('log')
    share.set_ylim(bottom=LEAST_SHARE, top=max(10.0, share.get_ylim()[1]))
    share.set_ylabel('largest residual / threshold', fontsize=9)
    share.annotate(
        'contact',
        (1.0, 1.0),
        xycoords=('axes fraction', 'data'),
        xytext=(-3, 2),
        textcoords='offset points',
        ha='right',
        color=RED,
        fontsize=8,
    )
    values = finite(curves.torque)
    largest = np.fmax.reduce(np.abs(values), axis=0, initial=0.0)
    for i, joint in enumerate(np.argsort(-largest, kind='stable')[:JOINTS_SHOWN]):
        name = shortened(curves.joint_names[joint])
        torque.plot(curves.time, values[:, joint], color=COLOURS[i], lw=1.2, label=name)
    effort = EFFORTS.get(curves.unit, 'force or torque')
    torque.set_ylabel(f'external {effort} [{curves.unit}]', fontsize=9)
    above = []
    for ax in (share, torque):
        ax.set_xlabel('time [s]', fontsize=9)
        ax.grid(alpha=0.3, lw=0.5)
        ax.tick_params(labelsize=8)
        if len(curves.time) > 1:
            ax.set_xlim(0.0, float(curves.time[-1]))
        above.append(draw_marks(ax, readable(events, curves.time), labelled=ax is share))
    kind = curves.monitor.replace('_', ' ')
    seen = f'Collisions: residual of the {kind} against its threshold, and estimated {effort}'
    head(figure, *torque.get_legend_handles_labels(), seen, title, above=above[0])
    return figure
