"""What a page has to know of a live run."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ...core.values import Array
from ...plants.config import HeldObject, Obstacle
from ...plants.overlap import object_start, turned
from ...record.facts import RunFacts
from ...robot.model import RobotModel
from ..description import Abilities, BodyDescription, Description
from .frames import BEAM, COLUMNS, SCALARS
from .live_run import LiveRun

PATH_POINTS = 200
"""Points of a path that is shown."""


def describe(run: LiveRun) -> Description:
    """Return the scene of a run that has not begun, and what a person can do in it."""
    facts = run.facts
    return Description(
        title=facts.scenario.name,
        model=facts.model,
        period=facts.scenario.period,
        duration=facts.steps * facts.scenario.period,
        bodies=bodies_of(facts),
        goals=facts.goals,
        paths=paths_of(facts),
        columns=COLUMNS,
        scalars=SCALARS,
        keys=run.keys.keys,
        abilities=Abilities(
            live=True,
            pauses=True,
            grips=True,
            steps=True,
            rewinds=True,
            throws=True,
            payloads=run.carries,
            loads=True,
            records=True,
        ),
        notes=facts.notes,
    )


def bodies_of(facts: RunFacts) -> tuple[BodyDescription, ...]:
    """Return the obstacles of a run, and the object of two hands."""
    plant = facts.scenario.plant
    bodies = tuple(_obstacle(each) for each in facts.scenario.obstacles)
    return bodies if plant.object is None else (*bodies, _beam(facts.model, plant.object))


def paths_of(facts: RunFacts) -> tuple[Array, ...]:
    """Return the paths that the tips shall take [m], shape ``(points, 3)`` each."""
    course = facts.course
    if course is not None:
        return (course.points(np.linspace(0.0, course.duration, PATH_POINTS)),)
    if facts.goals is None:
        return ()
    starts = facts.model.tip_positions(facts.model.home)
    return tuple(np.stack(ends) for ends in zip(starts, facts.goals, strict=True))


def _obstacle(obstacle: Obstacle) -> BodyDescription:
    position = np.array(obstacle.position)
    size: dict[str, tuple[float, ...]] = {
        'plane': (),
        'box': tuple(obstacle.size),
        'sphere': (obstacle.radius,),
        'cylinder': (obstacle.radius, obstacle.height),
    }
    turn = _wxyz(turned(obstacle))
    return BodyDescription(obstacle.name, obstacle.kind, size[obstacle.kind], position, turn)


def _beam(model: RobotModel, beam: HeldObject) -> BodyDescription:
    place = object_start(model, beam)
    size = (beam.width, beam.length, beam.width)
    return BodyDescription(
        BEAM, 'box', size, place.translation, _wxyz(pin.Quaternion(place.rotation)), carried=True
    )


def _wxyz(turn: pin.Quaternion) -> Array:
    return np.array([turn.w, turn.x, turn.y, turn.z])
