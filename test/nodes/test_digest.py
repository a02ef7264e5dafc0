"""The graph gives bit for bit the log of the loop in one process, whatever happens between."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
import json
from pathlib import Path
import sys
import tempfile
import time
from typing import Any

import msgspec
import pytest

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.record.verdict import EXIT_STATUS
from simloop_ros.ros.launch.supervisor import Program
from simloop_ros.ros.launch.wiring import NodeSpec, WiringOptions, wire
from simloop_ros.scenario.loading import load_scenario

LONGEST = 120.0  # a run of a second or two, on a busy machine [s]
STEPS = 240  # per run: several times what goes ahead or waits for somebody
PERIODS = (1 / 200, 1 / 2000)
SCENARIOS = (
    'sphere_step',
    'sphere_guiding',
    'yumi_step',
    'yumi_offline',
    'irb120_rectangle',
    'lwr_repeat',
)
OFTEN = {'yumi_step', 'yumi_offline'}  # run by other tests of this file, with more settings
GOALS = (  # of most kinds, in 3 s
    'goals=[{at: 0.1, do: joints, positions: {joint_1: 0.3}}, '
    '{at: 0.3, do: pose, position: [0.35, 0.1, 0.4]}, {at: 0.4, do: pose, position: [3, 0, 0]}, '
    '{at: 0.5, do: pause}, {at: 0.8, do: resume}, {at: 1.5, do: jog, linear: [0, 0, 0.1]}, '
    '{at: 1.8, do: named, name: home}]',
    'planner.kind=hold',
    'duration=3',
)
GUIDING = ('lwr_guiding', 'lwr_finger', 'lwr_full_body', 'lwr_tcp', 'lwr_teach', 'yumi_guiding')
HELD = ('workerbot_carry', 'yumi_carry', 'workerbot_grip')
TASKS = (  # shorter than those of the scenarios: 0.7 s
    '{do: approach, path: cp, clearance: 0.005, durations: [0.15]}, '
    '{do: grasp, squeeze: 20, durations: [0.15]}, {do: hold, duration: 0.1}, '
    '{do: move, by: [0.01, 0, 0.02], turn: [0, 0, 0.05], duration: 0.25}'
)
# So short, the tasks are faster than YuMi's leash allows for.
CARRIED = (f'bimanual.tasks=[{TASKS}]', 'bimanual.leash=500', 'rest=0.05', 'seed=7')
ALL_OF = {  # two hands: whole scenarios, but for what is only waiting
    **dict.fromkeys(('workerbot_hold', 'workerbot_uneven', 'yumi_hold'), ('duration=1.4',)),
    'workerbot_free': (),
    **dict.fromkeys(HELD, CARRIED),
}
LED = ('duration=0.8', 'plant.noise=1e-6', 'plant.mass_bias=0.02', 'seed=7')  # hands since 0.5 s
LONG = pytest.mark.long
DISTURBED = ('plant.mass_bias=0.1', 'plant.noise=1e-5', 'seed=7')
HANDS = {'wrist_wrenches', 'true_wrist_wrenches', 'object_state'}
SENSORS = HANDS | {'measured_torque'}
MEASURED = ('monitor.signal=measured', 'plant.torque_sensors={noise: 0.05}')
RELAYED = {  # name: settings, and topics on which nothing is said
    **{
        name: (
            (*DISTURBED, 'period=0.005', 'duration=1.2'),
            {'contacts', 'collision', 'true_external_torque'} | SENSORS,
        )
        for name in SCENARIOS
    },
    'sphere_collision': (
        # The sphere, 0.1 m in radius, is stopped by the ceiling on its way, and goes back.
        (
            *('planner.acceleration=1', 'monitor.reaction=retreat', 'plant.noise=1e-12'),
            *('period=0.005', 'duration=1.2'),
        ),
        {'true_external_torque'} | SENSORS,
    ),
    'yumi_guiding': (('admittance.source=observer', *LED), {'contacts'} | SENSORS),
    'lwr_guiding': ((*MEASURED, *LED), {'contacts'} | HANDS),
    'lwr_tcp': (('admittance.source=truth', *LED), {'contacts'} | SENSORS),
    'workerbot_carry': (
        CARRIED,
        {'contacts', 'collision', 'true_external_torque', 'true_joint_states', 'measured_torque'},
    ),
}
GRASPED = (  # a load that only the simulated robot knows of
    *('plant.obstacles=[]', 'plant.engine=pinocchio', 'monitor.reaction=none', 'duration=1.6'),
    'plant.payloads=[{at: 0.3, mass: 0.3, tip: tool0_l, centre: [0, 0, 0.03]}]',
    *('monitor.adapt=true', 'monitor.payload=take'),
)
RELAYED['yumi_collision'] = (GRASPED, {'contacts', 'true_external_torque'} | SENSORS)
TIMES = ('real_time_factor', 'step_cost_us')  # all that a summary may differ in

RELAY = Path(__file__).with_name('relay.py')
JOINTS = 'sensor_msgs:JointState'
PUBLISHED = {
    'motion_planner': {'desired_joint_states': JOINTS},
    'admittance': {'desired_joint_states': JOINTS},
    'bimanual': {'desired_joint_states': JOINTS, 'path_corrections': JOINTS},
    'control_simulation': {'effort_command': JOINTS, 'control_state': JOINTS},
    'plant': {
        'joint_states': JOINTS,
        'true_joint_states': JOINTS,
        'true_external_torque': JOINTS,
        'contacts': 'diagnostic_msgs:DiagnosticArray',
        **dict.fromkeys(sorted(SENSORS), JOINTS),
    },
    'collision_monitor': {
        'external_torque': JOINTS,
        'collision': 'diagnostic_msgs:DiagnosticArray',
    },
    'recorder': {'recorded': 'std_msgs:Header'},
}


def but_one_long(values: Sequence[Any], one: Any) -> list[Any]:
    """Return parameters of which only one is for ``make test``, the others for test-graph."""
    return [value if value == one else pytest.param(value, marks=LONG) for value in values]


def shortened(period: float, steps: int = STEPS) -> tuple[str, ...]:
    return f'period={period}', f'duration={steps * period}'


@cache
def expected(name: str, *settings: str) -> dict[str, Any]:
    """Return the summary of the run in this process."""
    with tempfile.TemporaryDirectory() as folder:
        run(assemble(load_scenario(name, settings)), Path(folder), time.perf_counter)
        return comparable(Path(folder))


def comparable(folder: Path) -> dict[str, Any]:
    summary = json.loads((folder / 'summary.json').read_text())
    return {key: value for key, value in summary.items() if key not in TIMES}


def assert_ended(graph: Any, process: Any, out: Path) -> None:
    """Check that a graph ends with the exit status of its run."""
    status = process.wait(LONGEST)
    assert (out / 'summary.json').exists(), graph.output
    assert status == EXIT_STATUS[comparable(out)['status']] < EXIT_STATUS['interrupted']


def arguments(name: str, settings: tuple[str, ...], out: Path, *more: str) -> list[str]:
    given = [word for setting in settings for word in ('--set', setting)]
    return [name, *given, '--out', str(out), '--no-figures', *more]


def nodes_of(name: str, settings: tuple[str, ...], out: Path) -> tuple[NodeSpec, ...]:
    return wire(load_scenario(name, settings), WiringOptions(out=str(out), figures=False))


def summary_of_graph(
    graph: Any, name: str, settings: tuple[str, ...], *, composed: bool
) -> dict[str, Any]:
    """Run the nodes that ``simloop launch`` starts; return their summary but for its times."""
    out = graph.folder / 'out'
    programs = graph.programs(nodes_of(name, settings, out), composed=composed)
    process = graph.start(*programs[0].command) if composed else graph.supervise(programs)
    assert_ended(graph, process, out)
    return comparable(out)


@pytest.mark.parametrize(
    'composed', [pytest.param(False, marks=LONG), True], ids=['distributed', 'composed']
)
def test_goals_of_a_list_give_the_log_of_the_loop(graph: Any, composed: bool) -> None:
    settings = (*DISTURBED, *GOALS)
    found = summary_of_graph(graph, 'irb120_rectangle', settings, composed=composed)
    assert found == expected('irb120_rectangle', *settings)
    states = [goal['state'] for goal in found['goals']]
    assert states[0] == 'replaced'
    assert states[2:5] == ['refused', 'done', 'done']
    assert states[-1] == 'reached'


@pytest.mark.parametrize(
    'composed', [pytest.param(False, marks=LONG), True], ids=['distributed', 'composed']
)
@pytest.mark.parametrize('period', but_one_long(PERIODS, PERIODS[0]))
@pytest.mark.parametrize(
    'name',
    [pytest.param(name, marks=LONG) if name in OFTEN else name for name in SCENARIOS],
)
def test_the_graph_gives_the_log_of_the_loop(
    graph: Any, name: str, period: float, composed: bool
) -> None:
    settings = (*DISTURBED, *shortened(period))
    summary = summary_of_graph(graph, name, settings, composed=composed)
    assert summary == expected(name, *settings)


@pytest.mark.parametrize(
    'composed', [pytest.param(False, marks=LONG), True], ids=['distributed', 'composed']
)
@pytest.mark.parametrize('law', but_one_long(['computed_torque', 'pd_gravity', 'pid'], 'pid'))
def test_every_control_law_is_the_same_in_the_graph(graph: Any, law: str, composed: bool) -> None:
    settings = (*DISTURBED, f'control.law={law}', *shortened(PERIODS[0]))
    summary = summary_of_graph(graph, 'yumi_offline', settings, composed=composed)
    assert summary == expected('yumi_offline', *settings)


@pytest.mark.parametrize(
    'composed', [pytest.param(False, marks=LONG), True], ids=['distributed', 'composed']
)
def test_a_payload_is_picked_up_alike_in_the_graph(graph: Any, composed: bool) -> None:
    settings = (
        'robot.payloads=[{at: 0.3, mass: 0.3, tip: tool0_l}, {at: 0.8, mass: 0, tip: tool0_l}]',
        *DISTURBED,
        *shortened(PERIODS[0]),
    )
    summary = summary_of_graph(graph, 'yumi_step', settings, composed=composed)
    assert summary == expected('yumi_step', *settings)
    assert summary['digest'] != expected('yumi_step', *settings[1:])['digest']


@pytest.mark.parametrize(
    'composed', [pytest.param(False, marks=LONG), True], ids=['distributed', 'composed']
)
@pytest.mark.parametrize('reaction', but_one_long(['stop', 'float', 'comply'], 'comply'))
def test_a_collision_is_the_same_in_the_graph(graph: Any, reaction: str, composed: bool) -> None:
    """A ball hits one arm, which reacts: contacts, alarms, what follows."""
    pytest.importorskip('pybullet')
    settings = (f'monitor.reaction={reaction}', 'duration=0.6')
    summary = summary_of_graph(graph, 'yumi_collision', settings, composed=composed)
    assert 'collision' in {event['kind'] for event in summary['events']}
    assert summary == expected('yumi_collision', *settings)


@LONG
def test_wrists_that_hold_nothing_are_told_alike_in_the_graph(graph: Any) -> None:
    """Their noise is so large that the monitor takes it for a collision."""
    pytest.importorskip('pybullet')
    settings = ('plant.sensors={noise: 5}', 'duration=0.3', 'plant.obstacles=[]')
    summary = summary_of_graph(graph, 'yumi_collision', settings, composed=True)
    assert 'collision' in {event['kind'] for event in summary['events']}
    assert summary == expected('yumi_collision', *settings)


@pytest.mark.parametrize(
    'composed', [pytest.param(False, marks=LONG), True], ids=['distributed', 'composed']
)
@pytest.mark.parametrize('takes', but_one_long(['effort', 'position'], 'effort'))
def test_a_hand_leads_alike_in_the_graph(graph: Any, takes: str, composed: bool) -> None:
    hand = '{link: tool0_l, stiffness: 500, damping: 30, max_force: 15, start: 0.2, end: 0.8}'
    settings = (f'plant.hands=[{hand}]', f'plant.takes={takes}', *shortened(PERIODS[0]))
    summary = summary_of_graph(graph, 'yumi_step', settings, composed=composed)
    assert summary == expected('yumi_step', *settings)


@pytest.mark.parametrize(
    'composed', [pytest.param(False, marks=LONG), True], ids=['distributed', 'composed']
)
@pytest.mark.parametrize('source', but_one_long(['observer', 'truth'], 'observer'))
@pytest.mark.parametrize(
    'name',
    [
        'lwr_guiding',
        *(pytest.param(name, marks=LONG) for name in GUIDING if name != 'lwr_guiding'),
    ],
)
def test_a_guided_robot_gives_way_alike_in_the_graph(
    graph: Any, name: str, source: str, composed: bool
) -> None:
    settings = (f'admittance.source={source}', *LED)
    summary = summary_of_graph(graph, name, settings, composed=composed)
    assert summary == expected(name, *settings)


@pytest.mark.parametrize('composed', [False, True], ids=['distributed', 'composed'])
def test_a_load_is_recognised_and_taken_over_alike_in_the_graph(
    graph: Any, composed: bool
) -> None:
    summary = summary_of_graph(graph, 'yumi_collision', GRASPED, composed=composed)
    assert summary == expected('yumi_collision', *GRASPED)
    (load,) = (event for event in summary['events'] if event['kind'] == 'load')
    assert load['taken']
    assert load['time'] + 0.2 < summary['duration']
    asked = (*GRASPED[:-1], 'monitor.payload=ask')
    assert summary['digest'] != expected('yumi_collision', *asked)['digest']


@pytest.mark.parametrize('composed', [False, True], ids=['distributed', 'composed'])
def test_measured_torques_lead_alike_in_the_graph(graph: Any, composed: bool) -> None:
    """The hand is felt by the joints' sensors, whose noise the commands do not have."""
    settings = (*MEASURED, *LED)
    summary = summary_of_graph(graph, 'lwr_guiding', settings, composed=composed)
    assert summary == expected('lwr_guiding', *settings)
    assert summary['digest'] != expected('lwr_guiding', *settings[1:])['digest']


@pytest.mark.parametrize(
    'composed', [pytest.param(False, marks=LONG), True], ids=['distributed', 'composed']
)
@pytest.mark.parametrize('name', but_one_long(list(ALL_OF), 'workerbot_carry'))
def test_two_hands_do_the_same_in_the_graph(graph: Any, name: str, composed: bool) -> None:
    if name == 'workerbot_grip':
        pytest.importorskip('pybullet')
    summary = summary_of_graph(graph, name, ALL_OF[name], composed=composed)
    assert summary == expected(name, *ALL_OF[name])
    doing = [event['doing'] for event in summary['events'] if event['kind'] == 'task']
    assert doing[-1] == ('task 4 (move)' if name in HELD else 'task 3 (hold)')


@LONG
@pytest.mark.parametrize('stiffness', ['5e4', '5e5'])
def test_softer_and_stiffer_beams_are_the_same_in_the_graph(graph: Any, stiffness: str) -> None:
    settings = ('duration=1.4', f'plant.object.stiffness={stiffness}')
    summary = summary_of_graph(graph, 'workerbot_hold', settings, composed=True)
    assert summary == expected('workerbot_hold', *settings)


@pytest.mark.parametrize(
    'composed', [pytest.param(False, marks=LONG), True], ids=['distributed', 'composed']
)
def test_a_lost_sensor_stops_both_arms_alike_in_the_graph(graph: Any, composed: bool) -> None:
    fault = 'plant.sensors.faults=[{tip: palm_l, kind: lost, start: 0.5}]'
    summary = summary_of_graph(graph, 'workerbot_carry', (*CARRIED, fault), composed=composed)
    assert summary == expected('workerbot_carry', *CARRIED, fault)
    last = summary['events'][-1]
    assert last['doing'].startswith('stopped: wrist sensor of palm_l lost')
    assert last['time'] == pytest.approx(0.5, abs=0.0011)


@LONG
@pytest.mark.parametrize('composed', [False, True], ids=['distributed', 'composed'])
def test_a_bump_stops_both_arms_alike_in_the_graph(graph: Any, composed: bool) -> None:
    """A monitor that is told what the wrists feel, and two hands that are told what it sees."""
    push = '{link: wb_link_5_l, start: 1.1, duration: 0.2, force: [0, 0, -100]}'
    settings = (f'plant.pushes=[{push}]', 'duration=1.2')
    summary = summary_of_graph(graph, 'workerbot_bump', settings, composed=composed)
    assert summary == expected('workerbot_bump', *settings)
    doing = [event['doing'] for event in summary['events'] if event['kind'] == 'task']
    assert doing[-2:] == ['task 3 (hold)', 'stopped: collision']


@LONG
@pytest.mark.parametrize('name', GUIDING)
def test_guiding_to_its_end(graph: Any, name: str) -> None:
    summary = summary_of_graph(graph, name, (), composed=True)
    assert summary == expected(name)


@pytest.mark.parametrize(
    'composed', but_one_long([False, True], False), ids=['distributed', 'composed']
)
def test_an_undisturbed_motion_to_its_end(graph: Any, composed: bool) -> None:
    out = graph.folder / 'out'
    more = ['--composed'] if composed else []
    process = graph.launch(*arguments('yumi_offline', (), out, *more))
    assert_ended(graph, process, out)
    assert comparable(out) == expected('yumi_offline')


@pytest.mark.parametrize(
    'name',
    ['yumi_step', *(pytest.param(name, marks=LONG) for name in RELAYED if name != 'yumi_step')],
)
def test_lost_and_repeated_messages_change_nothing(graph: Any, name: str) -> None:
    begin = time.monotonic()
    settings, unsaid = RELAYED[name]
    if name == 'sphere_collision':
        pytest.importorskip('pybullet')
    out = graph.folder / 'out'
    nodes = nodes_of(name, settings, out)
    behind = tuple(behind_the_relay(node) for node in nodes)
    process = graph.supervise([relay(nodes), *graph.programs(behind)])
    assert_ended(graph, process, out)
    assert comparable(out) == expected(name, *settings)
    counts = relayed(graph.output)
    requests = sum(counts.pop(f'resend_{node.executable}') for node in nodes)
    assert requests > STEPS / 10
    assert {topic for topic, count in counts.items() if not count} == unsaid
    print(f'{name}: {time.monotonic() - begin:.1f} s; relayed: {counts}, {requests} requests')


def behind_the_relay(node: NodeSpec) -> NodeSpec:
    """Return the node such that all that it publishes goes through the relay."""
    remappings = tuple((topic, f'{topic}_raw') for topic in PUBLISHED[node.executable])
    requests = ('resend', f'resend_{node.executable}')
    return msgspec.structs.replace(node, remappings=(*remappings, requests))


def relay(nodes: tuple[NodeSpec, ...]) -> Program:
    topics = [
        f'{topic}:{kind}' for node in nodes for topic, kind in PUBLISHED[node.executable].items()
    ]
    names = [node.executable for node in nodes]
    return Program(
        name='relay', command=(sys.executable, str(RELAY), ','.join(topics), ','.join(names))
    )


def relayed(output: str) -> dict[str, int]:
    lines = [line.split() for line in output.splitlines() if line.startswith('relayed ')]
    return {topic: int(count) for _, topic, count in lines}


@LONG
@pytest.mark.parametrize('name', ['yumi_step', 'yumi_offline', 'yumi_guiding', 'workerbot_carry'])
def test_the_order_in_which_nodes_start_changes_nothing(graph: Any, name: str) -> None:
    settings, _ = RELAYED[name]
    out = graph.folder / 'out'
    programs = graph.programs(nodes_of(name, settings, out))
    process = graph.supervise(programs[::-1], delay=2.0)
    assert_ended(graph, process, out)
    assert comparable(out) == expected(name, *settings)


@LONG
def test_two_robots_at_once_do_not_hear_each_other(graph: Any) -> None:
    cases = {
        'left': ('yumi_step', (*DISTURBED, *shortened(PERIODS[0]))),
        'right': ('yumi_step', ('plant.mass_bias=0.05', *shortened(PERIODS[0]))),
    }
    processes = [
        graph.launch(*arguments(name, settings, graph.folder / space, '--namespace', space))
        for space, (name, settings) in cases.items()
    ]
    for process in processes:
        assert process.wait(LONGEST) == 0, graph.output
    for space, (name, settings) in cases.items():
        assert comparable(graph.folder / space) == expected(name, *settings)
