"""A robot that is fit for control is the one of its description, which is read once."""

from __future__ import annotations

import msgspec
import pytest

from simloop_ros.core.resources import resource_folder
from simloop_ros.robot import urdf
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.loading import load_robot
from simloop_ros.scenario.robot_files import robot_config


def test_the_check_changes_nothing() -> None:
    """A joint that is locked twice would be turned twice."""
    config = msgspec.structs.replace(
        robot_config('two_link'), lock=('joint2',), home={'joint2': 0.4}
    )
    assert load_fit_robot(config).urdf == load_robot(config, resource_folder('urdf')).urdf


def test_macros_are_expanded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    expand, calls = urdf.expand_xacro, []
    monkeypatch.setattr(urdf, 'expand_xacro', lambda path: calls.append(path) or expand(path))
    load_fit_robot(robot_config('irb120'))
    assert len(calls) == 1
