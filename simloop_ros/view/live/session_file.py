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


class Deeds(msgspec.Struct, frozen=True):
    """What was done so far, beside wrenches.

    :ivar payloads: that were put into a hand.
    :ivar commands: stops and what followed them.
    :ivar unrepeatable: what a scenario cannot say; empty where there is nothing.
    """

    payloads: tuple[Payload, ...] = ()
    commands: tuple[AnyGoal, ...] = ()
    unrepeatable: str = ''


class Session(msgspec.Struct, frozen=True):
    """What was done in a run, as a scenario can say it.

    :ivar steps: of the run so far.
    :ivar wrenches: of grips and balls, by step.
    """

    scenario: Scenario
    steps: int
    wrenches: Mapping[int, Sequence[LinkWrench]]
    deeds: Deeds


def _all_wrenches(session: Session) -> dict[int, tuple[LinkWrench, ...]]:
    """Return those of persons, and those that the scenario repeats itself."""
    path, own = session.scenario.plant.wrenches, session.wrenches
    wrenches = read_wrenches(Path(path)) if path else {}
    earlier = {step: each for step, each in wrenches.items() if step < session.steps}
    return {
        step: (*own.get(step, ()), *earlier.get(step, ()))
        for step in dict.fromkeys([*own, *earlier])
    }


def write_session(folder: Path, session: Session) -> Path:
    """Write the scenario and its wrenches, and return the scenario's file.

    :raises StorageError: it cannot be written.
    """
    scenario, deeds, wrenches = session.scenario, session.deeds, _all_wrenches(session)
    plant = msgspec.structs.replace(
        scenario.plant, payloads=(*scenario.plant.payloads, *deeds.payloads), wrenches=''
    )
    repeated = msgspec.structs.replace(
        scenario,
        plant=plant,
        duration=session.steps * scenario.period,
        goals=(*scenario.goals, *deeds.commands),
    )
    raw = msgspec.json.decode(msgspec.json.encode(repeated))
    path = folder / SESSION
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if wrenches:
            write_wrenches(folder / WRENCHES, wrenches)
            raw['plant']['wrenches'] = WRENCHES
        path.write_text(yaml.safe_dump(raw, sort_keys=False), encoding='utf-8')
    except OSError as error:
        raise StorageError(f'{folder}: {error.strerror or error}') from error
    return path
