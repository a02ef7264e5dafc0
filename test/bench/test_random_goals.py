"""Random goals at random moments, a short one: all answered, none lost, the limits kept."""

from __future__ import annotations

import pytest
import random_goals


def test_random_goals_are_answered_and_keep_to_the_limits(capsys: pytest.CaptureFixture) -> None:
    assert random_goals.main(['--quick']) == 0, capsys.readouterr().out
    shown = capsys.readouterr().out
    assert 'not answered 0, lost 0' in shown
    assert 'reaction [periods] median 1, largest 1' in shown
