"""What a run shows about robot, hands and object, in words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pinocchio as pin

from ..core.values import Array, Flags
from ..plants.config import OBJECT, Hand
from ..robot.model import RobotModel, link_positions
from .clearance import clearance
from .columns import TRUE_POSITION
from .events import follows_disturbance, is_disturbed
from .evidence import Evidence
from .goals_summary import goals_in_words
from .guided_summary import TRUE_EXTERNAL
from .model_mismatch import ModelMismatch, find_mismatch
from .touches import untouched
from .wording import effort_unit, length

TOUCH_MARGIN = 0.05
"""Time before and after a touch that says nothing about the model [s]."""
UNEXPLAINED = 0.01
"""Share of the largest effort up to which a force difference is explained by the model."""
ROUNDING = 1e-9
"""Share of the largest effort up to which a force difference is rounding."""
MOST_POSTURES = 50
"""Number of postures in which the distance from obstacles is looked at."""
MOST_ROWS = 5000
"""Number of rows from which the path and the force of a hand are taken."""
LEAST_MOBILITY = 0.05
"""Singular value of the hands' Jacobian below which their force does not follow from torques."""


def find_lines(evidence: Evidence) -> Iterator[str]:
    """Yield what was found, one line each."""
    scenario = evidence.facts.scenario
    if 'goals' in evidence.results:
        yield goals_in_words(evidence.results['goals'])
    if scenario.plant.hands and evidence.facts.simulated:
        yield _guided(evidence)
    if 'internal_force_peak' in evidence.results:
        yield _held(evidence)
    if scenario.obstacles and evidence.facts.simulated and not evidence.touches:
        yield _untouched(evidence)
    if scenario.planner.kind == 'guiding' and not evidence.touches:
        yield _drift(evidence)
    if scenario.plant.takes == 'effort':
        yield from _model(evidence)


def _untouched(evidence: Evidence) -> str:
    log, obstacles = evidence.log, evidence.facts.scenario.obstacles
    rows = log.read(stride=max(1, log.rows // MOST_POSTURES))[:, TRUE_POSITION]
    distance = clearance(evidence.facts.model, obstacles, rows)
    near = '' if distance is None else f': the nearest obstacle stayed {distance:.2g} m away'
    return f'nothing was touched{near}'


def _drift(evidence: Evidence) -> str:
    model, log = evidence.facts.model, evidence.log
    last = log.read(log.rows - 1)[0, TRUE_POSITION]
    way = np.abs(last - model.home)
    joint = int(way.argmax())
    unit = model.joint_units[joint]
    return f'{model.joint_names[joint]} drifted by {way[joint]:.3g} {unit}; nothing touched it'


def _guided(evidence: Evidence) -> str:
    """Return how far the robot moved in the hands, with which force and energy."""
    facts, log = evidence.facts, evidence.log
    hands = facts.scenario.plant.hands
    stride = max(1, log.rows // MOST_ROWS)
    rows = log.read(stride=stride)
    times = (1.0 + stride * np.arange(len(rows))) * evidence.period
    led = []
    for hand in hands:
        held = (times >= hand.start) & (times <= (np.inf if hand.end is None else hand.end))
        points = link_positions(facts.model.pin_model, hand.link, rows[held][:, TRUE_POSITION])
        way = np.linalg.norm(points - points[:1], axis=1).max(initial=0.0)
        led.append(f'{hand.link} by {length(way)}')
    who = 'a hand' if len(hands) == 1 else f'{len(hands)} hands'
    words = f'{who} moved {" and ".join(led)}{_kept(evidence)}'
    if 'guiding_energy' not in evidence.results:
        return words
    force = largest_hand_force(facts.model, hands, rows)
    words += '' if force is None else f', with up to {force:.2g} N'
    return f'{words}, and gave the robot {evidence.results["guiding_energy"]:.2g} J'


def _kept(evidence: Evidence) -> str:
    """Return how far the tips went from where a robot that holds its posture shall keep them."""
    model, scenario = evidence.facts.model, evidence.facts.scenario
    keep = scenario.admittance.keep
    if keep == 'none' or scenario.planner.kind != 'hold' or not model.tips:
        return ''
    wanted, data = model.frame_poses(model.home, model.tips), model.pin_model.createData()
    way = angle = 0.0
    for block in evidence.log.chunks():
        for q in block[:, TRUE_POSITION]:
            pin.framesForwardKinematics(model.pin_model, data, q)
            for place, frame in zip(wanted, model.tip_frames, strict=True):
                away = place.actInv(data.oMf[frame])
                way = max(way, float(np.linalg.norm(away.translation)))
                angle = max(angle, float(np.linalg.norm(pin.log3(away.rotation))))
    turned = f' and {np.degrees(angle):.2g} degrees' if keep == 'pose' else ''
    return f' while {" and ".join(model.tips)} stayed within {length(way)}{turned}'


def largest_hand_force(model: RobotModel, hands: tuple[Hand, ...], rows: Array) -> float | None:
    """Return the largest force of a hand [N], from the true external torques ``J^T f``.

    ``None`` if it does not follow from them, at a singular posture for instance.

    :param rows: of the log of a guided robot, shape ``(rows, columns, n)``.
    """
    data, largest = model.pin_model.createData(), 0.0
    for row in rows:
        torque = row[TRUE_EXTERNAL]
        if not torque.any():
            continue
        jacobian = np.concatenate([_jacobian(model, data, row[TRUE_POSITION], h) for h in hands])
        force, _, rank, sizes = np.linalg.lstsq(jacobian.T, torque, rcond=None)
        if rank < len(jacobian) or sizes[-1] < LEAST_MOBILITY:
            return None
        largest = max(largest, float(np.linalg.norm(force.reshape(-1, 3), axis=1).max()))
    return largest


def _jacobian(model: RobotModel, data: pin.Data, q: Array, hand: Hand) -> Array:
    """Return the Jacobian of the point that a hand holds, in world axes, shape ``(3, n)``."""
    frame = model.frame(hand.link)
    axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    full = pin.computeFrameJacobian(model.pin_model, data, q, frame, axes)
    arm = data.oMf[frame].rotation @ np.array(hand.point)
    jacobian: Array = full[:3] - pin.skew(arm) @ full[3:]
    return jacobian


def _held(evidence: Evidence) -> str:
    """Return what the hands did with the object."""
    results = evidence.results
    touched = results.get('touched')
    if touched is None:
        return 'the hands touched nothing'
    words = [f'touched the object at {evidence.moment(touched)}']
    words.append(f'internal force up to {results["internal_force_peak"]:.3g} N')
    settling = results.get('internal_force_settling')
    if settling is not None:
        again = is_disturbed(evidence.events, touched, touched + settling)
        if not again:
            words.append(f'settled after {evidence.moment(settling)}')
        elif follows_disturbance(evidence.events, touched + settling):
            words.append(f'settled again at {evidence.moment(touched + settling)}')
    if 'squeeze_error_max' in results:
        words.append(f'while carried at most {results["squeeze_error_max"]:.2g} N off')
    if 'object_error_max' in results:
        words.append(f'the object at most {length(results["object_error_max"])} off its path')
    pushes = [
        float(event['time'])
        for event in evidence.events
        if event['kind'] == 'push_start' and event['link'] == OBJECT
    ]
    if pushes:
        words.append(f'pushed at {evidence.moment(pushes[0])}')
    if results.get('dropped') is not None:
        words.append(f'dropped at {evidence.moment(results["dropped"])}')
    return ', '.join(words)


def _model(evidence: Evidence) -> Iterator[str]:
    """Yield whether the model explains the motion, or which error of it does."""
    facts, results = evidence.facts, evidence.results
    until = min([_lost(evidence), results.get('touched') or np.inf])

    def free(times: Array) -> Flags:
        return untouched(evidence.touches, times, TOUCH_MARGIN) & (times < until - TOUCH_MARGIN)

    mismatch = find_mismatch(facts.model, evidence.log, evidence.period, free)
    words = '' if mismatch is None else mismatch_words(mismatch, facts.model)
    if words:
        yield words
        return
    largest = results['force_difference_max']
    efforts = max(results['effort_max'])
    if largest <= ROUNDING * efforts:
        yield 'the model explains the motion: no force difference but rounding'
    elif largest <= UNEXPLAINED * efforts:
        unit = effort_unit(facts.model.joint_units)
        yield f'the model explains the motion: force difference at most {largest:.2g} {unit}'


def _lost(evidence: Evidence) -> float:
    """Return the time from which on the robot is not moved by its efforts alone [s]."""
    stops = [float(event['time']) for event in evidence.events if event['kind'] == 'stop']
    brakes = [stop.start for stop in evidence.facts.scenario.plant.stops]
    return min([*stops, *brakes], default=np.inf)


def mismatch_words(mismatch: ModelMismatch, model: RobotModel) -> str:
    """Return how the robot differs from its model, in words; empty if it does not."""
    words = []
    if mismatch.mass is not None:
        percent = 100.0 * mismatch.mass
        share = abs(percent)
        about = f'{share:.2g}' if share < 100.0 else f'{float(f"{share:.2g}"):.0f}'
        word = f'is about {about} % {"heavier" if percent > 0.0 else "lighter"}'
        words.append(f'{word} than its model{_uncertain(percent, mismatch.mass_uncertainty)}')
    if mismatch.friction:
        values = sorted(mismatch.friction.values())
        low, high = f'{values[0]:.2g}', f'{values[-1]:.2g}'
        size = high if low == high else f'{low} to {high}'
        words.append(
            f'has friction of {size} {effort_unit(model.joint_units)} that its model does not '
            f'know, in {len(values)} of {model.n} joints'
        )
    return f'the robot {", and ".join(words)}' if words else ''


def _uncertain(percent: float, uncertainty: float | None) -> str:
    """Return a percentage with what it is uncertain by, to as many digits as that allows."""
    if uncertainty is None:
        return ''
    sure = max(100.0 * uncertainty, 0.01)
    digits = int(np.clip(np.ceil(-np.log10(sure)), 0, 2))
    return f' ({percent:.{digits}f} +- {sure:.{digits}f} %)'
