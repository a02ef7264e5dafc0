"""The semaphore: while both arms hold the object, no arm moves by itself."""

from __future__ import annotations

import pytest

from simloop_ros.bimanual.guard import Guard
from simloop_ros.core.errors import GoalError


def test_single_arms_move_only_while_free() -> None:
    guard = Guard()
    guard.refuse_single('task 1 (jog)')
    guard.acquire('task 2 (grasp)')
    assert guard.held
    with pytest.raises(GoalError, match=r'task 3 \(jog\): both arms hold .* task 2 \(grasp\)'):
        guard.refuse_single('task 3 (jog)')
    guard.release('task 4 (release)')
    guard.refuse_single('task 5 (jog)')


def test_it_is_held_once() -> None:
    guard = Guard()
    guard.acquire('task 1 (grasp)')
    with pytest.raises(GoalError, match=r'task 2 \(grasp\): .* second one'):
        guard.acquire('task 2 (grasp)')
    assert guard.holder == 'task 1 (grasp)'
    guard.release('task 3 (release)')
    with pytest.raises(GoalError, match=r'task 4 \(release\): the hands do not hold'):
        guard.release('task 4 (release)')


def test_the_object_moves_only_while_held() -> None:
    guard = Guard()
    with pytest.raises(GoalError, match=r'task 1 \(move\): .* put a grasp before it'):
        guard.refuse_free('task 1 (move)')
    guard.acquire('task 2 (grasp)')
    guard.refuse_free('task 3 (move)')
