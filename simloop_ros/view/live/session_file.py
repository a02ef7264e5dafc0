"""A session as files that ``simloop run`` repeats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import yaml

from ...core.errors import StorageError
from ...goals.goal import AnyGoal
from ...plants.applied_wrenches import LinkWrench, read_wrenches, write_wrenches
from ...robot.config import Payload
from ...scenario.scenario import Scenario

SESSION, WRENCHES = 'session.yaml', 'wrenches.csv'
"""The scenario, and what persons did to the robot, beside it."""


class Session(msgspec.Struct, frozen=True):
    """What was done in a run, as a scenario can say it.

    :ivar duration: of the run so far [s].
    :ivar wrenches: of grips and balls, by step.
    :ivar payloads: that were put into a hand.
    :ivar commands: pauses and resumes of the motion.
    """

    scenario: Scenario
    duration: float
    wrenches: Mapping[int, Sequence[LinkWrench]]
    payloads: tuple[Payload, ...]
    commands: tuple[AnyGoal, ...]


def earlier_wrenches(scenario: Scenario, steps: int) -> dict[int, tuple[LinkWrench, ...]]:
    """Return the wrenches that a scenario repeats itself, of so many steps."""
    path = scenario.plant.wrenches
    wrenches = read_wrenches(Path(path)) if path else {}
    return {step: each for step, each in wrenches.items() if step < steps}


def write_session(folder: Path, session: Session) -> Path:
    """Write the scenario and its wrenches, and return the scenario's file.

    :raises StorageError: it cannot be written.
    """
    scenario = session.scenario
    plant = msgspec.structs.replace(
        scenario.plant, payloads=(*scenario.plant.payloads, *session.payloads), wrenches=''
    )
    repeated = msgspec.structs.replace(
        scenario,
        plant=plant,
        duration=session.duration,
        goals=(*scenario.goals, *session.commands),
    )
    raw = msgspec.json.decode(msgspec.json.encode(repeated))
    path = folder / SESSION
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if session.wrenches:
            write_wrenches(folder / WRENCHES, session.wrenches)
            raw['plant']['wrenches'] = WRENCHES
        path.write_text(yaml.safe_dump(raw, sort_keys=False), encoding='utf-8')
    except OSError as error:
        raise StorageError(f'{folder}: {error.strerror or error}') from error
    return path
