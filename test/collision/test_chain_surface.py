"""The surface of a chain: what is hidden in a posture is not touched."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.collision.chain_surface import (
    LINK_SAMPLES,
    TOUCHABLE_SHARE,
    ChainSurface,
    LinkFrames,
)
from simloop_ros.collision.link_surface import link_surfaces


@pytest.fixture(scope='module')
def surfaces(yumi):
    return link_surfaces(yumi)


@pytest.fixture(scope='module')
def arm(yumi, surfaces):
    return ChainSurface(yumi, 6, surfaces)


def test_it_has_the_links_of_one_arm(arm):
    assert arm.joints == [6, 5, 4, 3, 2, 1, 0]
    assert arm.columns.tolist() == [0, 1, 2, 3, 4, 5, 6]
    np.testing.assert_array_equal(arm.moved[:, 0], np.tri(7)[::-1])
    assert arm.links.tolist() == sorted(arm.links)
    assert arm.homes.tolist() != sorted(arm.homes)  # groups are in no order within a link


def test_a_hidden_surface_is_hidden(yumi, arm, surfaces):
    """The ball of the hand is partly inside that of the wrist, in every posture."""
    data, rng = yumi.pin_model.createData(), np.random.default_rng(3)
    hand = (arm.links == 0).nonzero()[0]
    covered = 0
    for _ in range(3):
        q = yumi.home + rng.uniform(-0.5, 0.5, yumi.n)
        pin.forwardKinematics(yumi.pin_model, data, q)
        found = arm.hides(hand, LinkFrames.of(arm.places(data)))
        inside = np.array(
            [
                any(
                    surfaces[other].holds(data.oMi[other + 1].actInv(data.oMi[7]).act(point))
                    for other in range(6)
                )
                for point in arm.points[hand]
            ]
        )
        covered += inside.sum()
        # The flat pieces between the directions hide a little more than the ball.
        assert not (inside & ~found).any()
        assert found.sum() - inside.sum() <= 10
    assert covered > 0


def test_what_is_never_free_is_left_out(arm):
    """Between wrist and hand: fewer pieces than were sampled, and all of them free somewhere."""
    counts = np.bincount(arm.links)
    assert counts.max() <= LINK_SAMPLES
    assert counts[0] < LINK_SAMPLES
    touchable = 1.0 / arm.shares
    assert (touchable <= counts).all()
    assert (touchable >= TOUCHABLE_SHARE * counts).all()
