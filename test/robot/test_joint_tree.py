"""The tree: two arms that share the base and nothing else."""

from __future__ import annotations

from simloop_ros.robot.chain import carried_link, chain, leaves


def test_an_arm_of_yumi_is_a_chain_of_seven(yumi):
    assert leaves(yumi) == [6, 13]
    assert chain(yumi, 6) == [6, 5, 4, 3, 2, 1, 0]
    assert chain(yumi, 9) == [9, 8, 7]
    assert [carried_link(yumi, joint) for joint in (0, 13)] == ['yumi_link_1_l', 'yumi_link_7_r']
