"""Postures of SRDF files: those of the robot, and what is wrong with others."""

from __future__ import annotations

from pathlib import Path

import pytest

from simloop_ros.core.errors import ModelError
from simloop_ros.robot.srdf import read_semantics

STATE = (
    '<group_state name="{name}" group="g"><joint name="{joint}" value="{value}"/></group_state>'
)


@pytest.fixture
def urdf(tmp_path: Path) -> Path:
    path = tmp_path / 'arm.urdf'
    path.write_text('<robot name="arm"><joint name="turn" type="revolute"/></robot>')
    return path


def srdf(urdf: Path, *states: str) -> list[Path]:
    path = urdf.with_suffix('.srdf')
    path.write_text(f'<robot name="arm">{"".join(states)}</robot>')
    return [path]


def test_a_posture_of_another_robot_is_told_apart(urdf: Path) -> None:
    own = STATE.format(name='up', joint='turn', value='1.5')
    found = read_semantics(srdf(urdf, own, STATE.format(name='p', joint='x', value='1')), urdf)
    assert (found.postures, found.foreign) == ({'up': {'turn': 1.5}}, ('p',))


def test_a_value_in_words_is_refused(urdf: Path) -> None:
    state = STATE.format(name='up', joint='turn', value='high')
    with pytest.raises(ModelError, match="posture up of the SRDF file: turn is at 'high'"):
        read_semantics(srdf(urdf, state), urdf)
