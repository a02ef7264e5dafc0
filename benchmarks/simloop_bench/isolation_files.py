"""Collisions as files, so that two versions of the package can judge the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from simloop_ros.collision.observation import Observation
from simloop_ros.core.values import Array, JointState

from .isolation_contacts import Collision


class Recorded(msgspec.Struct, frozen=True):
    """A collision as it was recorded; see ``Collision``.

    :ivar forces: of each step [N], shape ``(steps,)``.
    :ivar points: hit point in the world in each step [m], shape ``(steps, 3)``.
    """

    joint: int
    depth: int
    direction: Array
    first: int
    observations: list[Observation]
    forces: Array
    points: Array


def write_collisions(path: Path, collisions: Sequence[Collision]) -> None:
    """Write collisions of one robot as a compressed file of numpy."""
    rows = [_row(step.observation) for each in collisions for step in each.steps]
    steps = [step for each in collisions for step in each.steps]
    np.savez_compressed(
        path,
        facts=np.array([(c.joint, c.depth, c.first, len(c.steps)) for c in collisions]),
        directions=np.array([c.direction for c in collisions]),
        rows=np.array(rows),
        forces=np.array([step.force for step in steps]),
        points=np.array([step.point for step in steps]),
    )


def read_collisions(path: Path) -> list[Recorded]:
    """Read what ``write_collisions`` wrote."""
    with np.load(path) as file:
        facts, directions = file['facts'].tolist(), file['directions']
        rows, forces, points = file['rows'], file['forces'], file['points']
    found, begin = [], 0
    for (joint, depth, first, count), direction in zip(facts, directions, strict=True):
        own = slice(begin, begin + count)
        observations = [_observation(row) for row in rows[own]]
        found.append(
            Recorded(joint, depth, direction, first, observations, forces[own], points[own])
        )
        begin += count
    return found


def _row(seen: Observation) -> Array:
    state = seen.state
    values = seen.desired, seen.effort, seen.measured, state.position, state.velocity
    return np.array([seen.time, *np.concatenate((*values, seen.rollback_effort))])


def _observation(row: Array) -> Observation:
    desired, effort, measured, q, v, explained = row[1:].reshape(6, -1).copy()
    return Observation(float(row[0]), desired, effort, measured, JointState(q, v), explained)
