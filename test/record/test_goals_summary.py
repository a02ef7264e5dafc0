"""What became of goals, in words."""

from __future__ import annotations

from simloop_ros.record.goals_summary import goals_in_words


def test_goals_are_counted_by_state_and_the_first_refusal_is_told() -> None:
    states = ('reached', 'refused', 'done', 'replaced', 'reached', 'missed')
    goals = [{'state': state, 'reason': 'too far'} for state in states]
    assert goals_in_words(goals) == (
        '5 goals: 2 reached, 1 missed, 1 replaced, 1 refused: too far'
    )
    assert goals_in_words(goals[:1]) == '1 goal: 1 reached'
