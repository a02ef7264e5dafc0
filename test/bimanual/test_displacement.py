"""The displacement of an object: how one that follows another adds to it."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from simloop_ros.bimanual.displacement import NO_DISPLACEMENT


def test_an_object_that_yields_twice_turns_about_its_own_axes_as_they_are_then() -> None:
    """A quarter turn about z, then one about x: the second about the axis that was turned."""
    planned, quarter = pin.exp3(np.array([0.3, -0.2, 0.5])), 0.5 * np.pi
    displaced = NO_DISPLACEMENT
    for turn in ([0.0, 0.0, quarter], [quarter, 0.0, 0.0]):
        deflection = np.array([0.0, 0.0, 0.0, *turn])
        displaced = displaced.deflected(deflection, planned, np.eye(3))
    expected = planned @ np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    np.testing.assert_allclose(displaced.axes(planned), expected, atol=1e-12)
