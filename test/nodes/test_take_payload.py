"""A load that the monitor proposes is taken over by monitor and control when somebody says so."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from spun_node import SpunNode
from std_srvs.srv import Trigger
from test_digest import GRASPED, arguments

LONGEST = 60.0  # for anything to happen on a loaded machine [s]
ASKED = (*GRASPED[:-1], 'monitor.payload=ask', 'duration=100')


def test_in_real_time_a_load_is_taken_over_by_all_who_compute_with_it(graph: Any) -> None:
    out = graph.folder / 'out'
    late = ('safety.timeout=500', 'duration=2.5')  # a busy machine
    process = graph.launch(
        *arguments('yumi_collision', (*GRASPED, *late), out, '--composed', '--realtime')
    )
    process.wait(LONGEST)
    summary = json.loads((out / 'summary.json').read_text())
    (load,) = (event for event in summary['events'] if event['kind'] == 'load')
    assert load['taken']
    assert load['mass'] == pytest.approx(0.3, rel=0.1)
    takers = [line for line in graph.output.splitlines() if 'tool0_l, recognised' in line]
    assert sorted(re.findall(r'\[(\w+)\]: payload', '\n'.join(takers))) == [
        'control_simulation',
        'motion_planner',
    ]


class Operator(SpunNode):
    """Says that it is a load."""

    def __init__(self, domain: int):
        super().__init__('operator', domain)
        self.client = self._node.create_client(Trigger, '/collision_monitor/take_payload')
        self.begin()


def test_a_proposed_load_is_taken_over_on_request(
    graph: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    monkeypatch.setenv('FASTDDS_BUILTIN_TRANSPORTS', 'UDPv4')
    operator = Operator(int(graph.environment['ROS_DOMAIN_ID']))

    def ask() -> Any:
        future = operator.client.call_async(Trigger.Request())
        graph.wait_until(future.done, LONGEST)
        return future.result()

    try:
        launched = graph.launch(
            *arguments('yumi_collision', ASKED, graph.folder / 'out', '--composed')
        )
        graph.wait_until(operator.client.service_is_ready, LONGEST)
        graph.wait_until(lambda: 'call take_payload' in graph.output, LONGEST)
        assert 'recognised' not in graph.output
        answer = ask()
        assert answer.success, answer.message
        assert 'kg at tool0_l' in answer.message
        graph.wait_until(lambda: 'kg at tool0_l, recognised' in graph.output, LONGEST)
        again = ask()
        assert not again.success
        assert 'no load is proposed' in again.message
    finally:
        launched.kill()
        launched.wait()
        operator.close()
